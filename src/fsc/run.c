/* The stages of quern fsc: read maps, make a mask, correlate, write curves and report. */
#include "fsc/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "cryoem/memory_inputs.h"
#include "cryoem/pixel_size.h"
#include "cryoem/volume_check.h"
#include "runtime/device.h"

/* Compute the mean of both maps, with a name for messages. */
static qn_status make_mean(const qn_fsc_state *run, qn_volume **mean)
{
    const qn_volume *first = &run->halves[0], *second = &run->halves[1];
    const size_t voxels = (size_t)first->counts[0] * (size_t)first->counts[1] * (size_t)first->counts[2];
    qn_text name = {0};
    QN_TRY(qn_volume_create(first->counts, first->voxel_angstrom[0], mean));
    qn_status status = qn_text_append(&name, "the mean of %s and %s", first->name, second->name);
    if (status == QN_OK) status = qn_text_copy(name.data, &(*mean)->name);
    qn_text_clear(&name);
    for (int k = 0; k < 3; k++) {
        (*mean)->origin_angstrom[k] = first->origin_angstrom[k];
        (*mean)->start[k] = first->start[k];
    }
    for (size_t i = 0; i < voxels; i++) (*mean)->values[i] = (first->values[i] + second->values[i]) / 2;
    if (status != QN_OK) qn_volume_destroy(mean);
    return status;
}

/* Make the mask. Both maps are checked first, so that errors name the wrong map and not the mean. */
static qn_status make_mask(qn_fsc_state *run)
{
    const qn_fsc_run_options *options = run->options;
    const qn_volume *const halves[2] = {&run->halves[0], &run->halves[1]};
    const char *const names[2] = {halves[0]->name, halves[1]->name};
    qn_mask_options with = qn_mask_default_options();
    qn_volume *mean;
    float low, high;
    with.low_pass_angstrom = options->mask_low_pass_angstrom;
    with.threshold = options->mask_threshold;
    with.extend_voxels = options->mask_extend_voxels;
    with.soft_edge_voxels = options->mask_soft_edge_voxels;
    QN_TRY(qn_volume_check_halves(halves, names));
    for (int k = 0; k < 2; k++)
        QN_TRY(qn_volume_range(qn_context_pool(run->job->context), halves[k], names[k], &low, &high));
    QN_TRY(make_mean(run, &mean));
    const qn_status status = qn_mask_create_reporting(run->job->context, mean, &with, &run->own_mask, &run->made);
    qn_volume_destroy(&mean);
    run->mask_made = status == QN_OK;
    run->mask = run->own_mask;
    return status;
}

/* ---- files ---- */

static qn_status write_curve(const qn_fsc_state *run, const char *name,
                             qn_status (*write)(const qn_fsc *fsc, const char *path))
{
    char *path;
    QN_TRY(qn_job_path(run->job, name, &path));
    const qn_status status = write(run->fsc, path);
    qn_release(&path);
    return status;
}

static qn_status write_mask(const qn_fsc_state *run)
{
    char *path;
    QN_TRY(qn_job_path(run->job, "mask.mrc", &path));
    const qn_status status = qn_volume_write(run->mask, "Soft mask, made by quern fsc", path);
    qn_release(&path);
    return status;
}

static qn_status write_files(const qn_fsc_state *run)
{
    if (run->mask_made) QN_TRY(write_mask(run));
    QN_TRY(write_curve(run, "fsc.csv", qn_fsc_write_csv));
    QN_TRY(write_curve(run, "fsc.star", qn_fsc_write_star));
    QN_TRY(qn_fsc_write_report(run));
    return qn_fsc_write_run_json(run);
}

/* ---- inputs ---- */

static bool makes_mask(const qn_fsc_run_options *options)
{
    return options->mask && strcmp(options->mask, "auto") == 0;
}

static qn_status name_volume(qn_job *job, const char *role, const qn_volume *volume)
{
    uint64_t bytes;
    char digest[65];
    qn_volume_digest(volume, &bytes, digest);
    return qn_job_input_add_memory(job, role, volume->name, bytes, digest);
}

static qn_status read_half(qn_fsc_state *run, int which)
{
    static const char *const whats[] = {"half map 1", "half map 2"};
    static const char *const names[] = {"half map 1 in memory", "half map 2 in memory"};
    const qn_fsc_run_options *options = run->options;
    const char *path = which == 0 ? options->half_1 : options->half_2;
    const qn_volume *given = which == 0 ? options->half_1_volume : options->half_2_volume;
    QN_TRY(qn_input_is_one(whats[which], path, given));
    if (path) QN_TRY(qn_volume_read(path, &run->own_halves[which]));
    QN_TRY(qn_volume_view(given ? given : run->own_halves[which], names[which], &run->halves[which]));
    run->names[which] = path ? path : run->halves[which].name;
    return QN_OK;
}

static void set_voxels(qn_fsc_state *run, int which, double voxel_angstrom)
{
    for (int k = 0; k < 3; k++) run->halves[which].voxel_angstrom[k] = voxel_angstrom;
    run->halves[which].voxel_assumed = false;
}

