/* What a family is run with next, and what is learnt from its rounds. The equations are in docs/design/tuning.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/guide.h"
#include "tune/online.h"

enum { FIRST_ROUNDS = 1, FAIR_ROUNDS = 4, CERTAIN_ROUNDS = 9, START_ROUNDS = 5, MOST_PENDING = 64, SAMPLE_EVERY = 32 };

static const double hopeless_at_once = 4, hopeless = 1.5, better = 0.995; /* of the best's time */
static const double allowance_s = 0.01, allowance_rounds = 3, build_allowance_s = 1;
static const double most_advance_s = 1; /* of a run whose length is known */
static const double remaining_gain = 0.005;
/* What a minute leaves time for where some threads compile; and of a large space this share, up to that, is tried
 * before the estimate may end it: the curve of a few tests is flat by chance. */
static const uint64_t expected_tests = 300, least_share = 100;

static bool is_cpu(const qn_online_family *family)
{
    return qn_device_get_info(family->device)->kind == QN_DEVICE_CPU;
}

void qn_recent_add(qn_recent *recent, double value)
{
    recent->values[recent->count++ % QN_ONLINE_RECENT] = value;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int sorted(const qn_recent *recent, double values[QN_ONLINE_RECENT])
{
    int count = recent->count < QN_ONLINE_RECENT ? recent->count : QN_ONLINE_RECENT;
    memcpy(values, recent->values, (size_t)count * sizeof *values);
    qsort(values, (size_t)count, sizeof *values, compare);
    return count;
}

double qn_recent_median(const qn_recent *recent)
{
    double values[QN_ONLINE_RECENT];
    int count = sorted(recent, values);
    if (count == 0) return INFINITY;
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

double qn_recent_spread(const qn_recent *recent)
{
    double values[QN_ONLINE_RECENT];
    int count = sorted(recent, values);
    return count < 2 ? 0 : 0.5 * (values[(count * 3) / 4] - values[count / 4]);
}

void qn_online_round_destroy(qn_online_round **round)
{
    if (!*round) return;
    for (int i = 0; i < (*round)->event_count; i++) qn_event_destroy(&(*round)->events[i]);
    qn_release(round);
}

/* Tuning is a help: when its store fails the work goes on without. */
static void without_store(qn_online_family *family, qn_status status)
{
    if (status == QN_OK) return;
    qn_log(QN_LOG_WARNING, "tuning results are not kept: %s", qn_error_message());
    qn_error_clear();
    family->problem = 0;
}

/* Objectives here are per nominal second where the work is known; rows hold the seconds of a round. */
static void write_row(qn_online_family *family, const qn_configuration *configuration, const qn_test *test)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    qn_test row = *test;
    if (!family->problem) return;
    if (family->known_scale > 0) row.objective *= family->known_scale, row.spread *= family->known_scale;
    qn_tune_configuration_text(family->family, configuration, text, sizeof text);
    without_store(family, qn_tune_store_finish(family->store, family->problem, text, &row, family->known_scale));
}

/* A correct test of what `times` hold. */
static qn_test test_of(const qn_recent *times)
{
    return (qn_test){
        .outcome = QN_TEST_CORRECT, .objective = qn_recent_median(times), .spread = qn_recent_spread(times)};
}

static void tell(qn_online_family *family, qn_point point, const qn_test *test)
{
    if (qn_tuner_tell(family->tuner, point, test) != QN_OK) {
        qn_error_clear();
        family->stage = QN_ONLINE_OVER;
    }
}

static void end_trial(qn_online_family *family, qn_test_outcome outcome)
{
    const qn_configuration tried = family->job.configuration;
    qn_test test = test_of(&family->trial_times);
    qn_configuration drop = tried;
    family->stage = QN_ONLINE_IDLE;
    family->tests++;
    test.outcome = outcome;
    test.build_seconds = family->job.seconds;
    test.run_seconds = family->trial_run_s;
    if (outcome != QN_TEST_CORRECT) {
        family->failed++;
        test.objective = INFINITY;
    } else if (test.objective < better * qn_recent_median(&family->best_times)) {
        drop = family->best;
        family->best = tried;
        family->best_times = family->trial_times;
        family->origin = "found in this run";
    }
    tell(family, family->point, &test);
    write_row(family, &tried, &test);
    /* rounds of the best may be under way, those of what was tried are collected */
    if (memcmp(&drop, &tried, sizeof drop) == 0) qn_family_forget(family->family, family->device, &drop);
}

/* The rounds of the trial that were wanted came in: more of them, or is the matter clear? One round on a shared machine
 * can take several times as long as it should, so it condemns only what is far off, and a few only what was never as
 * fast as the best usually is. */
static void judge(qn_online_family *family)
{
    double values[QN_ONLINE_RECENT], best = qn_recent_median(&family->best_times);
    if (family->trial_waiting > 0 || family->trial_rounds < family->trial_wanted) return;
    double now = qn_recent_median(&family->trial_times);
    int count = sorted(&family->trial_times, values);
    /* events of a GPU time its kernels alone */
    const double limit = is_cpu(family) ? hopeless_at_once : hopeless;
    if (family->trial_wanted == FIRST_ROUNDS && now <= limit * best) {
        family->trial_times.count = 0; /* it warmed up caches and clocks */
        family->trial_wanted = FAIR_ROUNDS;
    } else if (family->trial_wanted == FAIR_ROUNDS && now <= hopeless * best && count > 0 && values[0] <= best) {
        family->trial_wanted = CERTAIN_ROUNDS;
    } else {
        end_trial(family, QN_TEST_CORRECT);
    }
}

/* The first times of the configuration that the run began with are what gains are measured against. */
static void note_start(qn_online_family *family)
{
    qn_point point;
    if (family->start_written || family->best_times.count < START_ROUNDS) return;
    family->start_written = true;
    family->start_times = family->best_times;
    qn_test test = test_of(&family->start_times);
    write_row(family, &family->best, &test);
    if (family->tuner && qn_tune_point_of(family->space, &family->best, &point)) tell(family, point, &test);
}

static void account(qn_online_family *family, const qn_online_round *round, double seconds)
{
    const double value = round->scale > 0 ? seconds / round->scale : seconds;
    const double best = qn_recent_median(&family->best_times);
    family->device_s += seconds;
    if (round->trial) {
        double lost = isfinite(best) ? seconds - best * (round->scale > 0 ? round->scale : 1) : 0;
        family->trial_waiting--;
        family->trial_run_s += seconds;
        if (lost > 0) family->lost_s += lost;
        qn_recent_add(&family->trial_times, value);
        if (family->stage == QN_ONLINE_TRYING) judge(family);
    } else if (memcmp(&round->configuration, &family->best, sizeof family->best) == 0) {
        qn_recent_add(&family->best_times, value);
        family->known_round_s = seconds;
        family->known_scale = round->scale;
        note_start(family);
    }
}

/* Take in the rounds that are over, oldest first, without waiting. */
static void collect(qn_online_family *family)
{
    while (family->pending) {
        qn_online_round *round = family->pending;
        double seconds = 0, each;
        bool done = true;
        qn_status status = QN_OK;
        for (int i = 0; i < round->event_count && done && status == QN_OK; i++)
            status = qn_event_done(round->events[i], &done);
        if (status == QN_OK && !done) return;
        for (int i = 0; i < round->event_count && status == QN_OK; i++) {
            status = qn_event_seconds(round->events[i], &each);
            seconds += each;
        }
        family->pending = round->next;
        if (!family->pending) family->last_pending = &family->pending;
        family->pending_count--;
        if (status == QN_OK) account(family, round, seconds);
        if (status != QN_OK) { /* the application meets the same error when it waits for the queue */
            qn_error_clear();
            if (round->trial) family->trial_waiting--;
            if (round->trial && family->stage == QN_ONLINE_TRYING) end_trial(family, qn_tune_outcome_of(status));
        }
        qn_online_round_destroy(&round);
    }
}

void qn_online_close(qn_online_family *family, qn_online_round *round)
{
    if (!round->timed || round->event_count == 0) {
        family->device_s += family->known_round_s;
        if (round->trial) { /* nothing of it was launched */
            family->trial_waiting--;
            family->trial_rounds--;
        }
        qn_online_round_destroy(&round);
        return;
    }
    round->next = NULL;
    *family->last_pending = round;
    family->last_pending = &round->next;
    family->pending_count++;
}

static bool ask(qn_online_family *family, qn_ahead *ahead)
{
    qn_point point;
    int units = qn_device_get_info(family->device)->compute_units;
    /* on a CPU device the compiler takes a core away from the kernels */
    if (is_cpu(family) &&
        family->build_s / (units > 1 ? units : 1) > family->budget * family->device_s + build_allowance_s)
        return false;
    /* what is left of the space is on its way already */
    if (qn_tuner_test_count(family->tuner) + (uint64_t)family->line_count >= qn_space_size(family->space) &&
        family->line_count > 0)
        return false;
    if (qn_tuner_finished(family->tuner) || qn_tuner_next(family->tuner, &point) != QN_OK ||
        qn_tuner_finished(family->tuner)) {
        qn_error_clear();
        if (family->line_count == 0 && family->stage == QN_ONLINE_IDLE) family->stage = QN_ONLINE_OVER;
        return false;
    }
    qn_online_ahead *added = &family->line[(family->line_first + family->line_count++) % QN_ONLINE_MOST_AHEAD];
    *added = (qn_online_ahead){.point = point,
                               .job = {.family = family->family,
                                       .device = family->device,
                                       .configuration = qn_tune_configuration(family->space, point)}};
    memcpy(added->job.definitions, family->definitions, sizeof family->definitions);
    qn_ahead_add(ahead, &added->job);
    return true;
}

/* The first of the line, once it is built, is the next to be tried. */
static void take_built(qn_online_family *family, qn_ahead *ahead)
{
    qn_online_ahead *built = &family->line[family->line_first];
    if (family->line_count == 0 || !qn_ahead_done(ahead, &built->job)) return;
    family->job = built->job;
    family->point = built->point;
    family->line_first = (family->line_first + 1) % QN_ONLINE_MOST_AHEAD;
    family->line_count--;
    family->build_s += family->job.seconds;
    family->stage = QN_ONLINE_READY;
}

/* Another trial may cost what trials cost on average; before the first, one round more. Of a run whose length is known
 * the budget can be spent early. */
static bool can_afford(const qn_online_family *family)
{
    double trial_s = family->tests > 0 ? family->lost_s / (double)family->tests : family->known_round_s;
    double advance_s = fmin(family->budget * (family->expected_s - family->device_s), most_advance_s);
    return family->lost_s + trial_s <= family->budget * family->device_s + fmax(advance_s, 0) + allowance_s +
                                           allowance_rounds * family->known_round_s;
}

static void start_trial(qn_online_family *family, const qn_family_launch *launch)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    family->trial_queue = launch->queue;
    family->trial_rounds = family->trial_waiting = 0;
    family->trial_wanted = FIRST_ROUNDS;
    family->trial_times.count = 0;
    family->trial_run_s = 0;
    qn_status status = family->job.status;
    if (status == QN_OK)
        status = qn_family_fits(family->family, family->device, &family->job.configuration, launch->definitions,
                                launch->problem);
    if (status != QN_OK) {
        qn_error_clear();
        end_trial(family, qn_tune_outcome_of(status));
        return;
    }
    family->stage = QN_ONLINE_TRYING;
    if (!family->problem) return;
    qn_tune_configuration_text(family->family, &family->job.configuration, text, sizeof text);
    without_store(family, qn_tune_store_start(family->store, family->problem, text));
}

