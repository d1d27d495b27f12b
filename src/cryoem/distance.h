/* Exact Euclidean distances on grids: Felzenszwalb and Huttenlocher 2012, doi 10.4086/toc.2012.v008a019. */
#ifndef QN_CRYOEM_DISTANCE_H
#define QN_CRYOEM_DISTANCE_H

#include "base/thread_pool.h"

/* squared[z][y][x], 0 at marked voxels and anything above elsewhere, becomes the squared distance in voxels from each
 * voxel to the nearest marked one, or `reach`² where that is `reach` or farther: 0 < reach ≤ 2000. Time grows with the
 * number of voxels alone. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_distance_squared(qn_pool *pool, const int counts[3], float reach, float *squared);

#endif
