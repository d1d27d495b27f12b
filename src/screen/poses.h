/* From what a search found to what is reported of a molecule: its best poses, each unlike the others, with their terms
 * and how well they fit. */
#ifndef QN_SCREEN_POSES_H
#define QN_SCREEN_POSES_H

#include "screen/molecule.h"

enum { QN_SCREEN_MOST_KEPT = 64 };

/* As it stands in a journal. */
typedef struct qn_screen_kept {
    double energy, terms[QN_SCREEN_TERMS]; /* in double precision */
    double least_distance_angstrom;
    int32_t clashes, conformer;
    uint16_t number[6];
    uint16_t spare[2]; /* 0 */
} qn_screen_kept;

/* `poses`: [conformers][winners], as collected. Keeps up to options->keep of them, best energy first, no two of them
 * within options->diversity_angstrom. */
QN_MUST_CHECK qn_status qn_screen_poses_choose(const qn_screen_state *run, const qn_screen_molecule *molecule,
                                               const qn_screen_pose *poses, qn_screen_kept kept[QN_SCREEN_MOST_KEPT],
                                               int *count);

/* Where all atoms of the molecule, hydrogens among them, are in a pose: atom_count × 3 (Å). */
void qn_screen_pose_positions(const qn_screen_state *run, const qn_screen_molecule *molecule, int conformer,
                              const uint16_t number[6], double *positions);

#endif
