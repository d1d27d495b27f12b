/* What stands out of a map, from its histogram: how high the background is, how much it scatters, and where the density
 * begins. */
#ifndef QN_CRYOEM_MASK_THRESHOLD_H
#define QN_CRYOEM_MASK_THRESHOLD_H

#include <quern/volume.h>

#include "base/thread_pool.h"

typedef struct qn_mask_levels {
    double background; /* the middle of the shortest interval that holds a quarter of all values */
    double noise;      /* deviation of what lies below it, by that half's quantile: density adds nothing there */
    double threshold;  /* background + the larger of 3 · noise and a quarter of the height of what is above it */
} qn_mask_levels;

/* The threshold is a fixed point as that of Ridler and Calvard 1978 (doi 10.1109/TSMC.1978.4310039), but at a quarter
 * of the mean height of what lies above instead of at half of it, and held above the noise: half the height, where a
 * sharp border that was blurred was, leaves out what is less dense than a core. `low` < `high`: the range of the
 * values. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_mask_find_levels(qn_pool *pool, const qn_volume *map, float low, float high,
                                            qn_mask_levels *levels);

#endif
