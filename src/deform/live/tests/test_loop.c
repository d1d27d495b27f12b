/* labels: threads */
/* The loop with a solver that knows its field: with a simulated clock the same bytes for any number of workers and any
 * cache; in real time no late tick at a slow hand, and late ticks without a jump at a fast one. Real time is used as
 * little as possible, since other work may disturb it: only counts and limits are checked. */
#define _POSIX_C_SOURCE 200809L
#include "deform/live/loop.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "check.h"
#include "deform/live/hand.h"
#include "deform/live/pace.h"
#include "deform/live/relay.h"
#include "deform/live/tests/fake_solver.h"

static const qn_grid grid = {.step = 0.01, .least = {-3, -3, -3}, .most = {3, 3, 3}};

static void hand_input(void *user, double time_s, qn_hand_sample *sample)
{
    qn_hand_place(user, time_s, sample->place);
    sample->is_there = sample->is_held = true;
}

static qn_loop_options options_of(fake_solver *solver, int workers, bool is_simulated, double duration_s, qn_hand *hand)
{
    solver->step = grid.step;
    return (qn_loop_options){.crew = {.grid = grid,
                                      .freedom_count = FIELD_FREEDOMS,
                                      .solve = fake_solve,
                                      .user = solver,
                                      .worker_count = workers,
                                      .cache_bytes = 1e6,
                                      .is_simulated = is_simulated},
                             .rate_hz = 1000,
                             .force_limit = 20,
                             .slew_limit = 1000,
                             .duration_s = duration_s,
                             .input = hand_input,
                             .user = hand};
}

/* Run the loop along a hand; the caller destroys it. */
static qn_loop *run(qn_loop_options options, const char *hand_text)
{
    qn_loop *loop = NULL;
    qn_hand *hand;
    if (!CHECK_OK(qn_hand_create(hand_text, &hand))) return NULL;
    options.user = hand;
    if (CHECK_OK(qn_loop_create(&options, &loop))) CHECK_OK(qn_loop_run(loop));
    qn_hand_destroy(&hand);
    return loop;
}

/* ---- simulated clock ---- */

static void simulated_forces_are_those_of_the_field(void)
{
    fake_solver solver = {.field = {.cubic = 900}};
    qn_hand *hand;
    qn_loop *loop = run(options_of(&solver, 2, true, 2, NULL), "min-jerk:5,0.3,0.028");
    if (!loop || !CHECK_OK(qn_hand_create("min-jerk:5,0.3,0.028", &hand))) return;
    CHECK(qn_loop_tick_count(loop) == 2001);
    double worst = 0;
    int wrong = 0;
    for (size_t i = 60; i < qn_loop_tick_count(loop); i++) {
        const qn_tick *const tick = qn_loop_tick(loop, i);
        double place[3], energy, force[3], stiffness[9];
        qn_hand_place(hand, tick->time_s, place);
        field_at(&solver.field, place, &energy, force, stiffness);
        wrong += memcmp(place, tick->place, sizeof place) != 0 || tick->flags != 0 || tick->work_us != 0 ||
                 tick->lateness_us != 0;
        wrong += fabs(tick->time_s - 1e-3 * (double)i) > 1e-12;
        for (int axis = 0; axis < 3; axis++) worst = fmax(worst, fabs(tick->force[axis] + force[axis]));
    }
    CHECK(wrong == 0);
    CHECK_NEAR(worst, 0, 1e-13);
    CHECK(qn_loop_facts_of(loop).late == 0 && qn_loop_facts_of(loop).ticks == 2001);
    qn_hand_destroy(&hand);
    qn_loop_destroy(&loop);
}

