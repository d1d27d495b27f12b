/* Compare the blob, its table, its polynomial and its transform with each other and with the definition. */
#include "check.h"

#include <math.h>

#include "cryoem/blob.h"
#include "runtime/prelude/prelude_host.h"

#include "cryoem/kernels/blob.dev.h"

/* I0(15) = 339649.37 (Abramowitz and Stegun, 9.8.2 to seven digits); at 0.6 radii, I0(15 · 0.8) = 18948.926. */
static void blob_agrees_with_the_definition(void)
{
    CHECK_NEAR(qn_blob_at(1.9, 0), 1, 1e-15);
    CHECK_NEAR(qn_blob_at(1.9, 1.9 * 1.9), 1 / 339649.37, 1e-11);
    CHECK_NEAR(qn_blob_at(1.9, 0.36 * 1.9 * 1.9), 18948.926 / 339649.37, 1e-7);
    CHECK_NEAR(qn_blob_at(1.9, 3.62), 0, 0);
}

static void table_and_polynomial_agree_with_the_blob(void)
{
    static float table[QN_BLOB_ENTRIES];
    double worst = 0, worst_of_table = 0;
    qn_blob_table(table);
    for (int i = 0; i <= 100000; i++) {
        const double squared = i / 100000.0, place = squared * QN_BLOB_INTERVALS;
        const int index = (int)place;
        const double between = table[index] + (place - index) * ((double)table[index + 1] - table[index]);
        worst = fmax(worst, fabs((double)blob_polynomial((float)(1 - squared)) -
                                 qn_blob_at(1, 1 - (double)(float)(1 - squared))));
        worst_of_table = fmax(worst_of_table, fabs(between - qn_blob_at(1, squared)));
    }
    CHECK(worst < 3.1e-6); /* the blob's value at the radius, where the polynomial is 0 */
    CHECK(worst_of_table < 5e-7);
    for (int i = 1; i <= 1000; i++)
        CHECK_NEAR((double)blob_polynomial((float)i / 1000), qn_blob_at(1, 1 - (double)((float)i / 1000)), 6e-7);
    CHECK(blob_polynomial(0) == 0 && blob_polynomial(-1) == 0);
}

/* ∫ b(d²) 4π d² sin(2πkd) / (2πkd) dd by Simpson's rule. */
static double transform_by_integral(double radius, double frequency)
{
    const int steps = 20000;
    double sum = 0;
    for (int i = 0; i <= steps; i++) {
        const double d = radius * i / steps, turn = 2 * 3.14159265358979323846 * frequency * d;
        const double value = 4 * 3.14159265358979323846 * d * d * (turn > 0 ? sin(turn) / turn : 1) *
                             qn_blob_at(radius, fmin(d * d, radius * radius));
        sum += value * (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2);
    }
    return sum * radius / steps / 3;
}

/* Frequencies below and above 15 / (2π 1.9) = 1.2565 cycles per voxel, where sinh changes to sin. */
static void transform_agrees_with_the_integral(void)
{
    const double frequencies[] = {0, 0.01, 0.1, 0.25, 0.5, 1, 1.25648, 1.2565, 1.257, 1.5, 2};
    for (int i = 0; i < 11; i++) {
        const double expected = transform_by_integral(1.9, frequencies[i]);
        CHECK_NEAR(qn_blob_transform(1.9, frequencies[i]), expected, 1e-9 * transform_by_integral(1.9, 0));
    }
}

int main(void)
{
    check_run("blob_agrees_with_the_definition", blob_agrees_with_the_definition);
    check_run("table_and_polynomial_agree_with_the_blob", table_and_polynomial_agree_with_the_blob);
    check_run("transform_agrees_with_the_integral", transform_agrees_with_the_integral);
    return check_finish();
}
