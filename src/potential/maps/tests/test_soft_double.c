/* Doubles in integers, compared with the processor's, bit by bit; and the parts of short_range's arithmetic. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "math/random.h"
#include "potential/maps/map_text.h"
#include "runtime/prelude/prelude_host.h"

#include "potential/maps/kernels/short_range.dev.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Numbers of every size that coordinates have, some of them equal in many leading bits. */
static double number(uint64_t i)
{
    const double uniform = 2 * qn_random_uniform(7, i, 0) - 1;
    const double scale = ldexp(1, (int)(20 * qn_random_uniform(8, i, 0)) - 12);
    switch (i % 4) {
    case 0: return uniform * scale;
    case 1: return round(uniform * 100000) / 1000;
    case 2: return round(uniform * 100) * 0.375;
    default: return round(uniform * 1000) / 1000 + uniform * 1e-15;
    }
}

static void squared_distances_have_the_bits_of_doubles(void)
{
    int wrong = 0;
    for (uint64_t i = 0; i < 400000; i++) {
        const double a = number(3 * i), b = number(3 * i + 1), c = fabs(number(i * 5 + 2));
        const double difference = a - b, square = difference * difference, sum = square + c * c;
        const uint64_t soft = soft_square(soft_difference(bits_of(a), bits_of(b)));
        wrong += soft_difference(bits_of(a), bits_of(b)) != (bits_of(difference) & SOFT_MAGNITUDE);
        wrong += soft != bits_of(square);
        wrong += soft_sum(soft, soft_square(bits_of(c))) != bits_of(sum);
    }
    CHECK(wrong == 0);
    CHECK(soft_difference(bits_of(1.5), bits_of(1.5)) == 0 && soft_square(0) == 0);
    CHECK(soft_sum(0, bits_of(2.25)) == bits_of(2.25));
    CHECK(soft_difference(0, bits_of(-3.7)) == bits_of(3.7));
}

static void shares_follow_the_cosine(void)
{
    double worst = 0;
    for (int i = -1000; i <= 1000; i++) {
        const double cosine = i / 1000.0, expected = 0.5 - 0.5 * cos(acos(cosine) * 120 / 90);
        worst = fmax(worst, fabs((double)short_share((float)cosine) - expected));
    }
    CHECK(worst < 4e-7);
}

/* Hand calculation: a lone pair in the plane 45 degrees from the axis, one in the axis, one out of the plane; behind.
 */
static void lone_pairs_follow_the_formula(void)
{
    const float half = 0.70710678f;
    CHECK_NEAR(short_lone_pairs(1, 0, 0), 0.9, 1e-6);
    CHECK_NEAR(short_lone_pairs(half, 0, half), 1.0, 1e-6);
    CHECK_NEAR(short_lone_pairs(half, half, 0), 0.9 * half, 1e-6);
    CHECK_NEAR(short_lone_pairs(0, 1, 0), 0, 1e-6);
    CHECK_NEAR(short_lone_pairs(-0.2f, 0, 0.98f), 562.25 * pow(0.116978 - 0.04, 3), 1e-5);
    CHECK_NEAR(short_lone_pairs(-0.35f, 0, 0.9f), 0, 0);
    CHECK_NEAR(short_power(0.5f, SHORT_FOURTH), 0.0625, 0);
    CHECK_NEAR(short_power(0.5f, SHORT_SQUARE), 0.25, 0);
    CHECK_NEAR(short_power(-0.5f, SHORT_SQUARE), 0, 0);
    CHECK_NEAR(short_weight(0.25f, 50), 0.25 + 0.75 * 0.5, 1e-7);
    CHECK_NEAR(short_weight(0.25f, 500), 1, 0);
    CHECK_NEAR(short_weight(0.25f, -3), 0.25, 0);
}

static void values_are_rounded_as_maps_hold_them(void)
{
    int wrong = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        const double value = number(i) * (i % 3 ? 1 : 1000) * (i % 5 ? 1 : 10);
        const double held = ldexp(floor(ldexp(value, 30)), -30); /* as far as sums have it */
        if (fabs(fabs(held * 1000 - floor(held * 1000)) - 0.5) < 1e-4) continue;
        wrong += short_round((int64_t)ldexp(held, 30)) != qn_map_value_round(held);
    }
    CHECK(wrong == 0);
    CHECK(short_round(0) == 0 && short_round(107373) == 0 && short_round(-107373) == 0);
    CHECK(short_round(107375) == 0.0001f && short_round(-400000) == -0.0001f);
    CHECK_NEAR(short_value(1e6f, 0.5f, FLOAT_MAXIMUM, -FLOAT_MAXIMUM, 0.25f), 1000000.75, 0);
    CHECK_NEAR(short_value(1, 0, -2, 3, 0), 2, 0);
}

int main(void)
{
    RUN(squared_distances_have_the_bits_of_doubles);
    RUN(shares_follow_the_cosine);
    RUN(lone_pairs_follow_the_formula);
    RUN(values_are_rounded_as_maps_hold_them);
    return check_finish();
}
