/* Which states are wished for, and in which order: against a way that is known, with a set of solved points. */
#include "deform/live/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const qn_grid grid = {.step = 0.01, .least = {-3, -3, -3}, .most = {3, 3, 3}};

/* Points with x ≤ this are solved. */
static bool has(const void *user, const int32_t index[3])
{
    return qn_grid_has(&grid, index) && index[0] <= *(const int *)user;
}

static qn_hand_filter hand_at(double x, double y, double z, double speed)
{
    return (qn_hand_filter){.is_started = true, .place = {x, y, z}, .velocity = {speed, 0, 0}};
}

static const qn_wish *find(const qn_wish *wishes, size_t count, int i, int j, int k)
{
    for (size_t w = 0; w < count; w++)
        if (wishes[w].index[0] == i && wishes[w].index[1] == j && wishes[w].index[2] == k) return &wishes[w];
    return NULL;
}

/* A hand in the middle of the cell (0, 0, 0) that goes along x with 0.1 m/s for 0.2 s: 20 mm. The plane x = 2 is in
 * reach when the hand is at 10 mm, after 0.05 s; x = 3 after 0.15 s. */
static void the_way_is_wished_for_by_arrival(void)
{
    const qn_hand_filter hand = hand_at(0.005, 0.005, 0.005, 0.1);
    const int solved = 1;
    const qn_schedule_input input = {&grid, &hand, 0.2, 0.01, 0, (double)INFINITY, has, &solved};
    qn_wish wishes[QN_WISHES_MAX];
    const size_t count = qn_schedule_wishes(&input, wishes);
    int wrong = 0, beside = 0;
    for (size_t w = 0; w < count; w++) {
        const int32_t *const at = wishes[w].index;
        const double reached_s = at[0] == 2 ? 0.05 : 0.15;
        const bool is_corner = at[1] >= 0 && at[1] <= 1 && at[2] >= 0 && at[2] <= 1;
        beside += !is_corner;
        /* A sample every 0.01 s or finer and the rest at the hand's speed; the corners beside are 5 mm farther. */
        wrong += is_corner && fabs(wishes[w].arrival_s - reached_s) > 1e-9;
        wrong += !is_corner && !(wishes[w].arrival_s >= reached_s - 1e-9 && wishes[w].arrival_s <= reached_s + 0.05);
        wrong += fabs(wishes[w].slack_s - (wishes[w].arrival_s - 0.01 * (at[0] - 1))) > 1e-12;
        wrong += wishes[w].is_beside == is_corner || (w < 8) != is_corner; /* the way comes first */
        wrong += w > 0 && w != 8 && wishes[w].slack_s < wishes[w - 1].slack_s;
        wrong += at[0] < 2 || at[0] > 3 || at[1] < -1 || at[1] > 2 || at[2] < -1 || at[2] > 2;
    }
    CHECK(wrong == 0);
    CHECK(count == 2 * 16 && beside == 2 * 12); /* the tube meets one cell more on every side */
    for (int j = 0; j <= 1; j++)
        for (int k = 0; k <= 1; k++) CHECK(find(wishes, 4, 2, j, k) != NULL);
}

/* A tube of half a step around a hand near a corner meets the eight cells around that corner only. */
static void a_standing_hand_wishes_for_the_cells_around_it(void)
{
    const qn_hand_filter hand = hand_at(0.001, 0.001, -0.001, 0);
    const int solved = -4;
    const qn_schedule_input input = {&grid, &hand, 0.02, 0.01, 0, (double)INFINITY, has, &solved};
    qn_wish wishes[QN_WISHES_MAX];
    const size_t count = qn_schedule_wishes(&input, wishes);
    int wrong = 0;
    CHECK(count == 27);
    for (size_t w = 0; w < count; w++)
        for (int axis = 0; axis < 3; axis++) wrong += wishes[w].index[axis] < -1 || wishes[w].index[axis] > 1;
    CHECK(wrong == 0);
    for (int w = 0; w < 8; w++) { /* the cell's own corners come first: they are needed now */
        CHECK(wishes[w].arrival_s == 0);
        CHECK(wishes[w].index[0] >= 0 && wishes[w].index[1] >= 0 && wishes[w].index[2] <= 0);
    }
}

static void the_grid_ends_the_way(void)
{
    const qn_hand_filter hand = hand_at(0.024, 0.029, -0.04, 2);
    const int solved = -4;
    const qn_schedule_input input = {&grid, &hand, 1, 0.01, 0, (double)INFINITY, has, &solved};
    qn_wish wishes[QN_WISHES_MAX];
    const size_t count = qn_schedule_wishes(&input, wishes);
    CHECK(count == 12); /* clamped to z = −0.03: x 1 … 3, y 2 and 3, z −3 and −2 */
    for (size_t w = 0; w < count; w++) CHECK(qn_grid_has(&grid, wishes[w].index));
}

