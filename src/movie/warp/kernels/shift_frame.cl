/* A frame's spectrum, shifted, on another grid, or added to the power of its group. A work-item has one frequency. */
#include "movie/warp/kernels/shift_frame.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif

/* Frequency (x, y), x >= 0, of the shifted frame. */
DEVICE_FN qn_complex value_at(GLOBAL const qn_complex *from, GLOBAL const float *factors, const shift_scalars s, int x,
                              int y)
{
    const int row = y < 0 ? y + s.from_rows : y;
    const qn_complex ramp = COMPLEX_MUL(shift_ramp_x(factors, s, x), shift_ramp_y(factors, s, y));
    return COMPLEX_MUL(from[(qn_int64)row * s.from_columns + x], ramp);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void shift_frame(GLOBAL const qn_complex *RESTRICT from,
                                                      GLOBAL const float *RESTRICT factors,
                                                      GLOBAL qn_complex *RESTRICT to, const shift_scalars s)
{
    const int x = GLOBAL_ID(0), row = GLOBAL_ID(1), columns = s.width / 2 + 1;
    const int y = row <= s.height / 2 ? row : row - s.height;
    if (x >= columns) return;
    qn_complex value = COMPLEX_MAKE(0.0f, 0.0f);
    if (x <= s.limit_x && (y < 0 ? -y : y) <= s.limit_y && (x != 0 || y != 0)) {
        const bool folded_x = 2 * x == s.width, folded_y = 2 * y == s.height;
        value = value_at(from, factors, s, x, y);
        if (folded_y) value = COMPLEX_ADD(value, value_at(from, factors, s, x, -y));
        if (folded_x) value = COMPLEX_ADD(value, COMPLEX_CONJUGATE(value_at(from, factors, s, x, -y)));
        if (folded_x && folded_y) value = COMPLEX_ADD(value, COMPLEX_CONJUGATE(value_at(from, factors, s, x, y)));
    }
    to[(qn_int64)row * columns + x] = value;
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void add_power(GLOBAL const qn_complex *RESTRICT from,
                                                    GLOBAL qn_complex *RESTRICT group, GLOBAL float *RESTRICT power,
                                                    const shift_scalars s)
{
    const int x = GLOBAL_ID(0), row = GLOBAL_ID(1), y = row - s.limit_y;
    if (x > s.limit_x) return;
    const qn_int64 at = (qn_int64)row * (s.limit_x + 1) + x;
    const int from_row = y < 0 ? y + s.from_rows : y;
    const qn_complex ramp = COMPLEX_MUL(shift_ramp((qn_uint32)x * (qn_uint32)s.turn_x, 1.0f),
                                        shift_ramp((qn_uint32)y * (qn_uint32)s.turn_y, 1.0f));
    qn_complex sum = COMPLEX_MUL(from[(qn_int64)from_row * s.from_columns + x], ramp);
    if (!s.first) sum = COMPLEX_ADD(group[at], sum);
    group[at] = sum;
    if (s.last) power[at] = power[at] + SQRT(COMPLEX_NORM(sum));
}
