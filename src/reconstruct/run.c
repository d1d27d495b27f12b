#define _POSIX_C_SOURCE 200809L
#include "reconstruct/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "cryoem/blob.h"
#include "cryoem/volume_check.h"
#include "format/image/particles.h"
#include "job/input.h"
#include "job/journal.h"
#include "job/options.h"
#include "math/symmetry_group.h"
#include "reconstruct/kernels/insert_slices.h"
#include "reconstruct/output_folder.h"
#include "reconstruct/saved_sums.h"

#include <quern/fft.h>

/* Rough, and low rather than high; they only decide whether a run is long: multiply-adds of insertions per second. */
static const double cpu_core_rate = 2e9, gpu_rate = 2e12;

/* Bytes of images of a batch, at most, and images. */
static const double cpu_batch_bytes = 128e6, gpu_batch_bytes = 1e9;
enum { CPU_BATCH = 512, GPU_BATCH = 2048, SMALLEST_BATCH = 16, LARGEST_BATCH = 1 << 14 };

/* Of a process that does nothing yet, and of a driver with its compiler. */
static const uint64_t process_bytes = 16 << 20, driver_bytes = 96 << 20;

qn_reconstruct_options qn_reconstruct_default_options(void)
{
    return (qn_reconstruct_options){.symmetry = "C1",
                                    .padding = 2,
                                    .first = 1,
                                    .last = UINT64_MAX,
                                    .run.seed = 1,
                                    .run.device = "auto",
                                    .checkpoint_s = 600,
                                    .run.tune = "auto",
                                    .run.tune_budget = "5%"};
}

/* ---- options ---- */

static qn_status check_options(const qn_reconstruct_options *options)
{
    if (!options->particles || !options->output)
        QN_FAIL(QN_INVALID_ARGUMENT, "%s must be given", options->particles ? "an output" : "particles");
    if (options->padding != 1 && options->padding != 1.5 && options->padding != 2)
        QN_FAIL(QN_INVALID_ARGUMENT, "padding is %g; expected 1, 1.5 or 2", options->padding);
    QN_TRY(qn_option_in_range("maximum resolution in Å", options->max_resolution_angstrom, 0, 1e4));
    QN_TRY(qn_option_in_range("subset", options->subset, 0, 2));
    QN_TRY(qn_option_in_range("batch", options->run.batch, 0, LARGEST_BATCH));
    QN_TRY(qn_option_in_range("seconds between saved sums", options->checkpoint_s, 0, 1e9));
    if (options->halves && options->subset > 0)
        QN_FAIL(QN_INVALID_ARGUMENT, "subset %d and half maps are asked for; expected one of the two", options->subset);
    if (options->mask && !options->halves)
        QN_FAIL(QN_INVALID_ARGUMENT, "a mask is given, which half maps are correlated within; expected half maps too");
    if (options->first < 1 || options->first > options->last)
        QN_FAIL(QN_INVALID_ARGUMENT,
                "particles %llu to %llu are asked for; expected a last at or after the first, from 1",
                (unsigned long long)options->first, (unsigned long long)options->last);
    return qn_tuning_check(options->run.tune, options->run.tune_budget);
}

/* ---- preparing ---- */

static int smallest(double value, int other)
{
    return value < other ? (int)value : other;
}

/* Ranks need not have equally many devices. Every rank must call. */
static qn_status count_workers(qn_reconstruct_state *run)
{
    int gpu = 0;
    for (int i = 0; i < run->device_count; i++) gpu |= qn_device_get_info(run->devices[i])->kind != QN_DEVICE_CPU;
    for (int rank = 0; rank < qn_ranks_count(run->ranks); rank++) {
        int devices;
        QN_TRY(qn_ranks_most(run->ranks, rank == qn_ranks_rank(run->ranks) ? run->device_count : 0, &devices));
        if (rank < qn_ranks_rank(run->ranks)) run->first_worker += devices;
        run->worker_count += devices;
    }
    return qn_ranks_any(run->ranks, gpu, &run->any_gpu);
}

