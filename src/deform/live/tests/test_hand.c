/* Hands against their definition: moves by their properties, tables against polynomials, and what is refused. The
 * filter against ways that it follows exactly. */
#include "deform/live/hand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <quern/file.h>

#include "check.h"
#include "deform/live/filter.h"

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static const char *write_table(const char *text)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/hand.csv", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

/* Moves begin where the speed falls to nearly 0 and rises again; between two of those the mean speed is SPEED and the
 * largest 15/8 of it. */
static void random_moves_have_their_speed_and_reach(void)
{
    const double step_s = 1e-4, speed = 0.2, reach = 0.03;
    qn_hand *hand;
    double last[3] = {0}, begin[3] = {0}, begin_s = 0, fastest = 0, farthest = 0, longest = 0, shortest = 1;
    int moves = 0, wrong = 0;
    if (!CHECK_OK(qn_hand_create("min-jerk:7,0.2,0.03", &hand))) return;
    CHECK(isinf(qn_hand_duration_s(hand)));
    qn_hand_place(hand, 0, last);
    CHECK(length(last) == 0);
    double before = 0, earlier = 0;
    for (int tick = 1; tick < 100000; tick++) {
        double place[3], change[3], whole[3];
        qn_hand_place(hand, tick * step_s, place);
        for (int i = 0; i < 3; i++) change[i] = place[i] - last[i], whole[i] = place[i] - begin[i];
        const double now = length(change) / step_s;
        fastest = fmax(fastest, now);
        farthest = fmax(farthest, length(place));
        if (before < 0.003 * speed && before < earlier && before <= now) {
            const double duration_s = tick * step_s - begin_s;
            if (moves > 0) wrong += fabs(length(whole) / duration_s / speed - 1) > 0.01;
            longest = fmax(longest, length(whole));
            shortest = fmin(shortest, length(whole));
            memcpy(begin, place, sizeof begin);
            begin_s = tick * step_s;
            moves++;
        }
        earlier = before;
        before = now;
        memcpy(last, place, sizeof last);
    }
    CHECK(moves > 40 && wrong == 0);
    CHECK_NEAR(fastest, 15.0 / 8 * speed, 1e-3 * speed);
    CHECK(farthest <= reach && farthest > 0.85 * reach);
    CHECK(shortest >= 0.24 * reach && longest > reach && longest <= 2 * reach);
    qn_hand_destroy(&hand);
}

static void moves_depend_on_their_seed_and_time_alone(void)
{
    qn_hand *one, *other, *third;
    if (!CHECK_OK(qn_hand_create("min-jerk:7,0.2,0.03", &one)) ||
        !CHECK_OK(qn_hand_create("min-jerk:7,0.2,3e-2", &other)) ||
        !CHECK_OK(qn_hand_create("min-jerk:8,0.2,0.03", &third)))
        return;
    int wrong = 0, same = 0;
    double a[3], b[3];
    for (int tick = 0; tick < 300; tick++) { /* there and back */
        const double time_s = (tick < 150 ? tick : 299 - tick) * 0.01;
        qn_hand_place(one, time_s, a);
        qn_hand_destroy(&other);
        if (!CHECK_OK(qn_hand_create("min-jerk:7,0.2,0.03", &other))) return;
        qn_hand_place(other, time_s, b);
        wrong += memcmp(a, b, sizeof a) != 0;
        qn_hand_place(third, time_s, b);
        same += tick % 299 != 0 && memcmp(a, b, sizeof a) == 0;
    }
    CHECK(wrong == 0 && same == 0);
    qn_hand_destroy(&one);
    qn_hand_destroy(&other);
    qn_hand_destroy(&third);
}

