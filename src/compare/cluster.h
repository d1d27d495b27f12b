/* Greedy clustering by largest neighbourhood (Daura et al. 1999; ClusPro): the item with most unassigned neighbours
 * within `radius` becomes the centre of a cluster with these neighbours; repeat with the other items. The lowest index
 * breaks ties. */
#ifndef QN_COMPARE_CLUSTER_H
#define QN_COMPARE_CLUSTER_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct qn_cluster {
    size_t centre; /* item */
    size_t size;
} qn_cluster;

/* `distance` is count × count, symmetric. `assignment[i]` gets the cluster of item i, or SIZE_MAX if `capacity`
 * clusters were found before. Clusters are in the order in which they were found, so sizes do not increase. */
QN_MUST_CHECK qn_status qn_cluster_greedy(const float *distance, size_t count, float radius, size_t capacity,
                                          qn_cluster *clusters, size_t *cluster_count, size_t *assignment);

/* Whether items `item` and j are within the radius, for each j; near[item] is not used. */
typedef void (*qn_neighbour_row)(size_t item, bool *near, void *user);

/* The same with rows that the caller makes. Each row is wanted at most three times. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_cluster_greedy_rows(qn_neighbour_row row, void *user, size_t count, size_t capacity,
                                               qn_cluster *clusters, size_t *cluster_count, size_t *assignment);

#endif
