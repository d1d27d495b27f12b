/* Tuning a kernel of the user's own: a T1 problem is measured like a workload. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "runtime/device.h"
#include "tune/exchange/t1.h"
#include "tune/goal.h"
#include "tune/model/static_model.h"
#include "tune/session.h"
#include "tune/tuner.h"

enum { DEFAULT_REPEATS = 50 };
static const double default_precision = 0.01, timeout_factor = 20, least_timeout_s = 1;

typedef struct tuning {
    qn_device *device;
    const qn_tune_options *options;
    qn_tune_result *result;
    qn_t1 *t1;
    qn_queue *queue;
    qn_t1_target *target;
    qn_tuner *tuner;
    qn_goal goal;
    double started_s;
    char key[65]; /* of the journal: hash of the device, the problem's file, the kernel's file and the objective */
} tuning;

static qn_status add_file(qn_hash *hash, const char *path)
{
    char *data;
    size_t size;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_hash_add(hash, data, size);
    qn_release(&data);
    return QN_OK;
}

static qn_status make_key(tuning *t)
{
    const qn_device_info *info = qn_device_get_info(t->device);
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, info->driver, strlen(info->driver) + 1);
    qn_hash_add(&hash, info->name, strlen(info->name) + 1);
    qn_hash_add(&hash, info->driver_version, strlen(info->driver_version) + 1);
    QN_TRY(add_file(&hash, t->t1->path));
    QN_TRY(add_file(&hash, t->t1->kernel_path));
    if (!t->goal.is_time) qn_hash_add(&hash, t->options->objective, strlen(t->options->objective));
    qn_hash_finish(&hash, t->key);
    t->key[48] = 0; /* as much as a journal's key holds */
    return QN_OK;
}

