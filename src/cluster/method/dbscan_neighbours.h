/* DBSCAN by neighbours instead of distances; dbscan.h states the rules, and the results are the same. */
#ifndef QN_CLUSTER_METHOD_DBSCAN_NEIGHBOURS_H
#define QN_CLUSTER_METHOD_DBSCAN_NEIGHBOURS_H

#include "cluster/method/labels.h"
#include "cluster/method/neighbourhood.h"

/* `least_items`: neighbours of a core item, itself included. labels: [count], numbered as labels.h says. Errors: those
 * of the neighbourhood; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_dbscan_neighbours(const qn_neighbourhood *neighbourhood, size_t least_items,
                                             uint32_t *labels, size_t *cluster_count);

#endif
