/* The stages of quern cluster: read structures, measure distances, find clusters, write them. */
#include "cluster/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/thread.h"
#include "cluster/matrix/measure_rows.h"
#include "cluster/matrix/weights.h"

/* ---- inputs ---- */

static qn_status read_models(qn_clustering *run)
{
    const qn_cluster_options *options = run->options;
    const qn_structure_input *input = &options->structures;
    if (input->file_count == 0 && !input->list && !input->frames) return QN_OK;
    QN_TRY(qn_models_read(run->job, input, NULL, qn_measure_kind(&options->measuring, run->measure),
                          options->run.memory_bytes, &run->models));
    QN_TRY(qn_models_key(run->job, input, NULL, run->models));
    run->count = run->models->first_count;
    return QN_OK;
}

static qn_status open_distances(qn_clustering *run)
{
    const char *path = run->options->distances;
    QN_TRY(qn_distances_file_open(path, run->measure, run->job->pool, &run->file));
    QN_TRY(qn_job_input_add(run->job, "distances", path, QN_JOB_READ_ALL));
    run->distances = run->file->matrix;
    if (!run->file->is_described)
        qn_log(QN_LOG_NOTE, "%s: no run.json of quern distance beside it, so its values are taken for %s%s%s", path,
               run->measure->name, run->measure->unit[0] ? " in " : "", run->measure->unit);
    run->measure = run->file->measure;
    if (run->models && run->count != run->distances.count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has the distances of %zu structures, but %zu are given; expected as many",
                       path, run->distances.count, run->count);
    run->count = run->distances.count;
    return QN_OK;
}

static qn_status open_devices(void *user)
{
    const qn_clustering *run = user;
    return qn_matrix_devices(run->job, run->measure);
}

/* Devices are opened while structures are read. A failure is reported where devices are needed. */
static qn_status read_and_open(qn_clustering *run)
{
    qn_thread opening;
    qn_error_trail trail = {.status = QN_OK};
    QN_TRY(qn_thread_start(&opening, open_devices, run));
    const qn_status status = read_models(run);
    if (status != QN_OK) qn_error_save(status, &trail);
    (void)qn_thread_join(&opening);
    run->opened = opening.trail;
    return qn_error_restore(&trail);
}

static void close_devices(qn_job *job)
{
    for (int i = 0; i < job->device_count; i++) qn_device_release(&job->devices[i]);
    job->device_count = 0;
}

/* A single structure is one cluster, without any distance. */
static qn_status plan_matrix(qn_clustering *run)
{
    if (run->count < 2) {
        close_devices(run->job);
        run->distances.count = run->count;
        return qn_job_warn(run->job, "only 1 structure is given: it is the only cluster");
    }
    const qn_cluster_options *options = run->options;
    QN_TRY(qn_models_weigh(run->job, &options->structures, options->measuring.weights, run->models));
    run->settings = qn_measure_settings_of(&options->measuring, run->models, false);
    run->request = (qn_matrix_request){.job = run->job,
                                       .structures = &run->models->structures,
                                       .first_count = run->count,
                                       .measure = run->measure,
                                       .settings = &run->settings,
                                       .sixteen_bits = run->options->matrix == QN_CLUSTER_UINT16,
                                       .as_distances = true};
    QN_TRY(qn_models_warn_of_mirrors(run->job, run->models, run->measure));
    QN_TRY(qn_error_restore(&run->opened));
    QN_TRY(qn_matrix_key(&run->request));
    return qn_job_key_devices(run->job);
}

static qn_status find_cutoff(qn_clustering *run)
{
    const bool in_nm = run->options->units == QN_CLUSTER_IN_NM;
    if (in_nm && run->measure->is_similarity)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--units is nm, but %s has no unit; expected angstrom, which changes nothing",
                       run->measure->name);
    run->cutoff = run->options->cutoff * (in_nm ? 10 : 1);
    return QN_OK;
}

static qn_status check_counts(const qn_clustering *run)
{
    if (run->options->clusters > run->count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--clusters is \"%llu\"; expected at most %zu, the number of structures",
                       (unsigned long long)run->options->clusters, run->count);
    return QN_OK;
}

static qn_status read_inputs(qn_clustering *run)
{
    const qn_cluster_options *options = run->options;
    QN_TRY(qn_option_check(qn_cluster_option_table(), options));
    run->measure = qn_measure_choose(&options->measuring, options->measure);
    QN_TRY(options->distances ? read_models(run) : read_and_open(run));
    QN_TRY(options->distances ? open_distances(run) : plan_matrix(run));
    QN_TRY(find_cutoff(run));
    QN_TRY(check_counts(run));
    return qn_job_key(run->job,
                      "method=%s\nclusters=%llu\ncutoff=%.9g\nleast_items=%llu\nstart=%d\nseed=%llu\n"
                      "write_matrix=%d\nstored=%d\nrepresentatives=%llu\n",
                      qn_clustering_method_name(run), (unsigned long long)options->clusters, run->cutoff,
                      (unsigned long long)options->least_items, (int)options->start,
                      (unsigned long long)options->run.seed, options->write_matrix, !qn_clustering_is_large(run),
                      (unsigned long long)options->representatives);
}

