/* k-medoids on a stored matrix by FasterPAM (Schubert and Rousseeuw, Information Systems 101, 2021, 101804).
 *
 * The medoids are the k items for which the sum of the distances of all items to their nearest medoid is small. From
 * the first medoids on, each item in turn is tried in place of the medoid for which the sum shrinks most, and takes its
 * place at once if the sum shrinks; the search ends when no item was better since the latest swap, at a local minimum.
 * A trial costs O(n) for all k medoids together. Of equally near medoids an item goes to the one with the lowest item
 * number.
 */
#ifndef QN_CLUSTER_METHOD_KMEDOIDS_H
#define QN_CLUSTER_METHOD_KMEDOIDS_H

#include "base/thread_pool.h"
#include "cluster/method/distance_matrix.h"
#include "cluster/method/labels.h"

/* The first medoids. Build (Kaufman and Rousseeuw 1990): each is the item for which the sum shrinks most; O(n²·k),
 * without chance. Sample (LAB in the paper): the same within a new random sample of 10 + ⌈√n⌉ items each time;
 * O(n·k). */
typedef enum qn_kmedoids_start { QN_KMEDOIDS_BUILD, QN_KMEDOIDS_SAMPLE } qn_kmedoids_start;

typedef struct qn_kmedoids_search {
    size_t cluster_count; /* 1 … items */
    qn_kmedoids_start start;
    uint64_t seed; /* of the samples */
} qn_kmedoids_search;

/* labels: [count], numbered as labels.h says; medoids: [cluster_count], in the order of the clusters. *sum: of the
 * distances of all items to their medoids; NULL: not wanted. The result depends on the seed, not on threads.
 * QN_INVALID_ARGUMENT (more clusters than items), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_kmedoids_cluster(const qn_distance_matrix *matrix, const qn_kmedoids_search *search,
                                            qn_pool *pool, uint32_t *labels, uint32_t *medoids, double *sum);

#endif
