#include "reconstruct/run.h"

#include <math.h>
#include <quern/particles.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/thread.h"
#include "cryoem/memory_inputs.h"
#include "cryoem/pixel_size.h"
#include "cryoem/volume_check.h"
#include "format/image/particle_file.h"
#include "math/symmetry_group.h"
#include "reconstruct/classes.h"
#include "reconstruct/kernels/insert_slices.h"
#include "reconstruct/saved_sums.h"

/* Rough and low estimates of an insertion's multiply-adds per second. They only decide whether a run counts as long. */
static const double cpu_core_rate = 2e9, gpu_rate = 2e12;

enum { SAMPLED_STACKS_MAX = 256 };

/* ---- inputs ---- */

static qn_status check_particles(const qn_reconstruct_state *run)
{
    const qn_particle_set *set = run->particles;
    if (set->particle_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: no particles; expected at least one", set->name);
    if (!set->has_angles)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no angles; expected %s", set->name,
                       set->lacking_angles[0] ? set->lacking_angles : "rot, tilt and psi");
    if (run->options->ctf && !set->has_ctf)
        return QN_FAIL(QN_BAD_FORMAT, "%s: lacks what --ctf needs for the contrast transfer function; expected %s",
                       set->name, set->lacking_ctf[0] ? set->lacking_ctf : "a defocus");
    return QN_OK;
}

/* Use the pixel size that the user states. */
static qn_status change_pixels(qn_reconstruct_state *run)
{
    const double pixel = run->options->pixel_angstrom;
    qn_particle_set *set = run->particles;
    bool warned = false;
    for (size_t i = 0; i < set->optics_count && pixel > 0; i++) {
        const qn_optics_group *group = &set->optics[i];
        if (!warned && !group->pixel_assumed && qn_voxels_differ(group->pixel_angstrom, pixel)) {
            QN_TRY(qn_job_warn(run->job, "%s: optics group %d has pixels of %g Å; --pixel %g is used instead",
                               set->name, group->number, group->pixel_angstrom, pixel));
            warned = true;
        }
        qn_particle_set_change_pixel(set, i, pixel);
    }
    return QN_OK;
}

/* A wrong pixel size spoils the contrast transfer function, so none is assumed for it. Without it lengths are wrong. */
static qn_status check_pixels(const qn_reconstruct_state *run)
{
    const qn_particle_set *set = run->particles;
    size_t i = 0;
    while (i < set->particle_count && !set->optics[set->particles[i].optics].pixel_assumed) i++;
    if (i == set->particle_count) return QN_OK;
    if (run->options->ctf)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: states no pixel size, and nor do its stacks; expected one for --ctf: give --pixel",
                       set->name);
    return qn_job_warn(run->job,
                       "%s: states no pixel size, and nor do its stacks; 1 Å is assumed, so lengths are in "
                       "pixels: --pixel states it",
                       set->name);
}

static qn_status check_lengths(const qn_reconstruct_state *run)
{
    const qn_particle_set *set = run->particles;
    const uint64_t last_row = set->particles[set->particle_count - 1].row;
    uint32_t longer;
    uint64_t bytes;
    const size_t count = qn_image_stacks_longer(run->stacks, &longer, &bytes);
    if (run->options->last != UINT64_MAX && run->options->last > last_row && run->options->first <= last_row)
        QN_TRY(qn_job_warn(run->job, "%s: --particles ends at row %llu, but the last particle is in row %llu",
                           set->name, (unsigned long long)run->options->last, (unsigned long long)last_row));
    if (count == 0) return QN_OK;
    return qn_job_warn(run->job, "%s: %llu bytes follow the images of its header and are not read%s",
                       set->stacks[longer], (unsigned long long)bytes,
                       count > 1 ? "; other stacks are too long as well" : "");
}