/* The tuner reads its journal by itself; here only the front of several objectives is read from the journal. */
static qn_status open_journal(tuning *t)
{
    qn_tune_store *store = t->options->store;
    qn_tune_key key = {.device = "journal"};
    qn_tune_row *rows;
    size_t count;
    int64_t problem;
    snprintf(key.family, sizeof key.family, "%s", qn_space_name(t->t1->space));
    snprintf(key.problem_class, sizeof key.problem_class, "%s", t->key);
    QN_TRY(qn_tune_store_problem(store, &key, &problem));
    if (t->options->restart) return qn_tune_store_forget(store, problem);
    if (t->goal.count < 2) return QN_OK;
    QN_TRY(qn_tune_store_tests(store, problem, &rows, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++)
        if (!rows[i].running) status = qn_goal_note(&t->goal, rows[i].configuration, &rows[i].test);
    qn_release(&rows);
    return status;
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
    if (t->options->model) return qn_tuning_model_read(t->options->model, model);
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
    options.store = t->options->store;
    options.store_key = t->options->store ? t->key : NULL;
    QN_TRY(make_key(t));
    if (options.store) QN_TRY(open_journal(t));
    QN_TRY(make_model(t, &guide.model));
    return qn_tuner_create_guided(t->t1->space, &options, &guide, &t->tuner);
}

/* Build, check and time a configuration. Its failures go into *test; a returned failure ends the tuning. */
static qn_status try_point(tuning *t, qn_point point, qn_test *test, char reason[256])
{
    const qn_tune_options *options = t->options;
    qn_test best;
    bool has_best = qn_tuner_best(t->tuner, NULL, &best);
    qn_measure_limits limits = {.timeout_s = options->timeout_seconds,
                                .precision = options->precision > 0 ? options->precision : default_precision,
                                .most_repeats = options->most_repeats > 0 ? options->most_repeats : DEFAULT_REPEATS,
                                .best = has_best && t->goal.is_time ? &best : NULL,
                                .meter = t->goal.meter};
    if (limits.timeout_s <= 0 && has_best)
        limits.timeout_s = fmax(timeout_factor * (t->goal.is_time ? best.objective : best.seconds), least_timeout_s);
    double began_s = qn_clock_s();
    *test = (qn_test){.objective = INFINITY};
    qn_status status = qn_t1_target_set(t->target, point);
    bool placed = status == QN_OK;
    if (placed) status = qn_t1_target_build(t->target);
    test->build_seconds = qn_clock_s() - began_s;
    if (status == QN_OK)
        return qn_measure_configuration(&qn_t1_workload, t->target, t->queue, NULL, &limits, test, reason);
    if (status == QN_DEVICE_LOST || status == QN_CANCELLED) return status;
    test->outcome = placed ? qn_tune_outcome_of(status) : QN_TEST_LIMITS;
    snprintf(reason, 256, "%s", qn_error_message());
    qn_error_clear();
    return QN_OK;
}

static qn_status report(const tuning *t, qn_point point, const qn_test *test)
{
    qn_point best;
    qn_tune_progress progress = {.space = t->t1->space,
                                 .tests = qn_tuner_test_count(t->tuner),
                                 .seconds = qn_clock_s() - t->started_s,
                                 .point = point,
                                 .test = test};
    progress.best.outcome = QN_TEST_WRONG;
    progress.improved = qn_tuner_best(t->tuner, &best, &progress.best) && best == point;
    progress.best_point = progress.best.outcome == QN_TEST_CORRECT ? best : 0;
    if (!t->options->progress || t->options->progress(&progress, t->options->progress_user) == 0) return QN_OK;
    return QN_FAIL(QN_CANCELLED, "tuning of %s was stopped after %llu tests", t->t1->name,
                   (unsigned long long)progress.tests);
}

static qn_status test_point(tuning *t, qn_point point, qn_test *test)
{
    char reason[256] = "", text[QN_TUNE_CONFIGURATION_BYTES];
    qn_status status = try_point(t, point, test, reason);
    if (status == QN_DEVICE_LOST) { /* the test counts as a crash, so that later runs do not try it again */
        qn_error_trail trail;
        qn_error_save(status, &trail);
        test->outcome = QN_TEST_CRASH;
        test->objective = INFINITY;
        (void)!qn_tuner_tell(t->tuner, point, test);
        return qn_error_restore(&trail);
    }
    QN_TRY(status);
    QN_TRY(qn_goal_apply(&t->goal, test));
    qn_t1_target_forget(t->target); /* thousands of programs would fill the memory; the disk cache keeps them */
    QN_TRY(qn_tuner_tell(t->tuner, point, test));
    if (test->outcome != QN_TEST_CORRECT) t->result->failed[test->outcome]++;
    qn_tune_point_text(t->t1->space, point, text, sizeof text);
    QN_TRY(qn_goal_note(&t->goal, text, test));
    if (reason[0])
        qn_log(QN_LOG_DEBUG, "%s: %s: %s: %s", t->t1->name, text, qn_test_outcome_name(test->outcome), reason);
    return report(t, point, test);
}

/* The default configuration is tested first, if it is valid, because the best is compared with it. */
static qn_status search(tuning *t)
{
    const qn_space *space = t->t1->space;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_point point;
    qn_test test;
    for (size_t i = 0; i < qn_space_parameter_count(space); i++) numbers[i] = (uint16_t)qn_space_usual(space, i);
    t->result->fallback.outcome = QN_TEST_LIMITS;
    t->result->fallback.objective = INFINITY;
    if (qn_space_find(space, numbers, &point)) QN_TRY(test_point(t, point, &t->result->fallback));
    while (!qn_tuner_finished(t->tuner)) {
        QN_TRY(qn_tuner_next(t->tuner, &point));
        if (qn_tuner_finished(t->tuner)) break;
        QN_TRY(test_point(t, point, &test));
    }
    return QN_OK;
}

static void summarise(tuning *t)
{
    qn_tune_result *result = t->result;
    qn_point point;
    result->tests = t->tuner ? qn_tuner_test_count(t->tuner) : 0;
    result->seconds = qn_clock_s() - t->started_s;
    if (!t->tuner || !qn_tuner_best(t->tuner, &point, &result->best)) return;
    qn_tune_point_text(t->t1->space, point, result->text, sizeof result->text);
    qn_goal_report(&t->goal, result);
    const char *finished = qn_tuner_finished(t->tuner);
    snprintf(result->finished, sizeof result->finished, "%s", finished ? finished : "stopped");
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
    if (status == QN_OK) status = qn_queue_create(device, &t.queue);
    if (status == QN_OK) status = qn_t1_target_create(t.t1, t.queue, t.options->tuner.seed, &t.target);
    if (status == QN_OK) status = qn_goal_open(t.options->objective, device, 0, NULL, &t.goal);
    if (status == QN_OK) status = open_tuner(&t);
    if (status == QN_OK) status = search(&t);
    qn_error_save(status, &trail);
    summarise(&t);
    qn_goal_close(&t.goal);
    qn_t1_target_destroy(&t.target);
    qn_queue_destroy(&t.queue);
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
