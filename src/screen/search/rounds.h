/* The rounds of a job: independent searches, which go on until several of them end at the lowest energy. */
#ifndef QN_SCREEN_SEARCH_ROUNDS_H
#define QN_SCREEN_SEARCH_ROUNDS_H

#include "screen/search/search.h"

typedef struct qn_screen_rounds {
    int done;
    float lowest[QN_SCREEN_ROUNDS_MAX]; /* energy of each round's best pose */
    qn_screen_pose *poses;              /* of all rounds, [rounds · winners]; owned by the caller */
    int count;
} qn_screen_rounds;

/* Forget all rounds; the memory of the poses stays. */
void qn_screen_rounds_restart(qn_screen_rounds *rounds);

/* Add the poses of a round, best first. Poses without a finite energy are left out, except that every round adds one
 * pose. */
void qn_screen_rounds_add(qn_screen_rounds *rounds, const qn_screen_pose *poses, int count);

/* Number of rounds whose best energy is the lowest of all rounds within 1 %, at least 0.1. */
int qn_screen_rounds_agreeing(const qn_screen_rounds *rounds);

/* Convert poses from and to the four words of the kernels' lists (evolve.h). */
void qn_screen_poses_pack(const qn_screen_pose *poses, int count, uint32_t *words);
void qn_screen_poses_unpack(const uint32_t *words, int count, qn_screen_pose *poses);

/* Sort the poses of all rounds by energy, then by their numbers. */
void qn_screen_rounds_sort(qn_screen_rounds *rounds);

/* Make the list of minima of a job: the best of the minimised poses and of those of all rounds, sorted, that are at
 * least `apart_angstrom` (RMSD) from every better one. Unused places get infinite energy. `frame`: see evolve.h;
 * `moments`: of the ligand. */
void qn_screen_rounds_list(const qn_screen_rounds *rounds, const qn_screen_pose *minimised, int minimised_count,
                           const float *frame, const float moments[6], float apart_angstrom,
                           qn_screen_pose minima[QN_SCREEN_MINIMA]);

#endif
