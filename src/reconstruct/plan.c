/* The plan of a run: batches of images, the size of the volume, the mask. */
#include <math.h>
#include <quern/fft.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cryoem/blob.h"
#include "cryoem/memory_inputs.h"
#include "cryoem/volume_check.h"
#include "reconstruct/kernels/insert_slices.h"
#include "reconstruct/run.h"

/* Limits of a batch: bytes of images, and number of images. */
static const double cpu_batch_bytes = 128e6, gpu_batch_bytes = 1e9;
enum { CPU_BATCH = 512, GPU_BATCH = 2048, SMALLEST_BATCH = 16 };

static int smallest(double value, int other)
{
    return value < other ? (int)value : other;
}

/* Choose the number of images of a batch: large, since a device goes over the whole volume for each batch, but small
 * enough that every device gets some. All ranks get the same number, since batches are counted by it. */
static void choose_batch(qn_reconstruct_state *run, int largest_side)
{
    const bool gpu = run->any_gpu != 0;
    const double bytes = 4.0 * largest_side * largest_side, workers = run->worker_count;
    int batch = smallest((gpu ? gpu_batch_bytes : cpu_batch_bytes) / bytes, gpu ? GPU_BATCH : CPU_BATCH);
    if (workers > 1) batch = smallest((double)run->particles->particle_count / (4 * workers), batch);
    if (batch < SMALLEST_BATCH) batch = SMALLEST_BATCH;
    if (run->options->run.batch > 0) batch = run->options->run.batch;
    batch = smallest((double)run->particles->particle_count, batch);
    run->batch = smallest(fmax(1, QN_INSERT_BEFORE_SETTLING_MAX / (double)run->operator_count), batch);
    if (run->options->run.batch > run->batch)
        qn_log(QN_LOG_NOTE, "batches of %d image%s: each is inserted in %d orientations, %d slices at most", run->batch,
               run->batch == 1 ? "" : "s", run->operator_count, QN_INSERT_BEFORE_SETTLING_MAX);
}

/* A resumed run keeps the batch size of its saved sums, even if devices and processes have changed. */
static qn_status take_saved_batch(qn_reconstruct_state *run)
{
    char value[24];
    if (!run->saves || !run->options->run.resume || run->options->run.batch > 0) return QN_OK;
    QN_TRY(qn_output_value(&run->place.output, "batch", value, sizeof value));
    const long batch = strtol(value, NULL, 10);
    if (batch >= 1 && batch <= QN_RECONSTRUCT_BATCH_MAX) run->batch = (int)batch;
    return QN_OK;
}

/* The map gets the size and the pixels of the first particle's optics group. */
static qn_status choose_sizes(qn_reconstruct_state *run)
{
    const qn_reconstruct_options *options = run->options;
    const qn_particle_set *set = run->particles;
    const uint32_t optics = set->particles[run->plan.order[0]].optics;
    run->map_side = run->image_sides[optics];
    run->voxel_angstrom = set->optics[optics].pixel_angstrom;
    run->result.pixel_size_assumed = set->optics[optics].pixel_assumed;
    run->side = qn_fft_next_fast_size(QN_FFT_AUTO, (int)ceil(options->padding * run->map_side));
    if (run->map_side < 8 || run->side > QN_INSERT_SIDE_MAX)
        return QN_FAIL(QN_UNSUPPORTED, "%s: images of %d x %d pixels; expected 8 to %d for a padding of %g", set->name,
                       run->map_side, run->map_side, (int)(QN_INSERT_SIDE_MAX / options->padding), options->padding);
    run->radius = QN_BLOB_RADIUS;
    run->most = run->side / 2.0;
    if (options->max_resolution_angstrom > 0)
        run->most = fmin(run->most, run->side * run->voxel_angstrom / options->max_resolution_angstrom);
    if (options->max_resolution_angstrom > 0 && options->max_resolution_angstrom < 2 * run->voxel_angstrom)
        QN_TRY(qn_job_warn(run->job, "--max-resolution is %g Å, and pixels of %g Å have no detail finer than %g Å",
                           options->max_resolution_angstrom, run->voxel_angstrom, 2 * run->voxel_angstrom));
    if (run->most < 2)
        return QN_FAIL(QN_INVALID_ARGUMENT, "maximum resolution is %g Å, half of the image; expected finer than %.3g Å",
                       options->max_resolution_angstrom, run->map_side * run->voxel_angstrom / 2);
    return QN_OK;
}

