/* Exact Euclidean distances on grids: Felzenszwalb and Huttenlocher 2012, doi 10.4086/toc.2012.v008a019. */
#ifndef QN_CRYOEM_DISTANCE_H
#define QN_CRYOEM_DISTANCE_H

#include "base/thread_pool.h"

/* Replace squared[z][y][x], which is 0 at marked voxels and any positive number elsewhere, by the squared distance in
 * voxels to the nearest marked voxel, or by `reach`² where the distance is `reach` or more: 0 < reach ≤ 2000. The time
 * depends on the number of voxels only. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_distance_squared(qn_pool *pool, const int counts[3], float reach, float *squared);

#endif
