/* The host kernel of score_poses_near and its arguments. */
#ifndef QN_SCORE_SCORE_POSES_NEAR_HOST_H
#define QN_SCORE_SCORE_POSES_NEAR_HOST_H

#include "runtime/driver.h"
#include "runtime/host_variant.h"
#include "score/kernels/score_poses.h"
#include "score/kernels/score_poses_lists.h"

/* Memory of a thread for up to QN_NEAR_PART items of one type in some poses, in input order and sorted by cell. It is
 * allocated at its first use. */
enum { QN_NEAR_PART = 1 << 15 };
typedef struct qn_near_worker {
    float *numbers;     /* [7][part and a block]: x, y, z in input order, x, y, z sorted, energies sorted */
    int32_t *indices;   /* [2][part and a block]: cells in input order, items sorted */
    int32_t *cells;     /* [3][cell_count]: number of items of each cell, 0 between parts; used cells; their ends */
    float *energies;    /* energies of all items of a task, by block of poses, then ligand atom */
    size_t energy_room; /* capacity of `energies` */
} qn_near_worker;

/* Argument `user` of the host function; its addresses are places, pairs, jobs, atoms, transforms, energies. */
typedef struct qn_near_call {
    const qn_score_lists *lists;
    const int32_t *second_rows; /* second row of each type; −1: none */
    int stride, type_count, poses, job_count, ligand_atoms;
    bool exact;
    qn_near_worker *workers;
} qn_near_call;

QN_HOST_DECLARE(const qn_host_function, qn_score_score_poses_near_host);

#endif