static qn_status read_particles(qn_reconstruct_state *run)
{
    const qn_reconstruct_options *options = run->options;
    QN_TRY(qn_input_is_one("the particles", options->particles, options->particle_set));
    if (options->particle_set)
        QN_TRY(qn_particle_set_take(options->particle_set, &run->particles));
    else
        QN_TRY(qn_particle_file_read(options->particles, run->job->pool, &run->particles));
    QN_TRY(check_particles(run));
    QN_TRY(change_pixels(run));
    QN_TRY(check_pixels(run));
    QN_TRY(qn_image_stacks_open(run->particles, options->images, &run->stacks, &run->image_sides));
    QN_TRY(check_lengths(run));
    return qn_classes_select(options->classes, run->particles);
}

static qn_status open_devices(void *user)
{
    return qn_job_devices(user);
}

/* Devices are opened while the table is read. A failure of reading is the one to report. */
static qn_status read_and_open(qn_reconstruct_state *run)
{
    qn_thread opening;
    qn_error_trail trail = {.status = QN_OK};
    QN_TRY(qn_thread_start(&opening, open_devices, run->job));
    const qn_status status = read_particles(run);
    if (status != QN_OK) qn_error_save(status, &trail);
    const qn_status opened = qn_thread_join(&opening);
    return status == QN_OK ? opened : qn_error_restore(&trail);
}

static qn_status read_inputs(qn_reconstruct_state *run)
{
    QN_TRY(qn_option_check(qn_reconstruct_option_table(), run->options));
    QN_TRY(qn_reconstruct_find_place(run->options->output, run->options->relion_names, &run->place));
    QN_TRY(qn_symmetry_group(run->options->symmetry, &run->operators, &run->operator_count));
    run->halves = run->options->halves ? 2 : 1;
    run->saves = run->options->output && (run->options->checkpoint_s > 0 || run->options->run.resume);
    return read_and_open(run);
}

/* Count the devices of all ranks; ranks may have different numbers of devices. Every rank must call this function. */
static qn_status count_workers(qn_reconstruct_state *run)
{
    int gpu = 0;
    for (int i = 0; i < run->job->device_count; i++)
        gpu |= qn_device_get_info(run->job->devices[i])->kind != QN_DEVICE_CPU;
    for (int rank = 0; rank < qn_ranks_count(run->job->ranks); rank++) {
        int devices;
        QN_TRY(qn_ranks_max(run->job->ranks, rank == qn_ranks_rank(run->job->ranks) ? run->job->device_count : 0,
                            &devices));
        if (rank < qn_ranks_rank(run->job->ranks)) run->first_worker += devices;
        run->worker_count += devices;
    }
    return qn_ranks_any(run->job->ranks, gpu, &run->any_gpu);
}

static qn_status name_particles(qn_reconstruct_state *run)
{
    uint64_t bytes;
    char digest[65];
    if (run->options->particles)
        return qn_job_input_add(run->job, "particles", run->options->particles, QN_JOB_READ_ALL);
    qn_particle_set_digest(run->particles, &bytes, digest);
    return qn_job_input_add_memory(run->job, "particles", run->particles->name, bytes, digest);
}

/* Name the stacks or the array. Of many stacks only the sizes are listed, since it would take long to open each. */
static qn_status name_images(qn_reconstruct_state *run)
{
    const qn_particle_set *set = run->particles;
    const qn_job_reading reading = set->stack_count <= SAMPLED_STACKS_MAX ? QN_JOB_READ_ENDS : QN_JOB_LIST_SIZE;
    uint64_t bytes;
    char digest[65];
    if (run->options->images) {
        qn_image_array_digest(run->options->images, &bytes, digest);
        return qn_job_input_add_memory(run->job, "images", "the images in memory", bytes, digest);
    }
    for (size_t i = 0; i < set->stack_count; i++) QN_TRY(qn_job_input_add(run->job, "stack", set->stacks[i], reading));
    return QN_OK;
}

/* The sums do not depend on the mask, so the mask is not in the key. A mask in memory is not listed. */
static qn_status name_inputs(qn_reconstruct_state *run)
{
    const char *mask = run->options->mask;
    QN_TRY(name_particles(run));
    QN_TRY(name_images(run));
    if (!mask || strcmp(mask, "auto") == 0) return QN_OK;
    return qn_job_input_add(run->job, "mask", mask, QN_JOB_LIST_ONLY);
}

