#include "cluster/method/dbscan.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/distance_rows.h"

typedef struct search {
    const qn_distance_matrix *matrix;
    float radius;
    size_t least_items;
    bool *core;
    uint32_t *free; /* items that no cluster has, ascending */
    size_t free_count;
    uint32_t *queue; /* core items of the present cluster whose neighbours were not visited */
    uint32_t *labels;
} search;

static void judge_row(size_t item, const float *row, int worker, void *user)
{
    (void)worker;
    const search *work = user;
    size_t near = 0;
    for (size_t j = 0; j < work->matrix->count; j++) near += row[j] <= work->radius;
    work->core[item] = near >= work->least_items;
}

/* Take all free items within the radius of `item` into the cluster. Returns the new end of the queue. */
static size_t take_neighbours(search *work, uint32_t item, uint32_t cluster, size_t queued)
{
    size_t kept = 0;
    for (size_t k = 0; k < work->free_count; k++) {
        const uint32_t other = work->free[k];
        if (qn_distance_at(work->matrix, item, other) > work->radius) {
            work->free[kept++] = other;
            continue;
        }
        work->labels[other] = cluster;
        if (work->core[other]) work->queue[queued++] = other;
    }
    work->free_count = kept;
    return queued;
}

static size_t find_clusters(search *work)
{
    const size_t count = work->matrix->count;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        work->labels[i] = QN_LABEL_NONE;
        work->free[work->free_count++] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++) {
        if (!work->core[i] || work->labels[i] != QN_LABEL_NONE) continue;
        size_t queued = take_neighbours(work, (uint32_t)i, (uint32_t)found, 0);
        while (queued > 0) {
            const uint32_t item = work->queue[--queued];
            queued = take_neighbours(work, item, (uint32_t)found, queued);
        }
        found++;
    }
    return found;
}

qn_status qn_dbscan_cluster(const qn_distance_matrix *matrix, double radius, size_t least_items, qn_pool *pool,
                            uint32_t *labels, size_t *cluster_count)
{
    search work = {.matrix = matrix, .radius = (float)radius, .least_items = least_items, .labels = labels};
    void *core = NULL, *free_items = NULL, *queue = NULL;
    size_t found = 0;
    qn_status status = qn_allocate(matrix->count, sizeof(bool), &core);
    if (status == QN_OK) status = qn_allocate(matrix->count, sizeof(uint32_t), &free_items);
    if (status == QN_OK) status = qn_allocate(matrix->count, sizeof(uint32_t), &queue);
    work.core = core, work.free = free_items, work.queue = queue;
    if (status == QN_OK) status = qn_distance_each_row(matrix, pool, judge_row, &work);
    if (status == QN_OK) found = find_clusters(&work);
    if (status == QN_OK) status = qn_labels_order(labels, matrix->count, found, cluster_count);
    qn_release(&core);
    qn_release(&free_items);
    qn_release(&queue);
    return status;
}
