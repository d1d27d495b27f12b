/* Tuning a workload offline. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "base/text.h"
#include "runtime/device.h"
#include "tune/ahead.h"
#include "tune/goal.h"
#include "tune/guide.h"
#include "tune/live_counters.h"
#include "tune/model/nominal.h"
#include "tune/offline/compare_best.h"
#include "tune/offline/run.h"
#include "tune/offline/test_journal.h"
#include "tune/session.h"

enum { AHEAD_MAX = 16, DEFAULT_THREADS = 8, DEFAULT_REPEATS = 50, COMPARED_REPEATS = 15 };

static const double default_precision = 0.01, timeout_factor = 20, least_timeout_s = 1;

/* A point that was asked for and is being built. */
typedef struct waiting {
    qn_point point;
    qn_ahead_job job;
} waiting;

typedef struct run_state {
    qn_device *device;
    const qn_workload *workload;
    const qn_tune_options *options;
    qn_tune_result *result;
    int sizes[QN_WORKLOAD_SIZES];
    qn_queue *queue;
    void *state;
    qn_space *space;
    qn_tuner *tuner;
    qn_guide guide;
    qn_goal goal;
    const qn_tune_meter *planted; /* a test's meter; NULL: none */
    qn_live_counters *live;       /* NULL: none */
    qn_test_journal journal;
    qn_device_rates rates;
    bool has_rates;
    double scale; /* nominal seconds of a run */
    double started_s;
    qn_point fallback_point, in_use_point;
    qn_test in_use;
    bool has_winner; /* the comparison at the end was made */
    qn_compared winner;
    char definitions[QN_AHEAD_DEFINITIONS];
    qn_ahead *ahead;
    waiting line[AHEAD_MAX]; /* a ring */
    int first, count, most;
} run_state;

static qn_status open_journal(run_state *run)
{
    qn_tune_key key;
    char problem_class[64];
    run->workload->problem_class(run->sizes, problem_class);
    QN_TRY(qn_tune_key_make(run->workload->family, run->device, problem_class, &key));
    run->journal = (qn_test_journal){.options = run->options,
                                     .result = run->result,
                                     .space = run->space,
                                     .goal = &run->goal,
                                     .scale = run->scale,
                                     .on_cpu = qn_device_get_info(run->device)->kind == QN_DEVICE_CPU};
    return qn_test_journal_open(&run->journal, &key);
}

/* Find the configuration that programs use now: of the store, shipped, or the fallback. */
static qn_status find_in_use(run_state *run)
{
    enum { KNOWN_MAX = 64 };
    char problem_class[64];
    qn_tune_known *known;
    size_t count, i = 0;
    run->in_use_point = run->fallback_point;
    run->workload->problem_class(run->sizes, problem_class);
    QN_TRY(qn_allocate(KNOWN_MAX, sizeof *known, (void **)&known));
    qn_status status = qn_tune_lookup(run->device, run->options->store, run->workload->family, problem_class, known,
                                      KNOWN_MAX, &count);
    while (status == QN_OK && i < count && i < KNOWN_MAX && known[i].use != QN_TUNE_USABLE) i++;
    if (status == QN_OK && i < count && i < KNOWN_MAX &&
        !qn_tune_point_of(run->space, &known[i].configuration, &run->in_use_point))
        run->in_use_point = run->fallback_point;
    qn_release(&known);
    return status;
}

static void find_limit(run_state *run)
{
    qn_work work = {0};
    if (!run->workload->work) return;
    run->workload->work(run->state, &work);
    run->scale = qn_tune_nominal_seconds(&work);
    /* under the checking driver the limit has no meaning, and measuring the rates takes minutes */
    if (strcmp(qn_device_get_info(run->device)->driver, "checking") == 0) return;
    run->has_rates = qn_device_measure(run->device, &run->rates) == QN_OK;
    if (run->has_rates)
        run->result->limit_seconds = qn_work_limit_seconds(&work, &run->rates, &run->result->pipe);
    else
        qn_error_clear();
}