/* Put into the key everything that the sums depend on. */
static qn_status make_key(qn_reconstruct_state *run)
{
    const qn_reconstruct_options *options = run->options;
    if (!options->output) return QN_OK; /* neither a journal nor run.json needs it */
    QN_TRY(name_inputs(run));
    return qn_job_key(run->job,
                      "symmetry=%s\nctf=%d\nhalves=%d\nsubset=%d\nsplit seed=%llu\nfirst=%llu\nlast=%llu\n"
                      "maximum resolution=%.17g\npadded side=%d\nradius=%.17g\nfast=%d\nbatch=%d\n"
                      "deterministic=%d\npixel=%.17g\nclass=%s\nrelion names=%d\n",
                      options->symmetry, options->ctf, options->halves, options->subset,
                      (unsigned long long)options->run.seed, (unsigned long long)options->first,
                      (unsigned long long)options->last, options->max_resolution_angstrom, run->side, run->radius,
                      options->fast, run->batch, options->deterministic, options->pixel_angstrom,
                      options->classes ? options->classes : "all", options->relion_names);
}

static qn_status plan(qn_reconstruct_state *run)
{
    QN_TRY(qn_reconstruct_plan(run));
    QN_TRY(qn_classes_warn(run->job, run->particles, &run->plan));
    QN_TRY(qn_reconstruct_check_memory(run));
    return make_key(run);
}

/* ---- work ---- */

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
    for (int i = 0; i < run->job->device_count; i++) {
        const qn_device_info *info = qn_device_get_info(run->job->devices[i]);
        rate += info->kind == QN_DEVICE_CPU ? cpu_core_rate * info->compute_units : gpu_rate;
    }
    return work.multiply_adds * (double)run->plan.image_count / rate;
}

typedef struct accumulator_making {
    qn_reconstruct_state *run;
    int device;
} accumulator_making;

static qn_status make_accumulator(void *user)
{
    const accumulator_making *making = user;
    qn_reconstruct_state *run = making->run;
    return qn_accumulator_create(run->job->devices[making->device], &run->accumulation,
                                 &run->accumulators[making->device]);
}

/* For all devices at the same time: the memory from which a GPU copies is not made in an instant. */
static qn_status make_accumulators(qn_reconstruct_state *run)
{
    accumulator_making making[QN_DEVICES_MAX];
    qn_thread threads[QN_DEVICES_MAX] = {0};
    const int count = run->job->device_count;
    qn_status status = QN_OK;
    for (int i = 0; i < count; i++) making[i] = (accumulator_making){run, i};
    if (count == 1) return make_accumulator(&making[0]);
    for (int i = 0; i < count && status == QN_OK; i++)
        status = qn_thread_start(&threads[i], make_accumulator, &making[i]);
    const qn_status joined = qn_threads_join(threads, (size_t)count);
    return status == QN_OK ? joined : status;
}

static qn_status prepare(qn_reconstruct_state *run)
{
    QN_TRY(qn_job_tune(run->job, expected_seconds(run)));
    for (int i = 0; i < run->job->device_count; i++) QN_TRY(qn_reconstruct_explore(run, i));
    return make_accumulators(run);
}

static qn_status open_saved(qn_reconstruct_state *run)
{
    if (!run->saves) return QN_OK;
    QN_TRY(qn_saved_sums_open(run->job, run->side, run->halves, &run->saved));
    for (size_t i = 0; i < run->plan.batch_count; i++)
        if (qn_piece_set_has(&run->job->done, i)) run->resumed += run->plan.batches[i].count;
    if (run->resumed == 0) return QN_OK;
    qn_log(QN_LOG_NOTE, "resuming: %llu %s inserted", (unsigned long long)run->resumed,
           run->resumed == 1 ? "image is" : "images are");
    if (!run->options->deterministic) return QN_OK;
    return qn_job_warn(run->job,
                       "a resumed run adds in another order, so its bits differ from those of an uninterrupted run");
}

static qn_status insert(qn_reconstruct_state *run)
{
    qn_job *job = run->job;
    double since = qn_clock_s();
    QN_TRY(qn_job_agree(job, open_saved(run)));
    QN_TRY(qn_job_agree(job, qn_reconstruct_insert(run)));
    run->result.times.insert_s = qn_clock_lap_s(&since);
    return QN_OK;
}

