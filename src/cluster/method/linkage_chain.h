/* Nearest-neighbour chains, private to linkage.c: complete, average and Ward linkage. */
#ifndef QN_CLUSTER_METHOD_LINKAGE_CHAIN_H
#define QN_CLUSTER_METHOD_LINKAGE_CHAIN_H

#include "cluster/method/linkage.h"

/* Find all merges, in the order of the chains. first and second are any items of the two clusters; size is not set. */
QN_MUST_CHECK qn_status qn_linkage_chain(const qn_distance_matrix *matrix, qn_linkage_method method, qn_pool *pool,
                                         qn_merge *merges);

#endif
