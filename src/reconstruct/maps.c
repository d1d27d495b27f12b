/* Maps from the sums of all devices, ranks and earlier runs. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "base/thread_pool.h"
#include "reconstruct/run.h"
#include "reconstruct/saved_sums.h"

enum {
    CHUNK = 1 << 22, /* floats that are read from a device at a time */
    BLOCK = 1 << 16  /* floats that a thread adds at a time */
};

/* ---- sums of the devices of this rank ---- */

/* The same floats of a device's sums. */
typedef struct device_part {
    qn_accumulator *accumulator;
    int half;
    qn_sum which;
    size_t first, count;
    float *room, *into; /* room: [CHUNK] of this device; into: that, or its place in the sums */
} device_part;

typedef struct adding {
    device_part parts[QN_DEVICES_MAX];
    int count;
    bool zero;   /* the sums are still 0, and those of the first device are read to their place */
    float *sums; /* at the place of the parts */
} adding;

static qn_status read_part(void *user)
{
    const device_part *part = user;
    return qn_accumulator_read(part->accumulator, part->half, part->which, part->first, part->count, part->into);
}

/* Read from all devices at the same time, each over its own link. */
static qn_status read_parts(adding *all)
{
    qn_thread threads[QN_DEVICES_MAX] = {0};
    qn_status status = QN_OK;
    if (all->count == 1) return read_part(&all->parts[0]);
    for (int i = 0; i < all->count && status == QN_OK; i++)
        status = qn_thread_start(&threads[i], read_part, &all->parts[i]);
    const qn_status joined = qn_threads_join(threads, (size_t)all->count);
    return status == QN_OK ? joined : status;
}

/* Add a block of all devices, always in their order, so that the bits do not depend on threads. */
static qn_status add_block(size_t index, int worker, void *user)
{
    const adding *all = user;
    const size_t first = index * BLOCK, count = all->parts[0].count;
    const size_t end = first + BLOCK < count ? first + BLOCK : count;
    (void)worker;
    for (int d = all->zero; d < all->count; d++) {
        const float *values = all->parts[d].into;
        for (size_t i = first; i < end; i++) all->sums[i] += values[i];
    }
    return QN_OK;
}

/* Add the sums `which` of one half of all devices. */
static qn_status add_devices(const qn_reconstruct_state *run, adding *all, int half, qn_sum which, size_t count,
                             float *sums)
{
    for (size_t first = 0; first < count; first += CHUNK) {
        const size_t now = count - first < CHUNK ? count - first : CHUNK;
        all->sums = sums + first;
        for (int i = 0; i < all->count; i++) {
            device_part *part = &all->parts[i];
            *part = (device_part){.accumulator = run->accumulators[i],
                                  .half = half,
                                  .which = which,
                                  .first = first,
                                  .count = now,
                                  .room = part->room,
                                  .into = all->zero && i == 0 ? all->sums : part->room};
        }
        QN_TRY(read_parts(all));
        if (all->count > all->zero) QN_TRY(qn_pool_run(run->job->pool, (now + BLOCK - 1) / BLOCK, add_block, all));
    }
    return QN_OK;
}

/* sums += the sums of one half of this rank's devices and earlier runs; `zero`: the sums are still 0. */
static qn_status add_own(const qn_reconstruct_state *run, int half, bool zero, qn_fourier_sums *sums)
{
    const size_t voxels = qn_fourier_sums_voxels(run->side);
    adding all = {.count = run->job->device_count, .zero = zero};
    qn_status status = QN_OK;
    for (int i = zero; i < all.count && status == QN_OK; i++)
        status = qn_allocate(CHUNK, sizeof(float), (void **)&all.parts[i].room);
    if (status == QN_OK) status = add_devices(run, &all, half, QN_SUM_NUMERATOR, 2 * voxels, sums->numerator);
    if (status == QN_OK) status = add_devices(run, &all, half, QN_SUM_WEIGHT, voxels, sums->weight);
    for (int i = 0; i < all.count; i++) qn_release(&all.parts[i].room);
    if (status == QN_OK && run->saved) status = qn_saved_sums_add(run->saved, half, sums);
    return status;
}

/* ---- maps ---- */