/* ---- results ---- */

static qn_status make_names(qn_clustering *run)
{
    void *memory;
    if (run->models) return qn_models_names(run->models, run->job->pool, &run->result->names);
    QN_TRY(qn_allocate(run->count, sizeof *run->result->names, &memory));
    run->result->names = memory;
    for (size_t i = 0; i < run->count; i++) {
        qn_text name = {0};
        QN_TRY(qn_text_append(&name, "item %zu", i));
        run->result->names[i] = name.data;
    }
    return QN_OK;
}

static qn_status make_result(qn_clustering *run)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof *run->result, &memory));
    run->result = memory;
    run->result->count = run->count;
    run->result->unit = run->measure->unit;
    return QN_OK;
}

static qn_status write_files(qn_clustering *run)
{
    if (run->job->in_memory) return QN_OK;
    if (run->models) QN_TRY(qn_clustering_write_models(run));
    QN_TRY(qn_clustering_write_tables(run));
    if (run->merges) QN_TRY(qn_clustering_write_tree(run));
    if (run->options->write_matrix && run->matrix) QN_TRY(qn_matrix_write(run->matrix, run->job, "matrix.npy"));
    QN_TRY(qn_clustering_write_report(run));
    return qn_clustering_write_run_json(run);
}

static qn_status finish(qn_clustering *run)
{
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(make_names(run));
    QN_TRY(qn_clustering_find(run));
    return write_files(run);
}

/* ---- stages ---- */

static qn_status measure_distances(qn_clustering *run)
{
    const double started_s = qn_clock_s();
    if (run->file || run->count < 2) return QN_OK;
    if (qn_clustering_is_large(run)) return qn_clustering_search_large(run);
    QN_TRY(qn_job_agree(run->job, qn_job_tune(run->job, qn_matrix_expected_seconds(&run->request))));
    QN_TRY(qn_matrix_compute(&run->request, &run->matrix));
    qn_tuning_finish(&run->job->tuning);
    run->distances = qn_matrix_distances(run->matrix);
    run->measure_s = qn_clock_s() - started_s;
    return QN_OK;
}

static qn_status run_stages(qn_clustering *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    QN_TRY(qn_job_agree(job, make_result(run)));
    const qn_output files = {.folder = run->options->output, .journal_folder = "unfinished", .aside = QN_MATRIX_ASIDE};
    QN_TRY(qn_job_output(job, run->options->output ? &files : &(qn_output){0}, true));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    QN_TRY(measure_distances(run));
    return qn_job_agree(job, finish(run));
}

static qn_status take_warnings(qn_clustering *run)
{
    if (!run->result) return QN_OK;
    QN_TRY(qn_job_copy_warnings(run->job, &run->result->warnings, &run->result->warning_count));
    run->result->seconds = qn_clock_s() - run->job->started_s;
    return QN_OK;
}

static void clear(qn_clustering *run)
{
    qn_members_clear(&run->members);
    qn_release(&run->order);
    qn_release(&run->merges);
    qn_release(&run->endings);
    qn_distances_file_close(&run->file);
    qn_matrix_destroy(&run->matrix);
    qn_large_clusters_clear(&run->large);
    qn_models_destroy(&run->models);
    qn_cluster_result_destroy(&run->result);
}

qn_status qn_cluster_run(qn_context *context, const qn_cluster_options *options, qn_cluster_result **result)
{
    qn_job job;
    qn_cluster_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_cluster_option_table(), options, &own));
    qn_clustering run = {.options = &own, .job = &job};
    qn_status status = qn_job_open(context, "cluster", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK) status = qn_job_agree(&job, take_warnings(&run));
    if (status == QN_OK && result) {
        *result = run.result;
        run.result = NULL;
    }
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_cluster_result_destroy(result);
    return status;
}

void qn_cluster_result_destroy(qn_cluster_result **pointer)
{
    qn_cluster_result *result = *pointer;
    if (!result) return;
    for (size_t i = 0; result->names && i < result->count; i++) qn_release(&result->names[i]);
    for (size_t i = 0; i < result->warning_count; i++) qn_release(&result->warnings[i]);
    qn_release(&result->names);
    qn_release(&result->warnings);
    qn_release(&result->labels);
    qn_release(&result->silhouettes);
    qn_release(&result->medoid_distances);
    qn_release(&result->clusters);
    qn_release(&result->merges);
    qn_release(pointer);
}

qn_clustering_text qn_clustering_say(const qn_clustering *run, double value)
{
    qn_clustering_text said = {"–"};
    if (isfinite(value))
        snprintf(said.text, sizeof said.text, "%.3g%s%s", value, run->measure->unit[0] ? " " : "", run->measure->unit);
    return said;
}