static void idle_workers_go_outwards(void)
{
    const qn_hand_filter hand = hand_at(0.001, 0, 0, 0);
    const int solved = 0;
    const qn_schedule_input input = {&grid, &hand, 0.02, 0.01, 60, (double)INFINITY, has, &solved};
    qn_wish wishes[QN_WISHES_MAX];
    const size_t count = qn_schedule_wishes(&input, wishes);
    double last = 0;
    size_t needed = 0;
    while (needed < count && isfinite(wishes[needed].slack_s)) needed++;
    CHECK(needed == 9 && count > 40);
    int wrong = 0;
    for (size_t w = needed; w < count; w++) {
        const double distance =
            sqrt(pow(wishes[w].index[0] - 0.1, 2) + pow(wishes[w].index[1], 2) + pow(wishes[w].index[2], 2));
        int shell = 0;
        for (int axis = 0; axis < 3; axis++)
            shell = abs(wishes[w].index[axis]) > shell ? abs(wishes[w].index[axis]) : shell;
        wrong += wishes[w].index[0] <= 0 || shell < 2; /* those of the first shell are needed */
        wrong += shell == 2 && distance < last - 1e-12;
        if (shell == 2) last = distance;
        for (size_t other = 0; other < w; other++) wrong += memcmp(wishes[w].index, wishes[other].index, 12) == 0;
    }
    CHECK(wrong == 0);
    const qn_schedule_input near = {&grid, &hand, 0.02, 0.01, 60, 0.0225, has, &solved};
    const size_t near_count = qn_schedule_wishes(&near, wishes);
    size_t expected = 0; /* points that lack a state within 22.5 mm, apart from those that are needed */
    for (int k = -3; k <= 3; k++)
        for (int j = -3; j <= 3; j++)
            for (int i = 1; i <= 3; i++) {
                const bool is_needed = i == 1 && abs(j) <= 1 && abs(k) <= 1;
                expected += !is_needed && sqrt(pow(i - 0.1, 2) + j * j + k * k) <= 2.25;
            }
    CHECK(expected > 5 && near_count == needed + expected);
    for (size_t w = needed; w < near_count; w++)
        CHECK(!isfinite(wishes[w].slack_s) &&
              hypot(hypot(wishes[w].index[0] - 0.1, wishes[w].index[1]), wishes[w].index[2]) <= 2.25);
    const int all = 3; /* nothing is left: the search ends */
    const qn_schedule_input finished = {&grid, &hand, 0.02, 0.01, 60, (double)INFINITY, has, &all};
    CHECK(qn_schedule_wishes(&finished, wishes) == 0);
}

static int visits[7][7][7];

static void visit(void *user, const int32_t index[3])
{
    int *const count = user;
    visits[index[0] + 3][index[1] + 3][index[2] + 3] = ++*count;
}

static void the_way_is_visited_from_its_end(void)
{
    const qn_hand_filter hand = hand_at(-0.025, 0.005, 0.005, 0.1);
    const int solved = 3;
    const qn_schedule_input input = {&grid, &hand, 0.2, 0.01, 0, (double)INFINITY, has, &solved};
    int count = 0, seen = 0;
    qn_schedule_visit_way(&input, visit, &count);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            for (int k = 0; k < 7; k++) seen += visits[i][j][k] > 0;
    CHECK(seen == 4 * 4); /* cells −3, −2 and −1 along x */
    CHECK(visits[0][3][3] > visits[2][3][3] && visits[2][3][3] > visits[3][3][3] && visits[3][3][3] > 0);
}

static void the_horizon_is_that_of_slow_solutions(void)
{
    double times_s[20];
    for (int i = 0; i < 20; i++) times_s[i] = 0.01 * (1 + (i * 7) % 20); /* 0.01 … 0.2 in some order */
    CHECK_NEAR(qn_schedule_horizon_s(times_s, 20), 8 * 0.18, 1e-12);
    double one_s[1] = {1e-3}, slow_s[1] = {99};
    CHECK(qn_schedule_horizon_s(one_s, 1) == 0.02);
    CHECK(qn_schedule_horizon_s(slow_s, 1) == 2);
    CHECK(qn_schedule_horizon_s(NULL, 0) > 0);
}

int main(void)
{
    RUN(the_way_is_wished_for_by_arrival);
    RUN(a_standing_hand_wishes_for_the_cells_around_it);
    RUN(the_grid_ends_the_way);
    RUN(idle_workers_go_outwards);
    RUN(the_way_is_visited_from_its_end);
    RUN(the_horizon_is_that_of_slow_solutions);
    return check_finish();
}
