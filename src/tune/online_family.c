/* The state of a family in online tuning: created with the results of earlier runs, and stored at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/guide.h"
#include "tune/online.h"

static const double budget_share = 0.02, remaining_gain = 0.005;
/* expected_tests: about as many as a minute allows if several threads compile. In a large space one test per
 * least_share points, at most expected_tests, is made before the estimate may end the search, because the curve of a
 * few tests can be flat by chance. */
static const uint64_t expected_tests = 300, least_share = 100;

bool qn_online_is_cpu(const qn_online_family *family)
{
    return qn_device_get_info(family->device)->kind == QN_DEVICE_CPU;
}

void qn_online_round_destroy(qn_online_round **round)
{
    if (!*round) return;
    for (int i = 0; i < (*round)->event_count; i++) qn_event_destroy(&(*round)->events[i]);
    qn_release(round);
}

/* A run does not need tuning: if the store fails, the run continues without it. */
void qn_online_check_store(qn_online_family *family, qn_status status)
{
    if (status == QN_OK) return;
    qn_log(QN_LOG_WARNING, "tuning results are not kept: %s", qn_error_message());
    qn_error_clear();
    family->problem = 0;
}

/* Objectives here are per nominal second if the work is known; rows hold the seconds of a round. */
void qn_online_write_row(qn_online_family *family, const qn_configuration *configuration, const qn_test *test)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_test row = *test;
    if (!family->problem) return;
    if (family->known_scale > 0) row.objective *= family->known_scale, row.spread *= family->known_scale;
    qn_tune_configuration_text(family->family, configuration, text, sizeof text);
    qn_online_check_store(family,
                          qn_tune_store_finish(family->store, family->problem, text, &row, family->known_scale));
}

/* Make a correct test from the median and the spread of `times`. */
qn_test qn_online_test_of(const qn_recent *times)
{
    return (qn_test){
        .outcome = QN_TEST_CORRECT, .objective = qn_recent_median(times), .spread = qn_recent_spread(times)};
}

