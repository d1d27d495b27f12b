/* Type, radius and charge of every atom of a molecule, and the polar hydrogens that its file lacks.
 *
 * Charges are CHARMM-19 with polar hydrogens. A polar hydrogen of the table that the file lacks is built from ideal
 * geometry when the caller asks for it; otherwise, or where the atoms that fix its place are missing, its parent gets
 * its charge. Either way a complete residue sums to its formal charge: chain starts carry NH3+, residues with OXT carry
 * COO−, cut chain ends nothing; both ends of a nucleic strand are hydroxyls. Hydrogens of the file are used as they
 * are. Atoms without an entry get a radius by element, no charge and no type, and are listed once through the log.
 */
#ifndef QN_SCORE_ATOM_PARAMETERS_H
#define QN_SCORE_ATOM_PARAMETERS_H

#include <quern/molecule.h>

#include "score/atom_table.h"
#include "score/polar_hydrogens.h"

typedef struct qn_atom_parameters {
    int type; /* 0 … 17; −1 none */
    float radius_angstrom;
    double charge_e;
    bool heavy; /* no hydrogen: counts for the shape */
} qn_atom_parameters;

typedef struct qn_parameters_summary {
    double net_charge_e; /* of the atoms and the built hydrogens */
    size_t heavy_atoms;
    size_t without_entry; /* heavy atoms that fell back to their element */
} qn_parameters_summary;

/* *parameters: one per atom of the molecule, released with qn_release. *hydrogens (released with qn_release; NULL when
 * none): charges at positions, nothing for shape or pair terms; passing NULL builds none, and `hydrogen_count` is then
 * not used. `summary` may be NULL. */
QN_MUST_CHECK qn_status qn_atom_parameters_assign(const qn_molecule *molecule, qn_atom_parameters **parameters,
                                                  qn_built_hydrogen **hydrogens, size_t *hydrogen_count,
                                                  qn_parameters_summary *summary);

#endif
