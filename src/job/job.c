#include "job/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/locale.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/thread.h"
#include "job/pieces.h"
#include "report/number.h"
#include "runtime/context.h"

/* ---- life cycle ---- */

/* Refuse values in members that are reserved for later versions. */
static qn_status check_reserved(const qn_run_options *options)
{
    for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
        if (options->reserved[i] != 0)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "the options of the run set something that this version of the library does not know, in "
                           "reserved[%zu]; expected 0",
                           i);
    return QN_OK;
}

qn_status qn_job_open(qn_context *context, const char *program, const qn_run_options *options, qn_job *job)
{
    *job = (qn_job){.program = program,
                    .context = context,
                    .options = options,
                    .pool = qn_context_pool(context),
                    .started_s = qn_clock_s(),
                    .started_at = (int64_t)time(NULL)};
    pthread_mutex_init(&job->mutex, NULL);
    job->outer_log = qn_context_enter_log(context);
    qn_pipes_keep();
    job->outer_explain = qn_context_set_explain(context, true);
    (void)qn_context_set_explain(context, job->outer_explain || options->explain);
    QN_TRY(qn_ranks_open(&job->ranks)); /* after a failure every process prints its own error */
    qn_pipes_set_processes(qn_ranks_count(job->ranks));
    qn_agreement_begin(job->ranks, &job->agreement);
    if (!qn_job_is_first(job)) (void)qn_log_turn_off(); /* other ranks would log the same */
    if (qn_ranks_count(job->ranks) > 1)
        qn_log(QN_LOG_NOTE, "%d processes, of which the first logs messages", qn_ranks_count(job->ranks));
    QN_TRY(qn_job_agree(job, check_reserved(options)));
    QN_TRY(qn_job_agree(job, qn_tuning_check(options->tune)));
    return qn_job_key(job, "program=%s\nversion=%s\n", program, QN_VERSION);
}

static void clear_texts(qn_job_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) qn_release(&texts->text[i]);
    qn_release(&texts->text);
}

void qn_job_forget(qn_job *job)
{
    if (qn_ranks_count(job->ranks) == 1) job->recorded = 0;
}

/* Remove the files of a run that is not finished, and its journal if it has no records. */
static void remove_own_files(qn_job *job)
{
    for (size_t i = 0; i < job->files.count; i++) qn_output_remove_file(&job->output, job->files.text[i]);
    if (!job->journal || job->recorded > 0) return;
    qn_journal_remove(&job->journal);
}

/* Remove files and folders after a failure. Folders are removed after all ranks have removed their files. */
static void tidy_up(qn_job *job)
{
    if (!job->finished) remove_own_files(job);
    if (qn_ranks_barrier(job->ranks) == QN_OK && job->absent) qn_output_remove_folders(job->deepest, job->absent);
}

/* Remove journals in a folder of their own, which a finished run does not need. */
static void remove_journals(qn_job *job)
{
    if (!job->judged || !job->output.journal_folder || !qn_job_is_first(job)) return;
    if (qn_output_remove_journals(&job->output, job->program, -1) == QN_OK) return;
    qn_log(QN_LOG_WARNING, "%s: cannot be removed: %s", job->journal_folder, qn_error_message());
}

qn_status qn_job_close(qn_job *job, qn_status status)
{
    qn_error_trail trail;
    qn_error_save(status, &trail);
    qn_tuning_finish(&job->tuning);
    if (job->ranks && status != QN_OK) tidy_up(job);
    if (job->ranks && status == QN_OK) remove_journals(job);
    qn_journal_close(&job->journal);
    qn_job_kept_records_clear(job);
    qn_tuning_clear(&job->tuning);
    for (int i = 0; i < job->device_count; i++) qn_device_release(&job->devices[i]);
    for (size_t i = 0; i < job->input_count; i++) qn_release(&job->inputs[i].path);
    qn_release(&job->inputs);
    qn_release(&job->done.bits);
    clear_texts(&job->warnings);
    clear_texts(&job->files);
    qn_output_found_clear(&job->found);
    qn_release(&job->place);
    qn_release(&job->title);
    qn_release(&job->absent);
    qn_release(&job->deepest);
    qn_release(&job->journal_folder);
    qn_text_clear(&job->key);
    const bool silent = job->ranks && job->agreement.silent;
    if (job->ranks) qn_agreement_end(&job->agreement);
    qn_ranks_close(&job->ranks);
    pthread_mutex_destroy(&job->mutex);
    (void)qn_context_set_explain(job->context, job->outer_explain);
    qn_pipes_release();
    qn_log_return(job->outer_log);
    qn_error_clear();
    (void)qn_error_restore(&trail);
    return silent ? qn_error_mark_reported(status) : status;
}

