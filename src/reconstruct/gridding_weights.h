/* What sums are divided by: their weights, or gridding weights. */
#ifndef QN_RECONSTRUCT_GRIDDING_WEIGHTS_H
#define QN_RECONSTRUCT_GRIDDING_WEIGHTS_H

#include <stdint.h>

#include "base/thread_pool.h"
#include "reconstruct/fourier_sums.h"

/* numerator /= weight at |f| < `limit` voxels, where a weight below 1e-3 of the mean of its shell counts as that and
 * voxels that nothing came near are 0; 0 beyond. *untouched_share: of the voxels within `touched_limit`. The same bits
 * for any number of threads. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_gridding_divide(qn_fourier_sums *sums, double limit, double touched_limit, qn_pool *pool,
                                           double *untouched_share);

/* Bytes that it takes meanwhile. */
uint64_t qn_gridding_bytes(int side);

#endif
