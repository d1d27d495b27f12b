/* Values and slopes of the correlations of patches and frames. field_value.h describes the arrays. A work-item adds up
 * a sample of some windows, filters one line, or computes one window's value. */
#include "movie/motion/kernels/field_value.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void sum_windows(GLOBAL const float *RESTRICT windows, GLOBAL float *RESTRICT sums,
                                                      const field_scalars s)
{
    const int item = GLOBAL_ID(0), area = s.side * s.side, part = item / area;
    if (part >= FIELD_PARTS) return;
    sums[item] = field_sum(windows, s.windows, area, part, item - part * area);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void filter_windows(GLOBAL float *RESTRICT windows, const filter_scalars s)
{
    const int item = GLOBAL_ID(0);
    if (item >= s.lines) return;
    const int line = item % s.side;
    GLOBAL float *window = windows + (qn_int64)(item / s.side) * s.side * s.side;
    filter_line(window + line * (s.columns ? 1 : s.side), s.side, s.columns ? s.side : 1);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void field_value(GLOBAL const float *RESTRICT coefficients,
                                                      GLOBAL const float *RESTRICT places,
                                                      GLOBAL float *RESTRICT values, const field_scalars s)
{
    const int item = GLOBAL_ID(0);
    if (item >= s.windows) return;
    field_at(coefficients + (qn_int64)item * s.side * s.side, s.side, places[2 * item], places[2 * item + 1],
             values + 3 * item);
}
