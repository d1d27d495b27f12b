/* Quality of a model of a two-partner complex against the native one: Fnat, i-RMSD, L-RMSD, DockQ, CAPRI class.
 *
 * Life cycle: reference create → quality of any number of models → destroy. Thread rule: a reference is read-only after
 * creation and may be shared by threads.
 */
#ifndef QN_COMPARE_COMPLEX_QUALITY_H
#define QN_COMPARE_COMPLEX_QUALITY_H

#include <quern/molecule.h>

typedef struct qn_complex_reference qn_complex_reference;

typedef enum qn_capri_class { QN_CAPRI_INCORRECT, QN_CAPRI_ACCEPTABLE, QN_CAPRI_MEDIUM, QN_CAPRI_HIGH } qn_capri_class;

typedef struct qn_complex_quality {
    double fnat;                    /* native residue contacts (heavy atoms closer than 5 Å) that the model has */
    double interface_rmsd_angstrom; /* i-RMSD: backbone of residues within 10 Å of the partner in the native, fitted */
    double ligand_rmsd_angstrom;    /* L-RMSD: ligand backbone after superposing receptor backbones */
    double dockq;                   /* Basu & Wallner 2016, version 1 */
    qn_capri_class capri;
    size_t matched_receptor_residues, matched_ligand_residues;
    size_t native_contacts, unmatched_contacts; /* all, and those with a residue that the model lacks */
} qn_complex_quality;

/* Bound receptor and ligand (copied as needed). Backbone is N CA C O, in nucleic acids the sugar and phosphate
 * (src/compare/partner.h). Only amino acids and nucleotides count. QN_BAD_FORMAT when they have no contact. */
QN_MUST_CHECK qn_status qn_complex_reference_create(const qn_molecule *receptor, const qn_molecule *ligand,
                                                    qn_complex_reference **reference);
void qn_complex_reference_destroy(qn_complex_reference **reference);

/* Residues are matched by author chain, number and insertion code; where that leaves names in disagreement, chain by
 * chain by sequence alignment, the best of equivalent pairings of chains. RMSDs are over atoms that both have. A native
 * contact with a residue that the model lacks counts as not made: Fnat's denominator is every contact of the native, as
 * in CAPRI and DockQ, so leaving residues out cannot improve a model. QN_BAD_FORMAT when too few match. */
QN_MUST_CHECK qn_status qn_complex_quality_compute(const qn_complex_reference *reference, const qn_molecule *receptor,
                                                   const qn_molecule *ligand, qn_complex_quality *quality);

const char *qn_capri_class_name(qn_capri_class capri); /* "incorrect", "acceptable", "medium", "high" */

#endif
