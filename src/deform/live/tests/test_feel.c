/* The cache and the felt force, tick by tick, with states that come and go as the test says. */
#include "deform/live/feel.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "deform/space/tests/field.h"
#include "math/random.h"

static const qn_grid grid = {.step = 0.01, .least = {-3, -3, -3}, .most = {3, 3, 3}};
static const field quadratic = {.cubic = 900};

enum { HINTLESS = 1 << 20 };

static qn_cache *new_cache(void)
{
    qn_cache *cache;
    CHECK_OK(qn_cache_create(&grid, FIELD_FREEDOMS, 1e6, 8, &cache));
    return cache;
}

static void put(qn_cache *cache, const field *of, int i, int j, int k, uint32_t flags)
{
    qn_grid_state *state;
    const int32_t index[3] = {i, j, k};
    if (!CHECK_OK(qn_cache_take(cache, &state)) || !CHECK(state != NULL)) return;
    field_state(of, grid.step, index, state);
    state->flags = flags;
    qn_cache_put(cache, state);
}

static void put_cell(qn_cache *cache, const field *of, int i, int j, int k)
{
    for (int corner = 0; corner < 8; corner++) {
        const int32_t at[3] = {i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)};
        if (!qn_cache_find(cache, at)) put(cache, of, at[0], at[1], at[2], 0);
    }
}

static qn_feel_options usual(void)
{
    return (qn_feel_options){.grid = grid, .force_limit = 1e3, .slew_limit = 1e6};
}