static qn_status open_tuner(run_state *run)
{
    const qn_workload *workload = run->workload;
    const qn_device_info *info = qn_device_get_info(run->device);
    qn_tuner_options options = run->options->tuner;
    options.store = run->options->store; /* for its history; this file stores the tests */
    options.store_key = NULL;
    QN_TRY(qn_guide_make(options.searcher, run->options->model, workload->family,
                         workload->problem ? workload->problem(run->state) : NULL, info, run->space, &run->guide));
    return qn_tuner_create_guided(run->space, &options,
                                  &(qn_tuner_guide){.model = run->guide.model,
                                                    .device = info,
                                                    .rates = run->has_rates && run->goal.is_time ? &run->rates : NULL},
                                  &run->tuner);
}

static qn_status open_run(run_state *run)
{
    const qn_workload *workload = run->workload;
    const qn_device_info *info = qn_device_get_info(run->device);
    const qn_configuration fallback = qn_family_fallback(workload->family);
    qn_tune_workload_sizes(workload, info, run->options->sizes, run->sizes);
    QN_TRY(qn_tune_family_space(workload->family, info, &run->space));
    if (!qn_tune_point_of(run->space, &fallback, &run->fallback_point))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the fallback configuration breaks a constraint on %s", workload->name,
                       info->identifier);
    QN_TRY(qn_queue_create(run->device, &run->queue));
    QN_TRY(workload->create(run->queue, run->sizes, run->options->tuner.seed, &run->state));
    find_limit(run);
    QN_TRY(qn_goal_open(run->options->objective, run->device, run->result->limit_seconds, run->planted, &run->goal));
    QN_TRY(open_tuner(run));
    QN_TRY(qn_live_counters_open(run->device, workload, run->guide.model, run->space, &run->live));
    QN_TRY(find_in_use(run)); /* before `restart` deletes it */
    QN_TRY(open_journal(run));
    return qn_test_journal_resume(&run->journal, run->tuner);
}

static void close_run(run_state *run)
{
    qn_goal_close(&run->goal);
    qn_test_journal_close(&run->journal);
    qn_ahead_destroy(&run->ahead);
    qn_queue_settle(run->queue); /* it may use memory of the workload */
    if (run->state) run->workload->destroy(&run->state);
    qn_queue_destroy(&run->queue);
    qn_live_counters_close(&run->live);
    qn_tuner_destroy(&run->tuner);
    qn_space_destroy(&run->space);
}

static qn_status record(run_state *run, qn_point point, const qn_test *test)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_point before, best;
    bool had = qn_tuner_best(run->tuner, &before, NULL);
    QN_TRY(qn_tuner_tell(run->tuner, point, test));
    if (test->outcome != QN_TEST_CORRECT) run->result->failed[test->outcome]++;
    qn_tune_point_text(run->space, point, text, sizeof text);
    QN_TRY(qn_goal_note(&run->goal, text, test));
    QN_TRY(qn_test_journal_finish(&run->journal, point, test));
    bool has = qn_tuner_best(run->tuner, &best, NULL);
    if (!has || best != point || (had && before != best)) { /* thousands are built: keep only the best one */
        qn_configuration drop = qn_tune_configuration(run->space, has && best == point ? before : point);
        qn_family_forget(run->workload->family, run->device, &drop);
    }
    if (!run->options->progress) return QN_OK;
    qn_tune_progress progress = {.space = run->space,
                                 .tests = qn_tuner_test_count(run->tuner),
                                 .seconds = qn_clock_s() - run->started_s,
                                 .point = point,
                                 .test = test,
                                 .improved = has && best == point,
                                 .limit_seconds = run->result->limit_seconds,
                                 .pipe = run->result->pipe};
    progress.best.outcome = QN_TEST_WRONG;
    qn_tuner_best(run->tuner, &progress.best_point, &progress.best);
    if (run->options->progress(&progress, run->options->progress_user) != 0)
        return QN_FAIL(QN_CANCELLED, "tuning of %s was stopped after %s%s", run->workload->name,
                       qn_count_of(progress.tests, "test").text,
                       run->journal.problem ? "; the same command goes on" : "");
    return QN_OK;
}