static void gather_times(qn_reconstruct_state *run)
{
    qn_reconstruction_times *times = &run->result.times;
    times->read_s = run->read_s;
    for (int i = 0; i < run->job->device_count; i++) {
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
    result->job = run->job;
    result->map_name = run->place.map;
    for (int k = 0; k < 2; k++) result->half_names[k] = run->place.halves[k];
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
    result->ranks = qn_ranks_count(run->job->ranks);
    result->threads = qn_context_threads(run->job->context);
    result->device_count = run->job->device_count;
    for (int i = 0; i < run->job->device_count; i++) infos[i] = qn_device_get_info(run->job->devices[i]);
    result->devices = infos;
    if (options->halves && run->particles->has_subsets)
        snprintf(result->split, sizeof result->split, "rlnRandomSubset");
    else if (options->halves)
        snprintf(result->split, sizeof result->split, "at random by seed %llu", (unsigned long long)options->run.seed);
}

static qn_status write_maps(qn_reconstruct_state *run)
{
    const qn_device_info *infos[QN_DEVICES_MAX];
    if (!qn_job_is_first(run->job)) return QN_OK;
    describe(run, infos);
    gather_times(run);
    QN_TRY(qn_view_bins_create(&run->result, &run->result.views));
    run->result.times.total_s = qn_clock_s() - run->job->started_s;
    QN_TRY(qn_reconstruct_write(&run->result));
    return run->job->in_memory && run->wants_result ? qn_reconstruct_report_page(&run->result, &run->page) : QN_OK;
}

/* Read the results of an earlier run that finished the same work. */
static qn_status read_maps(qn_reconstruct_state *run)
{
    const qn_device_info *infos[QN_DEVICES_MAX];
    if (!qn_job_is_first(run->job) || !run->wants_result) return QN_OK;
    describe(run, infos);
    QN_TRY(qn_view_bins_create(&run->result, &run->result.views));
    return qn_reconstruct_read_back(run);
}

/* ---- stages ---- */

static qn_status run_stages(qn_reconstruct_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_job_agree(job, count_workers(run)));
    QN_TRY(qn_job_agree(job, plan(run)));
    QN_TRY(qn_job_output(job, &run->place.output, run->saves));
    if (run->saves) QN_TRY(qn_job_journal(job));
    if (job->over) return qn_job_agree(job, read_maps(run));
    QN_TRY(qn_job_agree(job, prepare(run)));
    run->result.times.metadata_s = qn_clock_s() - job->started_s;
    QN_TRY(insert(run));
    qn_tuning_finish(&job->tuning);
    QN_TRY(qn_reconstruct_make_maps(run));
    return qn_job_agree(job, write_maps(run));
}

static void clear(qn_reconstruct_state *run)
{
    qn_reconstruction *result = &run->result;
    for (int i = 0; i < run->job->device_count; i++) qn_accumulator_destroy(&run->accumulators[i]);
    qn_saved_sums_close(&run->saved);
    qn_volume_destroy(&result->map);
    qn_volume_destroy(&result->half[0]);
    qn_volume_destroy(&result->half[1]);
    qn_volume_destroy(&result->weight);
    qn_volume_destroy(&result->mask);
    qn_fsc_destroy(&result->fsc);
    qn_release(&result->views.counts);
    qn_text_clear(&run->page);
    qn_image_stacks_close(&run->stacks);
    qn_image_plan_clear(&run->plan);
    qn_particle_set_destroy(&run->particles);
    qn_release(&run->operators);
    qn_release(&run->image_sides);
}

qn_status qn_reconstruct_run(qn_context *context, const qn_reconstruct_options *options, qn_reconstruct_result **result)
{
    qn_job job;
    qn_reconstruct_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_reconstruct_option_table(), options, &own));
    qn_reconstruct_state run = {.options = &own, .job = &job, .wants_result = result != NULL};
    qn_status status = qn_job_open(context, "reconstruct", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, qn_reconstruct_make_result(&run, result));
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_reconstruct_result_destroy(result);
    qn_reconstruct_place_clear(&run.place);
    return status;
}
