/* Measures of a clustering on a stored matrix. Items without a cluster (noise) are left out of all of them. */
#ifndef QN_CLUSTER_METHOD_QUALITY_H
#define QN_CLUSTER_METHOD_QUALITY_H

#include "base/thread_pool.h"
#include "cluster/method/distance_matrix.h"
#include "cluster/method/labels.h"

/* Distances within one cluster. */
typedef struct qn_spread {
    size_t medoid;      /* the item with the smallest sum of distances to the others; of equal sums, the first */
    double mean_pair;   /* mean distance of two items; 0 for a cluster of one */
    double mean_medoid; /* mean distance to the medoid, the medoid left out; 0 for a cluster of one */
    double largest_medoid;
    double diameter; /* largest distance of two items */
} qn_spread;

/* Measure each cluster; spreads: [cluster_count]. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_spreads_measure(const qn_distance_matrix *matrix, const qn_members *members, qn_pool *pool,
                                           qn_spread *spreads);

/* Silhouette of each item (Rousseeuw 1987): (b − a)/max(a, b), a: mean distance to the others of its cluster, b:
 * smallest mean distance to another cluster. 0 in a cluster of one and where a = b = 0; NaN for items without a cluster
 * and for a single cluster. *mean: over the items that are in a cluster. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_silhouette_measure(const qn_distance_matrix *matrix, const uint32_t *labels,
                                              const qn_members *members, qn_pool *pool, double *silhouettes,
                                              double *mean);

/* Medoid silhouette of an item (Van der Laan, Pollard, Bryan 2003): the same with the distances to the own medoid and
 * to the nearest other one. 0 where both are 0. */
double qn_medoid_silhouette(double to_own, double to_other);

/* Davies–Bouldin index (Davies and Bouldin 1979) with medoids in place of centroids: the mean over clusters of the
 * largest (Sᵢ + Sⱼ)/Mᵢⱼ, S: mean distance of all items of a cluster to its medoid, M: distance of two medoids. Lower is
 * better. Medoids at a distance of 0 count as infinity, unless both S are 0: then as 0. NaN: fewer than two clusters.
 */
double qn_davies_bouldin(const qn_distance_matrix *matrix, const qn_spread *spreads, const qn_members *members);

#endif
