/* Maps from the sums of all devices, ranks and earlier runs. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "reconstruct/run.h"
#include "reconstruct/saved_sums.h"

enum { CHUNK = 1 << 22 }; /* floats that are read from a device at a time */

/* Add a device's sums. `zero`: `sums` are still 0, and are overwritten without a copy in between. */
static qn_status add_accumulator(qn_accumulator *accumulator, int half, qn_sum which, size_t count, bool zero,
                                 float *chunk, float *sums)
{
    for (size_t first = 0; first < count; first += CHUNK) {
        const size_t part = count - first < CHUNK ? count - first : CHUNK;
        QN_TRY(qn_accumulator_read(accumulator, half, which, first, part, zero ? sums + first : chunk));
        for (size_t i = 0; i < part && !zero; i++) sums[first + i] += chunk[i];
    }
    return QN_OK;
}

/* sums += the sums of one half of this rank's devices and earlier runs; `zero`: the sums are still 0. */
static qn_status add_own(const qn_reconstruct_state *run, int half, bool zero, qn_fourier_sums *sums)
{
    const size_t voxels = qn_fourier_sums_voxels(run->side);
    void *chunk;
    QN_TRY(qn_allocate(CHUNK, sizeof(float), &chunk));
    qn_status status = QN_OK;
    for (int i = 0; i < run->job->device_count && status == QN_OK; i++) {
        qn_accumulator *accumulator = run->accumulators[i];
        const bool first = zero && i == 0;
        status = add_accumulator(accumulator, half, QN_SUM_NUMERATOR, 2 * voxels, first, chunk, sums->numerator);
        if (status == QN_OK)
            status = add_accumulator(accumulator, half, QN_SUM_WEIGHT, voxels, first, chunk, sums->weight);
    }
    qn_release(&chunk);
    if (status == QN_OK && run->saved) status = qn_saved_sums_add(run->saved, half, sums);
    return status;
}

/* Add up the sums of all ranks on the first rank: of one half, or (−1) of both. */
static qn_status gather(qn_reconstruct_state *run, int half, qn_fourier_sums *sums)
{
    const size_t voxels = qn_fourier_sums_voxels(run->side);
    qn_status status = qn_fourier_sums_create(run->side, sums);
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
