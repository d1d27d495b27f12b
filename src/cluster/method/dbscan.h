/* Clusters of dense regions (DBSCAN; Ester, Kriegel, Sander, Xu 1996) on a stored matrix.
 *
 * An item is a core item if at least `least_items` items, itself included, lie within `radius` of it. Core items within
 * the radius of each other are in one cluster. An item that is no core item, but within the radius of one, is at the
 * border: it goes to the cluster that was found first among those of its core neighbours, and clusters are found in the
 * order of their first core item. All other items are noise. Time O(n²) at most. */
#ifndef QN_CLUSTER_METHOD_DBSCAN_H
#define QN_CLUSTER_METHOD_DBSCAN_H

#include "base/thread_pool.h"
#include "cluster/method/distance_matrix.h"
#include "cluster/method/labels.h"

/* `labels` gets the clusters, numbered as labels.h says, and QN_LABEL_NONE for noise. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_dbscan_cluster(const qn_distance_matrix *matrix, double radius, size_t least_items,
                                          qn_pool *pool, uint32_t *labels, size_t *cluster_count);

#endif
