/* Trials: choice of the configuration of a round, and judgement of its time. docs/design/tuning.md has the
 * equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/device.h"
#include "tune/online.h"

enum { FIRST_ROUNDS = 1, FAIR_ROUNDS = 4, CERTAIN_ROUNDS = 9, MOST_PENDING = 64, SAMPLE_EVERY = 32 };

static const double hopeless_at_once = 4, hopeless = 1.5, better = 0.995; /* of the best's time */

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
    const double best = qn_recent_median(&family->best_times);
    qn_test test = qn_online_test_of(&family->trial_times);
    qn_configuration drop = tried;
    family->stage = QN_ONLINE_IDLE;
    family->tests++;
    test.outcome = outcome;
    test.build_seconds = family->job.seconds;
    test.run_seconds = family->trial_run_s;
    if (outcome != QN_TEST_CORRECT) {
        family->failed++;
        test.objective = INFINITY;
    } else if (test.objective < better * best) {
        drop = family->best;
        /* Both were timed one after the other. Times of the start and of the present may not be compared: a machine
         * that is busy, hot or cold at one of them would seem to be a gain or a loss. */
        family->speedup *= isfinite(best) && test.objective > 0 ? best / test.objective : 0;
        family->best = tried;
        family->best_times = family->trial_times;
        family->found = true;
    }
    tell(family, family->point, &test);
    qn_online_write_row(family, &tried, &test);
    /* drop only the tried configuration, whose rounds are all collected; rounds of the old best may still run */
    if (memcmp(&drop, &tried, sizeof drop) == 0) qn_family_forget(family->family, family->device, &drop);
    qn_online_settle(family); /* a run that is killed loses only its current trial */
}

/* When all wanted rounds of the trial are collected, ask for more rounds or end the trial. On a shared machine one
 * round can take several times as long as usual. So one round ends a trial only if it is much slower than the best, and
 * a few rounds only if none was as fast as the median of the best or their median is clearly slower. */
static void judge(qn_online_family *family)
{
    double values[QN_RECENT_MAX], best = qn_recent_median(&family->best_times);
    if (family->trial_waiting > 0 || family->trial_rounds < family->trial_wanted) return;
    double now = qn_recent_median(&family->trial_times);
    int count = qn_recent_sort(&family->trial_times, values);
    /* on a GPU events measure the kernels alone, so the limit is tighter */
    const double limit = qn_online_is_cpu(family) ? hopeless_at_once : hopeless;
    if (family->trial_wanted == FIRST_ROUNDS && now <= limit * best) {
        family->trial_times.count = 0; /* the first round warmed up caches and clocks */
        family->trial_wanted = FAIR_ROUNDS;
    } else if (family->trial_wanted == FAIR_ROUNDS && now <= hopeless * best && count > 0 && values[0] <= best) {
        family->trial_wanted = CERTAIN_ROUNDS;
    } else {
        end_trial(family, QN_TEST_CORRECT);
    }
}

/* Tell the searcher the time of the start configuration. This is the first test: nothing is tried before. */
static void note_start(qn_online_family *family)
{
    qn_point point;
    if (family->start_is_measured || family->best_times.count < QN_ONLINE_START_ROUNDS) return;
    family->start_is_measured = true;
    qn_test test = qn_online_test_of(&family->best_times);
    qn_online_write_row(family, &family->best, &test);
    if (family->tuner && !family->start_is_told && qn_tune_point_of(family->space, &family->best, &point))
        tell(family, point, &test);
}

static void account(qn_online_family *family, const qn_online_round *round, double seconds)
{
    const double value = round->scale > 0 ? seconds / round->scale : seconds;
    const double best = qn_recent_median(&family->best_times);
    qn_online_earn(family, seconds);
    if (round->trial) {
        double lost = isfinite(best) ? seconds - best * (round->scale > 0 ? round->scale : 1) : 0;
        family->trial_waiting--;
        family->trial_run_s += seconds;
        if (lost > 0) {
            family->lost_s += lost;
            qn_online_spend(family, lost);
        }
        qn_recent_add(&family->trial_times, value);
        if (family->stage == QN_ONLINE_TRYING) judge(family);
    } else if (memcmp(&round->configuration, &family->best, sizeof family->best) == 0) {
        qn_recent_add(&family->best_times, value);
        family->known_round_s = seconds;
        family->known_scale = round->scale;
        note_start(family);
    }
}

