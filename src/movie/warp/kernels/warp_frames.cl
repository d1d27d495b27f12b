/* Frames moved along their fields and added into weighted sums. A work-item of warp_frames has PIXELS rows of one
 * column; warp_frames.h describes the arrays. */
#include "movie/warp/kernels/warp_frames.dev.h"

#ifndef BLOCK_DIM_X
#error "BLOCK_DIM_X: output pixels of a group along x"
#endif
#ifndef BLOCK_DIM_Y
#error "BLOCK_DIM_Y: work-items of a group along y"
#endif
#ifndef PIXELS
#error "PIXELS: rows of a work-item"
#endif
#ifndef TAPS
#error "TAPS: samples that a pixel gathers along each axis: 1, 4 or 6"
#endif
#ifndef UNROLLED
#error "UNROLLED: frames of an iteration"
#endif
#ifndef SUMS
#error "SUMS: sums that every frame is added to"
#endif

/* One work-item for each row, interval, power and axis of a frame. */
KERNEL GROUP_LIMIT(WARP_ROW, 4, 1) void field_rows(GLOBAL const float *RESTRICT coefficients,
                                                   GLOBAL float *RESTRICT rows, const field_scalars s)
{
    const int item = GLOBAL_ID(0), row = GLOBAL_ID(1), grid = GLOBAL_ID(2);
    const int interval = item / 8, power = item / 2 % 4, axis = item % 2;
    if (row >= s.height) return;
    const float v = (float)row * s.intervals_a_row;
    const int below = MIN((int)v, WARP_INTERVALS - 1);
    const float f = v - (float)below, g = 1.0f - f;
    const float weight[4] = {g * g * g * (1.0f / 6.0f), FMA(f * f, FMA(3.0f, f, -6.0f), 4.0f) * (1.0f / 6.0f),
                             FMA(g * g, FMA(3.0f, g, -6.0f), 4.0f) * (1.0f / 6.0f), f * f * f * (1.0f / 6.0f)};
    float column[4];
    GLOBAL const float *from = coefficients + 2 * WARP_SIDE * WARP_SIDE * s.frame[grid] + axis;
    UNROLL
    for (int j = 0; j < 4; j++) {
        column[j] = 0.0f;
        UNROLL
        for (int i = 0; i < 4; i++)
            column[j] = FMA(weight[i], from[2 * ((below + i) * WARP_SIDE + interval + j)], column[j]);
    }
    rows[((qn_int64)grid * s.height + row) * WARP_ROW + item] =
        warp_power(power, column[0], column[1], column[2], column[3]);
}

#if TAPS > 1
/* Weights of the taps at z + 1/2 after a sample. */
DEVICE_FN void weigh_taps(const warp_scalars s, float z, float *weight)
{
    const float square = z * z;
    UNROLL
    for (int pair = 0; pair < TAPS / 2; pair++) {
        const int at = 8 * pair;
        const float even =
            FMA(FMA(FMA(s.terms[at + 3], square, s.terms[at + 2]), square, s.terms[at + 1]), square, s.terms[at]);
        const float odd = FMA(FMA(FMA(s.terms[at + 7], square, s.terms[at + 6]), square, s.terms[at + 5]), square,
                              s.terms[at + 4]);
        weight[pair] = FMA(z, odd, even);
        weight[TAPS - 1 - pair] = FMA(-z, odd, even);
    }
}

/* Sum over the taps: columns first, then the columns' sums in the order of the host's vectors. */
DEVICE_FN float gather(GLOBAL const float *grid, const warp_scalars s, int first_x, int first_y, float z_x, float z_y)
{
    float weight_x[TAPS], weight_y[TAPS], column[TAPS], value[TAPS * TAPS];
    weigh_taps(s, z_x, weight_x);
    weigh_taps(s, z_y, weight_y);
    /* Nearly all pixels are inside, where places of samples differ by constants. */
    if (first_x >= 0 && first_x + TAPS <= s.fine_x && first_y >= 0 && first_y + TAPS <= s.fine_y) {
        GLOBAL const float *row = grid + first_y * s.fine_x + first_x;
        UNROLL
        for (int i = 0; i < TAPS; i++, row += s.fine_x)
            UNROLL
            for (int j = 0; j < TAPS; j++) value[i * TAPS + j] = row[j];
    } else {
        UNROLL
        for (int i = 0; i < TAPS; i++)
            UNROLL
            for (int j = 0; j < TAPS; j++)
                value[i * TAPS + j] =
                    grid[warp_wrap(first_y + i, s.fine_y) * s.fine_x + warp_wrap(first_x + j, s.fine_x)];
    }
    UNROLL
    for (int j = 0; j < TAPS; j++) column[j] = weight_y[0] * value[j];
    UNROLL
    for (int i = 1; i < TAPS; i++)
        UNROLL
        for (int j = 0; j < TAPS; j++) column[j] = FMA(weight_y[i], value[i * TAPS + j], column[j]);
    UNROLL
    for (int j = 0; j < TAPS; j++) column[j] = column[j] * weight_x[j];
#if TAPS == 6
    column[0] = column[0] + column[4];
    column[1] = column[1] + column[5];
#endif
    return (column[0] + column[2]) + (column[1] + column[3]);
}

