/* Greedy clustering by largest neighbourhood (Daura et al. 1999; ClusPro): the item with most unassigned neighbours
 * within `radius` becomes the centre of a cluster with these neighbours; repeat with the other items. The lowest index
 * breaks ties. */
#ifndef QN_COMPARE_CLUSTER_H
#define QN_COMPARE_CLUSTER_H

#include <quern/status.h>
#include <stddef.h>

typedef struct qn_cluster {
    size_t centre; /* item */
    size_t size;
} qn_cluster;

/* `distance` is count × count, symmetric. `assignment[i]` gets the cluster of item i, or SIZE_MAX if `capacity`
 * clusters were found before. Clusters are in the order in which they were found, so sizes do not increase. */
QN_MUST_CHECK qn_status qn_cluster_greedy(const float *distance, size_t count, float radius, size_t capacity,
                                          qn_cluster *clusters, size_t *cluster_count, size_t *assignment);

#endif