static void simulated_bytes_depend_on_no_schedule(void)
{
    static const char hand[] = "min-jerk:11,1,0.03";
    fake_solver solvers[5] = {{.field = {.cubic = 900, .wave = 2e-3}, .adds_steps = true, .unsolved_at = {1, 1, 0}}};
    qn_loop *loops[5];
    for (int i = 0; i < 5; i++) {
        if (i > 0) solvers[i] = solvers[0];
        atomic_init(&solvers[i].calls, 0);
        qn_loop_options options = options_of(&solvers[i], i < 3 ? i + 1 : 2, true, 3, NULL);
        if (i == 2) solvers[i].seconds = 1e-4;
        if (i == 3)
            options.crew.cache_bytes =
                90 * (double)qn_cache_state_bytes(FIELD_FREEDOMS); /* states are removed and solved again */
        if (i == 4) options.crew.cache_bytes = 200 * (double)qn_cache_state_bytes(FIELD_FREEDOMS);
        loops[i] = run(options, hand);
        if (!loops[i]) return;
        CHECK(atomic_load(&solvers[i].wrong) == 0);
    }
    size_t counts[2];
    for (int i = 1; i < 5; i++) {
        int wrong = 0;
        CHECK(qn_loop_tick_count(loops[i]) == 3001);
        for (size_t tick = 0; tick < 3001; tick++)
            wrong += memcmp(qn_loop_tick(loops[i], tick), qn_loop_tick(loops[0], tick), sizeof(qn_tick)) != 0;
        CHECK(wrong == 0);
    }
    const qn_solve_record *const first = qn_loop_solves(loops[0], &counts[0]);
    for (int i = 1; i < 3; i++) { /* with the same cache the solutions are the same too, in the same order */
        const qn_solve_record *const other = qn_loop_solves(loops[i], &counts[1]);
        CHECK(counts[0] == counts[1] && memcmp(first, other, counts[0] * sizeof *first) == 0);
    }
    int unsolved = 0, wrong = 0;
    for (size_t i = 1; i < counts[0]; i++) { /* from their parents, or from the parent of the unsolved one */
        int32_t parent[3];
        CHECK(qn_grid_parent(first[i].index, parent));
        if (fake_is(parent, solvers[0].unsolved_at)) CHECK(qn_grid_parent(parent, parent));
        wrong += memcmp(parent, first[i].from, sizeof parent) != 0;
        unsolved += (first[i].flags & QN_GRID_UNSOLVED) != 0;
    }
    CHECK(wrong == 0 && unsolved == 1);
    CHECK(qn_loop_facts_of(loops[0]).fold > 0 && qn_loop_facts_of(loops[0]).late == 0);
    CHECK(qn_loop_facts_of(loops[0]).crew.cache.removed == 0 && qn_loop_facts_of(loops[3]).crew.cache.removed > 50);
    CHECK(atomic_load(&solvers[3].calls) > atomic_load(&solvers[0].calls));
    for (int i = 0; i < 5; i++) qn_loop_destroy(&loops[i]);
}

/* Cells that the fold crosses have its flag and are not interpolated; the cells with the steep step are. */
static void simulated_folds_are_never_crossed(void)
{
    fake_solver solvers[3];
    qn_loop *loops[3];
    for (int i = 0; i < 3; i++) {
        solvers[i] = (fake_solver){.field = {.cubic = 900}, .has_folds = true};
        qn_loop_options options = options_of(&solvers[i], i + 1, true, 4, NULL);
        options.crew.checks_folds = true;
        loops[i] = run(options, "min-jerk:2,0.3,0.03");
        if (!loops[i]) return;
    }
    int wrong = 0, folds = 0, steep = 0;
    for (size_t i = 0; i < qn_loop_tick_count(loops[0]); i++) {
        const qn_tick *const tick = qn_loop_tick(loops[0], i);
        const bool has_fold = tick->cell[0] >= 1 && tick->cell[1] == 0;
        wrong +=
            has_fold != ((tick->flags & QN_TICK_FOLD) != 0) || has_fold != ((tick->flags & QN_TICK_EXTRAPOLATED) != 0);
        folds += has_fold;
        steep += tick->cell[0] == 1 && tick->cell[1] > 0;
        for (int other = 1; other < 3; other++) wrong += memcmp(tick, qn_loop_tick(loops[other], i), sizeof *tick) != 0;
    }
    CHECK(wrong == 0 && folds > 50 && steep > 50);
    const qn_loop_facts facts = qn_loop_facts_of(loops[0]);
    CHECK(facts.crew.folds > 2 && facts.crew.folds <= 14 && facts.crew.fold_checks > facts.crew.folds);
    CHECK(facts.fold == (uint64_t)folds);
    for (int i = 0; i < 3; i++) qn_loop_destroy(&loops[i]);
}

