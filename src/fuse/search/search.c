#include "fuse/search/search.h"

#include <math.h>
#include <quern/tune.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/session.h"
#include "tune/tuner.h"

struct qn_search {
    const qn_search_problem *problem;
    qn_device *device;
    qn_space *space;
    qn_tune_store *store; /* NULL: none */
    qn_tune_key key;
    int64_t row; /* of the problem in the store */
    qn_tuner *tuner;
    uint64_t tests, new_tests;
    bool is_finished; /* an earlier search ended */
};

static qn_status make_space(qn_search *search)
{
    const qn_search_problem *problem = search->problem;
    const qn_device_info *info = qn_device_get_info(search->device);
    const struct {
        const char *name;
        int64_t value;
    } limits[] = {{"device.local_memory_bytes", (int64_t)info->local_memory_bytes},
                  {"device.largest_group", info->largest_group},
                  {"device.subgroup_size", info->subgroup_size},
                  {"device.is_host", strcmp(qn_device_inner_driver(search->device), "host") == 0}};
    QN_TRY(qn_space_create(problem->name, &search->space));
    for (int i = 0; i < problem->parameter_count; i++) {
        const qn_search_parameter *own = &problem->parameters[i];
        QN_TRY(qn_space_add_integers(search->space, own->name, own->values, (size_t)own->count, own->values[0]));
    }
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        QN_TRY(qn_space_set_constant(search->space, limits[i].name, qn_value_integer(limits[i].value)));
    for (int i = 0; i < problem->constraint_count; i++)
        QN_TRY(qn_space_add_constraint(search->space, problem->constraints[i]));
    return qn_space_solve(search->space);
}

static void make_key(qn_search *search)
{
    const qn_search_problem *problem = search->problem;
    qn_hash hash;
    char digest[65];
    qn_tune_key_of_device(search->device, &search->key);
    snprintf(search->key.family, sizeof search->key.family, "%s", problem->name);
    snprintf(search->key.problem_class, sizeof search->key.problem_class, "%s", problem->sizes);
    qn_hash_start(&hash);
    qn_hash_add(&hash, problem->source, strlen(problem->source));
    qn_hash_finish(&hash, digest);
    snprintf(search->key.source, sizeof search->key.source, "%.*s", QN_TUNE_SOURCE_DIGITS, digest);
}

/* Whether each value of parameter 0 was tested: others may have come since the search ended. */
static bool has_all(const qn_search *search, const bool *is_tested)
{
    bool all = true;
    for (int i = 0; i < search->problem->parameters[0].count; i++) all = all && is_tested[i];
    return all;
}

/* Tell the tuner what is kept. */
static qn_status read_store(qn_search *search)
{
    qn_tune_row *rows;
    qn_tune_account account;
    qn_point point;
    size_t count;
    bool is_tested[QN_SEARCH_VALUES_MAX] = {false};
    search->tests = 0;
    if (!search->store) return QN_OK;
    QN_TRY(qn_tune_store_settle(search->store, search->row, 0, &account));
    QN_TRY(qn_tune_store_tests(search->store, search->row, &rows, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++)
        if (!rows[i].running && qn_tune_point_read(search->space, rows[i].configuration, &point)) {
            uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
            qn_space_get(search->space, point, numbers);
            is_tested[numbers[0]] = true;
            status = qn_tuner_tell(search->tuner, point, &rows[i].test);
            search->tests++;
        }
    qn_release(&rows);
    search->is_finished = has_all(search, is_tested) && account.finished_points == qn_space_size(search->space);
    return status;
}

static qn_status make_tuner(qn_search *search, double budget_s, uint64_t seed)
{
    qn_tuner_options options = qn_tuner_default_options();
    qn_tuner_destroy(&search->tuner);
    options.seconds = budget_s;
    options.remaining_gain = 0.01;
    options.seed = seed;
    QN_TRY(qn_tuner_create(search->space, &options, &search->tuner));
    return read_store(search);
}

static qn_status fill(qn_search *search)
{
    make_key(search);
    QN_TRY(make_space(search));
    qn_status status = qn_tune_store_open(qn_device_context(search->device), NULL, &search->store);
    if (status == QN_OK && search->store) status = qn_tune_store_problem(search->store, &search->key, &search->row);
    if (status != QN_OK) {
        qn_log(QN_LOG_WARNING, "tuning results are not kept: %s", qn_error_message());
        qn_error_clear();
        qn_tune_store_close(&search->store);
    }
    return make_tuner(search, 0, 1);
}

qn_status qn_search_open(const qn_search_problem *problem, qn_device *device, qn_search **search)
{
    QN_TRY(qn_allocate(1, sizeof **search, (void **)search));
    (*search)->problem = problem;
    (*search)->device = qn_device_retain(device);
    const qn_status status = fill(*search);
    if (status != QN_OK) qn_search_close(search);
    return status;
}

void qn_search_close(qn_search **pointer)
{
    qn_search *search = *pointer;
    if (!search) return;
    qn_tuner_destroy(&search->tuner);
    qn_tune_store_close(&search->store);
    qn_space_destroy(&search->space);
    qn_device_release(&search->device);
    qn_release(pointer);
}

/* ---- tests ---- */

static void values_of(const qn_search *search, qn_point point, int64_t *values)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_space_get(search->space, point, numbers);
    for (int i = 0; i < search->problem->parameter_count; i++)
        values[i] = search->problem->parameters[i].values[numbers[i]];
}

