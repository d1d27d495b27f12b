/* Cubic splines of small square windows, shared by the kernels and the host. All sums have a fixed order, so results
 * have the same bits on every device. */

/* Arguments of `sum_windows`, `filter_windows` and `field_value`, in order. */
enum { SUM_WINDOWS, SUM_SUMS, SUM_SCALARS, SUM_ARGUMENTS };
enum { FILTER_WINDOWS, FILTER_SCALARS, FILTER_ARGUMENTS };
enum { FIELD_COEFFICIENTS, FIELD_PLACES, FIELD_VALUES, FIELD_SCALARS, FIELD_ARGUMENTS };

typedef struct filter_scalars {
    int lines;   /* of all windows */
    int side;    /* of a window */
    int columns; /* 1: lines are columns of the windows, 0: rows */
} filter_scalars;

typedef struct field_scalars {
    int windows;
    int side;
} field_scalars;

#define FIELD_PARTS 64 /* of the windows that are added up */

/* Add sample k of every FIELD_PARTS-th window from `part` on. */
DEVICE_FN float field_sum(GLOBAL const float *windows, int count, int area, int part, int k)
{
    float sum = 0.0f;
    for (int w = part; w < count; w += FIELD_PARTS) sum += windows[(qn_int64)w * area + k];
    return sum;
}

#define FIELD_POLE -0.267949192431122706f /* √3 − 2 */

/* Replace the values of a line by coefficients of the cubic B-spline through them, continued by reflection at the first
 * and the last value (Unser 1999, box 2). For 9 values and more: pole^16 is below the rounding of 1. */
DEVICE_FN void filter_line(GLOBAL float *line, int count, int stride)
{
    const float pole = FIELD_POLE;
    float power = 1.0f, sum = 0.0f;
    for (int k = 0; k < 2 * count - 2; k++) {
        sum = FMA(power, line[(k < count ? k : 2 * count - 2 - k) * stride], sum);
        power *= pole;
    }
    sum *= 6.0f;
    line[0] = sum;
    for (int k = 1; k < count; k++) {
        sum = FMA(pole, sum, 6.0f * line[k * stride]);
        line[k * stride] = sum;
    }
    sum = 0.288675134594812882f * FMA(pole, line[(count - 2) * stride], sum); /* pole / (pole² − 1) */
    line[(count - 1) * stride] = sum;
    for (int k = count - 2; k >= 0; k--) {
        sum = pole * (sum - line[k * stride]);
        line[k * stride] = sum;
    }
}

/* A place on one axis of a window: the second of four coefficients, their weights and the derivatives of the weights.
 * Nearer than one sample to the edge, and beyond, the place is moved inwards and the derivatives are 0. */
typedef struct field_axis {
    int first;
    float weight[4], slope[4];
} field_axis;

DEVICE_FN field_axis field_locate(float place, int side)
{
    field_axis axis;
    const float from_edge = place + (float)(side / 2), low = 1.0f, high = (float)(side - 2);
    const float at = FMIN(FMAX(from_edge, low), high), inside = at == from_edge ? 1.0f : 0.0f;
    const int whole = MIN((int)FLOOR(at), side - 3);
    const float f = at - (float)whole, rest = 1.0f - f, sixth = 1.0f / 6.0f;
    axis.first = whole - 1;
    axis.weight[0] = sixth * rest * rest * rest;
    axis.weight[1] = sixth * FMA(f * f, FMA(3.0f, f, -6.0f), 4.0f);
    axis.weight[2] = sixth * FMA(rest * rest, FMA(3.0f, rest, -6.0f), 4.0f);
    axis.weight[3] = sixth * f * f * f;
    axis.slope[0] = inside * (-0.5f * rest * rest);
    axis.slope[1] = inside * (f * FMA(1.5f, f, -2.0f));
    axis.slope[2] = inside * (-rest * FMA(1.5f, rest, -2.0f));
    axis.slope[3] = inside * (0.5f * f * f);
    return axis;
}

/* values[0 … 2] = value and its derivatives along x and y, per sample, at (x, y) samples from the middle. */
DEVICE_FN void field_at(GLOBAL const float *coefficients, int side, float x, float y, GLOBAL float *values)
{
    const field_axis along = field_locate(x, side), up = field_locate(y, side);
    float value = 0.0f, by_x = 0.0f, by_y = 0.0f;
    UNROLL
    for (int j = 0; j < 4; j++) {
        GLOBAL const float *row = coefficients + (up.first + j) * side + along.first;
        float sum = 0.0f, slope = 0.0f;
        UNROLL
        for (int i = 0; i < 4; i++) {
            sum = FMA(along.weight[i], row[i], sum);
            slope = FMA(along.slope[i], row[i], slope);
        }
        value = FMA(up.weight[j], sum, value);
        by_x = FMA(up.weight[j], slope, by_x);
        by_y = FMA(up.slope[j], sum, by_y);
    }
    values[0] = value;
    values[1] = by_x;
    values[2] = by_y;
}