/* ---- real time ---- */

static double largest_change(const qn_loop *loop)
{
    double largest = 0;
    for (size_t i = 1; i < qn_loop_tick_count(loop); i++) {
        const double *const a = qn_loop_tick(loop, i - 1)->force, *const b = qn_loop_tick(loop, i)->force;
        const double change =
            sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
        largest = fmax(largest, isfinite(change) ? change : INFINITY);
    }
    return largest;
}

/* 10 mm/s and 1 ms a state: a cell lasts a second, so its states are there long before, even on a busy machine. */
static void a_slow_hand_is_never_late(void)
{
    fake_solver solver = {.field = {.cubic = 900}, .seconds = 1e-3};
    qn_loop *loop = run(options_of(&solver, 2, false, 1, NULL), "min-jerk:3,0.01,0.02");
    if (!loop) return;
    const qn_loop_facts facts = qn_loop_facts_of(loop);
    CHECK(facts.late == 0 && facts.fold == 0 && facts.limited == 0 && facts.clamped == 0);
    CHECK(facts.ticks + facts.missed >= 1000 && facts.ticks > 100);
    CHECK(largest_change(loop) <= 1);
    double worst = 0;
    for (size_t i = 0; i < qn_loop_tick_count(loop); i++) {
        const qn_tick *const tick = qn_loop_tick(loop, i);
        double energy, force[3], stiffness[9];
        field_at(&solver.field, tick->place, &energy, force, stiffness);
        for (int axis = 0; !(tick->flags & QN_TICK_BLENDED) && axis < 3; axis++)
            worst = fmax(worst, fabs(tick->force[axis] + force[axis]));
        if (!CHECK(tick->work_us > 0 && tick->lateness_us >= 0)) break;
    }
    CHECK_NEAR(worst, 0, 1e-13);
    CHECK(atomic_load(&solver.wrong) == 0);
    qn_loop_destroy(&loop);
}

/* 2 m/s and 30 ms a state with one worker: a cell lasts 5 ms, so most ticks are late, and the change of the force stays
 * within its limit. */
static void a_fast_hand_is_late_without_jumps(void)
{
    fake_solver solver = {.field = {.cubic = 900, .wave = 2e-3}, .seconds = 0.03};
    qn_loop_options options = options_of(&solver, 1, false, 0.7, NULL);
    options.slew_limit = 100;
    options.force_limit = 2;
    qn_loop *loop = run(options, "min-jerk:3,2,0.029");
    if (!loop) return;
    const qn_loop_facts facts = qn_loop_facts_of(loop);
    CHECK(facts.late > 50 && facts.extrapolated >= facts.late && facts.limited > 0);
    CHECK(largest_change(loop) <= 0.1 * (1 + 1e-9));
    for (size_t i = 0; i < qn_loop_tick_count(loop); i++) {
        const double *const force = qn_loop_tick(loop, i)->force;
        if (!CHECK(force[0] * force[0] + force[1] * force[1] + force[2] * force[2] <= 4 * (1 + 1e-9))) break;
    }
    size_t count;
    const qn_solve_record *const solves = qn_loop_solves(loop, &count);
    int wrong = 0;
    for (size_t i = 1; i < count; i++) wrong += solves[i].seconds < 0.03 || solves[i].newton_steps != 3;
    CHECK(count > 5 && wrong == 0);
    CHECK(atomic_load(&solver.wrong) == 0);
    qn_loop_destroy(&loop);
}

