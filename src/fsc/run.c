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

qn_fsc_run_options qn_fsc_default_run_options(void)
{
    return (qn_fsc_run_options){.fsc.seed = 1, .auto_mask = qn_mask_default_options()};
}

/* The mean of both maps, under a name that messages can use. */
static qn_status make_mean(const qn_fsc_job *job, qn_volume **mean)
{
    const qn_volume *first = job->halves[0], *second = job->halves[1];
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
static qn_status make_mask(qn_fsc_job *job)
{
    const char *names[2] = {job->halves[0]->name, job->halves[1]->name};
    qn_volume *mean;
    float low, high;
    QN_TRY(qn_volume_check_halves((const qn_volume *const[]){job->halves[0], job->halves[1]}, names));
    for (int k = 0; k < 2; k++)
        QN_TRY(qn_volume_range(qn_context_pool(job->context), job->halves[k], names[k], &low, &high));
    QN_TRY(make_mean(job, &mean));
    const qn_status status =
        qn_mask_create_reporting(job->context, mean, &job->options->auto_mask, &job->mask, &job->made);
    qn_volume_destroy(&mean);
    job->mask_made = status == QN_OK;
    return status;
}

static qn_status check_options(const qn_fsc_run_options *options)
{
    if (!options->half_1 || !options->half_2) QN_FAIL(QN_INVALID_ARGUMENT, "a half map is missing; expected two");
    return QN_OK;
}

static qn_status write_file(const qn_fsc_job *job, const char *name,
                            qn_status (*write)(const qn_fsc *fsc, const char *path))
{
    char *path;
    QN_TRY(qn_path_join(job->options->output, name, &path));
    const qn_status status = write(job->fsc, path);
    qn_release(&path);
    return status;
}

static qn_status write_mask(const qn_fsc_job *job)
{
    char *path;
    QN_TRY(qn_path_join(job->options->output, "mask.mrc", &path));
    const qn_status status = qn_volume_write(job->mask, "Soft mask, made by quern fsc", path);
    qn_release(&path);
    return status;
}

static qn_status write_files(const qn_fsc_job *job)
{
    if (job->mask_made) QN_TRY(write_mask(job));
    QN_TRY(write_file(job, "fsc.csv", qn_fsc_write_csv));
    QN_TRY(write_file(job, "fsc.star", qn_fsc_write_star));
    QN_TRY(qn_fsc_write_report(job));
    return qn_fsc_write_run_json(job);
}

static qn_status run(qn_fsc_job *job)
{
    const qn_fsc_run_options *options = job->options;
    double lap = qn_clock_s();
    const double begin = lap;
    QN_TRY(check_options(options));
    if (options->output) QN_TRY(qn_folder_create(options->output)); /* said before the work, not after it */
    QN_TRY(qn_volume_read(options->half_1, &job->halves[0]));
    QN_TRY(qn_volume_read(options->half_2, &job->halves[1]));
    const bool make = options->mask && strcmp(options->mask, "auto") == 0;
    if (options->mask && !make) QN_TRY(qn_volume_read(options->mask, &job->mask));
    job->read_s = qn_clock_lap_s(&lap);
    if (make) QN_TRY(make_mask(job));
    job->mask_s = qn_clock_lap_s(&lap);
    QN_TRY(qn_fsc_compute(job->context, job->halves[0], job->halves[1], job->mask, &options->fsc, &job->fsc));
    job->fsc_s = qn_clock_lap_s(&lap);
    qn_fsc_find_warnings(job);
    for (int i = 0; i < job->warning_count; i++) qn_log(QN_LOG_WARNING, "%s", job->warnings[i]);
    job->total_s = qn_clock_s() - begin;
    return options->output ? write_files(job) : QN_OK;
}

qn_status qn_fsc_run(qn_context *context, const qn_fsc_run_options *options, qn_fsc **fsc)
{
    qn_fsc_job job = {.options = options, .context = context};
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = run(&job);
    *fsc = status == QN_OK ? job.fsc : NULL;
    if (status != QN_OK) qn_fsc_destroy(&job.fsc);
    for (int k = 0; k < 2; k++) qn_volume_destroy(&job.halves[k]);
    qn_volume_destroy(&job.mask);
    qn_log_return(outer);
    return status;
}
