/* Windows, transforms and tables compared with their definitions. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "math/window.h"

static const double PI = 3.14159265358979323846;

static void weights_agree_with_the_definition(void)
{
    const qn_window linear = qn_window_make(2, 2), four = {4, 9.0};
    CHECK_NEAR(qn_window_at(&linear, 0.25), 0.75, 1e-15);
    CHECK_NEAR(qn_window_at(&linear, -1.5), 0, 0);
    /* I0(9) = 1093.58835 (Abramowitz and Stegun, table 9.8), I0(0) = 1 */
    CHECK_NEAR(qn_window_at(&four, 0), 1, 1e-15);
    CHECK_NEAR(qn_window_at(&four, 2), 1 / 1093.58835, 1e-9);
    CHECK_NEAR(qn_window_at(&four, 2.01), 0, 0);
    /* π √(4² / 2² · 1.5² − 0.8) */
    CHECK_NEAR(qn_window_make(4, 2).beta, 8.9962, 1e-4);
}

/* Compute ∫ weight(t) cos(2π f t) dt by Simpson's rule. */
static double transform_by_integral(const qn_window *window, double frequency)
{
    const int steps = 12000; /* even, so that the kink of the triangle is at a step */
    const double half = window->taps / 2.0;
    double sum = 0;
    for (int i = 0; i <= steps; i++) {
        const double t = half * (2.0 * i / steps - 1);
        sum += (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * qn_window_at(window, t) * cos(2 * PI * frequency * t);
    }
    return sum * 2 * half / steps / 3;
}

static void transforms_equal_integrals(void)
{
    static const double frequencies[] = {0, 1e-9, 0.05, 0.25, 0.5, 0.75, 1.2};
    for (int taps = 2; taps <= 6; taps += 2)
        for (int i = 0; i < 7; i++) {
            const qn_window window = qn_window_make(taps, taps == 4 ? 1 : 2);
            CHECK_NEAR(qn_window_transform(&window, frequencies[i]), transform_by_integral(&window, frequencies[i]),
                       1e-8);
        }
}

static void table_agrees_with_the_window(void)
{
    static float table[QN_WINDOW_ROWS * QN_WINDOW_TAPS_MAX];
    for (int taps = 2; taps <= 6; taps += 2) {
        const qn_window window = qn_window_make(taps, 2);
        double worst = 0;
        qn_window_table(&window, table);
        for (int i = 0; i < 10000; i++) {
            const double place = i / 10000.0 * QN_WINDOW_INTERVALS;
            const int row = (int)place;
            for (int tap = 0; tap < taps; tap++) {
                const float *at = table + row * taps + tap;
                const double weight = (double)at[0] + (place - row) * ((double)at[taps] - (double)at[0]);
                worst = fmax(worst, fabs(weight - qn_window_at(&window, i / 10000.0 - (tap + 1 - taps / 2))));
            }
        }
        CHECK(worst < (taps == 2 ? 1e-7 : 4e-7));
    }
}

static double value_of(const float *powers, double s)
{
    double sum = 0;
    for (int k = QN_WINDOW_TERMS - 1; k >= 0; k--) sum = sum * s + (double)powers[k];
    return sum;
}

static void polynomials_agree_with_the_window(void)
{
    static const double paddings[] = {1.2, 1.25, 1.5, 2};
    float terms[QN_WINDOW_TAPS_MAX * QN_WINDOW_TERMS];
    for (int taps = 4; taps <= 6; taps += 2)
        for (int p = 0; p < 4; p++) {
            const qn_window window = qn_window_make(taps, paddings[p]);
            double worst = 0;
            qn_window_polynomials(&window, terms);
            for (int i = 0; i <= 1000; i++)
                for (int tap = 0; tap < taps; tap++) {
                    const int pair = tap < taps / 2 ? tap : taps - 1 - tap;
                    const float *row = terms + 2 * pair * QN_WINDOW_TERMS;
                    const double place = i / 1000.0, z = place - 0.5, sign = tap < taps / 2 ? 1 : -1;
                    const double weight = value_of(row, z * z) + sign * z * value_of(row + QN_WINDOW_TERMS, z * z);
                    worst = fmax(worst, fabs(weight - qn_window_at(&window, place - (tap + 1 - taps / 2))));
                }
            if (!CHECK(worst < 4e-7)) fprintf(stderr, "taps %d, padding %g: %g\n", taps, paddings[p], worst);
        }
}

/* Root mean square, over places between samples, of the error of an interpolated wave of amplitude 1. `frequency` is in
 * cycles per sample. */
static double error_of_wave(const qn_window *window, double frequency)
{
    enum { PLACES = 64 };
    const double whole = qn_window_transform(window, frequency);
    double sum = 0;
    for (int i = 0; i < PLACES; i++) {
        const double place = (i + 0.5) / PLACES;
        double re = 0, im = 0;
        for (int sample = 1 - window->taps / 2; sample <= window->taps / 2; sample++) {
            const double distance = sample - place, weight = qn_window_at(window, distance) / whole;
            re += weight * cos(2 * PI * frequency * distance);
            im += weight * sin(2 * PI * frequency * distance);
        }
        sum += (re - 1) * (re - 1) + im * im;
    }
    return sqrt(sum / PLACES);
}

/* The shape for a padding of 1.25, in which movies are interpolated. A direct sum in Python, with the window and a
 * numerical transform of its own, gives 1.02 % and 0.06 % at 0.9 of the limit of the unpadded grid. */
static void a_small_padding_keeps_waves(void)
{
    const double padding = 1.25, limit = 0.5 / padding;
    const qn_window four = qn_window_make(4, padding), six = qn_window_make(6, padding);
    CHECK_NEAR(four.beta, 6.9967, 1e-4);
    CHECK_NEAR(six.beta, 10.9551, 1e-4);
    CHECK_NEAR(error_of_wave(&four, 0.9 * limit), 0.0102, 1e-4);
    CHECK_NEAR(error_of_wave(&six, 0.9 * limit), 0.0006, 5e-5);
    for (double share = 0.05; share < 1; share += 0.05) {
        CHECK(error_of_wave(&four, share * limit) < 0.0105);
        CHECK(error_of_wave(&six, share * limit) < 0.001);
    }
}

int main(void)
{
    RUN(weights_agree_with_the_definition);
    RUN(transforms_equal_integrals);
    RUN(table_agrees_with_the_window);
    RUN(polynomials_agree_with_the_window);
    RUN(a_small_padding_keeps_waves);
    return check_finish();
}
