#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "tune/searcher/searcher.h"
#include "tune/session.h"
#include "tune/stop.h"
#include "tune/tuner.h"

enum { FINISHED_BYTES = 128, LEAST_STEPS = 20 };

struct qn_tuner {
    const qn_space *space;
    qn_tuner_options options;
    qn_searcher *searcher;
    qn_tuning_model *model; /* of `profile`; NULL: none */
    int64_t problem;        /* in the store */
    double started_s;
    uint64_t least_tests;
    uint64_t tests; /* points with a result, with those of a resumed journal */
    qn_stop_curve curve;
    double well_share;
    bool has_best;
    qn_point best_point;
    qn_test best;
    char finished[FINISHED_BYTES];
};

/* Note a test. A point that is told again counts once; its last test is valid. */
static qn_status note(qn_tuner *tuner, qn_point point, const qn_test *test)
{
    const bool again = qn_searcher_was_told(tuner->searcher, point);
    qn_test known = *test;
    if (known.outcome != QN_TEST_CORRECT) known.objective = INFINITY;
    QN_TRY(qn_searcher_tell(tuner->searcher, point, &known));
    if (again && tuner->has_best && tuner->best_point == point)
        tuner->has_best = qn_searcher_best(tuner->searcher, &tuner->best_point, &tuner->best);
    if (!again) {
        tuner->tests++;
        qn_stop_add(&tuner->curve, known.objective);
    }
    if (known.outcome == QN_TEST_CORRECT && (!tuner->has_best || known.objective < tuner->best.objective)) {
        tuner->has_best = true;
        tuner->best_point = point;
        tuner->best = known;
        tuner->best.counters = NULL;
        tuner->best.counter_count = 0;
    }
    return QN_OK;
}

/* Tell the searcher the tests of the store, except those that another process is running now. */
static qn_status resume(qn_tuner *tuner)
{
    qn_tune_row *rows;
    size_t count;
    qn_point point;
    QN_TRY(qn_tune_store_tests(tuner->options.store, tuner->problem, &rows, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++)
        if (!rows[i].running && qn_tune_point_read(tuner->space, rows[i].configuration, &point))
            status = note(tuner, point, &rows[i].test);
    qn_release(&rows);
    return status;
}

static qn_status open_journal(qn_tuner *tuner)
{
    const qn_tuner_options *options = &tuner->options;
    qn_tune_key key = {.device = "journal"};
    if (!options->store || !options->store_key) return QN_OK;
    snprintf(key.family, sizeof key.family, "%s", qn_space_name(tuner->space));
    snprintf(key.problem_class, sizeof key.problem_class, "%s", options->store_key);
    QN_TRY(qn_tune_store_problem(options->store, &key, &tuner->problem));
    return resume(tuner);
}

static uint64_t planned_tests(const qn_tuner *tuner)
{
    const qn_tuner_options *options = &tuner->options;
    uint64_t size = qn_space_size(tuner->space), planned = size;
    if (options->tests > 0 && options->tests < planned) planned = options->tests;
    if (options->fraction > 0 && options->fraction < 1) {
        uint64_t share = (uint64_t)ceil(options->fraction * (double)size);
        if (share < planned) planned = share;
    }
    return planned;
}

/* Return the name of the searcher; NULL means "auto", or "climb" if the library was built without "auto". */
static const char *find_searcher(const char *name)
{
    if (name && strcmp(name, "auto") != 0) return name;
    for (size_t i = 0; qn_searcher_classes[i]; i++)
        if (strcmp(qn_searcher_classes[i]->name, "auto") == 0) return "auto";
    return "climb";
}

bool qn_tuner_is_guided(const char *searcher)
{
    return strcmp(find_searcher(searcher), qn_searcher_profile.name) == 0;
}

static qn_status allocate_tuner(const qn_tuner_options *given, qn_tuner **tuner)
{
    qn_tuner_options own = qn_tuner_default_options();
    const qn_tuner_options *options = &own;
    void *memory;
    QN_TRY(qn_sized_struct_copy(&own, sizeof own, given, "tuner's"));
    if (!(options->fraction >= 0 && options->remaining_gain >= 0 && options->seconds >= 0) || isnan(options->target))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "a stop condition of the tuner is negative or not a number; expected 0 for none or more");
    for (size_t i = 0; i < sizeof own.reserved / sizeof *own.reserved; i++)
        if (own.reserved[i] != 0)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "the tuner's options set something that this version of the library does not know, in "
                           "reserved[%zu]; expected 0",
                           i);
    QN_TRY(qn_allocate(1, sizeof(qn_tuner), &memory));
    *tuner = memory;
    (*tuner)->options = own;
    return QN_OK;
}

qn_status qn_tuner_create_guided(const qn_space *space, const qn_tuner_options *given, const qn_tuner_guide *guide,
                                 qn_tuner **out)
{
    qn_tuner *tuner = NULL;
    qn_tuning_model *model = guide->model;
    *out = NULL;
    qn_status status = allocate_tuner(given, &tuner);
    if (status != QN_OK) {
        qn_tuning_model_destroy(&model);
        return status;
    }
    tuner->model = model;
    tuner->space = space;
    const qn_tuner_options *options = &tuner->options;
    tuner->started_s = qn_clock_s();
    tuner->least_tests = guide->least_tests > LEAST_STEPS ? guide->least_tests : LEAST_STEPS;
    const uint64_t planned = planned_tests(tuner), expected = guide->expected_tests;
    qn_searcher_problem problem = {.space = space,
                                   .seed = options->seed,
                                   .expected_tests = expected > 0 && expected < planned ? expected : planned,
                                   .model = model,
                                   .device = guide->device,
                                   .rates = guide->rates};
    status = qn_searcher_create(find_searcher(options->searcher), &problem, &tuner->searcher);
    if (status == QN_OK) status = open_journal(tuner);
    if (status == QN_OK && options->store)
        status = qn_tune_store_well_share(options->store, qn_space_name(space), 1.1, &tuner->well_share);
    if (status != QN_OK) {
        qn_tuner_destroy(&tuner);
        return status;
    }
    *out = tuner;
    return QN_OK;
}

