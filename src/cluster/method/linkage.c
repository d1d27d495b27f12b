#include "cluster/method/linkage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/linkage_chain.h"

/* A minimum spanning tree from item 0: the tree grows by the item nearest to it. The order in which items join is also
 * an order of the leaves of the dendrogram, so a merge joins the clusters of two items that follow each other in it. */
static void span(const qn_distance_matrix *matrix, uint32_t *outside, float *nearest, qn_merge *merges)
{
    const size_t count = matrix->count;
    for (size_t i = 1; i < count; i++) {
        outside[i - 1] = (uint32_t)i;
        nearest[i - 1] = INFINITY;
    }
    uint32_t latest = 0;
    for (size_t left = count - 1; left > 0; left--) {
        size_t best = 0;
        for (size_t k = 0; k < left; k++) {
            const float distance = qn_distance_at(matrix, latest, outside[k]);
            if (distance < nearest[k]) nearest[k] = distance;
            if (nearest[k] < nearest[best]) best = k;
        }
        qn_merge *merge = &merges[count - 1 - left];
        *merge = (qn_merge){.first = latest, .second = outside[best], .height = nearest[best]};
        latest = outside[best];
        /* The order is kept, so that the first of equals is found. */
        memmove(outside + best, outside + best + 1, (left - best - 1) * sizeof *outside);
        memmove(nearest + best, nearest + best + 1, (left - best - 1) * sizeof *nearest);
    }
}

static qn_status single_linkage(const qn_distance_matrix *matrix, qn_merge *merges)
{
    void *outside = NULL, *nearest = NULL;
    qn_status status = qn_allocate(matrix->count, sizeof(uint32_t), &outside);
    if (status == QN_OK) status = qn_allocate(matrix->count, sizeof(float), &nearest);
    if (status == QN_OK) span(matrix, outside, nearest, merges);
    qn_release(&outside);
    qn_release(&nearest);
    return status;
}

typedef struct found_merge {
    qn_merge merge;
    size_t number;
} found_merge;

static int lower_first(const void *a, const void *b)
{
    const found_merge *one = a, *other = b;
    if (one->merge.height != other->merge.height) return one->merge.height < other->merge.height ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

/* Top of an item's tree, with the path halved on the way. */
static uint32_t root_of(uint32_t *parent, uint32_t item)
{
    while (parent[item] != item) item = parent[item] = parent[parent[item]];
    return item;
}

/* Sort merges that name two items by height, and name their clusters. `cluster` and `size` belong to the roots. */
static void name_clusters(found_merge *found, size_t count, uint32_t *parent, uint32_t *cluster, qn_merge *merges)
{
    qsort(found, count - 1, sizeof *found, lower_first);
    for (size_t i = 0; i < count; i++) parent[i] = cluster[i] = (uint32_t)i;
    for (size_t k = 0; k + 1 < count; k++) {
        const uint32_t a = root_of(parent, found[k].merge.first), b = root_of(parent, found[k].merge.second);
        const uint32_t one = cluster[a], other = cluster[b];
        merges[k] = (qn_merge){one < other ? one : other, one < other ? other : one, 0, found[k].merge.height};
        merges[k].size =
            (one < count ? 1 : merges[one - count].size) + (other < count ? 1 : merges[other - count].size);
        parent[a] = b;
        cluster[b] = (uint32_t)(count + k);
    }
}

static qn_status order_merges(size_t count, qn_merge *merges)
{
    void *found = NULL, *parent = NULL, *cluster = NULL;
    qn_status status = qn_allocate(count, sizeof(found_merge), &found);
    if (status == QN_OK) status = qn_allocate(count, sizeof(uint32_t), &parent);
    if (status == QN_OK) status = qn_allocate(count, sizeof(uint32_t), &cluster);
    if (status == QN_OK) {
        for (size_t k = 0; k + 1 < count; k++) ((found_merge *)found)[k] = (found_merge){merges[k], k};
        name_clusters(found, count, parent, cluster, merges);
    }
    qn_release(&found);
    qn_release(&parent);
    qn_release(&cluster);
    return status;
}

qn_status qn_linkage_compute(const qn_distance_matrix *matrix, qn_linkage_method method, qn_pool *pool,
                             qn_merge *merges)
{
    if (matrix->count < 2) return QN_OK;
    if (method == QN_LINKAGE_SINGLE)
        QN_TRY(single_linkage(matrix, merges));
    else
        QN_TRY(qn_linkage_chain(matrix, method, pool, merges));
    return order_merges(matrix->count, merges);
}
