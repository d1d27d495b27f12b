#include "cluster/method/dendrogram.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/distance_rows.h"

static size_t size_of(const qn_merge *merges, size_t count, uint32_t cluster)
{
    return cluster < count ? 1 : merges[cluster - count].size;
}

qn_status qn_dendrogram_order(const qn_merge *merges, size_t count, uint32_t *order)
{
    if (count < 2) {
        if (count == 1) order[0] = 0;
        return QN_OK;
    }
    void *memory = NULL;
    QN_TRY(qn_allocate(2 * count - 1, sizeof(uint32_t), &memory));
    uint32_t *place = memory; /* of each cluster's first leaf */
    for (size_t k = count - 1; k-- > 0;) {
        const qn_merge *merge = &merges[k];
        place[merge->first] = place[count + k];
        place[merge->second] = place[count + k] + (uint32_t)size_of(merges, count, merge->first);
    }
    for (size_t i = 0; i < count; i++) order[place[i]] = (uint32_t)i;
    qn_release(&memory);
    return QN_OK;
}

/* Sums over the pairs of one item; x: distance, y: height. */
typedef struct sums {
    double x, y, xx, yy, xy;
} sums;

typedef struct correlation_task {
    size_t count;
    const uint32_t *order, *place; /* place[order[p]] = p */
    const float *gap;              /* height at which leaves p and p + 1 of the order come together */
    double shift;                  /* subtracted from both, so that the squares lose few digits */
    sums *sums;                    /* of each item */
} correlation_task;

static void add(double x, double y, sums *total)
{
    total->x += x;
    total->y += y;
    total->xx += x * x;
    total->yy += y * y;
    total->xy += x * y;
}

/* Leaves p < q come together at the largest gap between them. */
static void add_row(size_t item, const float *row, int worker, void *user)
{
    (void)worker;
    const correlation_task *task = user;
    float height = 0;
    for (size_t q = task->place[item] + 1; q < task->count; q++) {
        if (task->gap[q - 1] > height) height = task->gap[q - 1];
        add((double)row[task->order[q]] - task->shift, (double)height - task->shift, &task->sums[item]);
    }
}

static void find_gaps(const qn_merge *merges, size_t count, const uint32_t *place, uint32_t *last, float *gap)
{
    /* last: place of a cluster's last leaf */
    for (size_t i = 0; i < count; i++) last[i] = place[i];
    for (size_t k = 0; k + 1 < count; k++) {
        gap[last[merges[k].first]] = merges[k].height;
        last[count + k] = last[merges[k].second];
    }
}

static double correlate(const sums *rows, size_t count)
{
    sums total = {0};
    for (size_t i = 0; i < count; i++) {
        total.x += rows[i].x, total.y += rows[i].y;
        total.xx += rows[i].xx, total.yy += rows[i].yy, total.xy += rows[i].xy;
    }
    const double pairs = (double)count * (double)(count - 1) / 2;
    const double xx = total.xx - total.x * total.x / pairs, yy = total.yy - total.y * total.y / pairs;
    const double xy = total.xy - total.x * total.y / pairs;
    const double rounding = 1e-12;
    if (count < 3 || xx <= rounding * total.xx || yy <= rounding * total.yy) return (double)NAN;
    return xy / sqrt(xx * yy);
}

static qn_status add_rows(const qn_distance_matrix *matrix, const qn_merge *merges, qn_pool *pool, uint32_t *scratch,
                          float *gap, sums *rows)
{
    const size_t count = matrix->count;
    uint32_t *order = scratch, *place = scratch + count, *last = scratch + 2 * count;
    QN_TRY(qn_dendrogram_order(merges, count, order));
    for (size_t p = 0; p < count; p++) place[order[p]] = (uint32_t)p;
    find_gaps(merges, count, place, last, gap);
    correlation_task task = {.count = count, .order = order, .place = place, .gap = gap, .sums = rows};
    task.shift = (double)merges[count / 2 - 1].height;
    return qn_distance_each_row(matrix, pool, add_row, &task);
}

qn_status qn_dendrogram_correlation(const qn_distance_matrix *matrix, const qn_merge *merges, qn_pool *pool,
                                    double *correlation)
{
    const size_t count = matrix->count;
    *correlation = (double)NAN;
    if (count < 3) return QN_OK;
    void *scratch = NULL, *gap = NULL, *rows = NULL;
    qn_status status = qn_allocate(4 * count, sizeof(uint32_t), &scratch);
    if (status == QN_OK) status = qn_allocate(count, sizeof(float), &gap);
    if (status == QN_OK) status = qn_allocate(count, sizeof(sums), &rows);
    if (status == QN_OK) status = add_rows(matrix, merges, pool, scratch, gap, rows);
    if (status == QN_OK) *correlation = correlate(rows, count);
    qn_release(&scratch);
    qn_release(&gap);
    qn_release(&rows);
    return status;
}
