/* Labels: for each item the number of its cluster, from 0.
 *
 * Clusters are numbered by size, the largest first; of two clusters of one size, the one with the lowest item comes
 * first. */
#ifndef QN_CLUSTER_METHOD_LABELS_H
#define QN_CLUSTER_METHOD_LABELS_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

/* Label of an item that is in no cluster: noise of DBSCAN. */
#define QN_LABEL_NONE UINT32_MAX

/* The items of each cluster in ascending order. */
typedef struct qn_members {
    size_t cluster_count;
    size_t *first;   /* cluster_count + 1: cluster c has item[first[c]] … item[first[c + 1] − 1] */
    uint32_t *items; /* those without a cluster are left out */
} qn_members;

/* Number the clusters anew by the rule above. The labels may be any numbers below `cluster_count` and QN_LABEL_NONE;
 * numbers that no item has are closed up. *used gets the number of clusters. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_labels_order(uint32_t *labels, size_t count, size_t cluster_count, size_t *used);

/* List the items of each cluster. Release with qn_members_clear. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_members_list(const uint32_t *labels, size_t count, size_t cluster_count,
                                        qn_members *members);
void qn_members_clear(qn_members *members);

static inline size_t qn_members_size(const qn_members *members, size_t cluster)
{
    return members->first[cluster + 1] - members->first[cluster];
}

#endif
