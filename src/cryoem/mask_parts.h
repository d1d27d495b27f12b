/* Connected parts of what lies above a threshold. */
#ifndef QN_CRYOEM_MASK_PARTS_H
#define QN_CRYOEM_MASK_PARTS_H

#include <quern/volume.h>

#include "base/thread_pool.h"

typedef struct qn_mask_parts {
    size_t found, kept;  /* parts */
    size_t voxels;       /* of the parts that are kept */
    float highest_value; /* of all */
} qn_mask_parts;

/* Voxels above `threshold` that share faces make up a part. Those are kept that reach `peak` somewhere and have at
 * least `least_share` of the voxels of the largest that does. distance[z][y][x] = 0 at voxels of parts that are kept
 * and 1 elsewhere. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_mask_find_parts(qn_pool *pool, const qn_volume *map, double threshold, double peak,
                                           double least_share, float *distance, qn_mask_parts *parts);

#endif
