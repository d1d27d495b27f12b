/* Division of the sums by their weights, plainly or with gridding weights. */
#ifndef QN_RECONSTRUCT_GRIDDING_WEIGHTS_H
#define QN_RECONSTRUCT_GRIDDING_WEIGHTS_H

#include <quern/reconstruct.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "reconstruct/fourier_sums.h"

typedef struct qn_gridding_options {
    double limit; /* voxels at |f| ≥ limit become 0; at most P / 2 */
    qn_reconstruct_weights weights;
} qn_gridding_options;

typedef struct qn_gridding_report {
    int iterations;         /* number of iterations; 0: plain */
    double unevenness;      /* root mean square of weight / (smoothed weight) − 1; 0 for PLAIN */
    double untouched_share; /* share of the voxels within the limit that no slice touched */
} qn_gridding_report;

/* numerator = numerator / weight, times gridding weights for ITERATED, and for AUTO if they are useful. A weight
 * below 1e-3 of the mean of its shell is raised to this limit; voxels that no slice touched become 0. `weight` is
 * overwritten. The bits do not depend on the number of threads. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_gridding_divide(qn_fourier_sums *sums, const qn_gridding_options *options, qn_pool *pool,
                                           qn_gridding_report *report);

/* Bytes of memory that qn_gridding_divide needs besides the sums. */
uint64_t qn_gridding_bytes(int side, qn_reconstruct_weights weights);

#endif
