/* Positions of polar hydrogens that are missing in a file, by ideal geometry: bond length, bond angle and torsion
 * follow rules, without a search.
 *
 * Planar groups follow from the heavy atoms around the parent; hydroxyl and ammonium groups are staggered. If
 * there are several staggered positions, the rule selects one. So the same molecule always gets the same hydrogens, and
 * a rotated molecule gets rotated hydrogens.
 */
#ifndef QN_SCORE_POLAR_HYDROGENS_H
#define QN_SCORE_POLAR_HYDROGENS_H

#include "score/table_names.h"

typedef struct qn_built_hydrogen {
    double position_angstrom[3];
    double charge_e;
    size_t parent; /* index of the atom that carries it */
    char name[6];  /* as in the atom table; of an amino end "H1", "H2", "H3" */
} qn_built_hydrogen;

typedef struct qn_hydrogen_list {
    qn_built_hydrogen *items;
    size_t count, capacity;
} qn_hydrogen_list;

/* Name of the heavy atom that carries a polar hydrogen of the table ("HD21" of "ASN": "ND2"), or NULL when the
 * hydrogen is not polar. */
const char *qn_polar_hydrogen_parent(const char *table_residue, const char *hydrogen);

/* Name of polar hydrogen `index` (from 0) of the atom `parent`: "HZ2" for index 1 of NZ of a lysine. NULL: `parent` has
 * no more. */
const char *qn_polar_hydrogen_name(const qn_table_names *names, size_t residue, const char *parent, size_t index);

/* Find the position of hydrogen `name` (of the table, or "H1", "H2", "H3" of an amino end) of a residue. *placed is
 * false and the position unchanged when an atom that the rule needs is missing or not bonded. The new hydrogen takes a
 * position that no hydrogen of the same parent in the file or in `built` has. */
void qn_polar_hydrogen_place(const qn_table_names *names, size_t residue, const char *name,
                             const qn_hydrogen_list *built, double position_angstrom[3], bool *placed);

#endif
