/* Windows, transforms and tables compared with their definitions. */
#include "check.h"

#include <math.h>

#include "project/window.h"

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

int main(void)
{
    RUN(weights_agree_with_the_definition);
    RUN(transforms_equal_integrals);
    RUN(table_agrees_with_the_window);
    return check_finish();
}