/* A cache of 40 states while the hand runs through 343 points: states come and go under the loop. */
static void a_small_cache_serves_a_moving_hand(void)
{
    fake_solver solver = {.field = {.cubic = 900}, .seconds = 2e-4};
    qn_loop_options options = options_of(&solver, 2, false, 1, NULL);
    options.crew.cache_bytes = 40 * (double)qn_cache_state_bytes(FIELD_FREEDOMS);
    options.slew_limit = 1e6;
    qn_loop *loop = run(options, "min-jerk:3,0.15,0.029");
    if (!loop) return;
    const qn_loop_facts facts = qn_loop_facts_of(loop);
    CHECK(facts.crew.cache.capacity == 40 && facts.crew.cache.count <= 40 && facts.crew.cache.removed > 0);
    double worst = 0;
    int exact = 0;
    for (size_t i = 0; i < qn_loop_tick_count(loop); i++) {
        const qn_tick *const tick = qn_loop_tick(loop, i);
        double energy, force[3], stiffness[9];
        if (tick->flags) continue;
        exact++;
        field_at(&solver.field, tick->place, &energy, force, stiffness);
        for (int axis = 0; axis < 3; axis++) worst = fmax(worst, fabs(tick->force[axis] + force[axis]));
    }
    CHECK(exact > 20);
    CHECK_NEAR(worst, 0, 1e-13);
    qn_loop_destroy(&loop);
}

