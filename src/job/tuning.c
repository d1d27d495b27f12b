#include "job/tuning.h"

#include <stdlib.h>
#include <string.h>

#include <quern/tune.h>

#include "base/error.h"
#include "base/log.h"
#include "option/value.h"
#include "runtime/device.h"

enum { MOST_GAINS = 64 };

static const double long_run_s = 60, longest_exploring_s = 120;

static const char *mode_of(const char *mode)
{
    const char *chosen = getenv("QUERN_TUNE");
    if (!mode) mode = "auto";
    return strcmp(mode, "auto") == 0 && chosen && *chosen ? chosen : mode;
}

qn_status qn_tuning_check(const char *mode)
{
    qn_run_options run;
    const qn_option row = qn_run_rows[QN_RUN_TUNE];
    const qn_status status = qn_option_set(&row, mode_of(mode), &run);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "QUERN_TUNE");
}

qn_status qn_tuning_start(qn_context *context, const char *mode, const char *budget, double expected_seconds,
                          qn_tuning *tuning)
{
    qn_tune_attach_options options = {.mode = QN_TUNE_KNOWN, .expected_seconds = expected_seconds};
    *tuning = (qn_tuning){.first = false};
    mode = mode_of(mode);
    const bool by_itself = strcmp(mode, "auto") == 0;
    if (strcmp(mode, "off") == 0) return QN_OK;
    /* a program that attached its own tuner, or tests that set configurations, know better */
    if (by_itself && qn_context_configuration_source(context)->choose) return QN_OK;
    tuning->first = strcmp(mode, "offline") == 0;
    if (tuning->first || strcmp(mode, "online") == 0 || (by_itself && expected_seconds > long_run_s))
        options.mode = QN_TUNE_ONLINE;
    if (budget && !qn_share_read(budget, &options.budget))
        QN_FAIL(QN_INVALID_ARGUMENT, "the tuning budget is \"%s\"; expected a share such as 5%%", budget);
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

qn_status qn_tuning_explores(const qn_tuning *tuning, double spent_seconds, bool *explores)
{
    qn_tune_gain gains[MOST_GAINS];
    size_t count;
    *explores = false;
    if (!tuning->first || spent_seconds >= longest_exploring_s) return QN_OK;
    QN_TRY(qn_tune_gains(tuning->context, gains, MOST_GAINS, &count));
    *explores = count == 0; /* a search that was not begun has more to try */
    for (size_t i = 0; i < count && i < MOST_GAINS; i++) *explores |= gains[i].exploring;
    return QN_OK;
}

void qn_tuning_finish(qn_tuning *tuning)
{
    qn_tune_gain gains[MOST_GAINS];
    size_t count = 0;
    qn_error_trail trail;
    if (!tuning->context) return;
    qn_error_save(QN_OK, &trail);
    if (qn_tune_gains(tuning->context, gains, MOST_GAINS, &count) != QN_OK) count = 0;
    for (size_t i = 0; i < count && i < MOST_GAINS; i++) {
        const qn_tune_gain *gain = &gains[i];
        double share = gain->device_seconds > 0 ? gain->lost_seconds / gain->device_seconds : 0;
        if (gain->tests == 0) continue;
        qn_log(QN_LOG_NOTE,
               "tuned %s on %s: %.2fx as fast as at the start, %llu configurations tried, %.1f %% of its time spent",
               gain->family, gain->device, gain->speedup, (unsigned long long)gain->tests, 100 * share);
    }
    qn_tune_detach(tuning->context);
    qn_tune_store_close(&tuning->store);
    *tuning = (qn_tuning){.first = false};
    (void)qn_error_restore(&trail);
}
