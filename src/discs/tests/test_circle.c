/* The smallest circle around circles: by hand, and random ones against a slow minimisation of the farthest reach, which
 * is a convex function of the centre. */
#include "discs/circle.h"

#include <math.h>

#include "check.h"
#include "math/random.h"

static double reach(const qn_circle *circles, int count, double x, double y)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, hypot(circles[i].centre[0] - x, circles[i].centre[1] - y) + circles[i].radius);
    return most;
}

static void known_circles_are_found(void)
{
    const qn_circle pair[2] = {{{-2, 0}, 1}, {{3, 0}, 0.5}}, nested[2] = {{{0, 0}, 3}, {{1, 1}, 0.5}};
    qn_circle found = qn_circle_around(pair, 2);
    CHECK_NEAR(found.radius, 3.25, 1e-12);
    CHECK_NEAR(found.centre[0], 0.25, 1e-12);
    found = qn_circle_around(nested, 2);
    CHECK(found.radius == 3 && found.centre[0] == 0);
    /* Three equal circles on a circle of radius 2 around (5, −7). */
    qn_circle three[4];
    for (int i = 0; i < 3; i++)
        three[i] =
            (qn_circle){{5 + 2 * cos(0.3 + 2.0943951023931953 * i), -7 + 2 * sin(0.3 + 2.0943951023931953 * i)}, 0.7};
    three[3] = (qn_circle){{5.1, -7}, 0.2};
    found = qn_circle_around(three, 4);
    CHECK_NEAR(found.radius, 2.7, 1e-12);
    CHECK_NEAR(found.centre[0], 5, 1e-12);
    CHECK_NEAR(found.centre[1], -7, 1e-12);
    /* Centres on a line, equal circles, the same circle thrice. */
    const qn_circle line[3] = {{{0, 0}, 1}, {{1, 0}, 1.5}, {{4, 0}, 1}},
                    same[3] = {{{1, 2}, 1}, {{1, 2}, 1}, {{1, 2}, 1}};
    found = qn_circle_around(line, 3);
    CHECK_NEAR(found.radius, 3, 1e-12);
    CHECK_NEAR(found.centre[0], 2, 1e-12);
    found = qn_circle_around(same, 3);
    CHECK_NEAR(found.radius, 1, 1e-12);
}

/* Golden sections of golden sections. */
static double best_along_y(const qn_circle *circles, int count, double x)
{
    const double ratio = 0.6180339887498949;
    double low = -10, high = 10;
    while (high - low > 1e-9) {
        const double a = high - ratio * (high - low), b = low + ratio * (high - low);
        if (reach(circles, count, x, a) < reach(circles, count, x, b))
            high = b;
        else
            low = a;
    }
    return reach(circles, count, x, (low + high) / 2);
}

static double slow_radius(const qn_circle *circles, int count)
{
    const double ratio = 0.6180339887498949;
    double low = -10, high = 10;
    while (high - low > 1e-9) {
        const double a = high - ratio * (high - low), b = low + ratio * (high - low);
        if (best_along_y(circles, count, a) < best_along_y(circles, count, b))
            high = b;
        else
            low = a;
    }
    return best_along_y(circles, count, (low + high) / 2);
}

static void random_circles_are_held_by_the_smallest(void)
{
    uint64_t draw = 0;
    double worst = 0, beyond = 0;
    for (int trial = 0; trial < 300; trial++) {
        qn_circle circles[24];
        const int count = 1 + trial % 24;
        for (int i = 0; i < count; i++) {
            circles[i].radius = 3 * pow(qn_random_uniform(5, 0, draw++), 3);
            /* every third set nearly on a line */
            circles[i].centre[0] = 6 * qn_random_uniform(5, 0, draw++) - 3;
            circles[i].centre[1] = (trial % 3 ? 6 : 1e-6) * (qn_random_uniform(5, 0, draw++) - 0.5);
        }
        const qn_circle found = qn_circle_around(circles, count);
        beyond = fmax(beyond, reach(circles, count, found.centre[0], found.centre[1]) - found.radius);
        worst = fmax(worst, fabs(found.radius - slow_radius(circles, count)));
    }
    CHECK(beyond <= 1e-14);
    CHECK_NEAR(worst, 0, 2e-8);
}

int main(void)
{
    RUN(known_circles_are_found);
    RUN(random_circles_are_held_by_the_smallest);
    return check_finish();
}