static bool is_crowded(const qn_online_family *family)
{
    return family->pending_count >= MOST_PENDING;
}

void qn_online_begin(qn_online_family *family, qn_ahead *ahead, const qn_family_launch *launch, qn_online_round *round)
{
    collect(family);
    family->rounds++;
    if (family->tuner && family->stage == QN_ONLINE_IDLE) take_built(family, ahead);
    /* on a CPU device, which the compiler shares, nothing is built before it is wanted */
    if (family->start_written && family->stage != QN_ONLINE_OVER &&
        !(is_cpu(family) && family->stage != QN_ONLINE_IDLE))
        while (family->line_count < family->line_most && ask(family, ahead)) {
        }
    if (family->stage == QN_ONLINE_READY && can_afford(family)) start_trial(family, launch);
    round->configuration = family->best;
    round->timed = !is_crowded(family) &&
                   (family->stage != QN_ONLINE_OVER || family->rounds % SAMPLE_EVERY == 0 || !family->start_written);
    if (family->stage != QN_ONLINE_TRYING || launch->queue != family->trial_queue || is_crowded(family) ||
        family->trial_rounds >= family->trial_wanted)
        return;
    round->configuration = family->job.configuration;
    round->trial = round->timed = true;
    family->trial_rounds++;
    family->trial_waiting++;
}