static qn_status measure(qn_search *search, qn_point point, qn_search_test of_values, void *user)
{
    qn_test test = {.objective = INFINITY}, best = {.objective = INFINITY};
    int64_t values[QN_SEARCH_PARAMETERS_MAX];
    char text[QN_TUNE_CONFIGURATION_BYTES];
    const double start_s = qn_clock_s();
    qn_tune_point_text(search->space, point, text, sizeof text);
    values_of(search, point, values);
    (void)qn_tuner_best(search->tuner, NULL, &best);
    if (search->store) QN_TRY(qn_tune_store_start(search->store, search->row, text));
    test.outcome = qn_tune_outcome_of(of_values(user, values, best.objective, &test.objective));
    test.run_seconds = qn_clock_s() - start_s;
    if (test.outcome == QN_TEST_CORRECT) {
        test.seconds = test.objective;
    } else {
        qn_log(QN_LOG_DEBUG, "%s: %s: %s", search->problem->name, text, qn_error_message());
        qn_error_clear();
        test.objective = INFINITY;
    }
    search->tests++, search->new_tests++;
    if (search->store) QN_TRY(qn_tune_store_finish(search->store, search->row, text, &test, 0));
    return qn_tuner_tell(search->tuner, point, &test);
}

static qn_status measure_first(qn_search *search, qn_search_test test, void *user)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX] = {0};
    qn_point point;
    for (int i = 0; i < search->problem->parameters[0].count && !qn_tuner_finished(search->tuner); i++) {
        numbers[0] = (uint16_t)i;
        if (qn_space_find(search->space, numbers, &point) && !qn_tuner_was_told(search->tuner, point))
            QN_TRY(measure(search, point, test, user));
    }
    return QN_OK;
}

bool qn_search_is_open(const qn_search *search)
{
    return !search->is_finished;
}

qn_status qn_search_run(qn_search *search, double budget_s, uint64_t seed, qn_search_test test, void *user)
{
    qn_point point;
    QN_TRY(make_tuner(search, budget_s, seed));
    QN_TRY(measure_first(search, test, user));
    while (!qn_tuner_finished(search->tuner)) {
        QN_TRY(qn_tuner_next(search->tuner, &point));
        if (!qn_tuner_finished(search->tuner)) QN_TRY(measure(search, point, test, user));
    }
    search->is_finished = search->tests > 0;
    return search->store && search->is_finished
               ? qn_tune_store_set_finished(search->store, search->row, qn_space_size(search->space))
               : QN_OK;
}

bool qn_search_best(const qn_search *search, int64_t *values, uint64_t *tests, uint64_t *new_tests)
{
    qn_point point;
    *tests = search->tests, *new_tests = search->new_tests;
    if (!qn_tuner_best(search->tuner, &point, NULL)) return false;
    values_of(search, point, values);
    return true;
}
