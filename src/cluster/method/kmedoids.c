#include "cluster/method/kmedoids.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/method/distance_rows.h"
#include "math/random.h"

enum { TRIALS = 64 }; /* items that are tried together; the first that is better is taken, as if tried alone */

typedef struct near_medoids {
    uint32_t first, second; /* numbers of medoids */
    float to_first, to_second;
} near_medoids;

typedef struct trial {
    double change;   /* of the sum, by the best swap */
    uint32_t medoid; /* which leaves */
} trial;

typedef struct search {
    const qn_distance_matrix *matrix;
    qn_pool *pool;
    size_t count, medoid_count;
    uint32_t *medoids;
    bool *is_medoid;
    near_medoids *near; /* of each item */
    double *loss;       /* growth of the sum when a medoid leaves, its items going to their second one */
    double *changes;    /* [threads][medoid_count], scratch */
    float *rows;        /* [threads][QN_DISTANCE_BLOCK][count], scratch */
    double *gains;      /* [count], scratch of the start */
    trial trials[TRIALS];
    size_t first_trial;
} search;

/* Medoid m is nearer than medoid `than` at the given distances; the lower item is nearer among equals. */
static bool is_nearer(const search *work, uint32_t m, float distance, uint32_t than, float other)
{
    return distance < other || (distance == other && work->medoids[m] < work->medoids[than]);
}

static void find_near(search *work, size_t item)
{
    near_medoids near = {.first = UINT32_MAX, .second = UINT32_MAX, .to_first = INFINITY, .to_second = INFINITY};
    for (uint32_t m = 0; m < work->medoid_count; m++) {
        const float distance = qn_distance_at(work->matrix, item, work->medoids[m]);
        if (near.first == UINT32_MAX || is_nearer(work, m, distance, near.first, near.to_first)) {
            near.second = near.first, near.to_second = near.to_first;
            near.first = m, near.to_first = distance;
        } else if (near.second == UINT32_MAX || is_nearer(work, m, distance, near.second, near.to_second)) {
            near.second = m, near.to_second = distance;
        }
    }
    work->near[item] = near;
}

static void sum_losses(search *work)
{
    memset(work->loss, 0, work->medoid_count * sizeof *work->loss);
    for (size_t i = 0; i < work->count; i++)
        work->loss[work->near[i].first] += (double)work->near[i].to_second - (double)work->near[i].to_first;
}

/* Change of the sum by the best swap of a medoid with the item of this row (FasterPAM, algorithm 4, lines 7 to 15). */
static trial try_item(const search *work, const float *row, double *changes)
{
    double change = 0; /* whichever medoid leaves */
    memcpy(changes, work->loss, work->medoid_count * sizeof *changes);
    for (size_t i = 0; i < work->count; i++) {
        const near_medoids *near = &work->near[i];
        if (row[i] < near->to_first) {
            change += (double)row[i] - (double)near->to_first;
            changes[near->first] += (double)near->to_first - (double)near->to_second;
        } else if (row[i] < near->to_second) {
            changes[near->first] += (double)row[i] - (double)near->to_second;
        }
    }
    uint32_t best = 0;
    for (uint32_t m = 1; m < work->medoid_count; m++)
        if (changes[m] < changes[best]) best = m;
    return (trial){change + changes[best], best};
}

static qn_status try_block(size_t index, int worker, void *user)
{
    search *work = user;
    const size_t first = work->first_trial + index * QN_DISTANCE_BLOCK;
    if (first >= work->count) return QN_OK;
    const size_t left = work->count - first, rows = left < QN_DISTANCE_BLOCK ? left : QN_DISTANCE_BLOCK;
    float *block = work->rows + (size_t)worker * QN_DISTANCE_BLOCK * work->count;
    qn_distance_rows(work->matrix, first, rows, block);
    for (size_t r = 0; r < rows; r++) {
        trial *found = &work->trials[index * QN_DISTANCE_BLOCK + r];
        *found = (trial){0};
        if (!work->is_medoid[first + r])
            *found = try_item(work, block + r * work->count, work->changes + (size_t)worker * work->medoid_count);
    }
    return QN_OK;
}