/* Check that the pixel spacing of every optics group is within the limits of the insertion kernel. */
static qn_status check_groups(const qn_reconstruct_state *run)
{
    for (size_t i = 0; i < run->plan.batch_count; i++) {
        const qn_optics_group *group = &run->particles->optics[run->plan.batches[i].optics];
        const int side = run->image_sides[run->plan.batches[i].optics];
        const double width = side * group->pixel_angstrom, volume = run->side * run->voxel_angstrom;
        if (side < 4 || volume < 0.5 * width || volume > 4 * width)
            return QN_FAIL(
                QN_UNSUPPORTED,
                "%s: images of optics group %d are %d pixels and %.4g Å wide; expected 4 pixels or more and %.4g to "
                "%.4g Å beside images of %.4g Å",
                run->particles->name, group->number, side, width, volume / 4, 2 * volume,
                run->map_side * run->voxel_angstrom);
    }
    return QN_OK;
}

static qn_status plan_images(qn_reconstruct_state *run)
{
    const qn_reconstruct_options *options = run->options;
    int largest = 0;
    for (size_t i = 0; i < run->particles->optics_count; i++)
        if (run->image_sides[i] > largest) largest = run->image_sides[i];
    choose_batch(run, largest);
    QN_TRY(take_saved_batch(run));
    QN_TRY(qn_image_plan_create(run->particles, options->halves, options->subset, options->first, options->last,
                                options->run.seed, (size_t)run->batch, &run->plan));
    QN_TRY(choose_sizes(run));
    QN_TRY(check_groups(run));
    uint64_t images[2] = {0};
    for (size_t i = 0; i < run->plan.batch_count; i++) images[run->plan.batches[i].half] += run->plan.batches[i].count;
    const uint64_t most = images[0] > images[1] ? images[0] : images[1];
    run->accumulation = (qn_accumulator_options){.side = run->side,
                                                 .reference_angstrom = run->voxel_angstrom,
                                                 .most = run->most,
                                                 .radius = run->radius,
                                                 .fast = options->fast,
                                                 .ctf = options->ctf,
                                                 .deterministic = options->deterministic,
                                                 .halves = run->halves,
                                                 .operators = (const double(*)[9])run->operators,
                                                 .operator_count = run->operator_count,
                                                 .largest_image_side = largest,
                                                 .batch = run->batch,
                                                 .slices_expected = most * (uint64_t)run->operator_count};
    return QN_OK;
}

/* Copy of the caller's mask, which becomes part of the result. */
static qn_status copy_mask(const qn_volume *given, qn_volume **mask)
{
    qn_volume view;
    QN_TRY(qn_volume_view(given, "the mask in memory", &view));
    QN_TRY(qn_volume_create(view.counts, view.voxel_angstrom[0], mask));
    qn_volume *copy = *mask;
    const size_t voxels = (size_t)view.counts[0] * (size_t)view.counts[1] * (size_t)view.counts[2];
    memcpy(copy->values, view.values, voxels * sizeof *view.values);
    for (int k = 0; k < 3; k++) {
        copy->voxel_angstrom[k] = view.voxel_angstrom[k];
        copy->origin_angstrom[k] = view.origin_angstrom[k];
        copy->start[k] = view.start[k];
    }
    return qn_text_copy(view.name, &copy->name);
}

/* Read the mask before the insertion, since a mask of the wrong size would otherwise fail hours later. */
static qn_status read_mask(qn_reconstruct_state *run)
{
    const char *path = run->options->mask;
    if (run->options->mask_volume) {
        QN_TRY(copy_mask(run->options->mask_volume, &run->result.mask));
        path = run->result.mask->name;
    } else {
        if (!path || strcmp(path, "auto") == 0) return QN_OK;
        QN_TRY(qn_volume_read(path, &run->result.mask));
    }
    const int *counts = run->result.mask->counts, side = run->map_side;
    if (counts[0] != side || counts[1] != side || counts[2] != side)
        return QN_FAIL(QN_BAD_FORMAT, "%s: a mask of %d x %d x %d voxels; expected %d x %d x %d, as the map will have",
                       path, counts[0], counts[1], counts[2], side, side, side);
    float low, high;
    QN_TRY(qn_volume_range(run->job->pool, run->result.mask, path, &low, &high));
    if (low < -0.01f || high > 1.01f || !(high > 0))
        return QN_FAIL(QN_BAD_FORMAT, "%s: values go from %g to %g; expected a mask of 0 to 1 with values above 0",
                       path, (double)low, (double)high);
    return QN_OK;
}

qn_status qn_reconstruct_plan(qn_reconstruct_state *run)
{
    QN_TRY(plan_images(run));
    return read_mask(run);
}
