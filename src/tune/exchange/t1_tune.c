/* Tuning a kernel of the user's own: a T1 problem is measured like a workload. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "base/text.h"
#include "runtime/device.h"
#include "tune/exchange/t1_bench.h"
#include "tune/exchange/t1_results.h"
#include "tune/goal.h"
#include "tune/model/static_model.h"
#include "tune/offline/compare_best.h"
#include "tune/offline/test_journal.h"
#include "tune/session.h"
#include "tune/tuner.h"

enum { DEFAULT_REPEATS = 50, COMPARED_REPEATS = 15 };
static const double default_precision = 0.01, timeout_factor = 20, least_timeout_s = 1;

typedef struct tuning {
    qn_device *device;
    const qn_tune_options *options;
    qn_tune_result *result;
    qn_t1 *t1;
    qn_t1_bench *bench;
    uint64_t tested; /* in this run */
    char first_failure[300];
    qn_tuner *tuner;
    qn_goal goal;
    qn_test_journal journal;
    double started_s;
    bool has_usual, has_in_use; /* tested in this run */
    qn_compared usual, in_use;
    bool has_winner; /* the comparison at the end was made */
    qn_compared winner;
} tuning;

static qn_status open_journal(tuning *t)
{
    const qn_device_info *info = qn_device_get_info(t->device);
    qn_tune_key key;
    QN_TRY(qn_t1_key_make(t->t1, t->device, &key));
    t->journal = (qn_test_journal){.options = t->options,
                                   .result = t->result,
                                   .space = t->t1->space,
                                   .goal = &t->goal,
                                   .on_cpu = info->kind == QN_DEVICE_CPU};
    return qn_test_journal_open(&t->journal, &key);
}

/* Only the launch of a user's own kernel is known. */
static qn_status describe(const qn_space *space, qn_point point, qn_static_launch *launch, void *user)
{
    qn_geometry geometry;
    (void)space;
    QN_TRY(qn_t1_geometry(user, point, &geometry));
    launch->groups = launch->group_items = 1;
    launch->group_width = (double)geometry.group[0];
    for (int i = 0; i < 3; i++) {
        launch->group_items *= (double)geometry.group[i];
        launch->groups *= (double)geometry.items[i] / (double)geometry.group[i];
    }
    return QN_OK;
}

static qn_status make_model(tuning *t, qn_tuning_model **model)
{
    enum { POINTS_MAX = 1 << 18 }; /* of a table */
    const qn_static_limits limits = qn_static_limits_of(qn_device_get_info(t->device));
    *model = NULL;
    if (!qn_tuner_is_guided(t->options->tuner.searcher)) return QN_OK;
    if (t->options->model) return qn_tuning_model_find(t->options->model, model);
    if (qn_space_size(t->t1->space) <= POINTS_MAX &&
        qn_static_model_create(t->t1->space, describe, t->t1, &limits, model) == QN_OK)
        return QN_OK;
    qn_error_clear(); /* a launch is not valid; its test will report that */
    return QN_OK;
}

static qn_status open_tuner(tuning *t)
{
    qn_tuner_options options = t->options->tuner;
    qn_tuner_guide guide = {.device = qn_device_get_info(t->device)};
    options.store = t->options->store; /* for its history; the journal stores the tests */
    options.store_key = NULL;
    QN_TRY(make_model(t, &guide.model));
    QN_TRY(qn_tuner_create_guided(t->t1->space, &options, &guide, &t->tuner));
    QN_TRY(open_journal(t));
    return qn_test_journal_resume(&t->journal, t->tuner);
}

/* Build, check and time a configuration. Its failures go into *test; a returned failure ends the tuning. */
static qn_status try_point(tuning *t, qn_point point, bool compared, qn_test *test,
                           char reason[QN_MEASURE_REASON_BYTES])
{
    const qn_tune_options *options = t->options;
    qn_test best;
    bool has_best = qn_tuner_best(t->tuner, NULL, &best);
    qn_measure_limits limits = {.timeout_s = options->timeout_seconds,
                                .precision = options->precision > 0 ? options->precision : default_precision,
                                .most_repeats = options->most_repeats > 0 ? options->most_repeats : DEFAULT_REPEATS,
                                .best = has_best && t->goal.is_time && !compared ? &best : NULL,
                                .meter = t->goal.meter};
    if (limits.timeout_s <= 0 && has_best)
        limits.timeout_s = fmax(timeout_factor * (t->goal.is_time ? best.objective : best.seconds), least_timeout_s);
    if (compared && limits.most_repeats > COMPARED_REPEATS) limits.most_repeats = COMPARED_REPEATS;
    return qn_t1_bench_test(t->bench, point, &limits, test, reason);
}

