/* Central slices of a Fourier volume. project_slices.h describes the arrays. A work-item computes one pixel. */
#include "project/kernels/project_slices.dev.h"

#ifndef BLOCK_DIM_X
#error "BLOCK_DIM_X: pixels of a group along x"
#endif
#ifndef BLOCK_DIM_Y
#error "BLOCK_DIM_Y: pixels of a group along y"
#endif
#ifndef TAPS
#error "TAPS: samples that a pixel gathers along each axis"
#endif

#define MARGIN (TAPS / 2)

/* Sample (x, y, z) of the spectrum; indices are those of within_period(). */
DEVICE_FN qn_complex sample_at(GLOBAL const qn_complex *spectrum, int side, int x, int y, int z)
{
    const int sign = x < 0 ? -1 : 1, columns = side / 2 + 1;
    const int row = sign * y < 0 ? sign * y + side : sign * y, plane = sign * z < 0 ? sign * z + side : sign * z;
    const qn_complex value = spectrum[((qn_int64)plane * side + row) * columns + sign * x];
    return COMPLEX_MAKE(value.x, (float)sign * value.y);
}

KERNEL GROUP_LIMIT(32, 4, 1) void lay_out(
    GLOBAL const qn_complex *RESTRICT spectrum, GLOBAL qn_complex *RESTRICT volume, const lay_out_scalars s)
{
    const int rows = 2 * s.reach + 1;
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1), z = GLOBAL_ID(2);
    if (x >= s.columns || y >= rows) return;
    const qn_complex value = sample_at(spectrum, s.side, within_period(x - MARGIN, s.side),
                                       within_period(y - s.reach, s.side), within_period(z - s.reach, s.side));
    volume[((qn_int64)z * rows + y) * s.columns + x] = COMPLEX_SCALE(value, s.scale);
}

/* The samples that a pixel gathers along an axis: the first sample, and the weights of all. */
typedef struct gathered_axis {
    int first;
    float weight[TAPS];
} gathered_axis;

DEVICE_FN void locate(gathered_axis *axis, GLOBAL const float *window, float coarse, float fine)
{
    const float whole = FLOOR(coarse), part = (coarse - whole) + fine, carry = FLOOR(part);
    const float place = (part - carry) * WINDOW_INTERVALS, row = FMIN(FLOOR(place), WINDOW_INTERVALS - 1.0f);
    const float between = place - row;
    GLOBAL const float *weights = window + (int)row * TAPS;
    axis->first = (int)(whole + carry) + 1 - MARGIN;
    UNROLL
    for (int tap = 0; tap < TAPS; tap++)
        axis->weight[tap] = FMA(between, weights[TAPS + tap] - weights[tap], weights[tap]);
}

DEVICE_FN qn_complex gather(GLOBAL const qn_complex *volume, const gathered_axis *axes, int columns, int rows,
                            int reach)
{
    qn_complex sum = COMPLEX_MAKE(0.0f, 0.0f);
    for (int k = 0; k < TAPS; k++) {
        UNROLL
        for (int j = 0; j < TAPS; j++) {
            const qn_int64 row = (qn_int64)(axes[2].first + reach + k) * rows + (axes[1].first + reach + j);
            GLOBAL const qn_complex *from = volume + row * columns + (axes[0].first + MARGIN);
            const float weight = axes[2].weight[k] * axes[1].weight[j];
            float re = 0.0f, im = 0.0f;
            UNROLL
            for (int i = 0; i < TAPS; i++) {
                const qn_complex value = from[i];
                re = FMA(axes[0].weight[i], value.x, re);
                im = FMA(axes[0].weight[i], value.y, im);
            }
            sum.x = FMA(weight, re, sum.x);
            sum.y = FMA(weight, im, sum.y);
        }
    }
    return sum;
}

/* Pixel (x, y) of a slice. If its place in the volume has x < 0, this is the conjugate of the value at the opposite
 * place. */
DEVICE_FN qn_complex slice_at(GLOBAL const qn_complex *volume, GLOBAL const float *window, GLOBAL const float *steps,
                              int x, int y, int columns, int rows, int reach)
{
    const float along = (float)x, up = (float)y;
    gathered_axis axes[3];
    float coarse[3], fine[3], sign = 1.0f;
    UNROLL
    for (int i = 0; i < 3; i++) {
        const float a = coarse_step(steps[i]), b = coarse_step(steps[3 + i]);
        coarse[i] = FMA(a, along, b * up);
        fine[i] = FMA(steps[i] - a, along, (steps[3 + i] - b) * up);
    }
    if (coarse[0] + fine[0] < 0.0f) sign = -1.0f;
    UNROLL
    for (int i = 0; i < 3; i++) locate(&axes[i], window, sign * coarse[i], sign * fine[i]);
    const qn_complex value = gather(volume, axes, columns, rows, reach);
    return COMPLEX_MAKE(value.x, sign * value.y);
}

KERNEL GROUP_LIMIT(BLOCK_DIM_X, BLOCK_DIM_Y, 1) void project_slices(
    GLOBAL const qn_complex *RESTRICT volume, GLOBAL const float *RESTRICT window, GLOBAL const float *RESTRICT steps,
    GLOBAL const qn_uint32 *RESTRICT parameters, GLOBAL qn_complex *RESTRICT slices, const project_scalars s)
{
    const int x = GLOBAL_ID(0), row = GLOBAL_ID(1), index = GLOBAL_ID(2), columns = s.image_side / 2 + 1;
    const int y = row < s.image_side - s.image_side / 2 ? row : row - s.image_side;
    if (x >= columns || row >= s.image_side) return;
    qn_complex value = COMPLEX_MAKE(0.0f, 0.0f);
    if (x * x + y * y <= s.most_squared) {
        GLOBAL const qn_uint32 *image = parameters + 16 * index;
        const qn_complex ramp = prepare_ramp(image, x, y);
        const float decay = BITS_FLOAT(image[PREPARE_DECAY]);
        float factor = BITS_FLOAT(image[PREPARE_WEIGHT]);
        if (s.ctf) {
            factor *= prepare_contrast(image, x, y);
            if (decay != 0.0f) factor *= EXP(-decay * (float)(x * x + y * y));
        }
        value = slice_at(volume, window, steps + 6 * index, x, y, s.volume_columns, 2 * s.reach + 1, s.reach);
        value = COMPLEX_SCALE(COMPLEX_MUL_CONJUGATE(value, ramp), factor);
    }
    slices[((qn_int64)index * s.image_side + row) * columns + x] = value;
}