/* Images of a batch: many, since devices go over the whole volume for each; but not so many that some have none. The
 * same on all ranks, which count batches by it. */
static void choose_batch(qn_reconstruct_state *run, int largest_side)
{
    const bool gpu = run->any_gpu != 0;
    const double bytes = 4.0 * largest_side * largest_side, workers = run->worker_count;
    int batch = smallest((gpu ? gpu_batch_bytes : cpu_batch_bytes) / bytes, gpu ? GPU_BATCH : CPU_BATCH);
    if (workers > 1) batch = smallest((double)run->particles->particle_count / (4 * workers), batch);
    if (batch < SMALLEST_BATCH) batch = SMALLEST_BATCH;
    if (run->options->run.batch > 0) batch = run->options->run.batch;
    batch = smallest((double)run->particles->particle_count, batch);
    run->batch = smallest(fmax(1, QN_INSERT_MOST_BEFORE_SETTLING / (double)run->operator_count), batch);
    if (run->options->run.batch > run->batch)
        qn_log(QN_LOG_NOTE, "batches of %d images: each is inserted in %d orientations, %d slices at most", run->batch,
               run->operator_count, QN_INSERT_MOST_BEFORE_SETTLING);
}

/* Sums that were put aside are of batches as they were then, whatever the devices and processes are now. */
static qn_status take_saved_batch(qn_reconstruct_state *run, const char *folder)
{
    char value[24] = "", *path = NULL;
    int *ranks = NULL;
    size_t count = 0;
    if (!run->options->run.resume || run->options->run.batch > 0 || !qn_file_exists(folder)) return QN_OK;
    QN_TRY(qn_rank_journal_list(folder, &ranks, &count));
    qn_status status = QN_OK;
    if (count > 0) status = qn_rank_journal_path(folder, ranks[0], &path);
    if (status == QN_OK && path) status = qn_journal_value(path, "batch", value, sizeof value);
    const long batch = strtol(value, NULL, 10);
    if (status == QN_OK && batch >= 1 && batch <= LARGEST_BATCH) run->batch = (int)batch;
    qn_release(&path);
    qn_release(&ranks);
    return status;
}

static qn_status check_particles(const qn_reconstruct_state *run)
{
    const qn_particle_set *set = run->particles;
    if (set->particle_count == 0) QN_FAIL(QN_BAD_FORMAT, "%s: no particles; expected at least one", set->name);
    if (!set->has_angles)
        QN_FAIL(QN_BAD_FORMAT, "%s: no angles; expected columns rlnAngleRot, rlnAngleTilt and rlnAnglePsi", set->name);
    if (run->options->ctf && !set->has_ctf)
        QN_FAIL(QN_BAD_FORMAT,
                "%s: does not say all of the contrast transfer function; expected columns rlnDefocusU, rlnDefocusV, "
                "rlnDefocusAngle, rlnVoltage, rlnSphericalAberration and rlnAmplitudeContrast to correct for it",
                set->name);
    return QN_OK;
}

static qn_status read_particles(qn_reconstruct_state *run)
{
    const qn_reconstruct_options *options = run->options;
    QN_TRY(qn_particles_read(options->particles, &run->particles));
    QN_TRY(check_particles(run));
    QN_TRY(qn_input_hash(options->particles, run->particles_hash));
    QN_TRY(qn_symmetry_group(options->symmetry, &run->operators, &run->operator_count));
    return qn_image_stacks_open(run->particles, &run->stacks, &run->image_sides);
}