/* The field, x and y, from the powers of one interval. */
DEVICE_FN qn_complex field_at(GLOBAL const qn_complex *power, float f)
{
    qn_complex field = power[3];
    UNROLL
    for (int k = 2; k >= 0; k--) {
        const qn_complex next = power[k];
        field.x = FMA(field.x, f, next.x);
        field.y = FMA(field.y, f, next.y);
    }
    return field;
}
#endif

/* The value of a frame at output pixel (x, y); 0 where the frame does not cover it. */
DEVICE_FN float frame_at(GLOBAL const float *grid, GLOBAL const qn_complex *row, const warp_scalars s, int f, int x, int y)
{
    const qn_int64 place_x = (qn_int64)x * s.step_x, place_y = (qn_int64)y * s.step_y;
    int whole_x = (int)(place_x >> 32), whole_y = (int)(place_y >> 32);
#if TAPS > 1
    const float v = (float)x * s.intervals_a_pixel;
    const int interval = MIN((int)v, WARP_INTERVALS - 1);
    const float within = v - (float)interval;
    const qn_complex field = field_at(row + 4 * interval, within);
    const float part_x = warp_part(place_x) + field.x, part_y = warp_part(place_y) + field.y;
    const float down_x = FLOOR(part_x), down_y = FLOOR(part_y);
    whole_x += (int)down_x;
    whole_y += (int)down_y;
    const float z_x = (part_x - down_x) - 0.5f, z_y = (part_y - down_y) - 0.5f;
    const float at_x = (float)whole_x + (z_x + 0.5f), at_y = (float)whole_y + (z_y + 0.5f);
#else
    const float at_x = (float)whole_x, at_y = (float)whole_y;
#endif
    if (at_x < s.low_x[f] || at_x > s.high_x[f] || at_y < s.low_y[f] || at_y > s.high_y[f]) return 0.0f;
#if TAPS > 1
    return gather(grid, s, whole_x + 1 - TAPS / 2, whole_y + 1 - TAPS / 2, z_x, z_y);
#else
    return grid[warp_wrap(whole_y, s.fine_y) * s.fine_x + warp_wrap(whole_x, s.fine_x)];
#endif
}

KERNEL GROUP_LIMIT(BLOCK_DIM_X, BLOCK_DIM_Y, 1) void warp_frames(
    GLOBAL const float *RESTRICT grid0, GLOBAL const float *RESTRICT grid1, GLOBAL const float *RESTRICT grid2,
    GLOBAL const float *RESTRICT grid3, GLOBAL const float *RESTRICT grid4, GLOBAL const float *RESTRICT grid5,
    GLOBAL const float *RESTRICT grid6, GLOBAL const float *RESTRICT grid7, GLOBAL const qn_complex *RESTRICT rows,
    GLOBAL float *RESTRICT sums, const warp_scalars s)
{
    const int x = GLOBAL_ID(0);
    const qn_int64 plane = (qn_int64)s.width * s.height;
    if (x >= s.width) return;
    UNROLL
    for (int p = 0; p < PIXELS; p++) {
        const int y = (GROUP_ID(1) * PIXELS + p) * BLOCK_DIM_Y + LOCAL_ID(1);
        if (y < s.height) {
            GLOBAL float *to = sums + (qn_int64)y * s.width + x;
            float total[SUMS];
            UNROLL
            for (int i = 0; i < SUMS; i++) total[i] = to[i * plane];
            UNROLL_BY(UNROLLED)
            for (int f = 0; f < s.frames; f++) {
                GLOBAL const float *grid = f < 4 ? (f < 2 ? (f < 1 ? grid0 : grid1) : (f < 3 ? grid2 : grid3))
                                                 : (f < 6 ? (f < 5 ? grid4 : grid5) : (f < 7 ? grid6 : grid7));
                const float value = frame_at(grid, rows + ((qn_int64)f * s.height + y) * (WARP_ROW / 2), s, f, x, y);
                UNROLL
                for (int i = 0; i < SUMS; i++) total[i] = FMA(s.shares[f * WARP_SUMS_MAX + i], value, total[i]);
            }
            UNROLL
            for (int i = 0; i < SUMS; i++) to[i * plane] = total[i];
        }
    }
}
