/* Connected parts of the voxels above a threshold. */
#ifndef QN_CRYOEM_MASK_PARTS_H
#define QN_CRYOEM_MASK_PARTS_H

#include <quern/volume.h>

#include "base/thread_pool.h"

typedef struct qn_mask_parts {
    size_t found, kept;  /* parts */
    size_t voxels;       /* voxels of the parts that are kept */
    float highest_value; /* largest value of the map */
} qn_mask_parts;

/* Find the parts: voxels above `threshold` that share faces belong to one part. A part is kept if it reaches `peak`
 * somewhere and has at least `least_share` of the voxels of the largest part that does. distance[z][y][x] becomes 0 at
 * voxels of kept parts and 1 elsewhere. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_mask_find_parts(qn_pool *pool, const qn_volume *map, double threshold, double peak,
                                           double least_share, float *distance, qn_mask_parts *parts);

#endif
