/* quern fsc: maps in, curves, their resolution and a report out. */
#include "fsc/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "cryoem/volume_check.h"
#include "runtime/device.h"

/* The mean of both maps, under a name that messages can use. */
static qn_status make_mean(const qn_fsc_state *run, qn_volume **mean)
{
    const qn_volume *first = run->halves[0], *second = run->halves[1];
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

/* The halves are looked at before: what is wrong with one of them is no fault of the mean. */
static qn_status make_mask(qn_fsc_state *run)
{
    const char *names[2] = {run->halves[0]->name, run->halves[1]->name};
    qn_volume *mean;
    float low, high;
    QN_TRY(qn_volume_check_halves((const qn_volume *const[]){run->halves[0], run->halves[1]}, names));
    for (int k = 0; k < 2; k++)
        QN_TRY(qn_volume_range(qn_context_pool(run->job->context), run->halves[k], names[k], &low, &high));
    QN_TRY(make_mean(run, &mean));
    const qn_status status =
        qn_mask_create_reporting(run->job->context, mean, &run->options->auto_mask, &run->mask, &run->made);
    qn_volume_destroy(&mean);
    run->mask_made = status == QN_OK;
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

/* ---- stages ---- */

/* A mask that is to be made is no file. */
static bool makes_mask(const qn_fsc_run_options *options)
{
    return options->mask && strcmp(options->mask, "auto") == 0;
}

static qn_status read_inputs(qn_fsc_state *run)
{
    const qn_fsc_run_options *options = run->options;
    const qn_mask_options *mask = &options->auto_mask;
    QN_TRY(qn_option_check(qn_fsc_option_table(), options));
    QN_TRY(qn_volume_read(options->half_1, &run->halves[0]));
    QN_TRY(qn_volume_read(options->half_2, &run->halves[1]));
    QN_TRY(qn_job_input_add(run->job, "half map", options->half_1, QN_JOB_READ_ALL));
    QN_TRY(qn_job_input_add(run->job, "half map", options->half_2, QN_JOB_READ_ALL));
    QN_TRY(qn_job_key(run->job, "seed=%llu\nrandomise below=%.17g\n", (unsigned long long)options->run.seed,
                      options->randomise_below));
    if (makes_mask(options))
        return qn_job_key(run->job, "low pass=%.17g\nthreshold=%.17g\nextend=%.17g\nsoft edge=%.17g\n",
                          mask->low_pass_angstrom, mask->threshold, mask->extend_voxels, mask->soft_edge_voxels);
    if (!options->mask) return QN_OK;
    QN_TRY(qn_volume_read(options->mask, &run->mask));
    return qn_job_input_add(run->job, "mask", options->mask, QN_JOB_READ_ALL);
}

static qn_status correlate(qn_fsc_state *run)
{
    const qn_fsc_options with = {run->options->run.seed, run->options->randomise_below};
    double lap = qn_clock_s();
    if (makes_mask(run->options)) QN_TRY(make_mask(run));
    run->mask_s = qn_clock_lap_s(&lap);
    QN_TRY(qn_fsc_compute(run->job->context, run->halves[0], run->halves[1], run->mask, &with, &run->fsc));
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
    qn_fsc_state run = {.options = options, .job = &job};
    const qn_output output = {.folder = options->output};
    qn_status status = qn_job_open(context, "fsc", &options->run, &job);
    if (status == QN_OK) status = run_stages(&run, &output);
    status = qn_job_close(&job, status);
    *fsc = status == QN_OK ? run.fsc : NULL;
    if (status != QN_OK) qn_fsc_destroy(&run.fsc);
    for (int k = 0; k < 2; k++) qn_volume_destroy(&run.halves[k]);
    qn_volume_destroy(&run.mask);
    return status;
}
