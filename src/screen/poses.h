/* The kept poses of a molecule: the best poses that the search found, each different from the others, with their terms
 * and clashes. */
#ifndef QN_SCREEN_POSES_H
#define QN_SCREEN_POSES_H

#include "flexible/tree.h"
#include "screen/molecule.h"

enum { QN_SCREEN_KEPT_MAX = 64 };

/* A kept pose, as journals hold it. */
typedef struct qn_screen_kept {
    double energy, terms[QN_SCREEN_TERMS_MAX]; /* in double precision */
    double least_distance_angstrom;
    int32_t clashes, conformer;
    uint16_t number[6];
    uint16_t spare[2]; /* 0 */
} qn_screen_kept;

/* Choose up to options->keep of `poses` ([conformers][QN_SCREEN_MINIMA], as collected), best first, with an RMSD of
 * more than options->diversity_angstrom between any two. */
QN_MUST_CHECK qn_status qn_screen_poses_choose(const qn_screen_state *run, const qn_screen_molecule *molecule,
                                               const qn_screen_pose *poses, qn_screen_kept kept[QN_SCREEN_KEPT_MAX],
                                               int *count);

/* The same for a flexible molecule, whose poses go to `states`: of the poses found by options->walkers chains, with
 * their energies on maps, or, where `found` is NULL, of the library's pose. */
QN_MUST_CHECK qn_status qn_screen_poses_dock(const qn_screen_state *run, const qn_screen_molecule *molecule,
                                             qn_flexible_pose *found, double *found_energies,
                                             qn_screen_kept kept[QN_SCREEN_KEPT_MAX],
                                             qn_flexible_pose states[QN_SCREEN_KEPT_MAX], int *count);

/* Compute the positions of all atoms of the molecule, with hydrogens, in a pose: atom_count × 3 (Å). */
void qn_screen_pose_positions(const qn_screen_state *run, const qn_screen_molecule *molecule, int conformer,
                              const uint16_t number[6], double *positions);

#endif
