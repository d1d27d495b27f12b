#include "check.h"

#include <math.h>

#include "math/bessel.h"
#include "math/random.h"
#include "math/rotation.h"

static void philox_gives_the_published_vectors(void)
{
    /* Random123's known answers for Philox4x32-10. */
    uint32_t words[4];
    qn_random_block((uint32_t[]){0, 0, 0, 0}, (uint32_t[]){0, 0}, words);
    CHECK(words[0] == 0x6627e8d5 && words[1] == 0xe169c58d && words[2] == 0xbc57ac4c && words[3] == 0x9b00dbd8);
    qn_random_block((uint32_t[]){0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, (uint32_t[]){0xffffffff, 0xffffffff},
                    words);
    CHECK(words[0] == 0x408f276d && words[1] == 0x41c83b0e && words[2] == 0xa20bc7c6 && words[3] == 0x6d5451fd);
    qn_random_block((uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, (uint32_t[]){0xa4093822, 0x299f31d0},
                    words);
    CHECK(words[0] == 0xd16cfe09 && words[1] == 0x94fdcceb && words[2] == 0x5001e420 && words[3] == 0x24126ea1);
}

static void uniform_numbers_fill_the_interval(void)
{
    double sum = 0, low = 1, high = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        double u = qn_random_uniform(7, 3, i);
        sum += u;
        low = fmin(low, u);
        high = fmax(high, u);
    }
    CHECK_NEAR(sum / 10000, 0.5, 4 * sqrt(1.0 / 12 / 10000));
    CHECK(low >= 0 && low < 1e-3 && high < 1 && high > 1 - 1e-3);
    CHECK(qn_random_uniform(7, 3, 5) != qn_random_uniform(7, 4, 5));
    CHECK(qn_random_uniform(7, 3, 5) != qn_random_uniform(8, 3, 5));
}

static void quarter_turn_about_z_takes_x_to_y(void)
{
    double matrix[9], vector[3];
    double quaternion[4] = {sqrt(0.5), 0, 0, sqrt(0.5)};
    qn_rotation_from_quaternion(quaternion, matrix);
    qn_rotation_apply(matrix, (double[]){1, 0, 0}, vector);
    CHECK_NEAR(vector[0], 0, 1e-15);
    CHECK_NEAR(vector[1], 1, 1e-15);
    double half_turn[9], identity[9];
    qn_rotation_multiply(matrix, matrix, half_turn);
    qn_rotation_from_seed(0, identity);
    CHECK_NEAR(identity[0] + identity[4] + identity[8], 3, 0);
    CHECK_NEAR(qn_rotation_angle_degrees(half_turn, identity), 180, 1e-6);
    CHECK_NEAR(qn_rotation_angle_degrees(half_turn, matrix), 90, 1e-6);
}

static void super_fibonacci_covers_evenly(void)
{
    enum { COUNT = 3600 };
    static double set[COUNT][9];
    double mean[9] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        qn_rotation_super_fibonacci(i, COUNT, set[i]);
        CHECK(qn_rotation_error(set[i]) < 1e-14);
        for (int k = 0; k < 9; k++) mean[k] += set[i][k] / COUNT;
    }
    /* Matrix elements average to 0 over all rotations. */
    for (int k = 0; k < 9; k++) CHECK_NEAR(mean[k], 0, 2e-3);
    /* Every rotation lies near the set. A ball of angle a holds the share (a - sin a) / pi of all rotations, 1/3600 at
     * a = 9.95 degrees; 3,600 smaller balls cannot cover all rotations. An even set needs at most 1.7 times this angle.
     */
    double worst = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        double random[9], nearest = 180;
        qn_rotation_from_seed(seed, random);
        CHECK(qn_rotation_error(random) < 1e-14);
        for (size_t i = 0; i < COUNT; i++) nearest = fmin(nearest, qn_rotation_angle_degrees(random, set[i]));
        worst = fmax(worst, nearest);
    }
    CHECK(worst > 9.95 && worst < 1.7 * 9.95);
    double neighbour = qn_rotation_mean_neighbour_degrees(set[0], COUNT, NULL);
    CHECK(neighbour > 9.95 && neighbour < 2 * 9.95);
}

static void a_reflection_is_not_a_rotation(void)
{
    CHECK(qn_rotation_error((double[]){-1, 0, 0, 0, 1, 0, 0, 0, 1}) == 2);
    CHECK_NEAR(qn_rotation_error((double[]){1.1, 0, 0, 0, 1, 0, 0, 0, 1}), 0.21, 1e-12);
}

/* Abramowitz and Stegun 1964, tables 9.8 and 9.11. */
static void bessel_function_agrees_with_tables(void)
{
    CHECK(qn_bessel_i0(0) == 1);
    CHECK_NEAR(qn_bessel_i0(1), 1.266065877752008, 1e-14);
    CHECK_NEAR(qn_bessel_i0(5), 27.23987182360444, 1e-13);
    CHECK_NEAR(qn_bessel_i0(-10), 2815.716628466254, 1e-11);
}

int main(void)
{
    RUN(bessel_function_agrees_with_tables);
    RUN(philox_gives_the_published_vectors);
    RUN(uniform_numbers_fill_the_interval);
    RUN(quarter_turn_about_z_takes_x_to_y);
    RUN(super_fibonacci_covers_evenly);
    RUN(a_reflection_is_not_a_rotation);
    return check_finish();
}