/* Add up the sums of all ranks on the first rank: of one half, or (−1) of both. */
static qn_status gather(qn_reconstruct_state *run, int half, qn_fourier_sums *sums)
{
    const size_t voxels = qn_fourier_sums_voxels(run->side);
    qn_status status = qn_fourier_sums_create(run->side, run->job->pool, sums);
    for (int h = 0; h < run->halves && status == QN_OK; h++)
        if (half < 0 || h == half) status = add_own(run, h, h == 0 || half >= 0, sums);
    status = qn_job_agree(run->job, status);
    if (status == QN_OK) status = qn_ranks_sum(run->job->ranks, sums->numerator, 2 * voxels);
    if (status == QN_OK) status = qn_ranks_sum(run->job->ranks, sums->weight, voxels);
    return status;
}

/* Keep the weights as a volume of x = 0 … P/2 and y, z from −P/2. */
static qn_status keep_weights(qn_reconstruct_state *run, const qn_fourier_sums *sums)
{
    const int counts[3] = {run->side / 2 + 1, run->side, run->side};
    QN_TRY(qn_volume_create(counts, 1, &run->result.weight));
    memcpy(run->result.weight->values, sums->weight, qn_fourier_sums_voxels(run->side) * sizeof(float));
    return QN_OK;
}

/* Finish a map on the host, where the sums are: copying them to a GPU and planning its transforms would take longer. */
static qn_status finish_map(qn_reconstruct_state *run, qn_fourier_sums *sums, qn_volume **map)
{
    const qn_finish_options options = {.map_side = run->map_side,
                                       .voxel_angstrom = run->voxel_angstrom,
                                       .most = run->most,
                                       .radius = run->radius,
                                       .fast = run->options->fast,
                                       .spacing = (double)run->side / run->map_side,
                                       .weights = run->options->weights,
                                       .deterministic = run->options->deterministic};
    double since = qn_clock_s();
    qn_device *host = NULL;
    QN_TRY(qn_device_open(run->job->context, "host", &host));
    const qn_status status = qn_reconstruct_finish(host, sums, &options, map, &run->result.finish);
    qn_device_release(&host);
    run->result.times.finish_s += qn_clock_lap_s(&since);
    return status;
}

static qn_status make_map(qn_reconstruct_state *run, int half, qn_volume **map)
{
    qn_fourier_sums sums = {0};
    double since = qn_clock_s();
    qn_status status = gather(run, half, &sums);
    run->result.times.reduce_s += qn_clock_lap_s(&since);
    if (status == QN_OK && qn_job_is_first(run->job)) {
        if (half < 0 && run->options->write_weights) status = keep_weights(run, &sums);
        if (status == QN_OK) status = finish_map(run, &sums, map);
    }
    qn_fourier_sums_clear(&sums);
    return status;
}

/* Make a mask of the map. A map without density to mask is still a valid result. */
static qn_status make_mask(qn_reconstruct_state *run)
{
    const qn_mask_options options = qn_mask_default_options();
    const qn_status status = qn_mask_create(run->job->context, run->result.map, &options, &run->result.mask);
    if (status != QN_BAD_FORMAT) return status;
    const qn_status warned =
        qn_job_warn(run->job, "no mask: %s; the halves are correlated without one", qn_error_message());
    qn_error_clear();
    return warned;
}

qn_status qn_reconstruct_correlate(qn_reconstruct_state *run)
{
    qn_reconstruction *result = &run->result;
    double since = qn_clock_s();
    qn_fsc_options options = qn_fsc_default_options();
    options.seed = run->options->run.seed;
    QN_TRY(qn_fsc_compute(run->job->context, result->half[0], result->half[1], result->mask, &options, &result->fsc));
    result->times.fsc_s = qn_clock_lap_s(&since);
    return QN_OK;
}

static qn_status compare_halves(qn_reconstruct_state *run)
{
    const char *mask = run->options->mask;
    if (mask && strcmp(mask, "auto") == 0) QN_TRY(make_mask(run));
    return qn_reconstruct_correlate(run);
}

qn_status qn_reconstruct_make_maps(qn_reconstruct_state *run)
{
    for (int half = 0; half < run->halves && run->halves == 2; half++)
        QN_TRY(qn_job_agree(run->job, make_map(run, half, &run->result.half[half])));
    QN_TRY(qn_job_agree(run->job, make_map(run, -1, &run->result.map)));
    const bool correlates = run->halves == 2 && qn_job_is_first(run->job);
    return qn_job_agree(run->job, correlates ? compare_halves(run) : QN_OK);
}
