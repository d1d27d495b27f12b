#include "reconstruct/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "format/image/particles.h"
#include "math/symmetry_group.h"
#include "reconstruct/kernels/insert_slices.h"
#include "reconstruct/saved_sums.h"

/* Rough, and low rather than high; they only decide whether a run is long: multiply-adds of insertions per second. */
static const double cpu_core_rate = 2e9, gpu_rate = 2e12;

enum { SAMPLED_STACKS_MAX = 256 };

/* ---- inputs ---- */

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
    QN_TRY(qn_symmetry_group(options->symmetry, &run->operators, &run->operator_count));
    return qn_image_stacks_open(run->particles, &run->stacks, &run->image_sides);
}

static qn_status read_inputs(qn_reconstruct_state *run)
{
    QN_TRY(qn_option_check(qn_reconstruct_option_table(), run->options));
    QN_TRY(qn_reconstruct_find_place(run->options->output, &run->place));
    run->halves = run->options->halves ? 2 : 1;
    run->saves = run->options->checkpoint_s > 0 || run->options->run.resume;
    QN_TRY(read_particles(run));
    return qn_job_devices(run->job);
}

/* Ranks need not have equally many devices. Every rank must call. */
static qn_status count_workers(qn_reconstruct_state *run)
{
    int gpu = 0;
    for (int i = 0; i < run->job->device_count; i++)
        gpu |= qn_device_get_info(run->job->devices[i])->kind != QN_DEVICE_CPU;
    for (int rank = 0; rank < qn_ranks_count(run->job->ranks); rank++) {
        int devices;
        QN_TRY(qn_ranks_most(run->job->ranks, rank == qn_ranks_rank(run->job->ranks) ? run->job->device_count : 0,
                             &devices));
        if (rank < qn_ranks_rank(run->job->ranks)) run->first_worker += devices;
        run->worker_count += devices;
    }
    return qn_ranks_any(run->job->ranks, gpu, &run->any_gpu);
}

/* Many stacks are listed by size alone: looking into each would take a while. */
static qn_status name_inputs(qn_reconstruct_state *run)
{
    const qn_particle_set *set = run->particles;
    const char *mask = run->options->mask;
    const qn_job_reading reading = set->stack_count <= SAMPLED_STACKS_MAX ? QN_JOB_READ_ENDS : QN_JOB_LIST_SIZE;
    QN_TRY(qn_job_input_add(run->job, "particles", run->options->particles, QN_JOB_READ_ALL));
    for (size_t i = 0; i < set->stack_count; i++) QN_TRY(qn_job_input_add(run->job, "stack", set->stacks[i], reading));
    if (!mask || strcmp(mask, "auto") == 0) return QN_OK;
    return qn_job_input_add(run->job, "mask", mask, QN_JOB_LIST_ONLY);
}

/* Everything that sums depend on. */
static qn_status make_key(qn_reconstruct_state *run)
{
    const qn_reconstruct_options *options = run->options;
    QN_TRY(name_inputs(run));
    return qn_job_key(run->job,
                      "symmetry=%s\nctf=%d\nhalves=%d\nsubset=%d\nsplit seed=%llu\nfirst=%llu\nlast=%llu\n"
                      "maximum resolution=%.17g\npadded side=%d\nradius=%.17g\nfast=%d\nbatch=%d\n"
                      "deterministic=%d\n",
                      options->symmetry, options->ctf, options->halves, options->subset,
                      (unsigned long long)options->run.seed, (unsigned long long)options->first,
                      (unsigned long long)options->last, options->max_resolution_angstrom, run->side, run->radius,
                      options->fast, run->batch, options->deterministic);
}

static qn_status plan(qn_reconstruct_state *run)
{
    QN_TRY(qn_reconstruct_plan(run));
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

static qn_status prepare(qn_reconstruct_state *run)
{
    QN_TRY(qn_job_tune(run->job, expected_seconds(run)));
    for (int i = 0; i < run->job->device_count; i++) QN_TRY(qn_reconstruct_explore(run, i));
    for (int i = 0; i < run->job->device_count; i++)
        QN_TRY(qn_accumulator_create(run->job->devices[i], &run->accumulation, &run->accumulators[i]));
    return QN_OK;
}

static qn_status open_saved(qn_reconstruct_state *run)
{
    if (!run->saves) return QN_OK;
    QN_TRY(qn_saved_sums_open(run->job, run->side, run->halves, &run->saved));
    for (size_t i = 0; i < run->plan.batch_count; i++)
        if (qn_piece_set_has(&run->job->done, i)) run->resumed += run->plan.batches[i].count;
    if (run->resumed == 0) return QN_OK;
    qn_log(QN_LOG_NOTE, "resuming: %llu images are inserted", (unsigned long long)run->resumed);
    if (!run->options->deterministic) return QN_OK;
    return qn_job_warn(run->job,
                       "a resumed run adds in another order: its bits are not those of one that went through");
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
    gather_times(run);
}

static qn_status write_maps(qn_reconstruct_state *run)
{
    const qn_device_info *infos[QN_MOST_DEVICES];
    if (!qn_job_is_first(run->job)) return QN_OK;
    describe(run, infos);
    run->result.times.total_s = qn_clock_s() - run->job->started_s;
    return qn_reconstruct_write(&run->result);
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
    if (job->over) return QN_OK;
    QN_TRY(qn_job_agree(job, prepare(run)));
    run->result.times.metadata_s = qn_clock_s() - job->started_s;
    QN_TRY(insert(run));
    qn_tuning_finish(&job->tuning);
    QN_TRY(qn_reconstruct_make_maps(run));
    return qn_job_agree(job, write_maps(run));
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
                                        .seconds = qn_clock_s() - run->job->started_s,
                                        .memory_bytes = result->memory_bytes};
    if (result->times.insert_s > 0)
        summary->images_per_s = (double)(run->plan.image_count - run->resumed) / result->times.insert_s;
    qn_job_report_path(run->job, status, summary->report, sizeof summary->report);
    if (status != QN_OK || !summary->report[0]) return;
    if (qn_output_path(&run->place.output, run->place.map, &path) == QN_OK)
        snprintf(summary->map, sizeof summary->map, "%s", path);
    qn_release(&path);
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
    qn_image_stacks_close(&run->stacks);
    qn_image_plan_clear(&run->plan);
    qn_particle_set_destroy(&run->particles);
    qn_release(&run->operators);
    qn_release(&run->image_sides);
}

qn_status qn_reconstruct_run(qn_context *context, const qn_reconstruct_options *options,
                             qn_reconstruct_summary *summary)
{
    qn_job job;
    qn_reconstruct_state run = {.options = options, .job = &job};
    qn_status status = qn_job_open(context, "reconstruct", &options->run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (summary) summarise(&run, status, summary);
    clear(&run);
    status = qn_job_close(&job, status);
    qn_reconstruct_place_clear(&run.place);
    return status;
}
