/* Mirror images among structures, which some measures cannot tell apart.
 *
 * The signed volumes of tetrahedra of four atoms change their signs in a mirror image. The volumes of two structures
 * are compared by the cosine of the angle between them as vectors; it is near −1 for mirror images, and near 0 for
 * structures that have little in common. */
#ifndef QN_CLUSTER_MEASURE_MIRROR_H
#define QN_CLUSTER_MEASURE_MIRROR_H

#include <quern/status.h>

#include "base/thread_pool.h"
#include "cluster/measure/structures.h"

/* Count the structures that look like mirror images of structure 0. *example becomes the first of them. */
QN_MUST_CHECK qn_status qn_structures_find_mirrored(const qn_structures *structures, qn_pool *pool, size_t *count,
                                                    size_t *example);

#endif
