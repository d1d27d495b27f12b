/* Polar hydrogens that a file lacks, placed by ideal geometry: bond length, bond angle and torsion by rule, no search.
 *
 * Planar groups follow from the heavy atoms around the parent; hydroxyl and ammonium groups are staggered, and where
 * several staggered positions exist the rule names one, so the same molecule always gets the same hydrogens and a
 * rotated molecule gets the rotated ones.
 */
#ifndef QN_SCORE_POLAR_HYDROGENS_H
#define QN_SCORE_POLAR_HYDROGENS_H

#include "score/table_names.h"

typedef struct qn_built_hydrogen {
    double position_angstrom[3];
    double charge_e;
    size_t parent; /* index of the atom that carries it */
    char name[6];  /* the atom table's; of an amino end "H1", "H2", "H3" */
} qn_built_hydrogen;

typedef struct qn_hydrogen_list {
    qn_built_hydrogen *items;
    size_t count, capacity;
} qn_hydrogen_list;

/* Name of the heavy atom that carries a polar hydrogen of the table ("HD21" of "ASN": "ND2"), or NULL when the
 * hydrogen is not polar. */
const char *qn_polar_hydrogen_parent(const char *table_residue, const char *hydrogen);

/* Where hydrogen `name` (the table's, or "H1", "H2", "H3" of an amino end) of a residue goes. *placed is false and the
 * position untouched when an atom that the rule needs is missing or no bond away. Hydrogens of the same parent that the
 * file has, or that `built` holds, keep their places: the new one takes a free one. */
void qn_polar_hydrogen_place(const qn_table_names *names, size_t residue, const char *name,
                             const qn_hydrogen_list *built, double position_angstrom[3], bool *placed);

#endif
