#define _POSIX_C_SOURCE 200809L
#include "deform/live/loop.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"
#include "deform/live/pace.h"
#include "deform/live/relay.h"

enum { AHEAD = 256 }; /* ticks that a simulated clock looks ahead */

static const double hand_memory_s = 0.025;

struct qn_loop {
    qn_loop_options options;
    qn_feel_options feel_options;
    qn_crew *crew;
    qn_cache *cache;
    qn_feel feel;
    qn_hand_filter filter;
    qn_relay place; /* of the last tick, for the shape */
    qn_thread thread;
    atomic_bool is_stopping;
    qn_tick *ticks; /* a ring */
    size_t capacity;
    qn_loop_facts facts;
};

static qn_status check_options(const qn_loop_options *options)
{
    if (!(options->rate_hz >= 1 && options->rate_hz <= 20000))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the rate is %g Hz; expected 1 to 20000", options->rate_hz);
    if (!(options->force_limit > 0 && isfinite(options->force_limit)))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the largest force is %g N; expected a positive number",
                       options->force_limit);
    if (!(options->slew_limit > 0 && isfinite(options->slew_limit)))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the largest change of the force is %g N/s; expected a positive number",
                       options->slew_limit);
    const bool needs_end = options->crew.is_simulated || options->tick_capacity == 0;
    if (!(options->duration_s >= 0) || (needs_end && !isfinite(options->duration_s)))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the duration is %g s; expected a finite time", options->duration_s);
    return QN_OK;
}

/* The tick that ends the run: its time is beyond the duration. Multiples of the period are compared with room for
 * rounding. */
static uint64_t tick_end(const qn_loop_options *options)
{
    return isfinite(options->duration_s) ? (uint64_t)floor(options->duration_s * options->rate_hz + 1e-6) + 1
                                         : UINT64_MAX;
}

static qn_status prepare(qn_loop *loop, const qn_loop_options *options)
{
    void *memory;
    loop->options = *options;
    loop->feel_options = (qn_feel_options){.grid = options->crew.grid,
                                           .way = options->way,
                                           .force_limit = options->force_limit,
                                           .slew_limit = options->slew_limit};
    loop->filter = qn_hand_filter_start(hand_memory_s);
    loop->capacity = options->tick_capacity ? options->tick_capacity : (size_t)tick_end(options);
    QN_TRY(qn_allocate(loop->capacity, sizeof *loop->ticks, &memory));
    loop->ticks = memory;
    memset(loop->ticks, 0, loop->capacity * sizeof *loop->ticks); /* the loop must not meet new pages */
    QN_TRY(qn_crew_create(&options->crew, &loop->crew));
    loop->cache = qn_crew_cache(loop->crew);
    return QN_OK;
}

qn_status qn_loop_create(const qn_loop_options *options, qn_loop **loop)
{
    void *memory;
    *loop = NULL;
    QN_TRY(check_options(options));
    QN_TRY(qn_allocate(1, sizeof **loop, &memory));
    *loop = memory;
    const qn_status status = prepare(*loop, options);
    if (status != QN_OK) qn_loop_destroy(loop);
    return status;
}

void qn_loop_destroy(qn_loop **loop)
{
    if (!*loop) return;
    qn_crew_destroy(&(*loop)->crew);
    qn_release(&(*loop)->ticks);
    qn_release(loop);
}

void qn_loop_stop(qn_loop *loop)
{
    atomic_store(&loop->is_stopping, true);
}

static void count(qn_loop_facts *facts, uint32_t flags)
{
    facts->ticks++;
    facts->late += (flags & QN_TICK_LATE) != 0;
    facts->extrapolated += (flags & QN_TICK_EXTRAPOLATED) != 0;
    facts->fold += (flags & QN_TICK_FOLD) != 0;
    facts->limited += (flags & QN_TICK_LIMITED) != 0;
    facts->clamped += (flags & QN_TICK_CLAMPED) != 0;
    facts->blended += (flags & QN_TICK_BLENDED) != 0;
    facts->free += (flags & QN_TICK_FREE) != 0;
}

/* Forget a hand that is gone; the shape is that of rest again. */
static void leave(qn_loop *loop)
{
    const double rest[QN_RELAY_NUMBERS] = {0};
    memset(&loop->feel, 0, sizeof loop->feel);
    loop->filter = qn_hand_filter_start(hand_memory_s);
    qn_relay_write(&loop->place, rest);
}

