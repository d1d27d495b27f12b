/* The stages of quern distance: read models, measure pairs, write the matrix and the names of the models. */
#include "cluster/matrix/run.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cluster/matrix/matrix.h"
#include "cluster/matrix/measure_rows.h"
#include "cluster/matrix/models.h"
#include "cluster/matrix/tiles.h"
#include "cluster/matrix/weights.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/options.h"

enum { NAMES = 4 };

typedef struct qn_distance_state {
    const qn_distance_options *options;
    qn_job *job;
    qn_model_references references;
    qn_models *models;
    qn_matrix_request request;
    qn_matrix *matrix;
    qn_matrix_range range;
    char **names;
    char *stem; /* of the output, without its ending */
    const char *ending;
    qn_measure_settings settings;
} qn_distance_state;

/* ---- inputs ---- */

static qn_status find_place(qn_distance_state *run)
{
    if (!run->options->output) return QN_OK;
    QN_TRY(qn_text_copy(run->options->output, &run->stem));
    char *ending = strrchr(run->stem, '.');
    run->ending = qn_distance_is_csv(run->options->output) ? ".csv" : ".npy";
    *ending = '\0';
    return QN_OK;
}

static qn_status read_inputs(qn_distance_state *run)
{
    const qn_distance_options *options = run->options;
    QN_TRY(qn_option_check(qn_distance_option_table(), options));
    QN_TRY(find_place(run));
    run->request.measure = qn_measure_choose(&options->measuring, options->measure);
    run->references = (qn_model_references){options->to, options->to_count, options->between};
    QN_TRY(qn_models_read(run->job, &options->structures, &run->references,
                          qn_measure_kind(&options->measuring, run->request.measure), options->run.memory_bytes,
                          &run->models));
    QN_TRY(qn_models_weigh(run->job, &options->structures, options->measuring.weights, run->models));
    run->settings = qn_measure_settings_of(&options->measuring, run->models, options->to_count > 0 || options->between);
    run->request = (qn_matrix_request){.job = run->job,
                                       .structures = &run->models->structures,
                                       .first_count = run->models->first_count,
                                       .measure = run->request.measure,
                                       .settings = &run->settings,
                                       .sixteen_bits = options->matrix == QN_DISTANCE_UINT16};
    QN_TRY(qn_models_warn_of_mirrors(run->job, run->models, run->request.measure));
    QN_TRY(qn_matrix_devices(run->job, run->request.measure));
    QN_TRY(qn_models_key(run->job, &options->structures, &run->references, run->models));
    QN_TRY(qn_matrix_key(&run->request));
    return qn_job_key_devices(run->job);
}

/* ---- files ---- */

static qn_status write_names(const qn_distance_state *run)
{
    static const char *const head[] = {"index", "set", "name", "file", "number", "time_ps"};
    const qn_models *models = run->models;
    qn_text csv = {0};
    char *path = NULL;
    qn_status status = qn_csv_row(&csv, sizeof head / sizeof *head, head);
    for (size_t i = 0; i < models->structures.count && status == QN_OK; i++) {
        const qn_model_origin *origin = &models->origins[i];
        const bool first = i < models->first_count;
        status = qn_csv_integer(&csv, (long long)(first ? i : i - models->first_count));
        if (status == QN_OK) status = qn_csv_text(&csv, first ? "model" : "reference");
        if (status == QN_OK) status = qn_csv_text(&csv, run->names[i]);
        if (status == QN_OK) status = qn_csv_text(&csv, origin->path);
        if (status == QN_OK) status = qn_csv_integer(&csv, (long long)origin->number);
        if (status == QN_OK) status = qn_csv_general(&csv, origin->time_ps, 10);
        if (status == QN_OK) status = qn_csv_end_row(&csv);
    }
    if (status == QN_OK) status = qn_job_path(run->job, "models.csv", &path);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_release(&path);
    qn_text_clear(&csv);
    return status;
}

static qn_status write_run_json(const qn_distance_state *run)
{
    const qn_models *models = run->models;
    return qn_job_facts(
        run->job,
        json_pack("{s:o, s:o, s:o, s:o, s:s, s:f, s:f, s:f, s:o}", "models", qn_json_unsigned(models->first_count),
                  "references", qn_json_unsigned(models->structures.count - models->first_count), "atoms",
                  qn_json_unsigned(models->structures.atom_count), "values", qn_json_unsigned(run->matrix->value_count),
                  "unit", run->request.measure->unit, "smallest", run->range.smallest, "mean", run->range.mean,
                  "largest", run->range.largest, "options", qn_json_options(qn_distance_option_table(), run->options)));
}