qn_status qn_tuner_create(const qn_space *space, const qn_tuner_options *options, qn_tuner **tuner)
{
    return qn_tuner_create_guided(space, options, &(qn_tuner_guide){NULL}, tuner);
}

void qn_tuner_destroy(qn_tuner **tuner)
{
    if (!tuner || !*tuner) return;
    if ((*tuner)->problem) { /* points that were asked for and not tested are not crashes */
        qn_error_trail trail;
        qn_error_save(QN_OK, &trail);
        (void)!qn_tune_store_cancel((*tuner)->options.store, (*tuner)->problem, NULL);
        (void)!qn_error_restore(&trail);
    }
    qn_searcher_destroy(&(*tuner)->searcher);
    qn_tuning_model_destroy(&(*tuner)->model);
    qn_release(tuner);
}

void qn_tuner_start_clock(qn_tuner *tuner)
{
    tuner->started_s = qn_clock_s();
}

/* Number of further steps to plan for: as many as were done already, but not beyond the plan. */
static uint64_t more_steps(const qn_tuner *tuner)
{
    uint64_t planned = planned_tests(tuner), left = planned > tuner->tests ? planned - tuner->tests : 0;
    return left < tuner->tests ? left : tuner->tests;
}

static void check_end(qn_tuner *tuner)
{
    const qn_tuner_options *options = &tuner->options;
    char *text = tuner->finished;
    if (*text) return;
    if (options->tests > 0 && tuner->tests >= options->tests)
        snprintf(text, FINISHED_BYTES, "%llu tests are done", (unsigned long long)tuner->tests);
    else if (options->seconds > 0 && qn_clock_s() - tuner->started_s >= options->seconds)
        snprintf(text, FINISHED_BYTES, "the budget of %g s is spent", options->seconds);
    else if (tuner->tests >= qn_space_size(tuner->space))
        snprintf(text, FINISHED_BYTES, "the space is exhausted");
    else if (options->fraction > 0 && tuner->tests >= planned_tests(tuner))
        snprintf(text, FINISHED_BYTES, "%g %% of the space is tested", 100 * options->fraction);
    else if (options->target > 0 && tuner->has_best && tuner->best.objective <= options->target)
        snprintf(text, FINISHED_BYTES, "the target of %g is reached", options->target);
    else if (options->remaining_gain > 0 && tuner->tests >= tuner->least_tests) {
        double gain = qn_stop_gain(&tuner->curve, tuner->well_share, more_steps(tuner));
        if (gain < options->remaining_gain)
            snprintf(text, FINISHED_BYTES, "more tests are expected to gain %.2g %%", 100 * gain);
    }
}

const char *qn_tuner_finished(const qn_tuner *tuner)
{
    check_end((qn_tuner *)tuner); /* a time limit may have passed since the last call */
    return tuner->finished[0] ? tuner->finished : NULL;
}

qn_status qn_tuner_next(qn_tuner *tuner, qn_point *point)
{
    bool found = false;
    char text[QN_TUNE_CONFIGURATION_BYTES];
    check_end(tuner);
    if (!tuner->finished[0]) {
        QN_TRY(qn_searcher_ask(tuner->searcher, point, &found));
        if (!found) snprintf(tuner->finished, FINISHED_BYTES, "the space is exhausted");
    }
    if (found) {
        if (!tuner->problem) return QN_OK;
        qn_tune_point_text(tuner->space, *point, text, sizeof text);
        return qn_tune_store_start(tuner->options.store, tuner->problem, text);
    }
    if (!tuner->has_best)
        return QN_FAIL(QN_NOT_FOUND, "%s: no correct configuration was found", qn_space_name(tuner->space));
    *point = tuner->best_point;
    return QN_OK;
}

qn_status qn_tuner_tell(qn_tuner *tuner, qn_point point, const qn_test *test)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    if (point >= qn_space_size(tuner->space))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: there is no point %llu; expected less than %llu",
                       qn_space_name(tuner->space), (unsigned long long)point,
                       (unsigned long long)qn_space_size(tuner->space));
    QN_TRY(note(tuner, point, test));
    if (tuner->problem) {
        qn_tune_point_text(tuner->space, point, text, sizeof text);
        QN_TRY(qn_tune_store_finish(tuner->options.store, tuner->problem, text, test, 0));
    }
    check_end(tuner);
    return QN_OK;
}

bool qn_tuner_best(const qn_tuner *tuner, qn_point *point, qn_test *test)
{
    if (!tuner->has_best) return false;
    if (point) *point = tuner->best_point;
    if (test) *test = tuner->best;
    return true;
}

bool qn_tuner_was_told(const qn_tuner *tuner, qn_point point)
{
    return qn_searcher_was_told(tuner->searcher, point);
}

uint64_t qn_tuner_test_count(const qn_tuner *tuner)
{
    return tuner->tests;
}
