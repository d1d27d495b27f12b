/* How far poses of a ligand are apart when equivalent atoms may change places, and which of many poses differ. */
#ifndef QN_FLEXIBLE_ALIKE_H
#define QN_FLEXIBLE_ALIKE_H

#include "flexible/tree.h"

/* The ways in which equivalent heavy atoms of a ligand change places. */
typedef struct qn_flexible_symmetry {
    int count, atom_count; /* mappings, the identity first; heavy atoms of the ligand */
    int *mappings;         /* [count][atom_count]: the heavy atom of the tree that each one is mapped to */
} qn_flexible_symmetry;

/* Find them from elements and connections of the compound that the tree is made of; at most 1000. */
QN_MUST_CHECK qn_status qn_flexible_symmetry_find(const qn_compound *compound, const qn_flexible_tree *tree,
                                                  qn_flexible_symmetry *symmetry);
void qn_flexible_symmetry_clear(qn_flexible_symmetry *symmetry);

/* Smallest root mean square distance (Å) of the ligand's heavy atoms over the mappings, in place: nothing is
 * superposed. a, b: their positions in the order of the tree. */
double qn_flexible_rmsd_angstrom(const qn_flexible_symmetry *symmetry, const double *a, const double *b);

/* Of poses that are at most `apart_angstrom` from each other keep the first, up to `most`, at the begin of poses and
 * energies, in their order; *kept gets their number. Side chains are not compared. */
QN_MUST_CHECK qn_status qn_flexible_drop_alike(const qn_flexible_tree *tree, const qn_flexible_symmetry *symmetry,
                                               double apart_angstrom, int most, qn_flexible_pose *poses,
                                               double *energies, int count, int *kept);

/* Order poses by energy, and list the first `most` of them in `order`: those that are over `apart_angstrom` from each
 * one listed before come first, the best of the others follow. Equivalent atoms do not change places. */
QN_MUST_CHECK qn_status qn_flexible_choose(const qn_flexible_tree *tree, const qn_flexible_pose *poses,
                                           const double *energies, int count, double apart_angstrom, int most,
                                           int *order);

#endif