/* Measure a configuration. compared: for the comparison at the end, in fewer repeats and to the full precision. */
static qn_status measure_point(run_state *run, qn_point point, bool compared, qn_test *test,
                               char reason[QN_MEASURE_REASON_BYTES])
{
    const qn_tune_options *options = run->options;
    const qn_configuration configuration = qn_tune_configuration(run->space, point);
    qn_test best;
    bool has_best = qn_tuner_best(run->tuner, NULL, &best);
    qn_measure_limits limits = {.timeout_s = options->timeout_seconds,
                                .precision = options->precision > 0 ? options->precision : default_precision,
                                .most_repeats = options->most_repeats > 0 ? options->most_repeats : DEFAULT_REPEATS,
                                .best = has_best && run->goal.is_time && !compared ? &best : NULL,
                                .meter = run->goal.meter};
    if (limits.timeout_s <= 0 && has_best) limits.timeout_s = fmax(timeout_factor * best.seconds, least_timeout_s);
    if (compared && limits.most_repeats > COMPARED_REPEATS) limits.most_repeats = COMPARED_REPEATS;
    QN_TRY(qn_measure_configuration(run->workload, run->state, run->queue, &configuration, &limits, test, reason));
    return qn_goal_apply(&run->goal, test);
}

/* Test a configuration that is built. The store gets its row before, so that a crash is known, and its result
 * afterwards (record). */
static qn_status test_point(run_state *run, qn_point point, qn_test *test, char reason[QN_MEASURE_REASON_BYTES])
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_test best;
    bool has_best = qn_tuner_best(run->tuner, NULL, &best);
    /* A test of an earlier run stays in the store until it is replaced. */
    if (!qn_tuner_was_told(run->tuner, point)) QN_TRY(qn_test_journal_start(&run->journal, point));
    qn_status status = measure_point(run, point, false, test, reason);
    if (status == QN_CANCELLED) qn_test_journal_cancel(&run->journal, point);
    qn_tune_point_text(run->space, point, text, sizeof text);
    if (reason[0])
        qn_log(QN_LOG_DEBUG, "%s: %s: %s: %s", run->workload->name, text, qn_test_outcome_name(test->outcome), reason);
    if (status != QN_OK || test->outcome != QN_TEST_CORRECT) return status;
    qn_guide_learn(&run->guide, run->workload->family, run->device, run->space, point);
    if (has_best && !(test->objective < best.objective)) return QN_OK;
    return qn_live_counters_read(run->live, run->state, run->queue, point, test);
}

static qn_status test_fallback(run_state *run)
{
    const qn_family *family = run->workload->family;
    const qn_configuration fallback = qn_family_fallback(family);
    qn_test *test = &run->result->fallback;
    char reason[QN_MEASURE_REASON_BYTES] = "";
    QN_TRY(test_point(run, run->fallback_point, test, reason));
    /* Before the test is recorded, because record() drops the program if a resumed run's best is faster. */
    qn_family_built_definitions(family, run->device, &fallback, run->definitions, sizeof run->definitions);
    QN_TRY(record(run, run->fallback_point, test));
    test->counters = NULL; /* the counters are released with the run */
    test->counter_count = 0;
    if (test->outcome == QN_TEST_WRONG)
        return QN_FAIL(QN_CHECK_FAILED, "%s on %s: the fallback configuration computes a wrong result: %s",
                       run->workload->name, qn_device_get_info(run->device)->identifier, reason);
    if (test->outcome != QN_TEST_CORRECT)
        return QN_FAIL(test->outcome == QN_TEST_BUILD ? QN_BUILD_FAILED : QN_LAUNCH_FAILED,
                       "%s on %s: the fallback configuration does not run: %s", run->workload->name,
                       qn_device_get_info(run->device)->identifier, reason);
    return QN_OK;
}

/* Test the fallback, with which all others are compared, and the configuration in use, which only a faster one may
 * replace. A run of a single test has only the latter. */
