/* The tuner of a run: attached by the mode and budget of the options, detached with a log of its gains.
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
#include <quern/log.h>

typedef struct qn_tuning {
    qn_context *context;          /* NULL: no tuner was attached */
    struct qn_tune_store *store;  /* NULL: no store could be opened */
    bool first;                   /* mode QN_TUNE_OFFLINE: explore before the work begins */
    struct qn_tune_gain *kernels; /* by qn_tuning_finish: each kernel family that ran, and its configuration */
    size_t kernel_count;
} qn_tuning;

/* Fail if the mode is QN_TUNE_AUTO and the environment variable QUERN_TUNE names no mode: QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_tuning_check(qn_tune_mode mode);

/* Attach the tuner to the context. `expected_seconds` is the estimated length of the run (0: unknown), which is used
 * until progress is reported. In the mode QN_TUNE_AUTO no tuner is attached to a context that has a source of
 * configurations. */
QN_MUST_CHECK qn_status qn_tuning_start(qn_context *context, qn_tune_mode mode, const char *budget,
                                        double expected_seconds, qn_tuning *tuning);

/* Report the progress of the run to the tuner. */
void qn_tuning_report(const qn_tuning *tuning, const qn_progress *progress);

/* Whether to run a first batch (again) before the work begins. *explores is true in the mode QN_TUNE_OFFLINE until the
 * searches of all kernels have ended, or until `spent_seconds` reaches two minutes. */
QN_MUST_CHECK qn_status qn_tuning_explores(const qn_tuning *tuning, double spent_seconds, bool *explores);

/* Log the gains, note the kernels' configurations, and detach the tuner. Keeps the error trail. A zeroed struct is
 * allowed. */
void qn_tuning_finish(qn_tuning *tuning);

/* Release the notes. */
void qn_tuning_clear(qn_tuning *tuning);

#endif
