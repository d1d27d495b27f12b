/* The stages of quern movie: read the list of movies, process each, write the tables. */
#include "movie/run.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "format/movie/gain_file.h"
#include "job/leftovers.h"

/* Options of which results do not depend, or whose files the key names. */
static bool is_in_key(const qn_option *row)
{
    static const char *const others[] = {"output", "watch", "idle", "gain", "dark", "defects", "fractions"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(row->name, others[i]) == 0) return false;
    return row->group == QN_OPTION_OWN || strcmp(row->name, "seed") == 0;
}

static qn_status add_options(const qn_movie_state *run)
{
    char value[256];
    qn_option row;
    for (size_t i = 0; qn_option_row(qn_movie_option_table(), i, &row); i++) {
        if (!is_in_key(&row)) continue;
        qn_option_format(&row, run->options, value, sizeof value);
        QN_TRY(qn_job_key(run->job, "%s=%s\n", row.name, value));
    }
    return QN_OK;
}

/* The optics state pixel size and voltage. */
static qn_status add_optics(const qn_movie_state *run)
{
    const qn_movie_optics *optics = &run->inputs.optics;
    qn_hash hash;
    char digest[65];
    if (optics->count == 0) return QN_OK;
    qn_hash_start(&hash);
    for (size_t i = 0; i < optics->column_count; i++)
        qn_hash_add(&hash, optics->columns[i], strlen(optics->columns[i]) + 1);
    for (size_t i = 0; i < optics->count * optics->column_count; i++)
        qn_hash_add(&hash, optics->values[i], strlen(optics->values[i]) + 1);
    qn_hash_finish(&hash, digest);
    return qn_job_key(run->job, "optics=%zu, %.16s\n", optics->count, digest);
}

/* The key of a run has what each movie's result depends on besides the movie itself, so that a later run may have more
 * movies. */
static qn_status make_key(const qn_movie_state *run)
{
    const qn_movie_run_options *options = run->options;
    const struct {
        const char *role, *path;
    } files[] = {{"gain", options->gain},
                 {"dark", options->dark},
                 {"defects", options->defects},
                 {"fractions", options->fractions}};
    if (run->inputs.of_star) QN_TRY(qn_job_input_add(run->job, "movies", options->movies[0], QN_JOB_LIST_ONLY));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].path) QN_TRY(qn_job_input_add(run->job, files[i].role, files[i].path, QN_JOB_READ_ALL));
    QN_TRY(add_options(run));
    QN_TRY(add_optics(run));
    return qn_job_key_devices(run->job);
}

static qn_status check_options(qn_movie_state *run)
{
    const qn_movie_run_options *options = run->options;
    QN_TRY(qn_option_check(qn_movie_option_table(), options));
    QN_TRY(qn_movie_choices_read(options, &run->choices));
    if (!options->output) return QN_FAIL(QN_INVALID_ARGUMENT, "no output is given; expected a folder");
    if (!options->watch && options->movie_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "no movies are given; expected a STAR file, movies, or a folder to watch");
    if (options->watch && qn_ranks_count(run->job->ranks) > 1)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%d processes are to watch %s; expected one process, which may have several devices",
                       qn_ranks_count(run->job->ranks), options->watch);
    bool empty;
    if (!options->watch) return QN_OK;
    if (!qn_file_exists(options->watch))
        return QN_FAIL(QN_NOT_FOUND, "%s: does not exist; expected a folder to watch", options->watch);
    return qn_folder_is_empty(options->watch, &empty); /* it can be read */
}

/* Find damage in references before the run begins; whether they fit is known with the first movie. */
static qn_status check_references(qn_movie_state *run)
{
    qn_gain_file file;
    if (run->options->gain) {
        QN_TRY(qn_gain_file_read(run->options->gain, &file));
        run->gain_format = file.format;
        run->gain_size[0] = file.width, run->gain_size[1] = file.height;
        qn_gain_file_clear(&file);
    }
    if (run->options->dark) {
        QN_TRY(qn_gain_file_read(run->options->dark, &file));
        qn_gain_file_clear(&file);
    }
    return QN_OK;
}

static qn_status read_inputs(qn_movie_state *run)
{
    const qn_movie_run_options *options = run->options;
    QN_TRY(check_references(run));
    QN_TRY(qn_movie_inputs_read(options->movies, options->movie_count, &run->inputs));
    if (options->fractions) QN_TRY(qn_movie_fractions_read(options->fractions, &run->fractions));
    return make_key(run);
}

static qn_status prepare(qn_movie_state *run)
{
    qn_job *job = run->job;
    QN_TRY(qn_job_agree(job, check_options(run)));
    QN_TRY(qn_job_agree(job, qn_job_devices(job)));
    return qn_job_agree(job, read_inputs(run));
}

static qn_status find_known(qn_movie_state *run)
{
    size_t whole = 0;
    if (!run->options->run.resume) return QN_OK;
    QN_TRY(qn_movie_results_scan(run->job, &run->results));
    for (size_t i = 0; i < run->results.count; i++) whole += !run->results.facts[i].numbers.failed;
    if (whole > 0) qn_log(QN_LOG_NOTE, "resuming: %s done", qn_count_of(whole, "movie").text);
    return QN_OK;
}

