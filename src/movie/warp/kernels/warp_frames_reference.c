#include <math.h>
#include <stdbool.h>

#include "movie/warp/kernels/warp_frames.h"

/* Weight of a cubic B-spline at a distance from its middle, in intervals. */
static double spline(double distance)
{
    const double t = fabs(distance);
    if (t >= 2) return 0;
    return t >= 1 ? (2 - t) * (2 - t) * (2 - t) / 6 : 2.0 / 3 - t * t + t * t * t / 2;
}

/* The field at a place in intervals: B-spline i has its middle at i − 1. */
static void field_at(const float *coefficients, double x, double y, double field[2])
{
    field[0] = field[1] = 0;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            for (int axis = 0; axis < 2; axis++)
                field[axis] += spline(y - (i - 1)) * spline(x - (j - 1)) * (double)coefficients[2 * (7 * i + j) + axis];
}

static double interpolate(const qn_warp_problem *problem, int f, qn_warp_sample sample, const void *user, double x,
                          double y)
{
    const int taps = problem->taps, width = problem->fine[0], height = problem->fine[1];
    const int first_x = (int)floor(x) + 1 - taps / 2, first_y = (int)floor(y) + 1 - taps / 2;
    double sum = 0;
    for (int i = 0; i < taps; i++)
        for (int j = 0; j < taps; j++) {
            const size_t row = (size_t)((first_y + i + 4 * height) % height);
            const size_t column = (size_t)((first_x + j + 4 * width) % width);
            const double weight =
                qn_window_at(&problem->window, y - (first_y + i)) * qn_window_at(&problem->window, x - (first_x + j));
            sum += weight * sample(f, row * (size_t)width + column, user);
        }
    return sum;
}

void qn_warp_frames_reference(const qn_warp_problem *problem, const qn_warp_pass *pass, const float *coefficients,
                              qn_warp_sample sample, const void *user, int x, int y, double *values)
{
    for (int f = 0; f < pass->frames; f++) {
        double field[2] = {0, 0}, value;
        if (problem->taps > 1)
            field_at(coefficients + (size_t)QN_WARP_COEFFICIENTS * (size_t)pass->frame[f], x * problem->intervals[0],
                     y * problem->intervals[1], field);
        const double at[2] = {x * problem->step[0] + field[0], y * problem->step[1] + field[1]};
        bool covered = true;
        for (int d = 0; d < 2; d++)
            covered = covered && at[d] >= (double)pass->low[f][d] && at[d] <= (double)pass->high[f][d];
        if (!covered) continue;
        if (problem->taps > 1)
            value = interpolate(problem, f, sample, user, at[0], at[1]);
        else
            value = sample(f, (size_t)at[1] * (size_t)problem->fine[0] + (size_t)at[0], user);
        for (int i = 0; i < problem->sums; i++) values[i] += (double)pass->share[f][i] * value;
    }
}