static double difference(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Force that the hand feels: minus the force of the tool on the body. */
static void felt(const field *of, const double place[3], double force[3])
{
    double energy, stiffness[9];
    field_at(of, place, &energy, force, stiffness);
    for (int axis = 0; axis < 3; axis++) force[axis] = -force[axis];
}

static void whole_cells_give_the_interpolated_force(void)
{
    qn_cache *cache = new_cache();
    const qn_feel_options options = usual();
    qn_feel feel = {0};
    double expected[3];
    int32_t cell[3];
    uint32_t flags = 0;
    for (int i = -1; i <= 1; i++) put_cell(cache, &quadratic, i, 0, -1);
    for (int tick = 0; tick < 300; tick++) {
        const double place[3] = {-0.01 + 1e-4 * tick, 0.004, -0.002};
        qn_feel_tick(&options, cache, HINTLESS, place, true, 1e-3, &feel, cell, &flags);
        felt(&quadratic, place, expected);
        if (tick >= 50) CHECK(flags == 0 && difference(feel.force, expected) < 1e-13);
        if (tick < 50) CHECK(flags == QN_TICK_BLENDED); /* the first force fades in */
    }
    CHECK(cell[0] == 1 && cell[1] == 0 && cell[2] == -1);
    qn_cache_destroy(&cache);
}

/* The hand stands; the missing corner comes; the force goes from the state's to the interpolated one as a smoothstep.
 */
static void a_missing_state_is_blended_in(void)
{
    const field waves = {.cubic = 900, .wave = 2e-3};
    qn_cache *cache = new_cache();
    const qn_feel_options options = usual();
    qn_feel feel = {0};
    const double place[3] = {0.003, 0.004, 0.0045};
    double near_rest[3], whole[3], expected[3];
    int32_t cell[3];
    uint32_t flags = 0;
    qn_cell corners;
    put_cell(cache, &waves, 0, 0, -1); /* four corners of the cell above are missing */
    for (int tick = 0; tick < 200; tick++) {
        qn_feel_tick(&options, cache, HINTLESS, place, true, 1e-3, &feel, cell, &flags);
        CHECK((flags & ~(uint32_t)QN_TICK_BLENDED) == (QN_TICK_LATE | QN_TICK_EXTRAPOLATED));
    }
    qn_grid_state_extrapolate(qn_cache_find(cache, (const int32_t[3]){0, 0, 0}), grid.step, place, near_rest);
    for (int axis = 0; axis < 3; axis++) near_rest[axis] = -near_rest[axis];
    CHECK(difference(feel.force, near_rest) < 1e-13);
    put_cell(cache, &waves, 0, 0, 0);
    qn_cache_cell(cache, (const int32_t[3]){0, 0, 0}, &corners);
    qn_cell_force(&corners, QN_INTERPOLATION_GRADIENT, place, whole);
    for (int axis = 0; axis < 3; axis++) whole[axis] = -whole[axis];
    CHECK(difference(whole, near_rest) > 1e-2);
    for (int tick = 0; tick < 60; tick++) {
        qn_feel_tick(&options, cache, HINTLESS, place, true, 1e-3, &feel, cell, &flags);
        const double t = fmin(tick / 50.0, 1), part = t * t * (3 - 2 * t);
        for (int axis = 0; axis < 3; axis++) expected[axis] = near_rest[axis] + part * (whole[axis] - near_rest[axis]);
        CHECK(difference(feel.force, expected) < 1e-12);
        CHECK(flags == (tick < 50 ? QN_TICK_BLENDED : 0));
    }
    qn_cache_destroy(&cache);
}

/* A hand that runs through cells of which some are missing, some folded, at 0.5 m/s: no jump beyond what its motion and
 * the smoothstep allow. */
static void the_force_never_jumps(void)
{
    const field waves = {.cubic = 900, .wave = 5e-3};
    qn_cache *cache = new_cache();
    const qn_feel_options options = usual();
    qn_feel feel = {0};
    double last[3] = {0}, largest = 0;
    int seen_late = 0, seen_fold = 0, seen_whole = 0;
    put_cell(cache, &waves, -1, 0, 0);
    put_cell(cache, &waves, -3, 0, 0);
    put(cache, &waves, 2, 0, 0, QN_GRID_FOLD_X);
    put_cell(cache, &waves, 2, 0, 0);
    for (int tick = 0; tick < 1000; tick++) {
        const double place[3] = {0.03 * sin(0.5 / 0.03 * 1e-3 * tick), 0.004 + 0.002 * sin(0.02 * tick), 0.003};
        int32_t cell[3];
        uint32_t flags;
        qn_feel_tick(&options, cache, HINTLESS, place, true, 1e-3, &feel, cell, &flags);
        if (tick > 0) largest = fmax(largest, difference(feel.force, last));
        memcpy(last, feel.force, sizeof last);
        seen_late += (flags & QN_TICK_LATE) != 0;
        seen_fold += (flags & (QN_TICK_FOLD | QN_TICK_EXTRAPOLATED)) == (QN_TICK_FOLD | QN_TICK_EXTRAPOLATED);
        seen_whole += (flags & QN_TICK_EXTRAPOLATED) == 0;
    }
    CHECK(seen_late > 100 && seen_fold > 100 && seen_whole > 100);
    /* Stiffness is at most 160 N/m, 0.5 m/s: 0.08 N a tick. Sources differ by at most 3 N: 1.5 · 3 / 50 = 0.09 N. */
    CHECK(largest < 0.17 && largest > 0.01);
    qn_cache_destroy(&cache);
}

static void force_and_change_are_limited(void)
{
    qn_cache *cache = new_cache();
    qn_feel_options options = usual();
    qn_feel feel = {0};
    double last[3] = {0}, expected[3], worst = 0;
    const double place[3] = {0.029, 0.0295, 0.001};
    int32_t cell[3];
    uint32_t flags = 0;
    put_cell(cache, &quadratic, 2, 2, 0);
    felt(&quadratic, place, expected);
    CHECK(difference(expected, last) > 2);
    options.force_limit = 0.75;
    options.slew_limit = 8;
    int ticks = 0;
    for (; ticks < 400; ticks++) {
        qn_feel_tick(&options, cache, HINTLESS, place, true, 1e-3, &feel, cell, &flags);
        worst = fmax(worst, difference(feel.force, last));
        memcpy(last, feel.force, sizeof last);
        CHECK(flags & (QN_TICK_LIMITED | QN_TICK_BLENDED));
    }
    CHECK_NEAR(worst, 8e-3, 1e-12);
    CHECK_NEAR(difference(feel.force, (const double[3]){0, 0, 0}), 0.75, 1e-12);
    CHECK_NEAR(feel.force[0] / expected[0], feel.force[1] / expected[1], 1e-9); /* only its size is limited */
    qn_cache_destroy(&cache);
}

/* Ticks at any times: the change is limited per second, and blending and letting go take 50 ms. */
static void steps_may_have_any_length(void)
{
    static const double steps_s[4] = {0.3e-3, 1.7e-3, 0.02e-3, 1.98e-3};
    const double place[3] = {0.005, 0.005, 0.005};
    qn_cache *cache = new_cache();
    qn_feel_options options = usual();
    qn_feel feel = {0}, slow = {0};
    double full[3], expected[3], last[3] = {0}, age_s = 0, largest = 0;
    int32_t cell[3];
    uint32_t flags = 0;
    put_cell(cache, &quadratic, 0, 0, 0);
    felt(&quadratic, place, full);
    for (int tick = 0; tick < 80; tick++) { /* 1 ms in the mean */
        const double t = fmin(age_s / 0.05, 1), part = t * t * (3 - 2 * t);
        qn_feel_tick(&options, cache, HINTLESS, place, true, steps_s[tick % 4], &feel, cell, &flags);
        for (int axis = 0; axis < 3; axis++) expected[axis] = part * full[axis];
        CHECK(difference(feel.force, expected) < 1e-12);
        age_s += steps_s[(tick + 1) % 4];
    }
    age_s = 0;
    for (int tick = 0; tick < 60; tick++) {
        qn_feel_tick(&options, cache, HINTLESS, place, false, steps_s[tick % 4], &feel, cell, &flags);
        age_s += steps_s[tick % 4];
        for (int axis = 0; axis < 3; axis++) expected[axis] = full[axis] * fmax(0, 1 - age_s / 0.05);
        CHECK(difference(feel.force, expected) < 1e-12);
    }
    options.slew_limit = 2;
    for (int tick = 0; tick < 40; tick++) {
        const double most = 2 * steps_s[tick % 4];
        qn_feel_tick(&options, cache, HINTLESS, place, true, steps_s[tick % 4], &slow, cell, &flags);
        const double change = difference(slow.force, last);
        CHECK(change <= most * (1 + 1e-9));
        largest = fmax(largest, change / most);
        memcpy(last, slow.force, sizeof last);
    }
    CHECK_NEAR(largest, 1, 1e-9);
    qn_cache_destroy(&cache);
}

static void places_beyond_the_reach_are_clamped(void)
{
    qn_cache *cache = new_cache();
    const qn_feel_options options = usual();
    qn_feel feel = {0};
    double expected[3];
    int32_t cell[3];
    uint32_t flags = 0;
    put_cell(cache, &quadratic, 2, 0, 0);
    for (int tick = 0; tick < 60; tick++)
        qn_feel_tick(&options, cache, HINTLESS, (const double[3]){0.08, 0.001, 0.002}, true, 1e-3, &feel, cell, &flags);
    felt(&quadratic, (const double[3]){0.03, 0.001, 0.002}, expected);
    CHECK(flags == QN_TICK_CLAMPED && cell[0] == 2);
    CHECK(difference(feel.force, expected) < 1e-13);
    qn_cache_destroy(&cache);
}

/* Letting go: a straight line to 0 in 50 ms. Taking hold again: the force comes back without a jump. */
static void a_free_hand_feels_nothing(void)
{
    qn_cache *cache = new_cache();
    const qn_feel_options options = usual();
    qn_feel feel = {0};
    const double place[3] = {0.005, 0.005, 0.005}, zero[3] = {0};
    double held[3], expected[3];
    int32_t cell[3];
    uint32_t flags = 0;
    put_cell(cache, &quadratic, 0, 0, 0);
    for (int tick = 0; tick < 60; tick++)
        qn_feel_tick(&options, cache, HINTLESS, place, true, 1e-3, &feel, cell, &flags);
    memcpy(held, feel.force, sizeof held);
    for (int tick = 1; tick <= 60; tick++) {
        qn_feel_tick(&options, cache, HINTLESS, place, false, 1e-3, &feel, cell, &flags);
        for (int axis = 0; axis < 3; axis++) expected[axis] = held[axis] * fmax(0, 1 - tick / 50.0);
        CHECK(flags == QN_TICK_FREE && difference(feel.force, expected) < 1e-13);
    }
    CHECK(difference(feel.force, zero) == 0);
    qn_feel_tick(&options, cache, HINTLESS, place, true, 1e-3, &feel, cell, &flags);
    CHECK(difference(feel.force, zero) < 1e-13 && flags == QN_TICK_BLENDED);
    for (int tick = 0; tick < 60; tick++)
        qn_feel_tick(&options, cache, HINTLESS, place, true, 1e-3, &feel, cell, &flags);
    CHECK(difference(feel.force, held) < 1e-13);
    qn_cache_destroy(&cache);
}

/* Far from all states the nearest of rest, the last source and the hint serves; unsolved states never do. */
static void the_nearest_solved_state_serves(void)
{
    qn_cache *cache = new_cache();
    const qn_feel_options options = usual();
    const double place[3] = {0.0295, 0.0295, 0.0295};
    double expected[3];
    int32_t cell[3];
    uint32_t flags = 0;
    put(cache, &quadratic, 0, 0, 0, 0);
    put(cache, &quadratic, 3, 3, 3, QN_GRID_UNSOLVED);
    put(cache, &quadratic, -1, 2, 2, 0); /* farther than two steps from the cell */
    for (int round = 0; round < 2; round++) {
        qn_feel feel = {0};
        const uint64_t hint = round ? qn_grid_number(&grid, (const int32_t[3]){-1, 2, 2}) : (uint64_t)HINTLESS;
        const qn_grid_state *const used =
            qn_cache_find(cache, round ? (const int32_t[3]){-1, 2, 2} : (const int32_t[3]){0, 0, 0});
        for (int tick = 0; tick < 60; tick++)
            qn_feel_tick(&options, cache, hint, place, true, 1e-3, &feel, cell, &flags);
        qn_grid_state_extrapolate(used, grid.step, place, expected);
        for (int axis = 0; axis < 3; axis++) expected[axis] = -expected[axis];
        CHECK(difference(feel.force, expected) < 1e-13);
        CHECK(flags == (QN_TICK_LATE | QN_TICK_EXTRAPOLATED));
    }
    qn_cache_destroy(&cache);
}

/* By the definition: the nearest of the last source, the points up to two steps around the cell by their numbers, the
 * hint, and rest; the first of equals. Returns its number. */
static uint64_t nearest_by_definition(const qn_cache *cache, uint64_t last, uint64_t hint, const int32_t cell[3],
                                      const double place[3])
{
    uint64_t candidates[220], best = 0;
    double least = INFINITY;
    int count = 0;
    candidates[count++] = last;
    for (int k = cell[2] - 2; k <= cell[2] + 3; k++)
        for (int j = cell[1] - 2; j <= cell[1] + 3; j++)
            for (int i = cell[0] - 2; i <= cell[0] + 3; i++)
                if (qn_grid_has(&grid, (const int32_t[3]){i, j, k}))
                    candidates[count++] = qn_grid_number(&grid, (const int32_t[3]){i, j, k});
    candidates[count++] = hint;
    candidates[count++] = qn_grid_number(&grid, (const int32_t[3]){0, 0, 0});
    for (int i = 0; i < count; i++) {
        int32_t at[3];
        if (candidates[i] >= qn_grid_point_count(&grid)) continue;
        qn_grid_index(&grid, candidates[i], at);
        const qn_grid_state *const state = qn_cache_find(cache, at);
        const double point[3] = {grid.step * at[0], grid.step * at[1], grid.step * at[2]};
        const double distance = difference(place, point);
        if (!state || state->flags & QN_GRID_UNSOLVED || !(distance < least)) continue;
        least = distance;
        best = candidates[i];
    }
    return best;
}

/* Few and many states at random, some unsolved; places at random, and where many points are as near. */
static void the_source_is_that_of_the_definition(void)
{
    const qn_feel_options options = usual();
    int extrapolated = 0, wrong = 0, ties = 0;
    for (uint64_t round = 0; round < 60; round++) {
        qn_cache *cache = new_cache();
        uint64_t draw = 0;
        put(cache, &quadratic, 0, 0, 0, 0);
        for (int point = 0; point < 343; point++) {
            const int32_t at[3] = {point % 7 - 3, point / 7 % 7 - 3, point / 49 - 3};
            const double chance = qn_random_uniform(7, round, draw++), flaw = qn_random_uniform(7, round, draw++);
            if (chance < (double)(round % 6) / 5.5 && !qn_cache_find(cache, at))
                put(cache, &quadratic, at[0], at[1], at[2], flaw < 0.3 ? QN_GRID_UNSOLVED : 0);
        }
        for (int tick = 0; tick < 40; tick++) {
            double place[3];
            int32_t cell[3];
            uint32_t flags;
            const uint64_t hint = (uint64_t)(400 * qn_random_uniform(7, round, draw++));
            uint64_t last = (uint64_t)(400 * qn_random_uniform(7, round, draw++));
            for (int axis = 0; axis < 3; axis++) {
                place[axis] = 0.03 * (2 * qn_random_uniform(7, round, draw++) - 1);
                if (tick % 2) place[axis] = 0.005 * floor(0.5 + place[axis] / 0.005);
            }
            qn_grid_cell(&grid, place, cell);
            if (tick % 4 == 1) /* a corner of the cell, to which others may be equal */
                last =
                    qn_grid_number(&grid, (const int32_t[3]){cell[0] + (int)(last & 1), cell[1] + (int)(last >> 1 & 1),
                                                             cell[2] + (int)(last >> 2 & 1)});
            qn_feel feel = {.source = last < 343 ? 2 + last : (uint64_t)(tick % 2)};
            qn_feel_tick(&options, cache, hint, place, true, 1e-3, &feel, cell, &flags);
            if (!(flags & QN_TICK_EXTRAPOLATED)) continue;
            const uint64_t expected = nearest_by_definition(cache, last, hint, cell, place);
            extrapolated++;
            ties += tick % 2;
            wrong += feel.source != 2 + expected;
        }
        qn_cache_destroy(&cache);
    }
    CHECK(extrapolated > 1500 && ties > 600);
    CHECK(wrong == 0);
}

static void a_force_that_is_no_number_stays_inside(void)
{
    qn_cache *cache = new_cache();
    const qn_feel_options options = usual();
    qn_feel feel = {.force = {1, 2, 3}, .source = 1, .offset_age_s = 1};
    const field broken = {.wave = NAN};
    int32_t cell[3];
    uint32_t flags = 0;
    put_cell(cache, &broken, 0, 0, 0);
    qn_feel_tick(&options, cache, HINTLESS, (const double[3]){0.005, 0.005, 0.005}, true, 1e-3, &feel, cell, &flags);
    CHECK(feel.force[0] == 1 && feel.force[1] == 2 && feel.force[2] == 3);
    CHECK(flags & QN_TICK_LIMITED);
    qn_cache_destroy(&cache);
}

/* ---- the cache ---- */

/* Fill a cache of 12 states; the one that is farthest from the hand leaves, but not rest, nor what is held or was
 * touched. */
static void the_farthest_state_leaves(void)
{
    const double hand_m[3] = {3 * grid.step, -2 * grid.step, 1.1 * grid.step};
    qn_cache *cache = NULL;
    qn_grid_state *state;
    CHECK_FAILS(qn_cache_create(&grid, 1000, 15000, 8, &cache), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("has room for 0 states");
    const double slot_bytes = (double)qn_cache_state_bytes(1000);
    CHECK(slot_bytes >= 16000 && slot_bytes < 16500);
    if (!CHECK_OK(qn_cache_create(&grid, 1000, 12 * slot_bytes, 8, &cache))) return;
    if (!CHECK(qn_cache_facts_of(cache).capacity == 12)) return;
    put(cache, &quadratic, 0, 0, 0, 0);
    for (int i = 0; i < 11; i++) put(cache, &quadratic, i % 4, i / 4 - 2, 1, 0);
    const qn_grid_state *const held = qn_cache_find(cache, (const int32_t[3]){0, -2, 1});
    CHECK(qn_cache_facts_of(cache).count == 12 && held != NULL);
    CHECK_OK(qn_cache_take(cache, &state)); /* all were used in this pass */
    CHECK(state == NULL);
    qn_cache_begin_pass(cache, hand_m);
    CHECK_OK(qn_cache_take(cache, &state)); /* or in the one before */
    CHECK(state == NULL && qn_cache_farthest_m(cache) == 0);
    qn_cache_touch(cache, (const int32_t[3]){0, 0, 1});
    qn_cache_begin_pass(cache, hand_m);
    CHECK_NEAR(qn_cache_farthest_m(cache), sqrt(10.01) * grid.step, 1e-12); /* (0, -1, 1), before rest */
    qn_cache_hold(held);
    put(cache, &quadratic, 3, 3, 3, 0);
    CHECK(qn_cache_find(cache, (const int32_t[3]){0, 0, 0}) != NULL);
    CHECK(qn_cache_find(cache, (const int32_t[3]){0, -2, 1}) == held);
    CHECK(qn_cache_find(cache, (const int32_t[3]){0, 0, 1}) != NULL);
    CHECK(qn_cache_find(cache, (const int32_t[3]){0, -1, 1}) == NULL);
    CHECK(qn_cache_find(cache, (const int32_t[3]){3, 3, 3}) != NULL);
    qn_cache_release(held);
    put(cache, &quadratic, 3, 3, 2, 0);
    CHECK(qn_cache_find(cache, (const int32_t[3]){0, -2, 1}) == NULL);
    const qn_cache_facts facts = qn_cache_facts_of(cache);
    CHECK(facts.count == 12 && facts.removed == 2);
    CHECK_NEAR(qn_cache_farthest_m(cache), sqrt(8.01) * grid.step, 1e-12); /* (1, 0, 1) */
    CHECK_OK(qn_cache_take(cache, &state)); /* unused memory comes first, and is empty again */
    CHECK(state && state->x[0] == 0 && state->change[2999] == 0);
    state->x[0] = 1;
    qn_cache_give_back(cache, state);
    CHECK_OK(qn_cache_take(cache, &state));
    CHECK(state && state->x[0] == 0 && qn_cache_facts_of(cache).removed == 3);
    qn_cache_destroy(&cache);
}

static void the_nearest_state_is_found(void)
{
    qn_cache *cache = new_cache();
    put(cache, &quadratic, 0, 0, 0, 0);
    put(cache, &quadratic, -3, -3, -3, 0);
    put(cache, &quadratic, 2, 1, 0, 0);
    put(cache, &quadratic, 1, 2, 0, 0);
    put(cache, &quadratic, 2, 2, 1, QN_GRID_UNSOLVED);
    const qn_grid_state *nearest = qn_cache_nearest(cache, (const int32_t[3]){2, 2, 0});
    CHECK(nearest->index[0] == 2 && nearest->index[1] == 1);          /* the lower number of two */
    nearest = qn_cache_nearest(cache, (const int32_t[3]){-2, -2, 3}); /* beyond the shells: rest, 17 against 38 */
    CHECK(nearest->index[0] == 0);
    nearest = qn_cache_nearest(cache, (const int32_t[3]){-3, -3, 0});
    CHECK(nearest->index[0] == -3);
    qn_cache_destroy(&cache);
    const qn_grid large = {.step = 1e-4, .least = {-300, -300, -300}, .most = {300, 300, 300}};
    CHECK_FAILS(qn_cache_create(&large, 3, 1e9, 8, &cache), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("217081801 points; expected at most 4194304");
}

int main(void)
{
    RUN(whole_cells_give_the_interpolated_force);
    RUN(a_missing_state_is_blended_in);
    RUN(the_force_never_jumps);
    RUN(force_and_change_are_limited);
    RUN(steps_may_have_any_length);
    RUN(places_beyond_the_reach_are_clamped);
    RUN(a_free_hand_feels_nothing);
    RUN(the_nearest_solved_state_serves);
    RUN(the_source_is_that_of_the_definition);
    RUN(a_force_that_is_no_number_stays_inside);
    RUN(the_farthest_state_leaves);
    RUN(the_nearest_state_is_found);
    return check_finish();
}
