#include "job/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/tune.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "option/run_rows.h"
#include "option/value.h"
#include "runtime/device.h"

enum { GAINS_MAX = 64 };

static const double longest_exploring_s = 120;

/* Where the options leave it open, the environment says how to tune. */
static qn_status read_mode(qn_tune_mode *mode)
{
    qn_run_options run = {.tune = *mode};
    const char *text = getenv("QUERN_TUNE");
    if (*mode == QN_TUNE_AUTO && text && *text) {
        const qn_status status = qn_option_set(&qn_run_rows[QN_RUN_TUNE], text, &run);
        if (status != QN_OK) return qn_error_add_context(status, "QUERN_TUNE");
    }
    *mode = run.tune;
    return QN_OK;
}

qn_status qn_tuning_check(qn_tune_mode mode)
{
    return read_mode(&mode);
}

qn_status qn_tuning_start(qn_context *context, qn_tune_mode mode, const char *budget, double expected_seconds,
                          qn_tuning *tuning)
{
    qn_tune_attach_options options = {
        .size = sizeof options, .mode = QN_TUNE_ONLINE, .expected_seconds = expected_seconds};
    *tuning = (qn_tuning){.first = false};
    QN_TRY(read_mode(&mode));
    const bool by_itself = mode == QN_TUNE_AUTO;
    if (mode == QN_TUNE_OFF) return QN_OK;
    /* a program that attached its own tuner, or tests that set configurations, know better */
    if (by_itself && qn_context_configuration_source(context)->choose) return QN_OK;
    tuning->first = mode == QN_TUNE_OFFLINE;
    if (mode == QN_TUNE_KNOWN) options.mode = QN_TUNE_KNOWN;
    if (budget && !qn_share_read(budget, &options.budget))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the tuning budget is \"%s\"; expected a share such as 5%%", budget);
    if (tuning->first) options.budget = 1;
    if (qn_tune_store_open(context, NULL, &tuning->store) != QN_OK) {
        qn_log(QN_LOG_WARNING, "tuning results are not kept: %s", qn_error_message());
        qn_error_clear();
    }
    options.store = tuning->store;
    qn_status status = qn_tune_attach(context, &options);
    if (status == QN_OK)
        tuning->context = context;
    else
        qn_tune_store_close(&tuning->store);
    return status;
}

void qn_tuning_report(const qn_tuning *tuning, const qn_progress *progress)
{
    if (tuning->context) qn_tune_report_progress(tuning->context, progress);
}

qn_status qn_tuning_explores(const qn_tuning *tuning, double spent_seconds, bool *explores)
{
    qn_tune_gain gains[GAINS_MAX];
    size_t count;
    *explores = false;
    if (!tuning->first || spent_seconds >= longest_exploring_s) return QN_OK;
    QN_TRY(qn_tune_gains(tuning->context, gains, GAINS_MAX, &count));
    *explores = count == 0; /* a search that was not begun has more to try */
    for (size_t i = 0; i < count && i < GAINS_MAX; i++) *explores |= gains[i].exploring;
    return QN_OK;
}

static void log_gain(const qn_tune_gain *gain)
{
    const double share = gain->device_seconds > 0 ? gain->lost_seconds / gain->device_seconds : 0;
    char result[64] = "nothing faster than at the start";
    if (gain->tests == 0) return;
    if (gain->origin == QN_TUNE_ORIGIN_RUN && gain->speedup > 0)
        snprintf(result, sizeof result, "%.2fx as fast as at the start", gain->speedup);
    else if (gain->origin == QN_TUNE_ORIGIN_RUN)
        snprintf(result, sizeof result, "the configuration at the start was not timed");
    qn_log(QN_LOG_NOTE, "tuned %s on %s: %s, %s tried, %.1f %% of its time spent", gain->family, gain->device, result,
           qn_count_of(gain->tests, "configuration").text, 100 * share);
}

/* For run.json and the report, which can do without. */
static void note_kernels(qn_tuning *tuning)
{
    size_t count = 0;
    void *memory;
    if (qn_allocate(GAINS_MAX, sizeof(qn_tune_gain), &memory) != QN_OK) return;
    qn_release(&tuning->kernels);
    tuning->kernels = memory;
    tuning->kernel_count = 0;
    if (qn_tune_gains(tuning->context, tuning->kernels, GAINS_MAX, &count) == QN_OK)
        tuning->kernel_count = count < GAINS_MAX ? count : GAINS_MAX;
}

void qn_tuning_finish(qn_tuning *tuning)
{
    qn_error_trail trail;
    if (!tuning->context) return;
    qn_error_save(QN_OK, &trail);
    note_kernels(tuning);
    for (size_t i = 0; i < tuning->kernel_count; i++) log_gain(&tuning->kernels[i]);
    qn_tune_detach(tuning->context);
    qn_tune_store_close(&tuning->store);
    tuning->context = NULL;
    tuning->first = false;
    (void)qn_error_restore(&trail);
}

void qn_tuning_clear(qn_tuning *tuning)
{
    qn_release(&tuning->kernels);
    tuning->kernel_count = 0;
}