/* Tell the searcher the tests of earlier runs, so that it goes on where they ended. */
static qn_status resume(qn_online_family *family)
{
    qn_tune_row *rows;
    size_t count;
    qn_point point, start;
    if (!family->problem) return QN_OK;
    QN_TRY(qn_tune_store_tests(family->store, family->problem, &rows, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        if (rows[i].running || !qn_tune_point_read(family->space, rows[i].configuration, &point)) continue;
        if (rows[i].scale > 0) rows[i].test.objective /= rows[i].scale;
        status = qn_tuner_tell(family->tuner, point, &rows[i].test);
        family->build_max_s = fmax(family->build_max_s, rows[i].test.build_seconds);
        family->start_is_told |= qn_tune_point_of(family->space, &family->best, &start) && start == point;
    }
    qn_release(&rows);
    return status;
}

/* If tuning may take all of the time, no account is kept. *finished: an earlier run ended the search. */
static qn_status open_account(qn_online_family *family, const qn_tune_attach_options *options, bool *finished)
{
    qn_tune_account kept = {0};
    family->account.share = options->budget > 0 ? options->budget : budget_share;
    family->keeps_account = family->account.share < 1;
    if (family->problem && family->keeps_account)
        QN_TRY(qn_tune_store_settle(family->store, family->problem, 0, &kept));
    family->account.credit_s = kept.credit_s;
    *finished = kept.finished_points == qn_space_size(family->space);
    return QN_OK;
}

static qn_status prepare_search(qn_online_family *family, const qn_family_launch *launch,
                                const qn_tune_attach_options *options)
{
    const qn_device_info *info = qn_device_get_info(family->device);
    qn_tuner_options tuner = {
        .size = sizeof tuner, .searcher = options->searcher, .seed = options->seed, .remaining_gain = remaining_gain};
    bool finished;
    family->stage = QN_ONLINE_OVER;
    if (options->mode != QN_TUNE_ONLINE || family->family->tunable_count == 0) return QN_OK;
    QN_TRY(qn_tune_family_space(family->family, info, &family->space));
    if (qn_space_size(family->space) < 2) return QN_OK;
    QN_TRY(open_account(family, options, &finished));
    if (finished) return QN_OK;
    tuner.store = options->store;
    /* predictions for the first launch hold for its class; rates are not measured, as that takes the application's
     * time */
    qn_tuning_model *model;
    QN_TRY(qn_guide_make_table(tuner.searcher, family->family, launch->problem, info, family->space, &model));
    const uint64_t share = qn_space_size(family->space) / least_share;
    const qn_tuner_guide guide = {.model = model,
                                  .device = info,
                                  .expected_tests = expected_tests,
                                  .least_tests = share < expected_tests ? share : expected_tests};
    QN_TRY(qn_tuner_create_guided(family->space, &tuner, &guide, &family->tuner));
    int threads = qn_context_threads(qn_device_context(family->device)) / 2;
    if (threads > QN_ONLINE_AHEAD_MAX) threads = QN_ONLINE_AHEAD_MAX;
    family->line_max = qn_online_is_cpu(family) || threads < 1 ? 1 : threads;
    family->stage = QN_ONLINE_IDLE;
    return resume(family);
}

qn_status qn_online_family_create(const qn_family_launch *launch, const qn_tune_attach_options *options,
                                  const qn_online_length *length, qn_online_family **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_online_family), &memory));
    qn_online_family *family = memory;
    family->family = launch->family;
    family->device = qn_queue_device(launch->queue);
    family->store = options->store;
    family->length = length;
    family->last_pending = &family->pending;
    const char *definitions = launch->definitions ? launch->definitions : "";
    qn_status status = QN_OK;
    if (strlen(definitions) >= sizeof family->definitions)
        status = qn_error_set(QN_UNSUPPORTED, __FILE__, __LINE__, "definitions of %zu bytes", strlen(definitions));
    else
        strcpy(family->definitions, definitions);
    if (status == QN_OK) status = qn_tune_key_make(family->family, family->device, launch->problem_class, &family->key);
    if (status == QN_OK && options->store)
        status = qn_tune_store_problem(options->store, &family->key, &family->problem);
    if (status == QN_OK) status = qn_online_find_starts(family, launch);
    if (status == QN_OK) status = prepare_search(family, launch, options);
    family->device = qn_device_retain(family->device);
    if (status != QN_OK) {
        family->problem = 0;
        qn_online_family_destroy(&family, 0);
        return status;
    }
    *out = family;
    return QN_OK;
}

/* Charge the finished builds that no trial used. */
static void charge_line(qn_online_family *family, double waited_s)
{
    for (int i = 0; i < family->line_count; i++) {
        const qn_online_ahead *built = &family->line[(family->line_first + i) % QN_ONLINE_AHEAD_MAX];
        if (!built->job.done) continue;
        family->build_s += built->job.seconds;
        qn_online_spend(family, qn_online_build_cost(family, built->job.seconds));
    }
    qn_online_spend(family, waited_s);
}

void qn_online_family_destroy(qn_online_family **pointer, double waited_s)
{
    qn_online_family *family = *pointer;
    char text[QN_TUNE_CONFIGURATION_BYTES];
    if (!family) return;
    if (family->problem && family->stage == QN_ONLINE_TRYING) { /* an unfinished trial does not count as a crash */
        qn_tune_configuration_text(family->family, &family->job.configuration, text, sizeof text);
        qn_online_check_store(family, qn_tune_store_cancel(family->store, family->problem, text));
    }
    if (family->problem && family->best_times.count >= QN_ONLINE_START_ROUNDS) {
        qn_test test = qn_online_test_of(&family->best_times);
        qn_online_write_row(family, &family->best, &test);
    }
    if (family->tuner) {
        charge_line(family, waited_s);
        qn_online_settle(family);
    }
    for (qn_online_round *lists[] = {family->open, family->pending}, **at = lists; at < lists + 2; at++)
        while (*at) {
            qn_online_round *round = *at;
            *at = round->next;
            qn_online_round_destroy(&round);
        }
    qn_tuner_destroy(&family->tuner);
    qn_space_destroy(&family->space);
    qn_device_release(&family->device);
    qn_release(pointer);
}
