/* Quality of a model of a two-partner complex, compared with the native complex: Fnat, i-RMSD, L-RMSD, DockQ, CAPRI
 * class.
 *
 * Life cycle: reference create → quality of any number of models → destroy. Thread rule: a reference is read-only after
 * creation and may be shared by threads.
 */
#ifndef QN_COMPARE_COMPLEX_QUALITY_H
#define QN_COMPARE_COMPLEX_QUALITY_H

#include <quern/evaluate.h>

typedef struct qn_complex_reference qn_complex_reference;

typedef struct qn_complex_quality {
    double fnat;                    /* share of native residue contacts (heavy atoms within 5 Å) that the model has */
    double interface_rmsd_angstrom; /* i-RMSD: backbone of residues within 10 Å of the partner in the native, fitted */
    double ligand_rmsd_angstrom;    /* L-RMSD: ligand backbone after superposing receptor backbones */
    double dockq;                   /* Basu & Wallner 2016, version 1 */
    qn_capri_class capri;
    size_t matched_receptor_residues, matched_ligand_residues;
    size_t native_contacts, unmatched_contacts; /* all, and those with a residue that the model lacks */
} qn_complex_quality;

/* Create a reference from the bound receptor and ligand, which need not outlive the call. The backbone is N CA C O, in
 * nucleic acids sugar and phosphate (compare/partner.h). Only amino acids and nucleotides count. QN_BAD_FORMAT if a
 * partner has none of these, or if the partners have no contact. */
QN_MUST_CHECK qn_status qn_complex_reference_create(const qn_molecule *receptor, const qn_molecule *ligand,
                                                    qn_complex_reference **reference);
void qn_complex_reference_destroy(qn_complex_reference **reference);

/* Compute the quality of a model. Residues are matched by number or by alignment (compare/residue_match.h); of
 * equivalent matches the one with the highest DockQ is used. RMSDs are over the atoms that model and reference both
 * have. A native contact with a residue that the model lacks counts as absent from the model: the denominator of Fnat
 * is the number of all native contacts, as in CAPRI and DockQ, so that a model without some residues is not rated
 * better. QN_BAD_FORMAT if too few residues match. */
QN_MUST_CHECK qn_status qn_complex_quality_compute(const qn_complex_reference *reference, const qn_molecule *receptor,
                                                   const qn_molecule *ligand, qn_complex_quality *quality);

#endif