static qn_status report(const tuning *t, qn_point point, const qn_test *test, const char *reason)
{
    qn_point best;
    qn_tune_progress progress = {.space = t->t1->space,
                                 .tests = qn_tuner_test_count(t->tuner),
                                 .seconds = qn_clock_s() - t->started_s,
                                 .point = point,
                                 .test = test,
                                 .reason = reason[0] ? reason : NULL};
    progress.best.outcome = QN_TEST_WRONG;
    progress.improved = qn_tuner_best(t->tuner, &best, &progress.best) && best == point;
    progress.best_point = progress.best.outcome == QN_TEST_CORRECT ? best : 0;
    if (!t->options->progress || t->options->progress(&progress, t->options->progress_user) == 0) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "tuning of %s was stopped after %s", t->t1->name,
                   qn_count_of(progress.tests, "test").text);
}

static qn_status test_point(tuning *t, qn_point point, qn_test *test)
{
    char reason[QN_MEASURE_REASON_BYTES] = "", text[QN_TUNE_CONFIGURATION_BYTES];
    /* A test of an earlier run stays in the store until it is replaced. */
    if (!qn_tuner_was_told(t->tuner, point)) QN_TRY(qn_test_journal_start(&t->journal, point));
    qn_status status = try_point(t, point, false, test, reason);
    if (status != QN_OK && status != QN_DEVICE_LOST) qn_test_journal_cancel(&t->journal, point);
    if (status == QN_DEVICE_LOST) { /* the test counts as a crash, so that later runs do not try it again */
        qn_error_trail trail;
        qn_error_save(status, &trail);
        test->outcome = QN_TEST_CRASH;
        test->objective = INFINITY;
        (void)!qn_test_journal_finish(&t->journal, point, test);
        return qn_error_restore(&trail);
    }
    QN_TRY(status);
    for (char *at = reason; (at = strchr(at, '\n'));) *at = ' '; /* compilers write several lines */
    QN_TRY(qn_goal_apply(&t->goal, test));
    QN_TRY(qn_tuner_tell(t->tuner, point, test));
    t->tested++;
    if (test->outcome != QN_TEST_CORRECT) t->result->failed[test->outcome]++;
    if (test->outcome != QN_TEST_CORRECT && !t->first_failure[0])
        snprintf(t->first_failure, sizeof t->first_failure, "%s: %.200s", qn_test_outcome_name(test->outcome), reason);
    qn_tune_point_text(t->t1->space, point, text, sizeof text);
    QN_TRY(qn_goal_note(&t->goal, text, test));
    QN_TRY(qn_test_journal_finish(&t->journal, point, test));
    if (reason[0])
        qn_log(QN_LOG_DEBUG, "%s: %s: %s: %s", t->t1->name, text, qn_test_outcome_name(test->outcome), reason);
    return report(t, point, test, reason);
}

/* The default configuration is tested first, if it is valid, because the best is compared with it; then the best of
 * earlier runs, which only a faster one may replace. */
static qn_status test_usual(tuning *t)
{
    const qn_space *space = t->t1->space;
    const uint64_t tests = t->options->tuner.tests;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_test *usual = &t->result->fallback;
    for (size_t i = 0; i < qn_space_parameter_count(space); i++) numbers[i] = (uint16_t)qn_space_usual(space, i);
    usual->outcome = QN_TEST_LIMITS;
    usual->objective = INFINITY;
    if (qn_space_find(space, numbers, &t->usual.point)) {
        QN_TRY(test_point(t, t->usual.point, usual));
        t->has_usual = usual->outcome == QN_TEST_CORRECT;
        t->usual.test = *usual;
    }
    if (!t->journal.has_best || (t->has_usual && t->usual.point == t->journal.best_point) || tests == 1) return QN_OK;
    t->in_use.point = t->journal.best_point;
    QN_TRY(test_point(t, t->in_use.point, &t->in_use.test));
    t->has_in_use = t->in_use.test.outcome == QN_TEST_CORRECT;
    return QN_OK;
}