static qn_status test_usual(run_state *run)
{
    const bool differ = run->in_use_point != run->fallback_point;
    char reason[QN_MEASURE_REASON_BYTES] = "";
    if (!differ || run->options->tuner.tests != 1) QN_TRY(test_fallback(run));
    if (differ) {
        QN_TRY(test_point(run, run->in_use_point, &run->in_use, reason));
        QN_TRY(record(run, run->in_use_point, &run->in_use));
    }
    qn_tuner_start_clock(run->tuner); /* because making the problem can take longer than a small budget */
    return QN_OK;
}

static bool is_waiting(const run_state *run, qn_point point)
{
    for (int i = 0; i < run->count; i++)
        if (run->line[(run->first + i) % AHEAD_MAX].point == point) return true;
    return false;
}

/* Ask for points until the line is full; each is built in the background. */
static qn_status fill_line(run_state *run)
{
    const uint64_t limit = run->options->tuner.tests;
    while (run->count < run->most && !qn_tuner_finished(run->tuner)) {
        qn_point point;
        if (limit > 0 && qn_tuner_test_count(run->tuner) + (uint64_t)run->count >= limit) break;
        if (qn_tuner_test_count(run->tuner) + (uint64_t)run->count >= qn_space_size(run->space)) break;
        if (!qn_test_journal_next_again(&run->journal, run->tuner, &point)) {
            QN_TRY(qn_tuner_next(run->tuner, &point));
            if (qn_tuner_finished(run->tuner)) break;
            if (is_waiting(run, point)) continue; /* its test gave way */
        }
        waiting *added = &run->line[(run->first + run->count++) % AHEAD_MAX];
        *added = (waiting){.point = point,
                           .job = {.family = run->workload->family,
                                   .device = run->device,
                                   .configuration = qn_tune_configuration(run->space, point)}};
        memcpy(added->job.definitions, run->definitions, sizeof run->definitions);
        qn_ahead_add(run->ahead, &added->job);
    }
    return QN_OK;
}

static qn_status test_next(run_state *run)
{
    waiting *next = &run->line[run->first];
    qn_test test = {.objective = INFINITY};
    char reason[QN_MEASURE_REASON_BYTES] = "", text[QN_TUNE_CONFIGURATION_BYTES];
    qn_ahead_wait(run->ahead, &next->job);
    run->first = (run->first + 1) % AHEAD_MAX;
    run->count--;
    test.build_seconds = next->job.seconds;
    if (next->job.status == QN_DEVICE_LOST) return QN_FAIL(QN_DEVICE_LOST, "%s", next->job.message);
    if (next->job.status != QN_OK) {
        test.outcome = qn_tune_outcome_of(next->job.status);
        qn_tune_point_text(run->space, next->point, text, sizeof text);
        qn_log(QN_LOG_DEBUG, "%s: %s: %s: %s", run->workload->name, text, qn_test_outcome_name(test.outcome),
               next->job.message);
        return record(run, next->point, &test);
    }
    qn_status status = test_point(run, next->point, &test, reason);
    if (status == QN_DEVICE_LOST) { /* the test counts as a crash, so that later runs do not try it again */
        qn_error_trail trail;
        qn_error_save(status, &trail);
        (void)!record(run, next->point, &test);
        return qn_error_restore(&trail);
    }
    QN_TRY(status);
    return record(run, next->point, &test);
}

static qn_status search(run_state *run)
{
    int threads = run->options->compile_threads;
    if (threads <= 0) threads = qn_context_threads(qn_device_context(run->device)) - 1;
    if (threads > DEFAULT_THREADS && run->options->compile_threads <= 0) threads = DEFAULT_THREADS;
    if (threads < 1) threads = 1;
    if (strcmp(qn_device_inner_driver(run->device), "host") == 0) threads = 0; /* nothing to compile */
    QN_TRY(qn_ahead_create(threads, &run->ahead));
    run->most = threads < 1 ? 1 : threads < AHEAD_MAX ? threads : AHEAD_MAX;
    for (;;) {
        QN_TRY(fill_line(run));
        if (run->count == 0) return QN_OK;
        QN_TRY(test_next(run));
        const char *finished = qn_tuner_finished(run->tuner);
        /* if the rest of the space is in the line, its points are still tested */
        if (finished && qn_tuner_test_count(run->tuner) + (uint64_t)run->count < qn_space_size(run->space))
            return QN_OK;
    }
}