/* The tick of a sample, `step_s` after the one before, without its times; NULL where there is no hand. */
static qn_tick *feel(qn_loop *loop, double time_s, double step_s, const qn_hand_sample *sample)
{
    if (!sample->is_there) {
        if (loop->filter.is_started) leave(loop);
        return NULL;
    }
    qn_tick *const tick = &loop->ticks[loop->facts.ticks % loop->capacity];
    *tick = (qn_tick){.time_s = time_s};
    memcpy(tick->place, sample->place, sizeof tick->place);
    qn_cache_begin_tick(loop->cache);
    qn_feel_tick(&loop->feel_options, loop->cache, qn_crew_nearest(loop->crew), sample->place, sample->is_held, step_s,
                 &loop->feel, tick->cell, &tick->flags);
    qn_cache_end_tick(loop->cache);
    memcpy(tick->force, loop->feel.force, sizeof tick->force);
    count(&loop->facts, tick->flags);
    return tick;
}

/* Tell the scheduler where the hand is, inside of the grid: so the filter's numbers stay finite. The shape is that of
 * rest while the hand holds nothing. */
static void tell(qn_loop *loop, const double where[3], bool is_held, double step_s)
{
    double place[3];
    int32_t cell[3];
    memcpy(place, where, sizeof place);
    qn_grid_cell(&loop->feel_options.grid, place, cell);
    double numbers[QN_RELAY_NUMBERS] = {0};
    if (is_held) memcpy(numbers, place, sizeof place);
    qn_hand_filter_add(&loop->filter, place, step_s);
    qn_crew_tell_hand(loop->crew, &loop->filter);
    qn_relay_write(&loop->place, numbers);
}

/* ---- real time ---- */

/* After moments that were missed, the force changes by the share of one tick only. */
static double felt_step_s(const qn_loop *loop, double step_s)
{
    const double most = (loop->options.wait ? 2 : 1) / loop->options.rate_hz;
    return step_s < most ? step_s : most;
}

static bool one_tick(void *user, const qn_pace_moment *moment)
{
    qn_loop *const loop = user;
    qn_hand_sample sample = {.is_there = false};
    if (atomic_load(&loop->is_stopping) || qn_crew_has_failed(loop->crew)) return false;
    const int64_t begin_ns = qn_pace_now_ns();
    loop->options.input(loop->options.user, moment->time_s, &sample);
    qn_tick *const tick = feel(loop, moment->time_s, felt_step_s(loop, moment->step_s), &sample);
    if (!tick) return true;
    if (loop->options.output) loop->options.output(loop->options.user, tick, &sample);
    tell(loop, sample.place, sample.is_held, moment->step_s);
    tick->lateness_us = (float)moment->lateness_us;
    tick->work_us = (float)(1e-3 * (double)(qn_pace_now_ns() - begin_ns));
    return true;
}

static bool wait_for_news(void *user, int64_t moment_ns)
{
    const qn_loop *const loop = user;
    return loop->options.wait(loop->options.user, moment_ns);
}

static qn_status run_thread(void *user)
{
    qn_loop *const loop = user;
    const qn_loop_options *const options = &loop->options;
    const qn_pace_rights rights = qn_pace_enter();
    loop->facts.has_priority = rights.has_priority;
    loop->facts.has_locked_memory = rights.has_locked_memory;
    const int awake = options->wait ? -1 : qn_pace_keep_awake(); /* who waits for news knows when there is a hand */
    loop->facts.missed = options->wait
                             ? qn_pace_follow(options->rate_hz, options->duration_s, wait_for_news, one_tick, loop)
                             : qn_pace_run(options->rate_hz, tick_end(options), one_tick, loop);
    qn_pace_let_sleep(awake);
    qn_pace_leave(rights);
    return QN_OK;
}

static qn_status run_in_real_time(qn_loop *loop)
{
    qn_hand_sample sample = {.is_there = false};
    QN_TRY(qn_crew_start(loop->crew));
    loop->options.input(loop->options.user, 0, &sample);
    qn_crew_wait(loop->crew, sample.place, &loop->is_stopping);
    qn_status status = qn_thread_start(&loop->thread, run_thread, loop);
    if (status == QN_OK) status = qn_thread_join(&loop->thread);
    const qn_status stopped = qn_crew_stop(loop->crew);
    return status != QN_OK ? status : stopped;
}

