#include "cluster/method/linkage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/linkage_chain.h"

enum { PIECE = 2048, POOLED_LEAST = 4 * PIECE }; /* items that one task of the pool looks at */

/* A minimum spanning tree from item 0: the tree grows by the item nearest to it. */
typedef struct spanning {
    const qn_distance_matrix *matrix;
    uint32_t *outside; /* items that are not in the tree, ascending */
    float *nearest;    /* of each: distance to the tree */
    size_t left;
    uint32_t latest; /* item that joined last */
    size_t *best;    /* of each piece: place of its nearest item */
} spanning;

/* Compare the items of a piece with the latest one of the tree. The first of equally near ones is the best. */
static qn_status look_at_piece(size_t piece, int worker, void *user)
{
    (void)worker;
    const spanning *tree = user;
    const size_t begin = piece * PIECE, end = begin + PIECE < tree->left ? begin + PIECE : tree->left;
    size_t best = begin;
    for (size_t k = begin; k < end; k++) {
        const float distance = qn_distance_at(tree->matrix, tree->latest, tree->outside[k]);
        if (distance < tree->nearest[k]) tree->nearest[k] = distance;
        if (tree->nearest[k] < tree->nearest[best]) best = k;
    }
    tree->best[piece] = best;
    return QN_OK;
}

static qn_status find_nearest(spanning *tree, qn_pool *pool, size_t *best)
{
    const size_t pieces = (tree->left + PIECE - 1) / PIECE;
    QN_TRY(qn_pool_run(tree->left >= POOLED_LEAST ? pool : NULL, pieces, look_at_piece, tree));
    *best = tree->best[0];
    for (size_t p = 1; p < pieces; p++)
        if (tree->nearest[tree->best[p]] < tree->nearest[*best]) *best = tree->best[p];
    return QN_OK;
}

/* The order in which items join is also an order of the leaves of the dendrogram, so a merge joins the clusters of two
 * items that follow each other in it. */
static qn_status span(spanning *tree, qn_pool *pool, qn_merge *merges)
{
    const size_t count = tree->matrix->count;
    for (size_t i = 1; i < count; i++) {
        tree->outside[i - 1] = (uint32_t)i;
        tree->nearest[i - 1] = INFINITY;
    }
    for (tree->left = count - 1; tree->left > 0; tree->left--) {
        size_t best = 0;
        QN_TRY(find_nearest(tree, pool, &best));
        qn_merge *merge = &merges[count - 1 - tree->left];
        *merge = (qn_merge){.first = tree->latest, .second = tree->outside[best], .height = tree->nearest[best]};
        tree->latest = tree->outside[best];
        /* The order is kept, so that the first of equals is found. */
        const size_t after = tree->left - best - 1;
        memmove(tree->outside + best, tree->outside + best + 1, after * sizeof *tree->outside);
        memmove(tree->nearest + best, tree->nearest + best + 1, after * sizeof *tree->nearest);
    }
    return QN_OK;
}

static qn_status single_linkage(const qn_distance_matrix *matrix, qn_pool *pool, qn_merge *merges)
{
    spanning tree = {.matrix = matrix};
    void *outside = NULL, *nearest = NULL, *best = NULL;
    qn_status status = qn_allocate(matrix->count, sizeof(uint32_t), &outside);
    if (status == QN_OK) status = qn_allocate(matrix->count, sizeof(float), &nearest);
    if (status == QN_OK) status = qn_allocate(matrix->count / PIECE + 1, sizeof(size_t), &best);
    tree.outside = outside, tree.nearest = nearest, tree.best = best;
    if (status == QN_OK) status = span(&tree, pool, merges);
    qn_release(&outside);
    qn_release(&nearest);
    qn_release(&best);
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
        QN_TRY(single_linkage(matrix, pool, merges));
    else
        QN_TRY(qn_linkage_chain(matrix, method, pool, merges));
    return order_merges(matrix->count, merges);
}