/* The map has the size and the pixels of the first particle's optics group. */
static qn_status choose_sizes(qn_reconstruct_state *run)
{
    const qn_reconstruct_options *options = run->options;
    const qn_particle_set *set = run->particles;
    const uint32_t optics = set->particles[run->plan.order[0]].optics;
    run->map_side = run->image_sides[optics];
    run->voxel_angstrom = set->optics[optics].pixel_angstrom;
    run->result.pixel_size_assumed = set->optics[optics].pixel_assumed;
    run->side = qn_fft_next_fast_size(QN_FFT_AUTO, (int)ceil(options->padding * run->map_side));
    if (run->map_side < 8 || run->side > QN_INSERT_LARGEST_SIDE)
        QN_FAIL(QN_UNSUPPORTED, "%s: images of %d x %d pixels; expected 8 to %d for a padding of %g", set->name,
                run->map_side, run->map_side, (int)(QN_INSERT_LARGEST_SIDE / options->padding), options->padding);
    run->radius = QN_BLOB_RADIUS;
    run->most = run->side / 2.0;
    if (options->max_resolution_angstrom > 0)
        run->most = fmin(run->most, run->side * run->voxel_angstrom / options->max_resolution_angstrom);
    if (run->most < 2)
        QN_FAIL(QN_INVALID_ARGUMENT, "maximum resolution is %g Å, half of the image; expected finer than %.3g Å",
                options->max_resolution_angstrom, run->map_side * run->voxel_angstrom / 2);
    return QN_OK;
}

/* Every optics group's pixels must lie as far apart in the volume as insertion takes them. */
static qn_status check_groups(const qn_reconstruct_state *run)
{
    for (size_t i = 0; i < run->plan.batch_count; i++) {
        const qn_optics_group *group = &run->particles->optics[run->plan.batches[i].optics];
        const int side = run->image_sides[run->plan.batches[i].optics];
        const double width = side * group->pixel_angstrom, volume = run->side * run->voxel_angstrom;
        if (side < 4 || volume < 0.5 * width || volume > 4 * width)
            QN_FAIL(
                QN_UNSUPPORTED,
                "%s: images of optics group %d are %d pixels and %.4g Å wide; expected 4 pixels or more and %.4g to "
                "%.4g Å beside images of %.4g Å",
                run->particles->name, group->number, side, width, volume / 4, 2 * volume,
                run->map_side * run->voxel_angstrom);
    }
    return QN_OK;
}

