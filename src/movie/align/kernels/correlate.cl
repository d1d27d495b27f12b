/* Products of spectra whose inverse transforms are correlations. A work-item has one frequency of a patch (or of the
 * whole frame, a single patch) and goes over its frames: a first time for the sums, a second time for the products. */
#include "movie/align/kernels/correlate.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void correlate(
    GLOBAL const qn_complex *RESTRICT spectra, GLOBAL const qn_uint32 *RESTRICT turns,
    GLOBAL const float *RESTRICT filter, GLOBAL qn_complex *RESTRICT products, GLOBAL qn_complex *RESTRICT halves,
    const correlate_scalars s)
{
    const int pixels = s.rows * s.columns, pixel = GLOBAL_ID(0), patch = GLOBAL_ID(1);
    const int row = pixel / s.columns, x = pixel - row * s.columns, y = correlate_frequency(row, s.rows);
    if (pixel >= pixels) return;
    GLOBAL const qn_complex *from = spectra + (qn_int64)(s.first + patch) * s.frames * pixels + pixel;
    GLOBAL const qn_uint32 *turn = turns + 2 * (qn_int64)(s.first + patch) * s.frames;
    qn_complex even = COMPLEX_MAKE(0.0f, 0.0f), odd = COMPLEX_MAKE(0.0f, 0.0f);
    for (int t = 0; t < s.frames; t++) {
        const qn_complex ramp = correlate_ramp(turn[2 * t], turn[2 * t + 1], x, y);
        const qn_complex shifted = COMPLEX_MUL(from[(qn_int64)t * pixels], ramp);
        if (t % 2 == 0)
            even = COMPLEX_ADD(even, shifted);
        else
            odd = COMPLEX_ADD(odd, shifted);
    }
    halves[((qn_int64)patch * 2 + 0) * pixels + pixel] = even;
    halves[((qn_int64)patch * 2 + 1) * pixels + pixel] = odd;
    const qn_complex sum = COMPLEX_ADD(even, odd);
    const float weight = filter[pixel];
    for (int t = 0; t < s.frames; t++) {
        const qn_complex ramp = correlate_ramp(turn[2 * t], turn[2 * t + 1], x, y);
        const qn_complex shifted = COMPLEX_MUL(from[(qn_int64)t * pixels], ramp);
        const qn_complex product = COMPLEX_MUL_CONJUGATE(shifted, COMPLEX_SUBTRACT(sum, shifted));
        products[((qn_int64)patch * s.frames + t) * pixels + pixel] = COMPLEX_SCALE(product, weight);
    }
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void correlate_pairs(GLOBAL const qn_complex *RESTRICT spectra,
                                                          GLOBAL const int *RESTRICT pairs,
                                                          GLOBAL const float *RESTRICT filter,
                                                          GLOBAL qn_complex *RESTRICT products, const pairs_scalars s)
{
    const int pixels = s.small_rows * s.small_columns, pixel = GLOBAL_ID(0), pair = GLOBAL_ID(1);
    const int row = pixel / s.small_columns, x = pixel - row * s.small_columns;
    const int from_row = row <= s.small_rows / 2 ? row : row - s.small_rows + s.rows;
    if (pixel >= pixels) return;
    const qn_int64 all = (qn_int64)s.rows * s.columns, place = (qn_int64)from_row * s.columns + x;
    const qn_int64 i = pairs[2 * (s.first + pair)], j = pairs[2 * (s.first + pair) + 1];
    const qn_complex product = COMPLEX_MUL_CONJUGATE(spectra[i * all + place], spectra[j * all + place]);
    products[(qn_int64)pair * pixels + pixel] = COMPLEX_SCALE(product, filter[pixel]);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void shift_spectra(GLOBAL const qn_complex *RESTRICT spectra,
                                                        GLOBAL const qn_uint32 *RESTRICT turns,
                                                        GLOBAL qn_complex *RESTRICT shifted, const correlate_scalars s)
{
    const int pixels = s.rows * s.columns, pixel = GLOBAL_ID(0), frame = GLOBAL_ID(1) + s.first;
    const int row = pixel / s.columns, x = pixel - row * s.columns, y = correlate_frequency(row, s.rows);
    if (pixel >= pixels) return;
    const qn_complex ramp = correlate_ramp(turns[2 * frame], turns[2 * frame + 1], x, y);
    shifted[(qn_int64)GLOBAL_ID(1) * pixels + pixel] =
        COMPLEX_MUL(spectra[(qn_int64)frame * pixels + pixel], ramp);
}
