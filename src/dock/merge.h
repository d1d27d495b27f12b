/* Merging of the ranked clusters of several coefficient sets. */
#ifndef QN_DOCK_MERGE_H
#define QN_DOCK_MERGE_H

#include "compare/cluster.h"

/* A cluster of one of the sets. */
typedef struct qn_dock_set_cluster {
    const char *set; /* name of the set */
    size_t rank;     /* in its set, from 0 */
    size_t size;
    size_t centre; /* the caller's number of the pose that is the centre */
} qn_dock_set_cluster;

/* Merge clusters. The clusters are sorted by rank, then by size, the larger first, then by the name of the set, so that
 * the result does not depend on their order in `clusters`. If the centre of a cluster lies within `radius_angstrom`
 * of the centre of a merged cluster, the cluster joins the first such merged cluster and its size is added. Otherwise
 * it becomes a new merged cluster, until there are `most`. `distances` has count × count distances between centres.
 * `merged` has room for `most`. place[i] gets the index of the merged cluster that clusters[i] joined or became, or
 * SIZE_MAX. */
QN_MUST_CHECK qn_status qn_dock_merge_clusters(const qn_dock_set_cluster *clusters, size_t count,
                                               const float *distances, float radius_angstrom, size_t most,
                                               qn_cluster *merged, size_t *merged_count, size_t *place);

#endif
