/* Type, radius and charge of every atom of a molecule, and the polar hydrogens that are missing in its file.
 *
 * Charges are CHARMM-19 with polar hydrogens. A polar hydrogen of the table that is missing in the file is built with
 * ideal geometry when the caller asks for it. Otherwise, or where the atoms that determine its position are missing,
 * its parent gets its charge. In both cases the charges of a complete residue add up to its formal charge: chain starts
 * have NH3+, residues with OXT have COO−, other chain ends have no charge; both ends of a nucleic strand are hydroxyls.
 * Hydrogens of the file are used as they are. Atoms without an entry in the table get a radius by element, no charge
 * and no type, and are listed once in the log.
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
    bool heavy; /* not a hydrogen: has a shape */
} qn_atom_parameters;

typedef struct qn_parameters_summary {
    double net_charge_e; /* of the atoms and the built hydrogens */
    size_t heavy_atoms;
    size_t without_entry; /* heavy atoms with a radius by element */
} qn_parameters_summary;

/* *parameters: one for each atom of the molecule, released with qn_release. *hydrogens (released with qn_release; NULL:
 * there are none): charges and positions of built hydrogens, which have no shape and no pair terms. When `hydrogens` is
 * NULL, none are built, and `hydrogen_count` is not used. `summary` may be NULL. */
QN_MUST_CHECK qn_status qn_atom_parameters_assign(const qn_molecule *molecule, qn_atom_parameters **parameters,
                                                  qn_built_hydrogen **hydrogens, size_t *hydrogen_count,
                                                  qn_parameters_summary *summary);

#endif
