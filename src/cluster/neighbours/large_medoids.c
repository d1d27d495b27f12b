/* k-medoids of large sets, from the matrices of samples. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/measure/rmsd.h"
#include "cluster/measure/superposed.h"
#include "cluster/method/kmedoids.h"
#include "cluster/neighbours/search.h"
#include "math/random.h"

enum {
    SAMPLES = 5,         /* of CLARA */
    LEAST_SAMPLE = 2000, /* structures; Schubert and Rousseeuw take 80 + 4 k */
    TASK = 256           /* structures of a task */
};

typedef struct sampling {
    qn_job *job;
    const qn_structures *structures;
    qn_superposed superposed; /* all structures */
    size_t cluster_count, sample_count;
    uint64_t seed;
    uint32_t *sample;  /* numbers of structures, ascending */
    float *positions;  /* of the sample */
    float *values;     /* of pairs of the sample */
    uint32_t *medoids; /* of the sample at hand */
    uint32_t *labels;  /* of all structures to these */
    float *distances;
    qn_large_clusters *best;
    double best_sum;
} sampling;

/* ---- samples ---- */

/* Knuth's selection: each structure is taken with the probability of those that are still needed among those that are
 * left. The best medoids so far are always taken. */
static void draw(sampling *work, size_t number)
{
    const size_t count = work->structures->count;
    size_t taken = 0, needed = work->sample_count;
    memset(work->labels, 0, count * sizeof *work->labels);
    for (size_t c = 0; number > 0 && c < work->cluster_count; c++) {
        work->labels[work->best->centres[c]] = 1;
        needed--;
    }
    size_t left = count - (number > 0 ? work->cluster_count : 0);
    for (size_t i = 0; i < count; i++) {
        const bool is_medoid = work->labels[i] == 1;
        if (!is_medoid && qn_random_uniform(work->seed, number, i) * (double)left < (double)needed) {
            work->labels[i] = 1;
            needed--;
        }
        left -= !is_medoid;
        if (work->labels[i] == 1) work->sample[taken++] = (uint32_t)i;
    }
    const size_t floats = 3 * work->structures->atom_count;
    for (size_t s = 0; s < taken; s++)
        memcpy(work->positions + s * floats, work->structures->positions_angstrom + work->sample[s] * floats,
               floats * sizeof(float));
}

/* Copy a tile of the upper triangle to its place in the order of pairs. */
static void store_tile(sampling *work, const qn_measure_tile *tile)
{
    for (size_t r = 0; r < tile->rows.count; r++)
        for (size_t c = 0; c < tile->columns.count; c++) {
            const size_t i = tile->rows.first + r, j = tile->columns.first + c;
            if (j > i)
                work->values[qn_distance_place(work->sample_count, i, j)] = tile->values[r * tile->columns.count + c];
        }
}

static qn_status measure_tiles(sampling *work, void *session, size_t side, float *values)
{
    for (size_t row = 0; row < work->sample_count; row += side)
        for (size_t column = row; column < work->sample_count; column += side) {
            const size_t rows = work->sample_count - row, columns = work->sample_count - column;
            const qn_measure_tile tile = {
                {row, rows < side ? rows : side}, {column, columns < side ? columns : side}, values};
            QN_TRY(qn_measure_rmsd.start(session, &tile));
            QN_TRY(qn_measure_rmsd.values(session, &tile));
            store_tile(work, &tile);
        }
    return QN_OK;
}

static qn_status measure_sample(sampling *work)
{
    const qn_structures sample = {work->sample_count, work->structures->atom_count, work->positions,
                                  work->structures->weights};
    const qn_measure_settings settings = {0};
    qn_measure_setup setup = {&sample, &settings, NULL, work->job->pool, qn_measure_rmsd.tile_side};
    void *session = NULL, *values = NULL;
    QN_TRY(qn_queue_create(work->job->devices[0], &setup.queue));
    qn_status status = qn_allocate(setup.tile_side * setup.tile_side, sizeof(float), &values);
    if (status == QN_OK) status = qn_measure_rmsd.begin(&setup, &session);
    if (status == QN_OK) status = measure_tiles(work, session, setup.tile_side, values);
    qn_queue_settle(setup.queue); /* it may read memory of the session */
    qn_measure_rmsd.end(&session);
    qn_queue_destroy(&setup.queue);
    qn_release(&values);
    return status;
}

/* ---- all structures ---- */

static qn_status assign_some(size_t index, int worker, void *user)
{
    const sampling *work = user;
    const size_t count = work->structures->count;
    (void)worker;
    for (size_t i = index * TASK; i < (index + 1) * TASK && i < count; i++) {
        double least = INFINITY;
        for (size_t c = 0; c < work->cluster_count; c++) {
            const double value = work->medoids[c] == i ? 0 : qn_superposed_rmsd(&work->superposed, i, work->medoids[c]);
            if (value < least) {
                least = value;
                work->labels[i] = (uint32_t)c;
            }
        }
        work->distances[i] = (float)least;
    }
    return QN_OK;
}