/* Until run.json is written, the run is not finished. */
static qn_status begin_again(const qn_movie_state *run)
{
    char *path;
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_job_path(run->job, "movies.csv", &path));
    qn_release(&path);
    static const char *const endings[] = {".mrc", ".star", ".csv", ".json", ".html", NULL};
    return qn_leftovers_remove(run->options->output, endings);
}

/* ---- results, on the first rank ---- */

static qn_status list_file(qn_movie_state *run, const char *name)
{
    char *path;
    QN_TRY(qn_job_path(run->job, name, &path));
    qn_release(&path);
    return QN_OK;
}

static qn_status list_files_of(qn_movie_state *run, const qn_movie_facts *row)
{
    for (int k = 0; k < QN_MOVIE_OUTPUTS; k++) {
        char *name;
        if (row->numbers.file_bytes[k] == 0) continue;
        QN_TRY(qn_movie_file_name(row->texts[QN_MOVIE_NAME], (qn_movie_output)k, &name));
        qn_status status = list_file(run, name);
        qn_release(&name);
        QN_TRY(status);
    }
    return row->texts[QN_MOVIE_GAIN] ? list_file(run, row->texts[QN_MOVIE_GAIN]) : QN_OK;
}

/* List the files of the movies in run.json, after all else is written: a run that fails removes the files that it
 * lists, but micrographs stay for a later run. */
static qn_status list_files(qn_movie_state *run)
{
    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i]->numbers.failed) QN_TRY(list_files_of(run, run->rows[i]));
    return QN_OK;
}

static qn_status check_rows(const qn_movie_state *run)
{
    const char *reason = NULL;
    for (size_t i = 0; i < run->row_count && !reason; i++) reason = run->rows[i]->texts[QN_MOVIE_REASON];
    if (run->row_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: no movies came", run->options->watch);
    if (run->row_failed == run->row_count) {
        qn_job_forget(run->job);
        return QN_FAIL(QN_BAD_FORMAT, "none of %s could be used%s because: %s",
                       qn_count_of((unsigned long long)run->row_count, "movie").text,
                       run->row_count == 1 ? "," : ", the first", reason);
    }
    if (run->options->run.strict && run->row_failed > 0)
        return QN_FAIL(QN_BAD_FORMAT, "%zu of %s %s left out, see %s/movies.csv; the first because: %s",
                       run->row_failed, qn_count_of((unsigned long long)run->row_count, "movie").text,
                       run->row_failed == 1 ? "was" : "were", run->options->output, reason);
    return QN_OK;
}

/* A strict run fails at last, and has all results. */
static qn_status finish(qn_movie_state *run)
{
    if (!qn_job_is_first(run->job)) return QN_OK;
    QN_TRY(qn_movie_results_scan(run->job, &run->results));
    QN_TRY(qn_movie_rows_collect(run));
    QN_TRY(qn_movie_write_table(run));
    if (run->row_failed < run->row_count) {
        QN_TRY(qn_movie_write_micrographs(run));
        QN_TRY(qn_movie_write_report(run));
        QN_TRY(list_files(run));
        QN_TRY(qn_movie_write_run_json(run));
    }
    return check_rows(run);
}

/* ---- the run ---- */

static qn_status run_stages(qn_movie_state *run)
{
    qn_job *job = run->job;
    QN_TRY(prepare(run));
    QN_TRY(qn_job_output(job, &(qn_output){.folder = run->options->output}, true));
    QN_TRY(qn_job_journal(job));
    if (job->over) return QN_OK;
    QN_TRY(qn_job_agree(job, find_known(run)));
    QN_TRY(qn_job_agree(job, begin_again(run)));
    QN_TRY(qn_job_agree(job, qn_job_tune(job, 0)));
    qn_status status = qn_movie_process_all(run);
    qn_job_records_end(job);
    QN_TRY(qn_job_agree(job, status));
    qn_tuning_finish(&job->tuning);
    return qn_job_agree(job, finish(run));
}

static void start(qn_movie_state *run)
{
    pthread_mutex_init(&run->mutex, NULL);
    pthread_mutex_init(&run->gain_writing, NULL);
    pthread_cond_init(&run->changed, NULL);
    run->began_us = qn_movie_now_us();
}

static void clear(qn_movie_state *run)
{
    qn_movie_rows_clear(run);
    qn_movie_results_clear(&run->results);
    qn_movie_inputs_clear(&run->inputs);
    qn_movie_fractions_clear(&run->fractions);
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->gain_writing);
    pthread_mutex_destroy(&run->mutex);
}

qn_status qn_movie_run(qn_context *context, const qn_movie_run_options *options, qn_movie_result **result)
{
    qn_job job;
    qn_movie_run_options own;
    if (result) *result = NULL;
    QN_TRY(qn_option_take(qn_movie_option_table(), options, &own));
    qn_movie_state run = {.options = &own, .job = &job};
    start(&run);
    qn_status status = qn_job_open(context, "movie", &own.run, &job);
    if (status == QN_OK) status = run_stages(&run);
    if (status == QN_OK && result) status = qn_job_agree(&job, qn_movie_result_make(&run, result));
    clear(&run);
    status = qn_job_close(&job, status);
    if (status != QN_OK && result) qn_movie_result_destroy(result);
    return status;
}