static qn_status measure_again(void *user, qn_point point, qn_test *test)
{
    char reason[QN_MEASURE_REASON_BYTES] = "";
    return measure_point(user, point, true, test, reason);
}

static qn_status note_again(void *user, qn_point point, const qn_test *test)
{
    run_state *run = user;
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_tune_point_text(run->space, point, text, sizeof text);
    QN_TRY(qn_tuner_tell(run->tuner, point, test));
    QN_TRY(qn_goal_note(&run->goal, text, test));
    QN_TRY(qn_test_journal_finish(&run->journal, point, test));
    return qn_test_journal_show(&run->journal, run->tuner, point, test, false);
}

static qn_status compare_best(run_state *run)
{
    const qn_comparison comparison = {.tuner = run->tuner, .measure = measure_again, .note = note_again, .user = run};
    qn_test *fallback = &run->result->fallback;
    qn_compared tested[2];
    size_t count = 0;
    if (fallback->outcome == QN_TEST_CORRECT) tested[count++] = (qn_compared){run->fallback_point, *fallback};
    if (run->in_use.outcome == QN_TEST_CORRECT && run->in_use_point != run->fallback_point)
        tested[count++] = (qn_compared){run->in_use_point, run->in_use};
    QN_TRY(qn_compare_best(&comparison, tested, count, &run->winner));
    if (fallback->outcome == QN_TEST_CORRECT) *fallback = tested[0].test;
    run->has_winner = true;
    qn_test_journal_judge_load(&run->journal, run->workload->name);
    return QN_OK;
}

static void summarise(run_state *run)
{
    qn_tune_result *result = run->result;
    qn_point point;
    result->tests = run->tuner ? qn_tuner_test_count(run->tuner) : 0;
    result->seconds = qn_clock_s() - run->started_s;
    if (!run->tuner || !qn_tuner_best(run->tuner, &point, &result->best)) return;
    if (run->has_winner) {
        point = run->winner.point;
        result->best = run->winner.test;
    }
    result->configuration = qn_tune_configuration(run->space, point);
    qn_tune_point_text(run->space, point, result->text, sizeof result->text);
    qn_goal_report(&run->goal, result);
    const char *finished = qn_tuner_finished(run->tuner);
    snprintf(result->finished, sizeof result->finished, "%s", finished ? finished : "stopped");
}

qn_status qn_tune_run(qn_device *device, const qn_workload *workload, const qn_tune_options *options,
                      qn_tune_result *result)
{
    return qn_tune_run_metered(device, workload, options, NULL, result);
}

static qn_status run_metered(qn_device *device, const qn_workload *workload, const qn_tune_options *options,
                             const qn_tune_meter *meter, qn_tune_result *result)
{
    qn_tune_options own = qn_tune_default_options();
    qn_error_trail trail;
    void *memory;
    memset(result, 0, sizeof *result);
    QN_TRY(qn_sized_struct_copy(&own, sizeof own, options, "tuning"));
    own.tuner.size = sizeof own.tuner;
    QN_TRY(qn_allocate(1, sizeof(run_state), &memory));
    run_state *run = memory;
    run->device = device;
    run->workload = workload;
    run->options = &own;
    run->result = result;
    run->planted = meter;
    run->started_s = qn_clock_s();
    qn_status status = open_run(run);
    run->result->fallback.outcome = QN_TEST_LIMITS; /* until it is tested */
    run->result->fallback.objective = INFINITY;
    if (status == QN_OK) status = test_usual(run);
    if (status == QN_OK) status = search(run);
    if (status == QN_OK) status = compare_best(run);
    qn_error_save(status, &trail);
    summarise(run);
    close_run(run);
    qn_release(&memory);
    return qn_error_restore(&trail);
}

qn_status qn_tune_run_metered(qn_device *device, const qn_workload *workload, const qn_tune_options *options,
                              const qn_tune_meter *meter, qn_tune_result *result)
{
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = run_metered(device, workload, options, meter, result);
    qn_log_return(outer);
    return status;
}