/* x is quadratic and y linear in time, so both are exact between uneven rows; z is known at the rows. */
static void tables_are_exact_for_quadratic_ways(void)
{
    static const double times[] = {0.5, 0.7, 1.5, 1.6, 3};
    static const double heights[] = {0, 2, -1, 4, 4};
    char text[1024] = "# a hand\nt,x,y,z\n";
    for (int i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.17g, %.17g,%.17g,%g\n", i == 2 ? "\n" : "",
                 times[i], 3 * times[i] * times[i] - times[i], 2 - times[i], heights[i]);
    qn_hand *hand;
    if (!CHECK_OK(qn_hand_create(write_table(text), &hand))) return;
    CHECK(qn_hand_duration_s(hand) == 3);
    double worst = 0, place[3];
    for (int i = 0; i <= 250; i++) {
        const double t = 0.5 + 0.01 * i;
        qn_hand_place(hand, t, place);
        worst = fmax(worst, fmax(fabs(place[0] - (3 * t * t - t)), fabs(place[1] - (2 - t))));
    }
    CHECK_NEAR(worst, 0, 1e-12);
    for (int i = 0; i < 5; i++) {
        qn_hand_place(hand, times[i], place);
        CHECK_NEAR(place[2], heights[i], 1e-12);
    }
    double before[3], after[3]; /* the velocity is continuous at a row: 2 h · z″ is 1e-4 */
    qn_hand_place(hand, 1.5 - 1e-6, before);
    qn_hand_place(hand, 1.5, place);
    qn_hand_place(hand, 1.5 + 1e-6, after);
    CHECK_NEAR((after[2] - place[2]) / 1e-6, (place[2] - before[2]) / 1e-6, 1e-3);
    qn_hand_place(hand, 0, before); /* outside, the hand rests at the ends */
    qn_hand_place(hand, 99, after);
    CHECK(before[2] == 0 && before[1] == 1.5 && after[1] == -1 && after[2] == 4);
    qn_hand_destroy(&hand);
}

static void short_tables_are_lines_and_points(void)
{
    qn_hand *hand;
    double place[3];
    if (!CHECK_OK(qn_hand_create(write_table("0,1,2,3\n2,2,2,1"), &hand))) return;
    qn_hand_place(hand, 0.5, place);
    CHECK_NEAR(place[0], 1.25, 1e-15);
    CHECK_NEAR(place[2], 2.5, 1e-15);
    qn_hand_destroy(&hand);
    if (!CHECK_OK(qn_hand_create(write_table("t,x,y,z\n1,1,2,3\n"), &hand))) return;
    for (int i = 0; i < 3; i++) {
        qn_hand_place(hand, i, place);
        CHECK(place[0] == 1 && place[1] == 2 && place[2] == 3);
    }
    qn_hand_destroy(&hand);
}

static void broken_hands_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } tables[] = {{"t,x,y,z\n0,0,0,0\n0.5,0,0,0\n0.5,0,0,1\n",
                   "hand.csv:4: the time 0.5 s follows 0.5 s; expected times that rise"},
                  {"t,x,y,z\n0,0,0,0\n\n-0.5,0,0,0\n", "hand.csv:4: the time is -0.5 s"},
                  {"t,x,y,z\n0,0,0\n", "hand.csv:2: the line \"0,0,0\" does not have four columns"},
                  {"0,0,0,0,0\n", "hand.csv:1: the line \"0,0,0,0,0\" does not have four columns"},
                  {"0,0,nan,0\n", "hand.csv:1: y is \"nan\"; expected a number"},
                  {"0,0,1e999,0\n", "hand.csv:1: y is \"1e999\"; expected a number"},
                  {"0,0,0,\n", "hand.csv:1: z is \"\"; expected a number"},
                  {"0,0,0,0\nt,x,y,z\n", "hand.csv:2: t is \"t\"; expected a number"},
                  {"", "holds no row"},
                  {"t,x,y,z\n", "holds no row"}};
    static const struct {
        const char *text, *message;
    } moves[] = {{"min-jerk:", "does not have three numbers"},
                 {"min-jerk:1,2", "does not have three numbers"},
                 {"min-jerk:1,2,3,4", "does not have three numbers"},
                 {"min-jerk:1.5,0.1,0.03", "the seed 1.5"},
                 {"min-jerk:-1,0.1,0.03", "the seed -1"},
                 {"min-jerk:1,0,0.03", "the speed 0 m/s"},
                 {"min-jerk:1,inf,0.03", "does not have three numbers"},
                 {"min-jerk:1,0.1,-1", "the reach -1 m"}};
    qn_hand *hand;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        CHECK_FAILS(qn_hand_create(write_table(tables[i].text), &hand), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(tables[i].message);
        CHECK(hand == NULL);
    }
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        CHECK_FAILS(qn_hand_create(moves[i].text, &hand), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(moves[i].message);
    }
    CHECK_FAILS(qn_hand_create("no/such/hand.csv", &hand), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("no/such/hand.csv");
}

