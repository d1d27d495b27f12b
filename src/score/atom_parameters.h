/* Type, radius and charge of every atom of a molecule.
 *
 * Charges are CHARMM-19 with polar hydrogens. A polar hydrogen of the table that the file lacks adds its charge to its
 * parent, so that a complete residue sums to its formal charge: chain starts carry NH3+, residues with OXT carry COO−,
 * cut chain ends nothing. Atoms without an entry get a radius by element, no charge and no type, and are listed once
 * through the log.
 */
#ifndef QN_SCORE_ATOM_PARAMETERS_H
#define QN_SCORE_ATOM_PARAMETERS_H

#include <quern/molecule.h>

#include "score/atom_table.h"

typedef struct qn_atom_parameters {
    int type; /* 0 … 17; −1 none */
    float radius_angstrom;
    double charge_e;
    bool heavy; /* no hydrogen: counts for the shape */
} qn_atom_parameters;

typedef struct qn_parameters_summary {
    double net_charge_e;
    size_t heavy_atoms;
    size_t without_entry; /* heavy atoms that fell back to their element */
} qn_parameters_summary;

/* *parameters: one per atom of the molecule, released with qn_release. `summary` may be NULL. */
QN_MUST_CHECK qn_status qn_atom_parameters_assign(const qn_molecule *molecule, qn_atom_parameters **parameters,
                                                  qn_parameters_summary *summary);

#endif