/* Use the voxel size that the user states, or that of the other half map where one states none. */
static qn_status settle_voxels(qn_fsc_state *run)
{
    const double pixel = run->options->pixel_angstrom;
    const qn_volume *halves = run->halves;
    if (pixel > 0) {
        for (int k = 0; k < 2; k++) {
            if (!halves[k].voxel_assumed && qn_voxels_differ(halves[k].voxel_angstrom[0], pixel))
                QN_TRY(qn_job_warn(run->job, "%s: has voxels of %g Å; --pixel %g is used instead", run->names[k],
                                   halves[k].voxel_angstrom[0], pixel));
            set_voxels(run, k, pixel);
        }
        return QN_OK;
    }
    if (halves[0].voxel_assumed && halves[1].voxel_assumed)
        return qn_job_warn(run->job,
                           "%s and %s: neither states the size of its voxels; 1 Å is assumed, so resolutions are in "
                           "voxels: --pixel states it",
                           run->names[0], run->names[1]);
    for (int k = 0; k < 2; k++) {
        if (!halves[k].voxel_assumed) continue;
        set_voxels(run, k, halves[1 - k].voxel_angstrom[0]);
        return qn_job_warn(run->job, "%s: does not state the size of its voxels; %g Å is used, as %s has",
                           run->names[k], halves[k].voxel_angstrom[0], run->names[1 - k]);
    }
    return QN_OK;
}

static qn_status name_half(qn_fsc_state *run, int which)
{
    const char *path = which == 0 ? run->options->half_1 : run->options->half_2;
    if (path) return qn_job_input_add(run->job, "half map", path, QN_JOB_READ_ALL);
    return name_volume(run->job, "half map", &run->halves[which]);
}

static qn_status read_mask(qn_fsc_state *run)
{
    const qn_fsc_run_options *options = run->options;
    if (options->mask_volume) {
        QN_TRY(qn_volume_view(options->mask_volume, "the mask in memory", &run->given_mask));
        run->mask = &run->given_mask;
        run->mask_name = run->given_mask.name;
        return name_volume(run->job, "mask", run->mask);
    }
    if (makes_mask(options))
        return qn_job_key(run->job, "low pass=%.17g\nthreshold=%.17g\nextend=%.17g\nsoft edge=%.17g\n",
                          options->mask_low_pass_angstrom, options->mask_threshold, options->mask_extend_voxels,
                          options->mask_soft_edge_voxels);
    if (!options->mask) return QN_OK;
    QN_TRY(qn_volume_read(options->mask, &run->own_mask));
    run->mask = run->own_mask;
    run->mask_name = options->mask;
    return qn_job_input_add(run->job, "mask", options->mask, QN_JOB_READ_ALL);
}

static qn_status read_inputs(qn_fsc_state *run)
{
    const qn_fsc_run_options *options = run->options;
    QN_TRY(qn_option_check(qn_fsc_option_table(), options));
    for (int k = 0; k < 2; k++) QN_TRY(read_half(run, k));
    QN_TRY(settle_voxels(run));
    for (int k = 0; k < 2; k++) QN_TRY(name_half(run, k));
    QN_TRY(qn_job_key(run->job, "seed=%llu\nrandomise below=%.17g\npixel=%.17g\n",
                      (unsigned long long)options->run.seed, options->randomise_below, options->pixel_angstrom));
    return read_mask(run);
}

/* ---- stages ---- */

static qn_status correlate(qn_fsc_state *run)
{
    const qn_fsc_options with = {
        .size = sizeof with, .seed = run->options->run.seed, .randomise_below = run->options->randomise_below};
    double lap = qn_clock_s();
    if (makes_mask(run->options)) QN_TRY(make_mask(run));
    run->mask_s = qn_clock_lap_s(&lap);
    QN_TRY(qn_fsc_compute(run->job->context, &run->halves[0], &run->halves[1], run->mask, &with, &run->fsc));
    run->fsc_s = qn_clock_lap_s(&lap);
    run->total_s = lap - run->job->started_s;
    return qn_fsc_find_warnings(run);
}

static qn_status run_stages(qn_fsc_state *run, const qn_output *output)
{
    QN_TRY(qn_job_agree(run->job, read_inputs(run)));
    run->read_s = qn_clock_s() - run->job->started_s;
    if (output->folder) QN_TRY(qn_job_output(run->job, output, false));
    QN_TRY(qn_job_agree(run->job, correlate(run)));
    return qn_job_agree(run->job, output->folder && qn_job_is_first(run->job) ? write_files(run) : QN_OK);
}

qn_status qn_fsc_run(qn_context *context, const qn_fsc_run_options *options, qn_fsc **fsc)
{
    qn_job job;
    qn_fsc_run_options own;
    if (fsc) *fsc = NULL;
    char *found[2] = {NULL, NULL};
    QN_TRY(qn_option_take(qn_fsc_option_table(), options, &own));
    qn_fsc_state run = {.options = &own, .job = &job};
    const qn_output output = {.folder = own.output};
    qn_status status = qn_job_open(context, "fsc", &own.run, &job);
    if (status == QN_OK && own.half_1 && !own.half_2 && !own.half_1_volume && !own.half_2_volume) {
        status = qn_job_agree(&job, qn_fsc_find_halves(own.half_1, found));
        own.half_1 = found[0];
        own.half_2 = found[1];
        if (status == QN_OK) qn_log(QN_LOG_NOTE, "half maps: %s and %s", found[0], found[1]);
    }
    if (status == QN_OK) status = run_stages(&run, &output);
    status = qn_job_close(&job, status);
    if (fsc) *fsc = status == QN_OK ? run.fsc : NULL;
    if (status != QN_OK || !fsc) qn_fsc_destroy(&run.fsc);
    for (int k = 0; k < 2; k++) qn_volume_destroy(&run.own_halves[k]);
    qn_volume_destroy(&run.own_mask);
    for (int k = 0; k < 2; k++) qn_release(&found[k]);
    return status;
}