static qn_status plan_images(qn_reconstruct_state *run, const char *folder)
{
    const qn_reconstruct_options *options = run->options;
    int largest = 0;
    for (size_t i = 0; i < run->particles->optics_count; i++)
        if (run->image_sides[i] > largest) largest = run->image_sides[i];
    choose_batch(run, largest);
    QN_TRY(take_saved_batch(run, folder));
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

/* A mask that is not the map's would be found out after hours. */
static qn_status read_mask(qn_reconstruct_state *run)
{
    const char *path = run->options->mask;
    if (!path || strcmp(path, "auto") == 0) return QN_OK;
    QN_TRY(qn_volume_read(path, &run->result.mask));
    const int *counts = run->result.mask->counts, side = run->map_side;
    if (counts[0] != side || counts[1] != side || counts[2] != side)
        QN_FAIL(QN_BAD_FORMAT, "%s: a mask of %d x %d x %d voxels; expected %d x %d x %d, as the map will have", path,
                counts[0], counts[1], counts[2], side, side, side);
    float low, high;
    QN_TRY(qn_volume_range(run->pool, run->result.mask, path, &low, &high));
    if (low < -0.01f || high > 1.01f || !(high > 0))
        QN_FAIL(QN_BAD_FORMAT, "%s: values go from %g to %g; expected a mask of 0 to 1 that lets something through",
                path, (double)low, (double)high);
    return QN_OK;
}

/* ---- memory ---- */

/* Of this process: particles, staged images, sums that are gathered, what finishing takes, maps that are kept, and what
 * CPU devices hold. */
static void estimate_memory(qn_reconstruct_state *run)
{
    const qn_finish_options finish = {.map_side = run->map_side, .weights = run->options->weights};
    const uint64_t edge = (uint64_t)run->map_side, map = sizeof(float) * edge * edge * edge;
    const uint64_t pixels = (uint64_t)run->accumulation.largest_image_side * run->accumulation.largest_image_side;
    const uint64_t volume = 3 * sizeof(float) * qn_fourier_sums_voxels(run->side);
    uint64_t kept = process_bytes;
    for (int i = 0; i < run->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(run->devices[i]);
        uint64_t bytes;
        int slabs;
        qn_accumulator_estimate(run->devices[i], &run->accumulation, &bytes, &slabs);
        if (slabs > run->result.slabs) run->result.slabs = slabs;
        if (bytes > run->result.device_memory_bytes) run->result.device_memory_bytes = bytes;
        if (info->kind == QN_DEVICE_CPU) kept += bytes;
        if (strcmp(qn_device_inner_driver(run->devices[i]), "host") != 0) kept += driver_bytes;
        if (slabs > 1) kept += volume * (uint64_t)run->halves + volume / (uint64_t)slabs * 2 / 3;
        kept += 2 * sizeof(float) * pixels * (uint64_t)run->batch;
    }
    if (run->halves == 2) kept += 2 * map;
    if (run->options->write_weights) kept += volume / 3;
    run->result.memory_bytes = run->particles->particle_count * (sizeof(qn_particle) + sizeof(size_t)) + kept + volume +
                               qn_reconstruct_finish_bytes(run->side, &finish);
}

static qn_status check_memory(qn_reconstruct_state *run)
{
    const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t machine = all / (uint64_t)qn_ranks_local_count(run->ranks);
    const uint64_t allowed = run->options->run.memory_bytes ? run->options->run.memory_bytes : machine;
    const double gib = 1024.0 * 1024 * 1024;
    estimate_memory(run);
    qn_log(QN_LOG_NOTE, "%zu images of %d x %d pixels, volume padded to %d; memory: about %.2f GiB",
           run->plan.image_count, run->map_side, run->map_side, run->side, (double)run->result.memory_bytes / gib);
    if (run->result.slabs > 1)
        qn_log(QN_LOG_NOTE, "the volume does not fit the device's memory: it goes through in %d slabs",
               run->result.slabs);
    if (run->result.memory_bytes <= allowed) return QN_OK;
    QN_FAIL(QN_OUT_OF_MEMORY,
            "a volume of %d voxels a side takes about %.2f GiB of memory and %.2f GiB are there; a smaller padding or "
            "batch takes less",
            run->side, (double)run->result.memory_bytes / gib, (double)allowed / gib);
}

static double expected_seconds(const qn_reconstruct_state *run)
{
    qn_work work;
    double rate = 0;
    const qn_insert_problem one = {.side = run->side,
                                   .image_side = run->map_side,
                                   .spacing = (float)run->side / (float)run->map_side,
                                   .images = 1,
                                   .operators = run->operator_count,
                                   .radius = (float)run->radius,
                                   .most = (float)run->most};
    qn_reconstruct_insert_slices_family.kernels[0].work(&one, &work);
    for (int i = 0; i < run->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(run->devices[i]);
        rate += info->kind == QN_DEVICE_CPU ? cpu_core_rate * info->compute_units : gpu_rate;
    }
    return work.multiply_adds * (double)run->plan.image_count / rate;
}

static qn_status open_input(qn_reconstruct_state *run)
{
    QN_TRY(read_particles(run));
    return qn_devices_open(run->context, run->options->run.device, run->ranks, run->devices, &run->device_count);
}

/* Everything that can be wrong with what was given, before anything is written. */
static qn_status prepare(qn_reconstruct_state *run, const char *folder)
{
    const qn_reconstruct_options *options = run->options;
    QN_TRY(plan_images(run, folder));
    QN_TRY(read_mask(run));
    QN_TRY(check_memory(run));
    QN_TRY(qn_tuning_start(run->context, options->run.tune, options->run.tune_budget, expected_seconds(run),
                           &run->tuning));
    for (int i = 0; i < run->device_count; i++) QN_TRY(qn_reconstruct_explore(run, i));
    for (int i = 0; i < run->device_count; i++)
        QN_TRY(qn_accumulator_create(run->devices[i], &run->accumulation, &run->accumulators[i]));
    return QN_OK;
}

/* ---- what is put aside ---- */

/* Everything that sums depend on. */
static qn_status make_key(const qn_reconstruct_state *run, qn_text *key)
{
    const qn_reconstruct_options *options = run->options;
    return qn_text_append(key,
                          "particles=%s\nsymmetry=%s\nctf=%d\nhalves=%d\nsubset=%d\nsplit seed=%llu\nfirst=%llu\n"
                          "last=%llu\nmaximum resolution=%.17g\npadded side=%d\nradius=%.17g\nfast=%d\nbatch=%d\n"
                          "deterministic=%d\n",
                          run->particles_hash, options->symmetry, options->ctf, options->halves, options->subset,
                          (unsigned long long)options->run.seed, (unsigned long long)options->first,
                          (unsigned long long)options->last, options->max_resolution_angstrom, run->side, run->radius,
                          options->fast, run->batch, options->deterministic);
}

/* Ranks that read other files, or other versions of them, would add up nonsense. */
static qn_status compare_keys(qn_reconstruct_state *run)
{
    qn_text key = {0};
    qn_status status = qn_agree(&run->agreement, make_key(run, &key));
    if (status == QN_OK) status = qn_agree(&run->agreement, qn_ranks_same_key(run->ranks, key.data, NULL));
    qn_text_clear(&key);
    return status;
}

static qn_status open_saved(qn_reconstruct_state *run, const char *folder)
{
    qn_text key = {0};
    QN_TRY(make_key(run, &key));
    qn_status status = qn_saved_sums_open(folder, key.data, run->options->run.resume, run->ranks, run->side,
                                          run->halves, &run->done, &run->saved);
    qn_text_clear(&key);
    for (size_t i = 0; i < run->plan.batch_count; i++)
        if (qn_piece_set_has(&run->done, i)) run->resumed += run->plan.batches[i].count;
    if (status == QN_OK && run->resumed > 0)
        qn_log(QN_LOG_NOTE, "resuming: %llu images are inserted", (unsigned long long)run->resumed);
    if (status == QN_OK && run->resumed > 0 && run->options->deterministic)
        qn_log(QN_LOG_WARNING, "a resumed run adds in another order: its bits are not those of one that went through");
    return status;
}

/* Refuse to mix with what is there, unless resuming. */
static qn_status check_saved(const qn_reconstruct_state *run, const char *folder)
{
    bool empty;
    QN_TRY(qn_folder_is_empty(folder, &empty));
    if (run->options->run.resume && empty)
        qn_log(QN_LOG_WARNING, "%s: holds nothing to resume; the run begins at its first image", folder);
    if (!run->options->run.resume && !empty)
        QN_FAIL(QN_ALREADY_EXISTS, "%s: holds an unfinished run; --resume goes on with it, or remove it", folder);
    return QN_OK;
}

/* That the map can be written is known before images are gone through. */
static qn_status check_output(qn_reconstruct_state *run)
{
    char *path;
    QN_TRY(qn_reconstruct_path(run->options->output, "map.mrc", &path));
    qn_status status = QN_OK;
    if (qn_ranks_rank(run->ranks) == 0) status = qn_output_folder_check(path, &run->absent);
    qn_release(&path);
    return status;
}

static qn_status make_folders(qn_reconstruct_state *run, const char *folder)
{
    if (qn_ranks_rank(run->ranks) != 0) return QN_OK;
    QN_TRY(check_saved(run, folder));
    run->made_folder = !qn_file_exists(folder);
    return qn_folder_create(folder);
}

static qn_status insert(qn_reconstruct_state *run, const char *folder)
{
    const bool saves = run->options->checkpoint_s > 0 || run->options->run.resume;
    qn_status status = QN_OK;
    if (saves) status = qn_agree(&run->agreement, make_folders(run, folder));
    if (status == QN_OK && saves) status = qn_agree(&run->agreement, open_saved(run, folder));
    double since = qn_clock_s();
    if (status == QN_OK) status = qn_agree(&run->agreement, qn_reconstruct_insert(run));
    run->result.times.insert_s = qn_clock_lap_s(&since);
    return status;
}

/* ---- stages ---- */

static void gather_times(qn_reconstruct_state *run)
{
    qn_reconstruction_times *times = &run->result.times;
    times->read_s = run->read_s;
    for (int i = 0; i < run->device_count; i++) {
        qn_accumulator_times own;
        qn_accumulator_get_times(run->accumulators[i], &own);
        times->transform_s += own.transform_s;
        times->prepare_s += own.prepare_s;
        times->kernel_s += own.insert_s;
    }
}

static void describe(qn_reconstruct_state *run, const qn_device_info **infos)
{
    const qn_reconstruct_options *options = run->options;
    qn_reconstruction *result = &run->result;
    result->options = options;
    result->particles = run->particles;
    result->used = run->plan.order;
    result->used_count = run->plan.image_count;
    result->skipped = run->plan.skipped;
    result->resumed = run->resumed;
    result->symmetry = options->symmetry;
    result->operator_count = run->operator_count;
    result->operators = (const double(*)[9])run->operators;
    result->image_side = run->map_side;
    result->padded_side = run->side;
    result->voxel_angstrom = run->voxel_angstrom;
    result->max_resolution_angstrom = run->side * run->voxel_angstrom / run->most;
    result->ranks = qn_ranks_count(run->ranks);
    result->threads = qn_context_threads(run->context);
    result->device_count = run->device_count;
    for (int i = 0; i < run->device_count; i++) infos[i] = qn_device_get_info(run->devices[i]);
    result->devices = infos;
    if (options->halves && run->particles->has_subsets)
        snprintf(result->split, sizeof result->split, "rlnRandomSubset");
    else if (options->halves)
        snprintf(result->split, sizeof result->split, "at random by seed %llu", (unsigned long long)options->run.seed);
    gather_times(run);
}

static qn_status finish(qn_reconstruct_state *run, const char *folder)
{
    const qn_device_info *infos[QN_MOST_DEVICES];
    QN_TRY(qn_reconstruct_make_maps(run));
    qn_status status = QN_OK;
    if (qn_ranks_rank(run->ranks) == 0) {
        describe(run, infos);
        run->result.times.total_s = qn_clock_s() - run->started_s;
        status = qn_reconstruct_write(&run->result);
    }
    status = qn_agree(&run->agreement, status);
    qn_saved_sums_close(&run->saved);
    if (status != QN_OK || qn_ranks_rank(run->ranks) != 0) return status;
    if (qn_saved_sums_remove(folder) != QN_OK) {
        qn_log(QN_LOG_WARNING, "%s: cannot be removed: %s", folder, qn_error_message());
        qn_error_clear(); /* the map is there */
    }
    return QN_OK;
}

/* After a failure: where nothing was put aside, journals go and the folder with them. */
static qn_status tidy_up(qn_reconstruct_state *run, const char *folder, qn_status failure)
{
    qn_error_trail trail;
    char *path = NULL;
    qn_error_save(failure, &trail);
    const bool empty = run->saved && qn_saved_sums_are_none(run->saved);
    qn_saved_sums_close(&run->saved);
    if (empty && qn_rank_journal_path(folder, qn_ranks_rank(run->ranks), &path) == QN_OK) unlink(path);
    qn_release(&path);
    if (qn_ranks_barrier(run->ranks) == QN_OK && run->made_folder) rmdir(folder); /* only if it is empty */
    qn_output_folder_tidy(folder, run->absent);
    qn_error_clear();
    return qn_error_restore(&trail);
}

static qn_status run_stages(qn_reconstruct_state *run)
{
    char *folder = NULL;
    double since = run->started_s;
    qn_status status = qn_agree(&run->agreement, check_options(run->options));
    if (status == QN_OK)
        status = qn_agree(&run->agreement, qn_reconstruct_path(run->options->output, "unfinished", &folder));
    if (status != QN_OK) qn_release(&folder);
    run->halves = run->options->halves ? 2 : 1;
    if (status == QN_OK) status = qn_agree(&run->agreement, check_output(run));
    if (status == QN_OK) status = qn_agree(&run->agreement, open_input(run));
    if (status == QN_OK) status = qn_agree(&run->agreement, count_workers(run));
    if (status == QN_OK) status = qn_agree(&run->agreement, prepare(run, folder));
    if (status == QN_OK && qn_ranks_count(run->ranks) > 1) status = compare_keys(run);
    run->result.times.metadata_s = qn_clock_lap_s(&since);
    if (status == QN_OK) status = insert(run, folder);
    qn_tuning_finish(&run->tuning);
    if (status == QN_OK) status = finish(run, folder);
    if (status != QN_OK && folder) status = tidy_up(run, folder, status);
    qn_release(&folder);
    return status;
}

static void summarise(const qn_reconstruct_state *run, qn_status status, qn_reconstruct_summary *summary)
{
    const qn_reconstruction *result = &run->result;
    char *path = NULL;
    *summary = (qn_reconstruct_summary){.images = run->plan.image_count,
                                        .skipped = run->plan.skipped,
                                        .resumed = run->resumed,
                                        .image_side = run->map_side,
                                        .padded_side = run->side,
                                        .operators = run->operator_count,
                                        .voxel_angstrom = run->voxel_angstrom,
                                        .resolution_angstrom = result->fsc ? result->fsc->resolution_angstrom : 0,
                                        .seconds = qn_clock_s() - run->started_s,
                                        .memory_bytes = result->memory_bytes};
    if (result->times.insert_s > 0)
        summary->images_per_s = (double)(run->plan.image_count - run->resumed) / result->times.insert_s;
    if (run->agreement.mute || (qn_ranks_rank(run->ranks) != 0 && status == QN_OK)) return;
    if (qn_reconstruct_path(run->options->output, "map.mrc", &path) == QN_OK)
        snprintf(summary->map, sizeof summary->map, "%s", path);
    qn_release(&path);
    if (qn_reconstruct_path(run->options->output, "report.html", &path) == QN_OK)
        snprintf(summary->report, sizeof summary->report, "%s", path);
    qn_release(&path);
}

static void clear(qn_reconstruct_state *run)
{
    qn_reconstruction *result = &run->result;
    qn_tuning_finish(&run->tuning);
    for (int i = 0; i < run->device_count; i++) qn_accumulator_destroy(&run->accumulators[i]);
    qn_saved_sums_close(&run->saved);
    qn_volume_destroy(&result->map);
    qn_volume_destroy(&result->half[0]);
    qn_volume_destroy(&result->half[1]);
    qn_volume_destroy(&result->weight);
    qn_volume_destroy(&result->mask);
    qn_fsc_destroy(&result->fsc);
    qn_image_stacks_close(&run->stacks);
    qn_image_plan_clear(&run->plan);
    qn_particle_set_destroy(&run->particles);
    qn_release(&run->done.bits);
    qn_release(&run->operators);
    qn_release(&run->image_sides);
    qn_release(&run->absent);
    for (int i = 0; i < run->device_count; i++) qn_device_release(&run->devices[i]);
    qn_agreement_end(&run->agreement);
    qn_ranks_close(&run->ranks);
}

qn_status qn_reconstruct_run(qn_context *context, const qn_reconstruct_options *options,
                             qn_reconstruct_summary *summary)
{
    qn_reconstruct_state run = {.options = options, .context = context, .pool = qn_context_pool(context)};
    run.started_s = qn_clock_s();
    qn_status opened = qn_ranks_open(&run.ranks);
    if (opened != QN_OK) { /* every process speaks for itself */
        if (summary) *summary = (qn_reconstruct_summary){.report = "report.html"};
        return opened;
    }
    qn_agreement_begin(run.ranks, &run.agreement);
    const qn_log_scope outer = qn_context_enter_log(context);
    if (qn_ranks_rank(run.ranks) != 0) qn_log_turn_off(); /* all ranks log the same */
    if (qn_ranks_count(run.ranks) > 1)
        qn_log(QN_LOG_NOTE, "%d processes, of which the first speaks", qn_ranks_count(run.ranks));
    const qn_status status = run_stages(&run);
    if (summary) summarise(&run, status, summary);
    clear(&run);
    qn_log_return(outer);
    return status;
}
