/* Clusters of largest neighbourhoods (Daura et al. 1999, Angew. Chem. Int. Ed. 38, 236) as GROMACS finds them.
 *
 * The item with most neighbours becomes a centre; its neighbours are a cluster and are taken away from all
 * neighbourhoods; then the item that has most neighbours left is the next centre, until every item is taken. The rules
 * of `gmx cluster -method gromos` (version 2022.5), found by running it on made-up matrices:
 *
 * - Neighbours are below the cut-off, not at it; an item is its own neighbour. (The caller's part.)
 * - An item that was taken can still be a centre: the cluster is then what is left of its neighbours, without itself.
 * - Ties. The items stand in a list, at first in their order. Before each round those that had neighbours left before
 *   are sorted by falling number of neighbours with std::sort of libstdc++, and the first one is the centre. This sort
 *   keeps the order of equal items for up to 16 items and mixes it for more, so the same function is called here.
 *
 * Two things differ. Above QN_GROMOS_SORTED_MAX items, where sorting would take longer than all else, the lowest of
 * equal items is the centre. When no item has more than one neighbour left, the items that are left become clusters of
 * one in ascending order.
 */
#ifndef QN_CLUSTER_METHOD_GROMOS_H
#define QN_CLUSTER_METHOD_GROMOS_H

#include <stdbool.h>

#include "cluster/method/gromos_order.h"
#include "cluster/method/labels.h"
#include "cluster/method/neighbourhood.h"

enum { QN_GROMOS_SORTED_MAX = 1 << 17 };

/* A search that is under way; all fields can be stored and given back, but `order` only whole. */
typedef struct qn_gromos {
    size_t count, cluster_count;
    size_t left;               /* items that are in no cluster */
    uint32_t *labels;          /* count; QN_LABEL_NONE: not taken */
    uint32_t *centres;         /* count: of each cluster, which may be an item of another cluster */
    uint32_t *counts;          /* count: neighbours left */
    qn_gromos_entry *order;    /* NULL: ties go to the lowest item */
    uint32_t *members, *marks; /* count each: scratch */
    uint32_t *most;            /* largest count of each block of items; UINT32_MAX: not known */
} qn_gromos;

/* `sorted_max`: QN_GROMOS_SORTED_MAX, or another limit for tests. Release with end. */
QN_MUST_CHECK qn_status qn_gromos_begin(const qn_neighbourhood *neighbourhood, size_t sorted_max, qn_gromos *search);

/* Find the next cluster; *done if there was none to find. Errors: those of the neighbourhood. */
QN_MUST_CHECK qn_status qn_gromos_next(const qn_neighbourhood *neighbourhood, qn_gromos *search, bool *done);
void qn_gromos_end(qn_gromos *search);

/* All clusters: labels [count], in the order in which they were found, so that sizes do not grow; centres [count], of
 * which cluster_count are set. */
QN_MUST_CHECK qn_status qn_gromos_cluster(const qn_neighbourhood *neighbourhood, uint32_t *labels, uint32_t *centres,
                                          size_t *cluster_count);

#endif
