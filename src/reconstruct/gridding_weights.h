/* What sums are divided by: their weights, or gridding weights. */
#ifndef QN_RECONSTRUCT_GRIDDING_WEIGHTS_H
#define QN_RECONSTRUCT_GRIDDING_WEIGHTS_H

#include <quern/reconstruct.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "reconstruct/fourier_sums.h"

typedef struct qn_gridding_options {
    double limit; /* voxels at |f| ≥ limit become 0; at most P / 2 */
    double most;  /* |f| up to which there are slices: where unevenness is judged and untouched voxels are counted */
    qn_reconstruct_weights weights;
} qn_gridding_options;

typedef struct qn_gridding_report {
    int iterations;         /* 0: plain */
    double unevenness;      /* root mean square of weight / (smoothed weight) − 1; 0 where only PLAIN was asked for */
    double untouched_share; /* of the voxels within `most` */
} qn_gridding_report;

/* numerator = numerator / weight, where a weight below 1e-3 of the mean of its shell counts as that and voxels that
 * nothing came near are 0; times gridding weights where they are asked for or called for. `weight` is used up. The same
 * bits for any number of threads. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_gridding_divide(qn_fourier_sums *sums, const qn_gridding_options *options, qn_pool *pool,
                                           qn_gridding_report *report);

/* Bytes that it takes meanwhile. */
uint64_t qn_gridding_bytes(int side, qn_reconstruct_weights weights);

#endif
