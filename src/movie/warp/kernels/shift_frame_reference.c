#include <math.h>
#include <string.h>

#include "movie/warp/kernels/shift_frame.h"

static const double PI = 3.14159265358979323846;

void qn_shift_reference(const qn_shift_problem *problem, const double number[2], int x, int y, double factor,
                        double value[2])
{
    const double angle =
        2 * PI * (x * problem->shift_px[0] / problem->from[0] + y * problem->shift_px[1] / problem->from[1]);
    value[0] += factor * (number[0] * cos(angle) - number[1] * sin(angle));
    value[1] += factor * (number[0] * sin(angle) + number[1] * cos(angle));
}

/* The same with the number at (x, y), for any sign of x and y within half the frame. */
static void add_frequency(const qn_shift_problem *problem, const float *spectrum, int x, int y, double factor,
                          double value[2])
{
    const int width = problem->from[0], height = problem->from[1];
    const int column = x < 0 ? -x : x, row = ((x < 0 ? -y : y) + height) % height;
    const float *from = spectrum + 2 * ((size_t)row * (size_t)(width / 2 + 1) + (size_t)column);
    const double number[2] = {(double)from[0], x < 0 ? -(double)from[1] : (double)from[1]};
    qn_shift_reference(problem, number, x, y, factor, value);
}

/* Every frequency within the limits is added where it lands on the other grid; the part with x ≥ 0 is the result. */
void qn_shift_frame_reference(const qn_shift_problem *problem, const float *spectrum, const float *factors, double *to)
{
    const int width = problem->to[0], height = problem->to[1], columns = width / 2 + 1;
    memset(to, 0, 2 * sizeof(double) * (size_t)height * (size_t)columns);
    for (int y = -problem->limit[1]; y <= problem->limit[1]; y++)
        for (int x = -problem->limit[0]; x <= problem->limit[0]; x++) {
            const int column = (x + width) % width, row = (y + height) % height;
            if (column >= columns || (x == 0 && y == 0)) continue;
            const double factor =
                (double)factors[x < 0 ? -x : x] * (double)factors[problem->limit[0] + 1 + (y < 0 ? -y : y)];
            add_frequency(problem, spectrum, x, y, factor, to + 2 * ((size_t)row * (size_t)columns + (size_t)column));
        }
}

void qn_add_power_reference(const qn_shift_problem *problem, const float *spectrum, double *shifted)
{
    double *to = shifted;
    for (int y = -problem->limit[1]; y <= problem->limit[1]; y++)
        for (int x = 0; x <= problem->limit[0]; x++, to += 2) {
            to[0] = to[1] = 0;
            add_frequency(problem, spectrum, x, y, 1, to);
        }
}
