/* Sums of insertions: for every voxel a weighted sum of Fourier samples and the sum of the weights. Plain data.
 *
 * Shapes as in reconstruct/kernels/insert_slices.h: padded side P, x = 0 … P/2, y and z from −⌊P/2⌋. */
#ifndef QN_RECONSTRUCT_FOURIER_SUMS_H
#define QN_RECONSTRUCT_FOURIER_SUMS_H

#include <quern/status.h>
#include <stddef.h>

#include "base/thread_pool.h"

typedef struct qn_fourier_sums {
    int side;         /* P */
    float *numerator; /* [P][P][P/2 + 1][2] */
    float *weight;    /* [P][P][P/2 + 1] */
} qn_fourier_sums;

/* Allocate sums of 0, on the threads of `pool` (NULL: one). QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_fourier_sums_create(int side, qn_pool *pool, qn_fourier_sums *sums);
void qn_fourier_sums_clear(qn_fourier_sums *sums); /* releases; safe on a zeroed struct */

size_t qn_fourier_sums_voxels(int side); /* P P (P/2 + 1) */

/* sums += other. Both have the same side. */
void qn_fourier_sums_add(qn_fourier_sums *sums, const qn_fourier_sums *other);

#endif
