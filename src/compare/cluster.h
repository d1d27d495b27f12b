/* Greedy clustering by largest neighbourhood (Daura et al. 1999; ClusPro): the item with most unassigned neighbours
 * within `radius` founds a cluster, they leave, repeat. Ties: the lowest index wins. */
#ifndef QN_COMPARE_CLUSTER_H
#define QN_COMPARE_CLUSTER_H

#include <quern/status.h>
#include <stddef.h>

typedef struct qn_cluster {
    size_t centre; /* item */
    size_t size;
} qn_cluster;

/* `distance` is count × count, symmetric. `assignment[i]` gets the cluster of item i, or SIZE_MAX when the limit of
 * `capacity` clusters was reached first. Clusters come in order of founding, so sizes never grow. */
QN_MUST_CHECK qn_status qn_cluster_greedy(const float *distance, size_t count, float radius, size_t capacity,
                                          qn_cluster *clusters, size_t *cluster_count, size_t *assignment);

#endif
