/* The tuner of a run: how it is asked for, what it may cost, what it gained.
 *
 *     qn_tuning tuning;
 *     QN_TRY(qn_tuning_check(options->run.tune));
 *     QN_TRY(qn_tuning_start(context, options->run.tune, options->run.tune_budget, expected_seconds, &tuning));
 *     …the search…
 *     qn_tuning_finish(&tuning);
 */
#ifndef QN_JOB_TUNING_H
#define QN_JOB_TUNING_H

#include <quern/device.h>

typedef struct qn_tuning {
    qn_context *context;         /* NULL: no tuner was attached */
    struct qn_tune_store *store; /* NULL: none */
    bool first;                  /* explore before the search */
} qn_tuning;

/* `mode` is judged as an option; where it is "auto", or NULL, QUERN_TUNE says how to tune, and is judged here.
 * QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_tuning_check(const char *mode);

/* Attach the tuner to the context. By itself it tries configurations only in runs expected to take over a minute. */
QN_MUST_CHECK qn_status qn_tuning_start(qn_context *context, const char *mode, const char *budget,
                                        double expected_seconds, qn_tuning *tuning);

/* Whether to run a first batch (again) before the search, when the mode is "offline": until nothing more is to be
 * gained or `spent_seconds` is too much. */
QN_MUST_CHECK qn_status qn_tuning_explores(const qn_tuning *tuning, double spent_seconds, bool *explores);

/* Log what was gained and detach. Keeps the error trail; safe on a zeroed struct. */
void qn_tuning_finish(qn_tuning *tuning);

#endif