/* The first cell says which values the table has, with their unit: drmsd_angstrom, tm_score. */
static qn_status write_table(qn_distance_state *run)
{
    const qn_measure *measure = run->request.measure;
    char corner[64];
    snprintf(corner, sizeof corner, "%s%s", measure->name, strcmp(measure->unit, "Å") == 0 ? "_angstrom" : "");
    for (char *c = corner; *c; c++)
        if (*c == '-') *c = '_';
    return qn_matrix_write_csv(run->matrix, run->job, run->ending, corner, run->names);
}

static qn_status finish(qn_distance_state *run)
{
    qn_job *job = run->job;
    if (!qn_job_is_first(job)) return QN_OK;
    QN_TRY(qn_models_names(run->models, run->job->pool, &run->names));
    QN_TRY(qn_matrix_find_range(run->matrix, job->pool, &run->range));
    if (job->in_memory) return QN_OK;
    QN_TRY(write_names(run));
    if (qn_distance_is_csv(run->options->output))
        QN_TRY(write_table(run));
    else
        QN_TRY(qn_matrix_write(run->matrix, job, run->ending));
    return write_run_json(run);
}

/* ---- stages ---- */

static qn_status run_stages(qn_distance_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, read_inputs(run)));
    const char *const names[NAMES] = {run->ending, "models.csv", "run.json", NULL};
    const qn_output files = {
        .stem = run->stem, .names = names, .journal_folder = "unfinished", .aside = QN_MATRIX_ASIDE};
    QN_TRY(qn_job_output(job, run->stem ? &files : &(qn_output){0}, true));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    QN_TRY(qn_job_agree(job, qn_job_tune(job, qn_matrix_expected_seconds(&run->request))));
    QN_TRY(qn_matrix_compute(&run->request, &run->matrix));
    qn_tuning_finish(&job->tuning);
    return qn_job_agree(job, finish(run));
}

static qn_status take_values(qn_distance_state *run, qn_distance_result *result)
{
    void *values;
    if (!qn_job_is_first(run->job) || !run->matrix) return QN_OK;
    result->names = run->names;
    run->names = NULL;
    result->smallest = run->range.smallest;
    result->mean = run->range.mean;
    result->largest = run->range.largest;
    result->resumed_pairs = run->matrix->resumed_pairs;
    if (run->matrix->seconds > 0)
        result->pairs_per_s = (double)(run->matrix->value_count - run->matrix->resumed_pairs) / run->matrix->seconds;
    if (!run->job->in_memory && !run->options->keep_values) return QN_OK;
    QN_TRY(qn_tile_store_take(run->matrix->store, &values));
    if (run->request.sixteen_bits)
        result->steps = values;
    else
        result->values = values;
    return QN_OK;
}

static qn_status make_result(qn_distance_state *run, qn_distance_result **out)
{
    const qn_models *models = run->models;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_distance_result *result = *out = memory;
    const size_t references = models->structures.count - models->first_count;
    *result = (qn_distance_result){.count = models->first_count,
                                   .reference_count = references,
                                   .atom_count = models->structures.atom_count,
                                   .unit = run->request.measure->unit,
                                   .step = run->request.measure->step,
                                   .smallest = NAN,
                                   .mean = NAN,
                                   .largest = NAN};
    result->value_count = references ? result->count * references : result->count * (result->count - 1) / 2;
    QN_TRY(qn_job_copy_warnings(run->job, &result->warnings, &result->warning_count));
    QN_TRY(take_values(run, result));
    result->seconds = qn_clock_s() - run->job->started_s;
    return QN_OK;
}

static void clear(qn_distance_state *run)
{
    for (size_t i = 0; run->names && i < run->models->structures.count; i++) qn_release(&run->names[i]);
    qn_release(&run->names);
    qn_matrix_destroy(&run->matrix);
    qn_models_destroy(&run->models);
    qn_release(&run->stem);
}

qn_status qn_distance_run(qn_context *context, const qn_distance_options *options, qn_distance_result **result)
{
    qn_job job;
    qn_distance_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_distance_option_table(), options, &own));
    qn_distance_state run = {.options = &own, .job = &job};
    qn_status status = qn_job_open(context, "distance", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, make_result(&run, result));
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_distance_result_destroy(result);
    return status;
}

void qn_distance_result_destroy(qn_distance_result **pointer)
{
    qn_distance_result *result = *pointer;
    if (!result) return;
    for (size_t i = 0; result->names && i < result->count + result->reference_count; i++) qn_release(&result->names[i]);
    for (size_t i = 0; i < result->warning_count; i++) qn_release(&result->warnings[i]);
    qn_release(&result->names);
    qn_release(&result->warnings);
    qn_release(&result->values);
    qn_release(&result->steps);
    qn_release(pointer);
}