/* A worker of batches beside a single one: 20 ms for up to 16 states. All 343 states are there within the second. */
static void batches_are_solved_ahead(void)
{
    fake_solver solver = {.field = {.cubic = 900}, .seconds = 0.02};
    qn_loop_options options = options_of(&solver, 1, false, 1, NULL);
    options.crew.solve_batch = fake_solve_batch;
    options.crew.batch_worker_count = 1;
    options.crew.batch_size = 16;
    options.crew.checks_folds = true;
    qn_loop *loop = run(options, "min-jerk:3,0.02,0.02");
    if (!loop) return;
    const qn_loop_facts facts = qn_loop_facts_of(loop);
    CHECK(facts.late == 0 && facts.fold == 0);
    CHECK(atomic_load(&solver.wrong) == 0 && atomic_load(&solver.batches) > 2);
    double worst = 0;
    for (size_t i = 0; i < qn_loop_tick_count(loop); i++) {
        const qn_tick *const tick = qn_loop_tick(loop, i);
        double energy, force[3], stiffness[9];
        field_at(&solver.field, tick->place, &energy, force, stiffness);
        for (int axis = 0; !(tick->flags & QN_TICK_BLENDED) && axis < 3; axis++)
            worst = fmax(worst, fabs(tick->force[axis] + force[axis]));
    }
    CHECK_NEAR(worst, 0, 1e-13);
    size_t count;
    const qn_solve_record *const solves = qn_loop_solves(loop, &count);
    size_t in_batches = 0;
    for (size_t i = 1; i < count; i++) in_batches += solves[i].worker == 1;
    CHECK(in_batches > count / 2 && count <= 343);
    qn_loop_destroy(&loop);
    options.crew.batch_size = 0;
    CHECK_FAILS(qn_loop_create(&options, &loop), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the size of batches is 0");
}

static void a_failing_solver_ends_the_run(void)
{
    for (int is_simulated = 0; is_simulated <= 1; is_simulated++) {
        fake_solver solver = {.field = {.cubic = 900}, .fails_at = {1, 1, 1}};
        qn_hand *hand;
        qn_loop *loop;
        if (!CHECK_OK(qn_hand_create("min-jerk:3,0.1,0.029", &hand))) return;
        const qn_loop_options options = options_of(&solver, 2, is_simulated, 20, hand);
        if (!CHECK_OK(qn_loop_create(&options, &loop))) return;
        CHECK_FAILS(qn_loop_run(loop), QN_DEVICE_LOST);
        CHECK_MESSAGE_HAS("the device is lost at (1, 1, 1)");
        CHECK(qn_loop_facts_of(loop).ticks < 15000); /* at once, not at the end of 20 s */
        qn_loop_destroy(&loop);
        qn_hand_destroy(&hand);
    }
}

static void count_and_stop(void *user, const qn_tick *tick, const qn_hand_sample *sample)
{
    (void)tick;
    (void)sample;
    qn_loop_stop(*(qn_loop **)user);
}

static void stay(void *user, double time_s, qn_hand_sample *sample)
{
    (void)user;
    (void)time_s;
    *sample = (qn_hand_sample){.place = {0.004, 0, 0.002}, .is_there = true, .is_held = true};
}

static void a_stopped_loop_ends_and_tells_the_shape(void)
{
    fake_solver solver = {.field = {.cubic = 900}};
    qn_loop *loop;
    qn_loop_options options = options_of(&solver, 2, false, (double)INFINITY, NULL);
    float x[FIELD_FREEDOMS];
    options.tick_capacity = 4;
    options.input = stay;
    options.output = count_and_stop;
    options.user = &loop;
    if (!CHECK_OK(qn_loop_create(&options, &loop))) return;
    CHECK_OK(qn_loop_run(loop));
    CHECK(qn_loop_facts_of(loop).ticks == 1 && qn_loop_tick_count(loop) == 1);
    qn_loop_shape(loop, x);
    double energy, force[3], stiffness[9];
    field_at(&solver.field, (const double[3]){0.004, 0, 0.002}, &energy, force, stiffness);
    for (int i = 0; i < 3; i++) CHECK_NEAR((double)x[i], force[i], 1e-6);
    qn_loop_destroy(&loop);
}

typedef struct fold_search {
    fake_solver *solver;
    qn_loop *loop;
} fold_search;

static void rest_near_fold(void *user, double time_s, qn_hand_sample *sample)
{
    (void)user;
    (void)time_s;
    *sample = (qn_hand_sample){.place = {0.015, 0.005, 0.005}, .is_there = true, .is_held = true};
}

/* There are 343 states, so more calls are those of pairs, two each. */
static void stop_after_checks(void *user, const qn_tick *tick, const qn_hand_sample *sample)
{
    const fold_search *const search = user;
    (void)tick;
    (void)sample;
    if (atomic_load(&search->solver->calls) > 353) qn_loop_stop(search->loop);
}

/* Idle workers look for folds behind the loop's back. In real time the way to a state is not known, so the field has a
 * steep step instead of a fold: its pairs are suspected, and found to be sound. */
static void folds_are_looked_for_in_real_time(void)
{
    fake_solver solver = {.field = {.cubic = 900}, .is_steep = true};
    fold_search search = {&solver, NULL};
    qn_loop_options options = options_of(&solver, 2, false, 20, NULL);
    options.crew.checks_folds = true;
    options.slew_limit = 100;
    options.input = rest_near_fold;
    options.output = stop_after_checks;
    options.user = &search;
    if (!CHECK_OK(qn_loop_create(&options, &search.loop))) return;
    CHECK_OK(qn_loop_run(search.loop));
    const qn_loop_facts facts = qn_loop_facts_of(search.loop);
    CHECK(facts.crew.fold_checks >= 4 && facts.crew.folds == 0);
    CHECK(largest_change(search.loop) <= 0.1 * (1 + 1e-9));
    CHECK(atomic_load(&solver.wrong) == 0);
    qn_loop_destroy(&search.loop);
}

static void broken_options_are_refused(void)
{
    fake_solver solver = {.field = {.cubic = 900}};
    qn_loop *loop;
    qn_loop_options options = options_of(&solver, 2, true, (double)INFINITY, NULL);
    CHECK_FAILS(qn_loop_create(&options, &loop), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the duration is inf s");
    options = options_of(&solver, 0, true, 1, NULL);
    CHECK_FAILS(qn_loop_create(&options, &loop), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the number of workers is 0");
    options = options_of(&solver, 1, true, 1, NULL);
    options.rate_hz = 0;
    CHECK_FAILS(qn_loop_create(&options, &loop), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the rate is 0 Hz");
    options = options_of(&solver, 1, true, 1, NULL);
    options.slew_limit = NAN;
    CHECK_FAILS(qn_loop_create(&options, &loop), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the largest change of the force is nan N/s");
    options = options_of(&solver, 1, true, 1, NULL);
    options.crew.cache_bytes = 20 * (double)qn_cache_state_bytes(FIELD_FREEDOMS);
    CHECK_FAILS(qn_loop_create(&options, &loop), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected at least 82");
    solver.field.wave = NAN;
    options = options_of(&solver, 1, true, 1, NULL);
    CHECK_FAILS(qn_loop_create(&options, &loop), QN_INTERNAL);
    CHECK_MESSAGE_HAS("not finite");
}

/* ---- parts ---- */

static qn_status write_numbers(void *user)
{
    for (int round = 1; round <= 20000; round++) {
        double numbers[QN_RELAY_NUMBERS];
        for (int i = 0; i < QN_RELAY_NUMBERS; i++) numbers[i] = round;
        qn_relay_write(user, numbers);
    }
    return QN_OK;
}

static void a_relay_hands_on_whole_sets(void)
{
    static qn_relay relay;
    qn_thread writer;
    uint64_t last = 0;
    int wrong = 0;
    if (!CHECK_OK(qn_thread_start(&writer, write_numbers, &relay))) return;
    for (uint64_t version = 0; version < 20000;) {
        double numbers[QN_RELAY_NUMBERS];
        version = qn_relay_read(&relay, numbers);
        for (int i = 0; i < QN_RELAY_NUMBERS; i++) wrong += numbers[i] != (double)version;
        wrong += version < last;
        last = version;
    }
    CHECK_OK(qn_thread_join(&writer));
    CHECK(wrong == 0);
}

static qn_status read_numbers(void *user)
{
    double numbers[QN_RELAY_NUMBERS];
    const uint64_t version = qn_relay_read(user, numbers);
    return version == 1 && numbers[0] == 0 && numbers[QN_RELAY_NUMBERS - 1] == 0 ? QN_OK : QN_INTERNAL;
}

/* A reader that comes in the middle of a write waits for its end. */
static void a_relay_hands_on_no_half_set(void)
{
    static qn_relay relay;
    const struct timespec pause = {.tv_nsec = 20000000};
    qn_thread reader;
    atomic_store(&relay.version, 1);
    atomic_store(&relay.words[0], 1);
    if (!CHECK_OK(qn_thread_start(&reader, read_numbers, &relay))) return;
    nanosleep(&pause, NULL);
    atomic_store(&relay.words[0], 0);
    atomic_store(&relay.version, 2);
    CHECK_OK(qn_thread_join(&reader));
}

typedef struct moments {
    int count;
    double last_s;
    int wrong;
} moments;

/* The third tick takes 5.5 periods: five moments pass, and the next tick is that of a later moment. */
static bool slow_tick(void *user, const qn_pace_moment *moment)
{
    moments *const seen = user;
    const struct timespec pause = {.tv_nsec = 55000000};
    seen->wrong += moment->lateness_us < 0 || (seen->count > 0 && moment->time_s <= seen->last_s);
    seen->wrong += fabs(moment->time_s * 100 - round(moment->time_s * 100)) > 1e-9;
    seen->wrong += fabs(moment->step_s - (seen->count > 0 ? moment->time_s - seen->last_s : 0.01)) > 1e-9;
    seen->last_s = moment->time_s;
    if (++seen->count == 3) nanosleep(&pause, NULL);
    return true;
}

static void moments_that_pass_are_skipped(void)
{
    moments seen = {0};
    const uint64_t missed = qn_pace_run(100, 20, slow_tick, &seen);
    CHECK(missed >= 4 && (uint64_t)seen.count + missed >= 20 && seen.count <= 16);
    CHECK(seen.wrong == 0);
    float lateness_us[20];
    CHECK_OK(qn_loop_measure_machine(1000, 20, lateness_us));
    for (int i = 0; i < 20; i++)
        if (!CHECK(lateness_us[i] >= 0 && lateness_us[i] < 1e7f)) break;
}

/* News at chosen calls, at once; else the clock. */
typedef struct script {
    const char *news; /* 'n': news; '.': none; the run ends after the last */
    size_t calls;
    int64_t due_ns; /* of the call */
    bool is_news;
    int ticks, wrong;
    double last_s, times_s[40];
    int64_t last_due_ns;
} script;

static bool wait_by_script(void *user, int64_t moment_ns)
{
    script *const of = user;
    if (of->calls == 0) of->wrong += moment_ns % 1000000 != 350000; /* between the kernel's own ticks */
    of->due_ns = moment_ns;
    of->is_news = of->news[of->calls++] == 'n';
    if (!of->is_news) qn_pace_sleep_until(moment_ns);
    return of->is_news;
}

/* Rate 50: planned ticks come 40 ms after news, else 20 ms after the planned one before, or whole periods later. */
static bool tick_by_script(void *user, const qn_pace_moment *moment)
{
    script *const of = user;
    const bool was_news = of->ticks > 0 && of->news[of->ticks - 1] == 'n';
    const double step_s = moment->time_s - of->last_s;
    of->wrong += of->is_news != (isnan(moment->lateness_us) != 0) || moment->lateness_us < 0;
    of->wrong += of->ticks > 0 && fabs(step_s - moment->step_s) > 1e-8;
    if (of->ticks > 0 && !of->is_news) {
        const double periods = (step_s - (was_news ? 0.04 : 0.02)) / 0.02;
        of->wrong += periods < -1e-6 || fabs(periods - round(periods)) > 1e-6;
        if (!was_news) of->wrong += of->due_ns - of->last_due_ns < 20000000;
    }
    of->last_due_ns = of->due_ns;
    of->last_s = moment->time_s;
    of->times_s[of->ticks++] = moment->time_s;
    return of->news[of->ticks] != '\0';
}

static void news_is_answered_at_once_and_silence_by_the_clock(void)
{
    script mixed = {.news = ".n..nn...n.n"}, flood = {.news = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"};
    const uint64_t missed = qn_pace_follow(50, (double)INFINITY, wait_by_script, tick_by_script, &mixed);
    CHECK(mixed.ticks == 12 && mixed.wrong == 0 && missed < 1000);
    qn_pace_follow(50, (double)INFINITY, wait_by_script, tick_by_script, &flood);
    CHECK(flood.ticks == 32 && flood.wrong == 0);
    /* Eight may follow each other at once, then a quarter of a period each. */
    CHECK(flood.times_s[31] - flood.times_s[0] >= 23 * 0.005 - 1e-6);
    double least = 1;
    for (int i = 1; i < 8; i++) least = fmin(least, flood.times_s[i] - flood.times_s[i - 1]);
    CHECK(least < 0.0025);
    script timed = {.news = "................"}; /* planned at 0, 20, 40, 60 ms */
    qn_pace_follow(50, 0.07, wait_by_script, tick_by_script, &timed);
    CHECK(timed.ticks >= 1 && timed.ticks <= 4 && timed.last_s <= 0.07);
}

/* The longest time to wake (µs) that anybody allows; −1: not known. */
static int32_t allowed_us(void)
{
    int32_t value = -1;
    FILE *const file = fopen("/dev/cpu_dma_latency", "rb");
    if (!file || fread(&value, sizeof value, 1, file) != 1) value = -1;
    if (file) fclose(file);
    return value;
}

static void processors_are_kept_awake(void)
{
    const int32_t before_us = allowed_us();
    const int awake = qn_pace_keep_awake();
    if (awake >= 0) CHECK(allowed_us() == 0);
    CHECK(awake >= 0 || before_us < 0 || access("/dev/cpu_dma_latency", W_OK) != 0);
    qn_pace_let_sleep(awake);
    CHECK(fcntl(awake, F_GETFD) < 0);
}

int main(void)
{
    RUN(simulated_forces_are_those_of_the_field);
    RUN(simulated_bytes_depend_on_no_schedule);
    RUN(simulated_folds_are_never_crossed);
    RUN(a_slow_hand_is_never_late);
    RUN(a_fast_hand_is_late_without_jumps);
    RUN(a_small_cache_serves_a_moving_hand);
    RUN(folds_are_looked_for_in_real_time);
    RUN(batches_are_solved_ahead);
    RUN(a_failing_solver_ends_the_run);
    RUN(a_stopped_loop_ends_and_tells_the_shape);
    RUN(broken_options_are_refused);
    RUN(a_relay_hands_on_whole_sets);
    RUN(a_relay_hands_on_no_half_set);
    RUN(moments_that_pass_are_skipped);
    RUN(news_is_answered_at_once_and_silence_by_the_clock);
    RUN(processors_are_kept_awake);
    return check_finish();
}
