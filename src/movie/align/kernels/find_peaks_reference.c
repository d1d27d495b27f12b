#include <math.h>

#include "movie/align/kernels/find_peaks.h"

static double value_at(const qn_peaks_problem *problem, const float *map, int x, int y)
{
    const int width = problem->size[0], height = problem->size[1];
    return (double)map[(y + height) % height * width + (x + width) % width];
}

static double offset(double before, double middle, double after)
{
    const double bend = before - 2 * middle + after;
    return bend < 0 ? fmax(-0.5, fmin(0.5, 0.5 * (before - after) / bend)) : 0;
}

void qn_find_peaks_reference(const qn_peaks_problem *problem, const float *maps, double *peaks)
{
    for (int m = 0; m < problem->maps; m++) {
        const float *map = maps + (size_t)m * (size_t)problem->size[0] * (size_t)problem->size[1];
        const int rx = problem->reach[0], ry = problem->reach[1];
        double largest = -INFINITY;
        int x = 0, y = 0;
        for (int v = -ry; v <= ry; v++)
            for (int u = -rx; u <= rx; u++)
                if (value_at(problem, map, u, v) > largest) largest = value_at(problem, map, u, v), x = u, y = v;
        peaks[4 * m] = x + offset(value_at(problem, map, x - 1, y), largest, value_at(problem, map, x + 1, y));
        peaks[4 * m + 1] = y + offset(value_at(problem, map, x, y - 1), largest, value_at(problem, map, x, y + 1));
        peaks[4 * m + 2] = largest;
        peaks[4 * m + 3] = x == -rx || x == rx || y == -ry || y == ry;
    }
}

void qn_cut_windows_reference(const qn_peaks_problem *problem, const float *maps, float *windows)
{
    const int rx = problem->reach[0], ry = problem->reach[1];
    size_t to = 0;
    for (int m = 0; m < problem->maps; m++) {
        const float *map = maps + (size_t)m * (size_t)problem->size[0] * (size_t)problem->size[1];
        for (int v = -ry; v <= ry; v++)
            for (int u = -rx; u <= rx; u++) windows[to++] = (float)value_at(problem, map, u, v);
    }
}
