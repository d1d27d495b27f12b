/* The lists of the rounds of a search: when rounds agree, and which minima are reported. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "screen/search/kernels/evolve.h"
#include "screen/search/rounds.h"

static qn_screen_pose memory[QN_SCREEN_ROUNDS_MAX * 4];
static float frame[QN_EVOLVE_FRAME];
static const float moments[6] = {4, 4, 4, 0, 0, 0}; /* atoms about 3.5 Å from the centroid */

/* A pose that is shifted along x, in a box of 16 Å. */
static qn_screen_pose pose_at(float energy, double x_angstrom)
{
    return (qn_screen_pose){energy, {0, 0, 0, (uint16_t)(x_angstrom / 16 * 65536), 32768, 32768}};
}

static int agreeing(const float *lowest, int count)
{
    qn_screen_rounds rounds = {.poses = memory};
    qn_screen_rounds_restart(&rounds);
    for (int i = 0; i < count; i++) {
        const qn_screen_pose pose = pose_at(lowest[i], 1);
        qn_screen_rounds_add(&rounds, &pose, 1);
    }
    CHECK(rounds.done == count && rounds.count == count);
    return qn_screen_rounds_agreeing(&rounds);
}

static void rounds_agree_within_one_percent_of_the_lowest(void)
{
    CHECK(agreeing((const float[]){-100, -98.9f, -99.1f, -50}, 4) == 2);
    CHECK(agreeing((const float[]){-98.9f, -100, -102}, 3) == 1); /* the lowest comes last */
    CHECK(agreeing((const float[]){-5, -4.92f, -4.88f}, 3) == 2); /* at least 0.1 */
    CHECK(agreeing((const float[]){3, 3.05f, 2.99f}, 3) == 3);
    CHECK(agreeing((const float[]){-7, NAN, INFINITY, -7}, 4) == 2);
    CHECK(agreeing((const float[]){NAN, NAN}, 2) <= 2);
    CHECK(agreeing(NULL, 0) == 0);
}

static void minima_are_distinct_and_the_best_of_all(void)
{
    qn_screen_rounds rounds = {.poses = memory};
    qn_screen_pose minima[QN_SCREEN_MINIMA];
    qn_screen_rounds_restart(&rounds);
    const qn_screen_pose first[] = {pose_at(-9, 2), pose_at(-5, 4), pose_at(INFINITY, 0)};
    const qn_screen_pose second[] = {pose_at(-8, 2.1), pose_at(-7, 6), pose_at(-1, 9)};
    const qn_screen_pose broken[] = {pose_at(NAN, 1)};
    const qn_screen_pose minimised[] = {pose_at(-10, 2.2), pose_at(-6, 4.3), pose_at(INFINITY, 0)};
    qn_screen_rounds_add(&rounds, first, 3);
    qn_screen_rounds_add(&rounds, second, 3);
    qn_screen_rounds_add(&rounds, broken, 1);
    CHECK(rounds.count == 6); /* the pose of infinite energy is left out */
    qn_screen_rounds_sort(&rounds);
    qn_screen_rounds_list(&rounds, minimised, 3, frame, moments, 0.5f, minima);
    const float expected[] = {-10, -7, -6, -1};
    for (int i = 0; i < 4; i++) CHECK(minima[i].energy == expected[i]);
    for (int i = 4; i < QN_SCREEN_MINIMA; i++) CHECK(isinf(minima[i].energy));
    for (int i = 1; i < 4; i++)
        CHECK(qn_evolve_distance2(frame, moments, minima[i - 1].number, minima[i].number) >= 0.25f);
}

static void distances_are_those_of_the_atoms(void)
{
    const qn_screen_pose one = pose_at(0, 5), other = pose_at(0, 8);
    CHECK_NEAR((double)qn_evolve_distance2(frame, moments, one.number, other.number), 9, 1e-3);
    /* half a turn about x: each atom moves by twice its distance from the axis, whose mean square is 8 */
    const uint16_t turned[6] = {32768, 0, 0, one.number[3], one.number[4], one.number[5]};
    CHECK_NEAR((double)qn_evolve_distance2(frame, moments, one.number, turned), 32, 1e-3);
}

int main(void)
{
    qn_evolve_frame((const double[]){8, 0, 0}, (const double[]){16, 16, 16}, frame);
    RUN(rounds_agree_within_one_percent_of_the_lowest);
    RUN(minima_are_distinct_and_the_best_of_all);
    RUN(distances_are_those_of_the_atoms);
    return check_finish();
}