/* A parabola in time is followed exactly once the start is forgotten, also with steps of other lengths: θ^n is e^−40
 * after 40 memories. */
static void the_filter_follows_parabolas(void)
{
    qn_hand_filter filter = qn_hand_filter_start(0.025);
    const double v[3] = {0.2, -0.1, 0}, a[3] = {0.3, 1, -2};
    double place[3], ahead[3];
    double time_s = -2e-4; /* 1 at the last tick */
    for (int tick = 0; tick <= 1000; tick++) {
        const double step_s = tick % 3 == 2 ? 1.8e-3 : 0.6e-3;
        time_s += step_s;
        for (int i = 0; i < 3; i++) place[i] = v[i] * time_s + a[i] / 2 * time_s * time_s;
        qn_hand_filter_add(&filter, place, step_s);
    }
    qn_hand_filter_predict(&filter, 0.04, ahead);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(filter.place[i], v[i] + a[i] / 2, 1e-9);
        CHECK_NEAR(filter.velocity[i], v[i] + a[i], 1e-7);
        CHECK_NEAR(filter.acceleration[i], a[i], 1e-5);
        CHECK_NEAR(ahead[i], v[i] * 1.04 + a[i] / 2 * 1.04 * 1.04, 1e-8);
    }
    /* Far ahead the acceleration has ended: 50 ms of it, then straight on. */
    qn_hand_filter_predict(&filter, 0.55, ahead);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(ahead[i], v[i] * 1.05 + a[i] / 2 * 1.05 * 1.05 + 0.5 * (v[i] + 1.05 * a[i]), 1e-7);
}

/* With equal poles θ the error after n samples is a parabola in n times θ^n: a single wrong place dies out at that
 * rate, and less noise comes out than goes in. */
static void the_filter_forgets_and_smooths(void)
{
    qn_hand_filter filter = qn_hand_filter_start(0.02);
    const double theta = exp(-0.05), rest[3] = {0};
    double errors[4];
    qn_hand_filter_add(&filter, rest, 1e-3);
    CHECK_NEAR(filter.alpha + filter.beta + filter.gamma, 3 - 3 * theta, 1e-14); /* trace of the error's matrix: 3 θ */
    CHECK_NEAR(1 - filter.alpha, theta * theta * theta, 1e-14);                  /* its determinant: θ³ */
    qn_hand_filter_add(&filter, (const double[3]){1e-3, 0, 0}, 1e-3);
    for (int tick = 0; tick < 100; tick++) qn_hand_filter_add(&filter, rest, 1e-3);
    for (int i = 0; i < 4; i++) {
        errors[i] = filter.place[0] * pow(theta, -i);
        qn_hand_filter_add(&filter, rest, 1e-3);
    }
    CHECK(fabs(errors[0]) > 1e-9);
    CHECK_NEAR(errors[3] - 3 * errors[2] + 3 * errors[1] - errors[0], 0, 1e-9 * fabs(errors[0]));
    qn_hand_filter_add(&filter, rest, 3e-3); /* a step of three times the length forgets as much as three */
    CHECK_NEAR(1 - filter.alpha, pow(theta, 9), 1e-14);
}

int main(void)
{
    RUN(random_moves_have_their_speed_and_reach);
    RUN(moves_depend_on_their_seed_and_time_alone);
    RUN(tables_are_exact_for_quadratic_ways);
    RUN(short_tables_are_lines_and_points);
    RUN(broken_hands_are_refused);
    RUN(the_filter_follows_parabolas);
    RUN(the_filter_forgets_and_smooths);
    return check_finish();
}
