#include <math.h>
#include <string.h>

#include "movie/motion/kernels/field_value.h"

/* Solve (c_{k−1} + 4 c_k + c_{k+1}) / 6 = line_k with reflected ends by elimination. */
static void filter_reference(int count, int stride, double *line)
{
    double upper[QN_FIELD_SIDE_MAX], right[QN_FIELD_SIDE_MAX];
    for (int k = 0; k < count; k++) {
        const double before = k == 0 ? 0 : k == count - 1 ? 2 : 1, after = k == 0 ? 2 : k == count - 1 ? 0 : 1;
        const double pivot = 4 - (k > 0 ? before * upper[k - 1] : 0);
        upper[k] = after / pivot;
        right[k] = (6 * line[k * stride] - (k > 0 ? before * right[k - 1] : 0)) / pivot;
    }
    for (int k = count - 1; k >= 0; k--)
        line[k * stride] = right[k] - (k < count - 1 ? upper[k] * line[(k + 1) * stride] : 0);
}

void qn_field_filter_reference(int side, const double *window, double *coefficients)
{
    memcpy(coefficients, window, (size_t)(side * side) * sizeof *coefficients);
    for (int k = 0; k < side; k++) filter_reference(side, 1, coefficients + k * side);
    for (int k = 0; k < side; k++) filter_reference(side, side, coefficients + k);
}

/* The cubic B-spline around 0. */
static double spline(double x)
{
    const double d = fabs(x);
    return d < 1 ? (4 - 6 * d * d + 3 * d * d * d) / 6 : d < 2 ? (2 - d) * (2 - d) * (2 - d) / 6 : 0;
}

static double spline_slope(double x)
{
    const double d = fabs(x), slope = d < 1 ? (9 * d * d - 12 * d) / 6 : d < 2 ? -(2 - d) * (2 - d) / 2 : 0;
    return x < 0 ? -slope : slope;
}

void qn_field_value_reference(int side, const double *coefficients, double x, double y, double values[3])
{
    const double at_x = x + side / 2, at_y = y + side / 2;
    const double in_x = fmin(fmax(at_x, 1), side - 2), in_y = fmin(fmax(at_y, 1), side - 2);
    values[0] = values[1] = values[2] = 0;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const double c = coefficients[j * side + i];
            values[0] += c * spline(in_x - i) * spline(in_y - j);
            if (in_x == at_x) values[1] += c * spline_slope(in_x - i) * spline(in_y - j);
            if (in_y == at_y) values[2] += c * spline(in_x - i) * spline_slope(in_y - j);
        }
}
