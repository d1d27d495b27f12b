/* Kernel of test_butterflies.c: item i transforms line i of RADIX numbers; the argument `radix` is RADIX. */
#include "fft/kernels/butterflies.dev.h"

#ifndef RADIX
#error "RADIX: numbers of a line"
#endif

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void butterflies(GLOBAL const qn_complex *RESTRICT in,
                                                      GLOBAL qn_complex *RESTRICT out, int radix)
{
    int first = radix * GLOBAL_ID(0);
    qn_complex x[RADIX];
    UNROLL
    for (int k = 0; k < RADIX; k++) x[k] = in[first + k];
    line_butterfly(RADIX, x);
    UNROLL
    for (int k = 0; k < RADIX; k++) out[first + k] = x[k];
}