/* Keep the medoids at hand if they are better than those so far. */
static qn_status try_medoids(sampling *work)
{
    const size_t count = work->structures->count;
    double sum = 0;
    QN_TRY(qn_pool_run(work->job->pool, (count + TASK - 1) / TASK, assign_some, work));
    for (size_t i = 0; i < count; i++) sum += (double)work->distances[i];
    if (!(sum < work->best_sum)) return QN_OK;
    work->best_sum = sum;
    memcpy(work->best->labels, work->labels, count * sizeof *work->labels);
    memcpy(work->best->distances_angstrom, work->distances, count * sizeof *work->distances);
    memcpy(work->best->centres, work->medoids, work->cluster_count * sizeof *work->medoids);
    return QN_OK;
}

static qn_status try_sample(sampling *work, size_t number)
{
    const qn_distance_matrix matrix = {.count = work->sample_count, .values = work->values};
    const qn_kmedoids_search search = {work->cluster_count, QN_KMEDOIDS_BUILD, work->seed};
    const qn_progress progress = {.stage = "clustering", .unit = "samples", .done = number, .total = SAMPLES};
    if (qn_job_is_stopped(work->job, &progress))
        return QN_FAIL(QN_CANCELLED, "stopped after %zu of %d samples", number, SAMPLES);
    draw(work, number);
    QN_TRY(measure_sample(work));
    QN_TRY(qn_kmedoids_cluster(&matrix, &search, work->job->pool, work->labels, work->medoids, NULL));
    for (size_t c = 0; c < work->cluster_count; c++) work->medoids[c] = work->sample[work->medoids[c]];
    return try_medoids(work);
}

static qn_status allocate(sampling *work)
{
    const size_t count = work->structures->count, sample = work->sample_count;
    QN_TRY(qn_allocate(sample, sizeof(uint32_t), (void **)&work->sample));
    QN_TRY(qn_allocate(sample * 3 * work->structures->atom_count, sizeof(float), (void **)&work->positions));
    QN_TRY(qn_allocate(sample * (sample - 1) / 2 + 1, sizeof(float), (void **)&work->values));
    QN_TRY(qn_allocate(work->cluster_count, sizeof(uint32_t), (void **)&work->medoids));
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&work->labels));
    QN_TRY(qn_allocate(count, sizeof(float), (void **)&work->distances));
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&work->best->labels));
    QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&work->best->centres));
    return qn_allocate(count, sizeof(float), (void **)&work->best->distances_angstrom);
}

static qn_status search(sampling *work)
{
    const size_t count = work->structures->count, wanted = 80 + 4 * work->cluster_count;
    work->sample_count = wanted > LEAST_SAMPLE ? wanted : LEAST_SAMPLE;
    if (work->sample_count > count) work->sample_count = count;
    QN_TRY(allocate(work));
    QN_TRY(qn_superposed_make(work->structures, work->job->pool, &work->superposed));
    for (size_t number = 0; number < (work->sample_count < count ? SAMPLES : 1); number++)
        QN_TRY(try_sample(work, number));
    return QN_OK;
}

/* The first rank searches; the others get its result. */
static qn_status share(qn_job *job, size_t count, size_t cluster_count, qn_large_clusters *clusters)
{
    if (!qn_job_is_first(job)) {
        QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&clusters->labels));
        QN_TRY(qn_allocate(count, sizeof(uint32_t), (void **)&clusters->centres));
        QN_TRY(qn_allocate(count, sizeof(float), (void **)&clusters->distances_angstrom));
    }
    clusters->cluster_count = cluster_count;
    QN_TRY(qn_ranks_broadcast(job->ranks, clusters->labels, count * sizeof(uint32_t)));
    QN_TRY(qn_ranks_broadcast(job->ranks, clusters->centres, count * sizeof(uint32_t)));
    return qn_ranks_broadcast(job->ranks, clusters->distances_angstrom, count * sizeof(float));
}

qn_status qn_large_kmedoids(qn_job *job, const qn_large_set *set, size_t cluster_count, uint64_t seed,
                            qn_large_clusters *clusters)
{
    const size_t count = set->structures->count;
    sampling work = {.job = job,
                     .structures = set->structures,
                     .cluster_count = cluster_count,
                     .seed = seed,
                     .best = clusters,
                     .best_sum = INFINITY};
    *clusters = (qn_large_clusters){0};
    if (cluster_count < 1 || cluster_count > count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu clusters of %zu structures; expected 1 to as many as structures",
                       cluster_count, count);
    qn_status status = qn_job_agree(job, qn_job_is_first(job) ? search(&work) : QN_OK);
    if (status == QN_OK) status = qn_job_agree(job, share(job, count, cluster_count, clusters));
    if (status == QN_OK) status = qn_job_agree(job, qn_large_clusters_order(clusters, count));
    qn_superposed_clear(&work.superposed);
    qn_release(&work.sample);
    qn_release(&work.positions);
    qn_release(&work.values);
    qn_release(&work.medoids);
    qn_release(&work.labels);
    qn_release(&work.distances);
    if (status != QN_OK) qn_large_clusters_clear(clusters);
    return status;
}