void qn_online_failed(qn_online_family *family, const qn_online_round *round, qn_status status)
{
    const qn_configuration fallback = qn_family_fallback(family->family);
    if (round->trial) {
        if (family->stage == QN_ONLINE_TRYING) end_trial(family, qn_tune_outcome_of(status));
        return;
    }
    const qn_test test = {.outcome = qn_tune_outcome_of(status), .objective = INFINITY};
    if (memcmp(&fallback, &family->best, sizeof fallback) == 0) return;
    write_row(family, &family->best, &test); /* not again in the next run either */
    family->best = fallback;
    family->best_times.count = 0;
    family->origin = "fallback";
}

/* Tell the tuner what the store knows. */
static qn_status resume(qn_online_family *family)
{
    qn_tune_row *rows;
    size_t count;
    qn_point point;
    if (!family->problem) return QN_OK;
    QN_TRY(qn_tune_store_tests(family->store, family->problem, &rows, &count));
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        if (rows[i].running || !qn_tune_point_read(family->space, rows[i].configuration, &point)) continue;
        if (rows[i].scale > 0) rows[i].test.objective /= rows[i].scale;
        status = qn_tuner_tell(family->tuner, point, &rows[i].test);
    }
    qn_release(&rows);
    return status;
}

static qn_status prepare_search(qn_online_family *family, const qn_family_launch *launch,
                                const qn_tune_attach_options *options)
{
    const qn_device_info *info = qn_device_get_info(family->device);
    qn_tuner_options tuner = {.searcher = options->searcher, .seed = options->seed, .remaining_gain = remaining_gain};
    family->stage = QN_ONLINE_OVER;
    if (options->mode != QN_TUNE_ONLINE || family->family->tunable_count == 0) return QN_OK;
    QN_TRY(qn_tune_family_space(family->family, info, &family->space));
    if (qn_space_size(family->space) < 2) return QN_OK;
    tuner.store = options->store;
    /* what is predicted of the first launch holds for the class; rates are not measured on an application's time */
    qn_tuning_model *model;
    QN_TRY(qn_guide_make_table(tuner.searcher, family->family, launch->problem, info, family->space, &model));
    const uint64_t share = qn_space_size(family->space) / least_share;
    const qn_tuner_guide guide = {.model = model,
                                  .device = info,
                                  .expected_tests = expected_tests,
                                  .least_tests = share < expected_tests ? share : expected_tests};
    QN_TRY(qn_tuner_create_guided(family->space, &tuner, &guide, &family->tuner));
    int threads = qn_context_threads(qn_device_context(family->device)) / 2;
    if (threads > QN_ONLINE_MOST_AHEAD) threads = QN_ONLINE_MOST_AHEAD;
    family->line_most = is_cpu(family) || threads < 1 ? 1 : threads;
    family->stage = QN_ONLINE_IDLE;
    return resume(family);
}

