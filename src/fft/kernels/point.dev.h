/* The operations of butterflies.dev.h on one complex number in registers, for kernels. A product in a sum is fused into
 * the sum. */
#ifndef QN_FFT_POINT_DEV_H
#define QN_FFT_POINT_DEV_H

typedef qn_complex point;

/* Sums of scaled numbers cost no more than sums. */
#define POINT_FUSED 1

DEVICE_FN point point_add(point a, point b)
{
    return COMPLEX_MAKE(a.x + b.x, a.y + b.y);
}

DEVICE_FN point point_subtract(point a, point b)
{
    return COMPLEX_MAKE(a.x - b.x, a.y - b.y);
}

DEVICE_FN point point_scale(point a, float factor)
{
    return COMPLEX_MAKE(a.x * factor, a.y * factor);
}

/* a (re + i im) */
DEVICE_FN point point_multiply(point a, float re, float im)
{
    return COMPLEX_MAKE(FMA(a.x, re, a.y * -im), FMA(a.x, im, a.y * re));
}

/* -i a */
DEVICE_FN point point_minus_i(point a)
{
    return COMPLEX_MAKE(a.y, -a.x);
}

/* a + i b and a - i b */
DEVICE_FN point point_add_i(point a, point b)
{
    return COMPLEX_MAKE(a.x - b.y, a.y + b.x);
}

DEVICE_FN point point_subtract_i(point a, point b)
{
    return COMPLEX_MAKE(a.x + b.y, a.y - b.x);
}

/* a + factor b and a - factor b */
DEVICE_FN point point_add_scaled(point a, point b, float factor)
{
    return COMPLEX_MAKE(FMA(b.x, factor, a.x), FMA(b.y, factor, a.y));
}

DEVICE_FN point point_subtract_scaled(point a, point b, float factor)
{
    return COMPLEX_MAKE(FMA(b.x, -factor, a.x), FMA(b.y, -factor, a.y));
}

/* a + i factor b and a - i factor b */
DEVICE_FN point point_add_i_scaled(point a, point b, float factor)
{
    return COMPLEX_MAKE(FMA(b.y, -factor, a.x), FMA(b.x, factor, a.y));
}

DEVICE_FN point point_subtract_i_scaled(point a, point b, float factor)
{
    return COMPLEX_MAKE(FMA(b.y, factor, a.x), FMA(b.x, -factor, a.y));
}

#endif
