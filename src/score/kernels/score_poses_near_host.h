/* How score_poses_near.c calls the host's kernel. */
#ifndef QN_SCORE_SCORE_POSES_NEAR_HOST_H
#define QN_SCORE_SCORE_POSES_NEAR_HOST_H

#include "runtime/driver.h"
#include "runtime/host_variant.h"
#include "score/kernels/score_poses.h"
#include "score/kernels/score_poses_lists.h"

/* Ligand atoms of one type in some poses, as they come and sorted by cell; room for QN_NEAR_PART each, made when
 * needed.
 */
enum { QN_NEAR_PART = 1 << 15 };
typedef struct qn_near_worker {
    float *numbers;     /* [7][part and a block]: x, y, z as they come and sorted, energies sorted */
    int32_t *indices;   /* [2][part]: cell as they come, item sorted */
    int32_t *cells;     /* [3][cell_count + 1]: items of each cell, 0 between parts; cells that have some; their ends */
    float *energies;    /* of all items of a task, ligand atom by ligand atom of each block of poses */
    size_t energy_room; /* how many of these there is room for */
} qn_near_worker;

/* The `user` of the host function, whose addresses are places, pairs, jobs, atoms, transforms, energies. */
typedef struct qn_near_call {
    const qn_score_lists *lists;
    const int32_t *second_rows; /* of each type; −1: none */
    int stride, type_count, poses, job_count, ligand_atoms;
    bool exact;
    qn_near_worker *workers;
} qn_near_call;

QN_HOST_DECLARE(const qn_host_function, qn_score_score_poses_near_host);

#endif