/* Collect the rounds that are complete, the oldest first, without waiting. */
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
        qn_online_earn(family, family->known_round_s);
        if (round->trial) { /* no launch of the round was measured */
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

/* End the search. Later runs try nothing as long as the space is the same. */
static void finish_search(qn_online_family *family)
{
    family->stage = QN_ONLINE_OVER;
    if (family->problem && family->keeps_account)
        qn_online_check_store(family,
                              qn_tune_store_set_finished(family->store, family->problem, qn_space_size(family->space)));
}

static bool ask(qn_online_family *family, qn_ahead *ahead)
{
    qn_point point;
    if (!qn_online_can_build(family)) return false;
    /* the rest of the space is being built already */
    if (qn_tuner_test_count(family->tuner) + (uint64_t)family->line_count >= qn_space_size(family->space) &&
        family->line_count > 0)
        return false;
    if (qn_tuner_finished(family->tuner) || qn_tuner_next(family->tuner, &point) != QN_OK ||
        qn_tuner_finished(family->tuner)) {
        qn_error_clear();
        if (family->line_count == 0 && family->stage == QN_ONLINE_IDLE) finish_search(family);
        return false;
    }
    qn_online_ahead *added = &family->line[(family->line_first + family->line_count++) % QN_ONLINE_AHEAD_MAX];
    *added = (qn_online_ahead){.point = point,
                               .job = {.family = family->family,
                                       .device = family->device,
                                       .configuration = qn_tune_configuration(family->space, point)}};
    memcpy(added->job.definitions, family->definitions, sizeof family->definitions);
    qn_ahead_add(ahead, &added->job);
    return true;
}

/* If the first point of the line is built, make it the next trial. */
static void take_built(qn_online_family *family, qn_ahead *ahead)
{
    qn_online_ahead *built = &family->line[family->line_first];
    if (family->line_count == 0 || !qn_ahead_done(ahead, &built->job)) return;
    family->job = built->job;
    family->point = built->point;
    family->line_first = (family->line_first + 1) % QN_ONLINE_AHEAD_MAX;
    family->line_count--;
    family->build_s += family->job.seconds;
    family->build_max_s = fmax(family->build_max_s, family->job.seconds);
    qn_online_spend(family, qn_online_build_cost(family, family->job.seconds));
    family->stage = QN_ONLINE_READY;
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
    qn_online_check_store(family, qn_tune_store_start(family->store, family->problem, text));
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
    /* on a CPU device, which the compiler uses too, a build begins only when the next trial needs it */
    if (family->start_is_measured && family->stage != QN_ONLINE_OVER &&
        !(qn_online_is_cpu(family) && family->stage != QN_ONLINE_IDLE))
        while (family->line_count < family->line_max && ask(family, ahead)) {
        }
    if (family->stage == QN_ONLINE_READY && qn_online_can_try(family)) start_trial(family, launch);
    round->configuration = family->best;
    round->timed = !is_crowded(family) && (family->stage != QN_ONLINE_OVER || family->rounds % SAMPLE_EVERY == 0 ||
                                           !family->start_is_measured);
    if (family->stage != QN_ONLINE_TRYING || launch->queue != family->trial_queue || is_crowded(family) ||
        family->trial_rounds >= family->trial_wanted)
        return;
    round->configuration = family->job.configuration;
    round->trial = round->timed = true;
    family->trial_rounds++;
    family->trial_waiting++;
}

void qn_online_failed(qn_online_family *family, const qn_family_launch *launch, const qn_online_round *round,
                      qn_status status)
{
    const qn_configuration fallback = qn_family_fallback(family->family);
    if (round->trial) {
        if (family->stage == QN_ONLINE_TRYING) end_trial(family, qn_tune_outcome_of(status));
        return;
    }
    const qn_test test = {.outcome = qn_tune_outcome_of(status), .objective = INFINITY};
    if (memcmp(&fallback, &family->best, sizeof fallback) == 0) return;
    if (memcmp(&round->configuration, &family->best, sizeof family->best) != 0) return; /* replaced already */
    qn_online_write_row(family, &family->best, &test); /* so that the next run does not use it either */
    qn_online_take_start(family, launch, family->found ? family->start : family->start + 1);
    family->best_times.count = 0;
}