/* Put `item` in the place of medoid `leaving`. */
static void swap(search *work, size_t item, uint32_t leaving)
{
    work->is_medoid[work->medoids[leaving]] = false;
    work->medoids[leaving] = (uint32_t)item;
    work->is_medoid[item] = true;
    for (size_t i = 0; i < work->count; i++) {
        near_medoids *near = &work->near[i];
        const float distance = qn_distance_at(work->matrix, i, item);
        if (near->first == leaving || near->second == leaving)
            find_near(work, i);
        else if (is_nearer(work, leaving, distance, near->first, near->to_first))
            *near = (near_medoids){leaving, near->first, distance, near->to_first};
        else if (is_nearer(work, leaving, distance, near->second, near->to_second))
            near->second = leaving, near->to_second = distance;
    }
    sum_losses(work);
}

static double sum_distances(const search *work)
{
    double sum = 0;
    for (size_t i = 0; i < work->count; i++) sum += (double)work->near[i].to_first;
    return sum;
}

/* Try items from `first_trial` on, in rounds through all items, until none was better for a whole round. */
static qn_status improve(search *work)
{
    size_t since = 0;                           /* items tried since the latest swap */
    double least = 1e-12 * sum_distances(work); /* smaller changes are rounding */
    work->first_trial = 0;
    while (since < work->count) {
        const size_t left = work->count - work->first_trial, trials = left < TRIALS ? left : TRIALS;
        QN_TRY(qn_pool_run(work->pool, (trials + QN_DISTANCE_BLOCK - 1) / QN_DISTANCE_BLOCK, try_block, work));
        size_t t = 0;
        while (t < trials && !(work->trials[t].change < -least)) t++;
        since += t;
        if (t < trials) {
            swap(work, work->first_trial + t, work->trials[t].medoid);
            since = 0;
            t++;
        }
        work->first_trial = (work->first_trial + t) % work->count;
    }
    return QN_OK;
}

static void gain_row(size_t item, const float *row, int worker, void *user)
{
    (void)worker;
    search *work = user;
    double gain = 0;
    for (size_t i = 0; i < work->count; i++)
        if (work->medoid_count == 0)
            gain -= (double)row[i];
        else if (row[i] < work->near[i].to_first)
            gain += (double)work->near[i].to_first - (double)row[i];
    work->gains[item] = work->is_medoid[item] ? -INFINITY : gain;
}

static void add_medoid(search *work, uint32_t item)
{
    work->medoids[work->medoid_count++] = item;
    work->is_medoid[item] = true;
    for (size_t i = 0; i < work->count; i++) {
        const float distance = qn_distance_at(work->matrix, i, item);
        if (work->medoid_count == 1 || distance < work->near[i].to_first) work->near[i].to_first = distance;
    }
}

static qn_status start_by_build(search *work, size_t wanted)
{
    while (work->medoid_count < wanted) {
        QN_TRY(qn_distance_each_row(work->matrix, work->pool, gain_row, work));
        uint32_t best = UINT32_MAX;
        for (size_t i = 0; i < work->count; i++)
            if (!work->is_medoid[i] && (best == UINT32_MAX || work->gains[i] > work->gains[best])) best = (uint32_t)i;
        add_medoid(work, best);
    }
    return QN_OK;
}

/* Draw `size` different items that are no medoids: the first of a random order of the others (Fisher and Yates). */
static size_t draw_sample(const search *work, uint64_t seed, size_t size, uint32_t *others)
{
    size_t left = 0;
    for (size_t i = 0; i < work->count; i++)
        if (!work->is_medoid[i]) others[left++] = (uint32_t)i;
    if (size > left) size = left;
    for (size_t s = 0; s < size; s++) {
        const double chance = qn_random_uniform(seed, work->medoid_count, s);
        const size_t drawn = s + (size_t)(chance * (double)(left - s));
        const uint32_t item = others[drawn];
        others[drawn] = others[s];
        others[s] = item;
    }
    return size;
}

static double sample_gain(const search *work, uint32_t item, const uint32_t *sample, size_t size)
{
    double gain = 0;
    for (size_t s = 0; s < size; s++) {
        const double distance = (double)qn_distance_at(work->matrix, item, sample[s]);
        if (work->medoid_count == 0)
            gain -= distance;
        else
            gain += fmax(0, (double)work->near[sample[s]].to_first - distance);
    }
    return gain;
}