/* The first of what is known that is not stale. */
static qn_status begin_with_known(qn_online_family *family)
{
    enum { MOST = 8 };
    static const char *const words[] = {"store", "shipped"};
    qn_tune_known known[MOST];
    size_t count;
    family->best = qn_family_fallback(family->family);
    family->origin = "fallback";
    QN_TRY(
        qn_tune_lookup(family->device, family->store, family->family, family->key.problem_class, known, MOST, &count));
    for (size_t i = 0; i < count && i < MOST; i++) {
        if (!known[i].stale) {
            family->best = known[i].configuration;
            family->origin = known[i].origin;
            return QN_OK;
        }
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (strcmp(known[i].origin, words[w]) == 0)
                qn_log(QN_LOG_WARNING,
                       "%s on %s: the tuning result of the %s is of another version of the kernel and "
                       "is not used",
                       family->family->name, qn_device_get_info(family->device)->identifier, words[w]);
    }
    return QN_OK;
}

qn_status qn_online_family_create(const qn_family_launch *launch, const qn_tune_attach_options *options,
                                  qn_online_family **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_online_family), &memory));
    qn_online_family *family = memory;
    family->family = launch->family;
    family->device = qn_queue_device(launch->queue);
    family->store = options->store;
    family->budget = options->budget > 0 ? options->budget : 0.02;
    family->expected_s = options->expected_seconds;
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
    if (status == QN_OK) status = begin_with_known(family);
    if (status == QN_OK) status = prepare_search(family, launch, options);
    family->device = qn_device_retain(family->device);
    if (status != QN_OK) {
        family->problem = 0;
        qn_online_family_destroy(&family);
        return status;
    }
    *out = family;
    return QN_OK;
}

void qn_online_family_destroy(qn_online_family **pointer)
{
    qn_online_family *family = *pointer;
    char text[QN_TUNE_CONFIGURATION_BYTES];
    if (!family) return;
    if (family->problem && family->stage == QN_ONLINE_TRYING) { /* it did not crash: it was not finished */
        qn_tune_configuration_text(family->family, &family->job.configuration, text, sizeof text);
        without_store(family, qn_tune_store_cancel(family->store, family->problem, text));
    }
    if (family->problem && family->best_times.count >= START_ROUNDS) {
        qn_test test = test_of(&family->best_times);
        write_row(family, &family->best, &test);
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
