/* Hierarchical clustering of a stored matrix, and flat clusters from it.
 *
 * The two closest clusters are merged until one is left. The distance of clusters is the smallest (single), the largest
 * (complete) or the mean (average) distance of their items, or follows from the growth of the sum of squares (Ward
 * 1963, in the form of Lance and Williams 1967).
 *
 * Time is O(n²). Single linkage follows a minimum spanning tree (Prim 1957) with O(n) memory. The others use
 * nearest-neighbour chains (Murtagh 1983; Müllner 2011) on one working triangle of floats: 4 · n(n − 1)/2 bytes, 5 GB
 * for 50,000 items.
 *
 * Ties. A chain begins at the first remaining cluster. Of equally near neighbours, the cluster before in the chain is
 * taken, else the first one. A merged cluster takes the place of the later of its two parts. Merges of equal height
 * keep the order in which they were found. These are the rules of scipy 1.10, so the merges are the same.
 */
#ifndef QN_CLUSTER_METHOD_LINKAGE_H
#define QN_CLUSTER_METHOD_LINKAGE_H

#include <quern/status.h>

#include "base/thread_pool.h"
#include "cluster/method/distance_matrix.h"

typedef enum qn_linkage_method {
    QN_LINKAGE_SINGLE,
    QN_LINKAGE_COMPLETE,
    QN_LINKAGE_AVERAGE,
    QN_LINKAGE_WARD
} qn_linkage_method;

/* Merge k of count − 1, by ascending height. Clusters below `count` are items, and cluster count + k is the result of
 * merge k. */
typedef struct qn_merge {
    uint32_t first, second; /* clusters, first < second */
    uint32_t size;          /* items of the result */
    float height;           /* distance of the two clusters */
} qn_merge;

/* Compute all merges; `merges` has room for count − 1. The result does not depend on the threads of the pool, which may
 * be NULL. `count` is at most 2^31. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_linkage_compute(const qn_distance_matrix *matrix, qn_linkage_method method, qn_pool *pool,
                                           qn_merge *merges);

/* Clusters that the merges of at most `cutoff` make. `labels` gets the clusters, numbered as labels.h says.
 * QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_linkage_cut_height(const qn_merge *merges, size_t count, double cutoff, uint32_t *labels,
                                              size_t *cluster_count);

/* At most `most` (at least 1) clusters. Merges of equal height are made together, so there may be fewer, as in scipy.
 * *cutoff gets the height of the last merge; 0: there is none. */
QN_MUST_CHECK qn_status qn_linkage_cut_count(const qn_merge *merges, size_t count, size_t most, uint32_t *labels,
                                             size_t *cluster_count, double *cutoff);

#endif