static qn_status search(tuning *t)
{
    qn_point point;
    qn_test test;
    while (!qn_tuner_finished(t->tuner)) {
        if (!qn_test_journal_next_again(&t->journal, t->tuner, &point)) {
            QN_TRY(qn_tuner_next(t->tuner, &point));
            if (qn_tuner_finished(t->tuner)) break;
        }
        QN_TRY(test_point(t, point, &test));
    }
    return QN_OK;
}

static qn_status measure_again(void *user, qn_point point, qn_test *test)
{
    tuning *t = user;
    char reason[QN_MEASURE_REASON_BYTES] = "";
    QN_TRY(try_point(t, point, true, test, reason));
    return qn_goal_apply(&t->goal, test);
}

static qn_status note_again(void *user, qn_point point, const qn_test *test)
{
    tuning *t = user;
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_tune_point_text(t->t1->space, point, text, sizeof text);
    QN_TRY(qn_tuner_tell(t->tuner, point, test));
    QN_TRY(qn_goal_note(&t->goal, text, test));
    QN_TRY(qn_test_journal_finish(&t->journal, point, test));
    return qn_test_journal_show(&t->journal, t->tuner, point, test, false);
}

static qn_status compare_best(tuning *t)
{
    const qn_comparison comparison = {.tuner = t->tuner, .measure = measure_again, .note = note_again, .user = t};
    qn_compared tested[2];
    size_t count = 0;
    if (t->has_usual) tested[count++] = t->usual;
    if (t->has_in_use) tested[count++] = t->in_use;
    QN_TRY(qn_compare_best(&comparison, tested, count, &t->winner));
    if (t->has_usual) t->result->fallback = tested[0].test;
    t->has_winner = true;
    qn_test_journal_judge_load(&t->journal, t->t1->name);
    return QN_OK;
}

/* A tuning without a correct configuration has failed. */
static qn_status check_found(const tuning *t)
{
    char kinds[160] = "";
    size_t used = 0;
    if (qn_tuner_best(t->tuner, NULL, NULL)) return QN_OK;
    for (int kind = QN_TEST_WRONG; kind <= QN_TEST_CRASH; kind++)
        if (t->result->failed[kind] > 0 && used < sizeof kinds)
            used += (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%s %llu", used ? ", " : "",
                                     qn_test_outcome_name((qn_test_outcome)kind),
                                     (unsigned long long)t->result->failed[kind]);
    if (t->tested == 0)
        return QN_FAIL(QN_NOT_FOUND, "%s: no correct configuration is known, and no test was made (%s)", t->t1->path,
                       qn_tuner_finished(t->tuner));
    return QN_FAIL(QN_NOT_FOUND, "%s: none of %llu configurations is correct: %s; the first: %s", t->t1->path,
                   (unsigned long long)t->tested, kinds, t->first_failure);
}

static void summarise(tuning *t)
{
    qn_tune_result *result = t->result;
    qn_point point;
    result->tests = t->tuner ? qn_tuner_test_count(t->tuner) : 0;
    result->seconds = qn_clock_s() - t->started_s;
    if (!t->tuner || !qn_tuner_best(t->tuner, &point, &result->best)) return;
    if (t->has_winner) {
        point = t->winner.point;
        result->best = t->winner.test;
    }
    qn_tune_point_text(t->t1->space, point, result->text, sizeof result->text);
    qn_goal_report(&t->goal, result);
    const char *finished = qn_tuner_finished(t->tuner);
    snprintf(result->finished, sizeof result->finished, "%s", finished ? finished : "stopped");
}

/* Obey the file's Budget too: the limit that is met first ends the tuning. */
static void set_budget(const tuning *t, qn_tune_options *options)
{
    qn_tuner_options *limits = &options->tuner;
    const qn_t1 *t1 = t->t1;
    if (t1->tests > 0 && (limits->tests == 0 || t1->tests < limits->tests)) limits->tests = t1->tests;
    if (t1->fraction > 0 && (limits->fraction == 0 || t1->fraction < limits->fraction)) limits->fraction = t1->fraction;
    if (t1->seconds > limits->seconds && limits->seconds > 0)
        qn_log(QN_LOG_WARNING, "%s: Budget allows %g s, and the tuning ends earlier, after %g s", t1->path, t1->seconds,
               limits->seconds);
    else if (t1->seconds > 0)
        limits->seconds = t1->seconds;
}