/* ---- simulated clock ---- */

static qn_status run_simulated(qn_loop *loop)
{
    qn_hand_sample samples[AHEAD];
    double places[AHEAD][3];
    const double period_s = 1 / loop->options.rate_hz;
    const uint64_t end = tick_end(&loop->options);
    for (uint64_t first = 0; first < end; first += AHEAD) {
        const size_t ahead = end - first < AHEAD ? (size_t)(end - first) : AHEAD;
        for (size_t i = 0; i < ahead; i++) {
            samples[i] = (qn_hand_sample){.is_there = false};
            loop->options.input(loop->options.user, (double)(first + i) / loop->options.rate_hz, &samples[i]);
            memcpy(places[i], samples[i].place, sizeof places[i]);
        }
        for (size_t done = 0, ready; done < ahead; done += ready) {
            QN_TRY(qn_crew_solve_for(loop->crew, (const double(*)[3])places + done, ahead - done, &ready));
            for (size_t i = done; i < done + ready; i++) {
                if (atomic_load(&loop->is_stopping)) return QN_OK;
                const double time_s = (double)(first + i) / loop->options.rate_hz;
                const qn_tick *const tick = feel(loop, time_s, period_s, &samples[i]);
                if (tick && loop->options.output) loop->options.output(loop->options.user, tick, &samples[i]);
                if (tick) tell(loop, samples[i].place, samples[i].is_held, period_s);
            }
        }
    }
    return QN_OK;
}

qn_status qn_loop_run(qn_loop *loop)
{
    return loop->options.crew.is_simulated ? run_simulated(loop) : run_in_real_time(loop);
}

/* ---- reports ---- */

void qn_loop_shape(qn_loop *loop, float *x)
{
    double numbers[QN_RELAY_NUMBERS];
    qn_relay_read(&loop->place, numbers);
    qn_crew_shape(loop->crew, numbers, x);
}

size_t qn_loop_tick_count(const qn_loop *loop)
{
    return loop->facts.ticks < loop->capacity ? (size_t)loop->facts.ticks : loop->capacity;
}

const qn_tick *qn_loop_tick(const qn_loop *loop, size_t index)
{
    const uint64_t first = loop->facts.ticks - qn_loop_tick_count(loop);
    return &loop->ticks[(first + index) % loop->capacity];
}

qn_loop_facts qn_loop_facts_of(qn_loop *loop)
{
    qn_loop_facts facts = loop->facts;
    facts.crew = qn_crew_facts_of(loop->crew);
    return facts;
}

const qn_solve_record *qn_loop_solves(const qn_loop *loop, size_t *solve_count)
{
    return qn_crew_records(loop->crew, solve_count);
}

/* ---- the machine alone ---- */

typedef struct empty_loop {
    double rate_hz;
    size_t count, capacity;
    float *lateness_us;
} empty_loop;

static bool empty_tick(void *user, const qn_pace_moment *moment)
{
    empty_loop *const loop = user;
    if (loop->count == loop->capacity) return false;
    loop->lateness_us[loop->count++] = (float)moment->lateness_us;
    return true;
}

static qn_status run_empty(void *user)
{
    empty_loop *const loop = user;
    const qn_pace_rights rights = qn_pace_enter();
    const int awake = qn_pace_keep_awake();
    (void)qn_pace_run(loop->rate_hz, UINT64_MAX, empty_tick, loop);
    qn_pace_let_sleep(awake);
    qn_pace_leave(rights);
    return QN_OK;
}

qn_status qn_loop_measure_machine(double rate_hz, size_t tick_count, float *lateness_us)
{
    qn_thread thread;
    empty_loop loop = {.rate_hz = rate_hz, .capacity = tick_count, .lateness_us = lateness_us};
    if (!(rate_hz >= 1 && rate_hz <= 20000))
        return QN_FAIL(QN_INVALID_ARGUMENT, "the rate is %g Hz; expected 1 to 20000", rate_hz);
    QN_TRY(qn_thread_start(&thread, run_empty, &loop));
    return qn_thread_join(&thread);
}
