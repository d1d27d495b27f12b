/* One ranking from the ranked clusters of several coefficient sets. */
#ifndef QN_DOCK_MERGE_H
#define QN_DOCK_MERGE_H

#include "compare/cluster.h"

/* A cluster of one of the sets. */
typedef struct qn_dock_set_cluster {
    const char *set; /* name */
    size_t rank;     /* in its set, 0 for the best */
    size_t size;
    size_t centre; /* the caller's number of the pose: the centre of the merged cluster that this one founds */
} qn_dock_set_cluster;

/* Take the clusters by rank, among equal ranks the larger one first, then by the name of the set: the order they are
 * given in does not matter. One whose centre lies within `radius_angstrom` of a centre already taken joins the first
 * such, whose size grows by its own; the others found merged clusters until there are `most`. `distances` is count ×
 * count, between centres. `merged` has room for `most`; place[i] gets the merged cluster that clusters[i] went into, or
 * SIZE_MAX when the limit came first. */
QN_MUST_CHECK qn_status qn_dock_merge_clusters(const qn_dock_set_cluster *clusters, size_t count,
                                               const float *distances, float radius_angstrom, size_t most,
                                               qn_cluster *merged, size_t *merged_count, size_t *place);

#endif
