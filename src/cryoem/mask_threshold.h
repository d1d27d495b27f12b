/* Levels of a map from its histogram: the height of the background, its scatter, the threshold of the density, and the
 * level at which its surface is shown. */
#ifndef QN_CRYOEM_MASK_THRESHOLD_H
#define QN_CRYOEM_MASK_THRESHOLD_H

#include <quern/volume.h>

#include "base/thread_pool.h"

typedef struct qn_mask_levels {
    double background; /* middle of the shortest interval that holds a quarter of all values */
    double noise; /* deviation of the values below the background, from their quantile: density adds nothing there */
    double threshold; /* background + the larger of 3 · noise and a quarter of the mean height of the values above the
                         threshold */
    double surface;   /* the same with half of the mean height */
} qn_mask_levels;

/* Find the levels. Like the threshold of Ridler and Calvard 1978 (doi 10.1109/TSMC.1978.4310039), this threshold is a
 * fixed point, but at a quarter instead of half of the mean height above it, and always above the noise. Half the
 * height is where the border of uniform density is after blurring: there the surface is shown. A mask at half the
 * height would leave out domains less dense than the core. `low` < `high` are the smallest and the largest value.
 * QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_mask_find_levels(qn_pool *pool, const qn_volume *map, float low, float high,
                                            qn_mask_levels *levels);

#endif
