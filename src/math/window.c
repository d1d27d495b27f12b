#include "math/window.h"

#include <math.h>

#include "math/bessel.h"

static const double PI = 3.14159265358979323846;

qn_window qn_window_make(int taps, double padding)
{
    const double width = taps / padding;
    return (qn_window){taps, PI * sqrt(width * width * (padding - 0.5) * (padding - 0.5) - 0.8)};
}

double qn_window_at(const qn_window *window, double distance)
{
    if (window->taps == 2) return fmax(0, 1 - fabs(distance));
    const double u = 2 * distance / window->taps, inside = 1 - u * u;
    return inside < 0 ? 0 : qn_bessel_i0(window->beta * sqrt(inside)) / qn_bessel_i0(window->beta);
}

double qn_window_transform(const qn_window *window, double frequency)
{
    const double turn = PI * frequency;
    if (window->taps == 2) return fabs(turn) < 1e-8 ? 1 : sin(turn) * sin(turn) / (turn * turn);
    const double square = window->beta * window->beta - window->taps * turn * window->taps * turn;
    const double z = sqrt(fabs(square));
    double shape = 1 + square / 6; /* the first two terms of the series of sin and of sinh */
    if (z > 1e-3) shape = square > 0 ? sinh(z) / z : sin(z) / z;
    return window->taps / qn_bessel_i0(window->beta) * shape;
}

void qn_window_table(const qn_window *window, float *table)
{
    for (int row = 0; row < QN_WINDOW_ROWS; row++)
        for (int tap = 0; tap < window->taps; tap++)
            table[row * window->taps + tap] =
                (float)qn_window_at(window, (double)row / QN_WINDOW_INTERVALS - (tap + 1 - window->taps / 2));
}

/* Powers of the polynomial through QN_WINDOW_TERMS points, by divided differences. `values` is overwritten. */
static void interpolate(const double *at, double *values, float *powers)
{
    double sum[QN_WINDOW_TERMS] = {0};
    for (int order = 1; order < QN_WINDOW_TERMS; order++)
        for (int i = QN_WINDOW_TERMS - 1; i >= order; i--)
            values[i] = (values[i] - values[i - 1]) / (at[i] - at[i - order]);
    for (int i = QN_WINDOW_TERMS - 1; i >= 0; i--) { /* sum = sum · (s − at[i]) + values[i] */
        for (int k = QN_WINDOW_TERMS - 1; k > 0; k--) sum[k] = sum[k - 1] - at[i] * sum[k];
        sum[0] = values[i] - at[i] * sum[0];
    }
    for (int k = 0; k < QN_WINDOW_TERMS; k++) powers[k] = (float)sum[k];
}

void qn_window_polynomials(const qn_window *window, float *terms)
{
    double at[QN_WINDOW_TERMS], even[QN_WINDOW_TERMS], odd[QN_WINDOW_TERMS];
    for (int pair = 0; pair < window->taps / 2; pair++) {
        for (int i = 0; i < QN_WINDOW_TERMS; i++) { /* Chebyshev's places in the range of z², 0 to 1/4 */
            at[i] = (1 - cos(PI * (i + 0.5) / QN_WINDOW_TERMS)) / 8;
            const double z = sqrt(at[i]), sample = pair + 0.5 - window->taps / 2;
            const double after = qn_window_at(window, z - sample), before = qn_window_at(window, -z - sample);
            even[i] = (after + before) / 2;
            odd[i] = (after - before) / (2 * z);
        }
        interpolate(at, even, terms + (2 * pair) * QN_WINDOW_TERMS);
        interpolate(at, odd, terms + (2 * pair + 1) * QN_WINDOW_TERMS);
    }
}
