/* The tree of a hierarchical clustering: order of its leaves, and how well its heights agree with the distances. */
#ifndef QN_CLUSTER_METHOD_DENDROGRAM_H
#define QN_CLUSTER_METHOD_DENDROGRAM_H

#include "cluster/method/linkage.h"

/* Order of the leaves: those of a merge's first cluster stand left of those of the second. `order` gets `count` items.
 * QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_dendrogram_order(const qn_merge *merges, size_t count, uint32_t *order);

/* Correlation of the distance of two items with the height of the merge that first has both in one cluster, over all
 * pairs (cophenetic correlation, Sokal and Rohlf 1962). NaN: fewer than three items, or all distances or all heights
 * are equal. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_dendrogram_correlation(const qn_distance_matrix *matrix, const qn_merge *merges,
                                                  qn_pool *pool, double *correlation);

#endif
