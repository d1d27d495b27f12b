#include "cluster/method/quality.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/distance_rows.h"

typedef struct spread_task {
    const qn_distance_matrix *matrix;
    const qn_members *members;
    const uint32_t *labels;
    double *sums;   /* of each item: distances to the others of its cluster */
    float *largest; /* of each item, to the others of its cluster */
} spread_task;

static void sum_row(size_t item, const float *row, int worker, void *user)
{
    (void)worker;
    const spread_task *task = user;
    const uint32_t cluster = task->labels[item];
    if (cluster == QN_LABEL_NONE) return;
    double sum = 0;
    float largest = 0;
    for (size_t m = task->members->first[cluster]; m < task->members->first[cluster + 1]; m++) {
        const float distance = row[task->members->items[m]];
        sum += (double)distance;
        if (distance > largest) largest = distance;
    }
    task->sums[item] = sum;
    task->largest[item] = largest;
}

static void measure_spread(const spread_task *task, size_t cluster, qn_spread *spread)
{
    const uint32_t *items = task->members->items + task->members->first[cluster];
    const size_t size = qn_members_size(task->members, cluster);
    double total = 0, best = INFINITY;
    *spread = (qn_spread){0};
    for (size_t m = 0; m < size; m++) {
        total += task->sums[items[m]];
        spread->diameter = fmax(spread->diameter, (double)task->largest[items[m]]);
        if (task->sums[items[m]] < best) {
            best = task->sums[items[m]];
            spread->medoid = items[m];
        }
    }
    spread->largest_medoid = (double)task->largest[spread->medoid];
    if (size < 2) return;
    spread->mean_pair = total / ((double)size * (double)(size - 1));
    spread->mean_medoid = best / (double)(size - 1);
}

static void label_members(const qn_members *members, size_t count, uint32_t *labels)
{
    for (size_t i = 0; i < count; i++) labels[i] = QN_LABEL_NONE;
    for (size_t c = 0; c < members->cluster_count; c++)
        for (size_t m = members->first[c]; m < members->first[c + 1]; m++) labels[members->items[m]] = (uint32_t)c;
}

qn_status qn_spreads_measure(const qn_distance_matrix *matrix, const qn_members *members, qn_pool *pool,
                             qn_spread *spreads)
{
    spread_task task = {.matrix = matrix, .members = members};
    void *labels = NULL, *sums = NULL, *largest = NULL;
    qn_status status = qn_allocate(matrix->count, sizeof(uint32_t), &labels);
    if (status == QN_OK) status = qn_allocate(matrix->count, sizeof(double), &sums);
    if (status == QN_OK) status = qn_allocate(matrix->count, sizeof(float), &largest);
    if (status == QN_OK) {
        label_members(members, matrix->count, labels);
        task.labels = labels, task.sums = sums, task.largest = largest;
        status = qn_distance_each_row(matrix, pool, sum_row, &task);
    }
    for (size_t c = 0; status == QN_OK && c < members->cluster_count; c++) measure_spread(&task, c, &spreads[c]);
    qn_release(&labels);
    qn_release(&sums);
    qn_release(&largest);
    return status;
}

typedef struct silhouette_task {
    const uint32_t *labels;
    const qn_members *members;
    double *silhouettes;
} silhouette_task;

double qn_medoid_silhouette(double to_own, double to_other)
{
    const double larger = fmax(to_own, to_other);
    return larger > 0 ? (to_other - to_own) / larger : 0;
}

static void measure_row(size_t item, const float *row, int worker, void *user)
{
    (void)worker;
    const silhouette_task *task = user;
    const qn_members *members = task->members;
    const uint32_t own = task->labels[item];
    task->silhouettes[item] = (double)NAN;
    if (own == QN_LABEL_NONE || members->cluster_count < 2) return;
    double within = 0, nearest = INFINITY;
    for (size_t c = 0; c < members->cluster_count; c++) {
        double sum = 0;
        for (size_t m = members->first[c]; m < members->first[c + 1]; m++) sum += (double)row[members->items[m]];
        const size_t size = qn_members_size(members, c);
        if (c == own)
            within = sum / (double)(size > 1 ? size - 1 : 1);
        else
            nearest = fmin(nearest, sum / (double)size);
    }
    task->silhouettes[item] = qn_members_size(members, own) > 1 ? qn_medoid_silhouette(within, nearest) : 0;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            used++;
        }
    return used > 0 ? sum / (double)used : (double)NAN;
}

qn_status qn_silhouette_measure(const qn_distance_matrix *matrix, const uint32_t *labels, const qn_members *members,
                                qn_pool *pool, double *silhouettes, double *mean)
{
    silhouette_task task = {labels, members, silhouettes};
    QN_TRY(qn_distance_each_row(matrix, pool, measure_row, &task));
    *mean = mean_of(silhouettes, matrix->count);
    return QN_OK;
}

double qn_davies_bouldin(const qn_distance_matrix *matrix, const qn_spread *spreads, const qn_members *members)
{
    const size_t clusters = members->cluster_count;
    if (clusters < 2) return (double)NAN;
    double total = 0;
    for (size_t c = 0; c < clusters; c++) {
        double worst = 0;
        for (size_t d = 0; d < clusters; d++) {
            if (d == c) continue;
            const double size_c = (double)qn_members_size(members, c), size_d = (double)qn_members_size(members, d);
            const double within =
                spreads[c].mean_medoid * (size_c - 1) / size_c + spreads[d].mean_medoid * (size_d - 1) / size_d;
            const double between = (double)qn_distance_at(matrix, spreads[c].medoid, spreads[d].medoid);
            worst = fmax(worst, within > 0 ? within / between : 0);
        }
        total += worst;
    }
    return total / (double)clusters;
}
