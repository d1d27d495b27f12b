/* Sums of frames multiplied by their weights in Fourier space. A work-item has one pixel or frequency. */
#include "movie/warp/kernels/weigh_sums.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void pad_sum(GLOBAL const float *RESTRICT sums, GLOBAL float *RESTRICT padded,
                                                  const weigh_scalars s)
{
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1);
    if (x >= s.padded_width) return;
    float value = 0.0f;
    if (x < s.width && y < s.height) value = sums[((qn_int64)s.index * s.height + y) * s.width + x];
    padded[(qn_int64)y * s.padded_width + x] = value;
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void weigh_sum(GLOBAL const qn_complex *RESTRICT spectrum,
                                                    GLOBAL const float *RESTRICT weights,
                                                    GLOBAL qn_complex *RESTRICT weighted, const weigh_scalars s)
{
    const int x = GLOBAL_ID(0), row = GLOBAL_ID(1), columns = s.padded_width / 2 + 1;
    const int y = row <= s.padded_height / 2 ? row : row - s.padded_height;
    if (x >= columns) return;
    const qn_int64 at = (qn_int64)row * columns + x;
    const float weight = weigh_at(weights + (qn_int64)s.index * s.bins, s, x, y);
    qn_complex sum = COMPLEX_MAKE(0.0f, 0.0f);
    if (!s.first) sum = weighted[at];
    weighted[at] = COMPLEX_MAKE(FMA(weight, spectrum[at].x, sum.x), FMA(weight, spectrum[at].y, sum.y));
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void crop_sum(GLOBAL const float *RESTRICT padded, GLOBAL float *RESTRICT sums,
                                                   const weigh_scalars s)
{
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1);
    if (x >= s.width) return;
    sums[((qn_int64)s.index * s.height + y) * s.width + x] = padded[(qn_int64)y * s.padded_width + x] * s.scale;
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void raise_sum(GLOBAL float *RESTRICT sums, const weigh_scalars s)
{
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1);
    if (x < s.width) sums[((qn_int64)s.index * s.height + y) * s.width + x] += s.offset;
}