static qn_status run_file(qn_device *device, const char *path, const qn_tune_options *options, qn_tune_result *result)
{
    qn_tune_options own = qn_tune_default_options();
    qn_error_trail trail;
    memset(result, 0, sizeof *result);
    QN_TRY(qn_sized_struct_copy(&own, sizeof own, options, "tuning"));
    own.tuner.size = sizeof own.tuner;
    tuning t = {.device = device, .options = &own, .result = result, .started_s = qn_clock_s()};
    qn_status status = qn_t1_read(path, &t.t1);
    if (status == QN_OK) set_budget(&t, &own);
    if (status == QN_OK) status = qn_t1_bench_open(t.t1, device, &own, &t.bench);
    if (status == QN_OK) status = qn_goal_open(t.options->objective, device, 0, NULL, &t.goal);
    if (status == QN_OK) status = open_tuner(&t);
    if (status == QN_OK) status = test_usual(&t);
    if (status == QN_OK) status = search(&t);
    if (status == QN_OK) status = check_found(&t);
    if (status == QN_OK) status = compare_best(&t);
    qn_error_save(status, &trail);
    summarise(&t);
    qn_goal_close(&t.goal);
    qn_test_journal_close(&t.journal);
    qn_t1_bench_close(&t.bench);
    qn_tuner_destroy(&t.tuner);
    qn_t1_destroy(&t.t1);
    return qn_error_restore(&trail);
}

qn_status qn_tune_run_file(qn_device *device, const char *path, const qn_tune_options *options, qn_tune_result *result)
{
    const qn_log_scope outer = qn_context_enter_log(qn_device_context(device));
    const qn_status status = run_file(device, path, options, result);
    qn_log_return(outer);
    return status;
}

/* Find the first device of a driver, a GPU if there is one. */
static qn_status find_device(qn_context *context, const qn_t1 *t1, qn_device **device)
{
    enum { LISTED = 64 };
    const char *driver = t1->cuda ? "cuda" : "opencl";
    const qn_device_info *found = NULL;
    void *memory;
    size_t count;
    QN_TRY(qn_allocate(LISTED, sizeof(qn_device_listing), &memory));
    const qn_device_listing *listings = memory;
    qn_status status = qn_device_list(context, memory, LISTED, &count);
    for (size_t i = 0; i < count && i < LISTED && status == QN_OK; i++) {
        const qn_device_info *info = &listings[i].info;
        if (!listings[i].usable || strcmp(info->driver, driver) != 0) continue;
        if (!found || (found->kind != QN_DEVICE_GPU && info->kind == QN_DEVICE_GPU)) found = info;
    }
    if (status == QN_OK && !found)
        status = qn_error_set(QN_NO_DEVICE, __FILE__, __LINE__,
                              "%s: the kernel is in %s and no device here runs that (see quern devices)", t1->path,
                              t1->cuda ? "CUDA" : "OpenCL");
    if (status == QN_OK) status = qn_device_open(context, found->identifier, device);
    qn_release(&memory);
    return status;
}

static bool is_named(const char *named, const char *file)
{
    return named && qn_file_is_same(named, file);
}

qn_status qn_tune_file_reads(const char *path, const char *file, bool *reads)
{
    qn_t1 *t1 = NULL;
    *reads = false;
    QN_TRY(qn_t1_read(path, &t1));
    *reads = qn_file_is_same(path, file) || is_named(t1->kernel_path, file) || is_named(t1->reference_path, file);
    for (size_t i = 0; i < t1->argument_count; i++) {
        const qn_t1_argument *argument = &t1->arguments[i];
        const qn_t1_content *contents[] = {&argument->content, argument->reference};
        for (int k = 0; k < 2; k++)
            if (contents[k] && contents[k]->fill == QN_T1_FILE) *reads |= is_named(contents[k]->source, file);
    }
    qn_t1_destroy(&t1);
    return QN_OK;
}

qn_status qn_tune_file_device(qn_context *context, const char *path, const char *identifier, qn_device **device)
{
    qn_t1 *t1 = NULL;
    *device = NULL;
    qn_status status = qn_t1_read(path, &t1); /* without a log: qn_tune_run_file reads and logs again */
    if (status == QN_OK) {
        if (!identifier || strcmp(identifier, "auto") == 0)
            status = find_device(context, t1, device);
        else
            status = qn_device_open(context, identifier, device);
        if (status == QN_OK) status = qn_t1_fits_device(t1, *device);
        if (status != QN_OK) qn_device_release(device);
    }
    qn_t1_destroy(&t1);
    return status;
}
