/* A work-item has one number of the coarse spectrum. */
#include "movie/align/kernels/crop_spectra.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void crop_spectra(GLOBAL const qn_complex *RESTRICT spectrum,
                                                       GLOBAL qn_complex *RESTRICT stack, const crop_scalars s)
{
    const int pixels = s.rows * s.columns, pixel = GLOBAL_ID(0);
    const int row = pixel / s.columns, x = pixel - row * s.columns;
    if (pixel >= pixels) return;
    qn_complex value = COMPLEX_MAKE(0.0f, 0.0f);
    if (pixel != 0 && row != s.rows / 2 && x != s.columns - 1) {
        const int from = row < s.rows / 2 ? row : row - s.rows + s.from_rows;
        value = COMPLEX_SCALE(spectrum[(qn_int64)from * s.from_columns + x], s.scale);
    }
    stack[(qn_int64)s.frame * pixels + pixel] = value;
}