qn_status qn_job_agree(qn_job *job, qn_status status)
{
    return qn_agree(&job->agreement, status);
}

bool qn_job_is_first(const qn_job *job)
{
    return qn_ranks_rank(job->ranks) == 0;
}

void qn_job_report_path(const qn_job *job, qn_status status, char *path, size_t capacity)
{
    qn_error_trail trail;
    char *report = NULL;
    path[0] = '\0';
    if (job->over || job->in_memory ||
        (job->ranks && (job->agreement.silent || (!qn_job_is_first(job) && status == QN_OK))))
        return;
    qn_error_save(status, &trail);
    if (job->judged && qn_output_path(&job->output, "report.html", &report) != QN_OK) report = NULL;
    snprintf(path, capacity, "%s", report ? report : "report.html");
    qn_release(&report);
    (void)qn_error_restore(&trail);
}

/* ---- progress and tuning ---- */

qn_status qn_job_tune(qn_job *job, double expected_seconds)
{
    return qn_tuning_start(job->context, job->options->tune, job->options->tune_budget, expected_seconds, &job->tuning);
}

bool qn_job_is_stopped(const qn_job *job, const qn_progress *progress)
{
    qn_progress told = *progress;
    qn_tuning_report(&job->tuning, progress);
    if (!job->options->progress) return false;
    if (!qn_job_is_first(job)) told.total = 0; /* is not shown */
    return job->options->progress(&told, job->options->progress_user) != 0;
}

/* ---- key and warnings ---- */

static qn_status append_values(qn_text *text, const char *format, va_list values)
{
    va_list again;
    void *line;
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    QN_TRY(qn_allocate((size_t)length + 1, 1, &line));
    vsnprintf(line, (size_t)length + 1, format, values);
    qn_status status = qn_text_append_bytes(text, line, (size_t)length);
    qn_release(&line);
    return status;
}

/* Length of the number that the text begins with, if it has all 17 digits of a double and ends like a value: 0 if not.
 */
static size_t long_number(const char *text)
{
    const size_t length = strspn(text, "-+.0123456789e");
    size_t digits = 0;
    for (size_t i = 0; i < length && text[i] != 'e'; i++) digits += text[i] >= '0' && text[i] <= '9';
    const bool is_value = text[length] == '\0' || strchr(", \n", text[length]);
    return digits >= 16 && memchr(text, '.', length) && is_value ? length : 0;
}

/* Give the numbers of a key the fewest digits that read back as the same number: people read keys where a run is
 * refused because another one has different options, and in run.json. The text becomes shorter, in place. */
static void shorten_numbers(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        char number[QN_NUMBER_LENGTH];
        const bool may_begin = from > text && strchr("=, ", from[-1]);
        const size_t length = may_begin ? long_number(from) : 0;
        int digits = 15;
        if (length == 0) {
            *to++ = *from++;
            continue;
        }
        const double value = strtod(from, NULL);
        do qn_number_format(value, QN_NUMBER_GENERAL, digits, number);
        while (strtod(number, NULL) != value && digits++ < 17);
        const size_t written = strlen(number);
        memcpy(to, number, written);
        to += written;
        from += length;
    }
    *to = '\0';
}

qn_status qn_job_key(qn_job *job, const char *format, ...)
{
    va_list values;
    const size_t before = job->key.length;
    va_start(values, format);
    qn_status status = append_values(&job->key, format, values);
    va_end(values);
    if (status != QN_OK || job->key.length == before) return status;
    const qn_locale outer = qn_locale_enter();
    shorten_numbers(job->key.data + before);
    qn_locale_return(outer);
    job->key.length = before + strlen(job->key.data + before);
    return QN_OK;
}

qn_status qn_job_key_devices(qn_job *job)
{
    return qn_devices_describe(job->devices, job->device_count, &job->key);
}

static qn_status add_text(qn_job *job, qn_job_texts *texts, const char *text, bool once)
{
    void *list;
    qn_status status = QN_OK;
    pthread_mutex_lock(&job->mutex);
    bool known = false;
    for (size_t i = 0; once && i < texts->count && !known; i++) known = strcmp(texts->text[i], text) == 0;
    if (!known) {
        list = texts->text;
        status = qn_grow(&list, &texts->capacity, texts->count + 1, sizeof *texts->text);
        texts->text = list;
        if (status == QN_OK) status = qn_text_copy(text, &texts->text[texts->count]);
        if (status == QN_OK) texts->count++;
    }
    pthread_mutex_unlock(&job->mutex);
    return status;
}

qn_status qn_job_warn(qn_job *job, const char *format, ...)
{
    char message[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    qn_log(QN_LOG_WARNING, "%s", message);
    return add_text(job, &job->warnings, message, false);
}