static qn_status start_by_samples(search *work, size_t wanted, uint64_t seed)
{
    void *memory = NULL;
    QN_TRY(qn_allocate(work->count, sizeof(uint32_t), &memory));
    const size_t most = 10 + (size_t)ceil(sqrt((double)work->count));
    while (work->medoid_count < wanted) {
        uint32_t *sample = memory;
        const size_t size = draw_sample(work, seed, most, sample);
        size_t best = 0;
        double best_gain = -INFINITY;
        for (size_t s = 0; s < size; s++) {
            const double gain = sample_gain(work, sample[s], sample, size);
            if (gain > best_gain) best = s, best_gain = gain;
        }
        add_medoid(work, sample[best]);
    }
    qn_release(&memory);
    return QN_OK;
}

/* Number clusters and medoids as labels.h says. */
static qn_status number_clusters(search *work, uint32_t *labels, uint32_t *medoids)
{
    size_t used = 0;
    for (size_t i = 0; i < work->count; i++) labels[i] = work->near[i].first;
    QN_TRY(qn_labels_order(labels, work->count, work->medoid_count, &used));
    for (size_t m = 0; m < work->medoid_count; m++) medoids[labels[work->medoids[m]]] = work->medoids[m];
    return QN_OK;
}

/* A medoid keeps itself even if another one with a lower number is identical to it, so that no cluster is empty. */
static void keep_medoids(search *work)
{
    for (uint32_t m = 0; m < work->medoid_count; m++) work->near[work->medoids[m]].first = m;
}

static qn_status find_medoids(search *work, const qn_kmedoids_search *wanted, uint32_t *labels, uint32_t *medoids)
{
    if (wanted->start == QN_KMEDOIDS_BUILD || wanted->cluster_count == 1)
        QN_TRY(start_by_build(work, wanted->cluster_count));
    else
        QN_TRY(start_by_samples(work, wanted->cluster_count, wanted->seed));
    for (size_t i = 0; i < work->count; i++) find_near(work, i);
    if (work->medoid_count > 1) { /* the first medoid of `build` is the best single one */
        sum_losses(work);
        QN_TRY(improve(work));
    }
    keep_medoids(work);
    return number_clusters(work, labels, medoids);
}

qn_status qn_kmedoids_cluster(const qn_distance_matrix *matrix, const qn_kmedoids_search *wanted, qn_pool *pool,
                              uint32_t *labels, uint32_t *medoids, double *sum)
{
    const size_t count = matrix->count, clusters = wanted->cluster_count;
    if (clusters < 1 || clusters > count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu clusters of %zu items, expected 1 to %zu", clusters, count, count);
    const size_t threads = pool ? (size_t)qn_pool_threads(pool) : 1;
    search work = {.matrix = matrix, .pool = pool, .count = count};
    void *item_memory[3] = {0}, *medoid_memory[3] = {0}, *rows = NULL;
    qn_status status = qn_allocate(count, sizeof(bool), &item_memory[0]);
    if (status == QN_OK) status = qn_allocate(count, sizeof(near_medoids), &item_memory[1]);
    if (status == QN_OK) status = qn_allocate(count, sizeof(double), &item_memory[2]);
    if (status == QN_OK) status = qn_allocate(clusters, sizeof(uint32_t), &medoid_memory[0]);
    if (status == QN_OK) status = qn_allocate(clusters, sizeof(double), &medoid_memory[1]);
    if (status == QN_OK) status = qn_allocate(threads * clusters, sizeof(double), &medoid_memory[2]);
    if (status == QN_OK) status = qn_allocate(threads * QN_DISTANCE_BLOCK * count, sizeof(float), &rows);
    work.is_medoid = item_memory[0], work.near = item_memory[1], work.gains = item_memory[2];
    work.medoids = medoid_memory[0], work.loss = medoid_memory[1], work.changes = medoid_memory[2], work.rows = rows;
    if (status == QN_OK) status = find_medoids(&work, wanted, labels, medoids);
    if (status == QN_OK && sum) *sum = sum_distances(&work);
    for (int m = 0; m < 3; m++) {
        qn_release(&item_memory[m]);
        qn_release(&medoid_memory[m]);
    }
    qn_release(&rows);
    return status;
}
