/* Clusters of dense regions (DBSCAN; Ester, Kriegel, Sander, Xu 1996), by neighbours.
 *
 * An item is a core item if it has at least `least_items` neighbours, itself included. Core items that are neighbours
 * are in one cluster. An item that is no core item, but a neighbour of one, is at the border: it goes to the cluster
 * that was found first among those of its core neighbours, and clusters are found in the order of their first core
 * item. All other items are noise. */
#ifndef QN_CLUSTER_METHOD_DBSCAN_H
#define QN_CLUSTER_METHOD_DBSCAN_H

#include "cluster/method/labels.h"
#include "cluster/method/neighbourhood.h"

/* labels: [count], numbered as labels.h says, and QN_LABEL_NONE for noise. Errors: those of the neighbourhood;
 * QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_dbscan_cluster(const qn_neighbourhood *neighbourhood, size_t least_items, uint32_t *labels,
                                          size_t *cluster_count);

#endif
