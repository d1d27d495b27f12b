/* Transforms of 1 to 10, 12 and 14 to 16 points in registers: X_j = sum over k of x_k exp(-2 pi i j k / r), in place.
 * butterfly() puts output j into x[output_of(r, j)]; line_butterfly() puts output j into x[j]. Composite radices with
 * coprime factors use the prime factor map of Good (1958), which needs no factors between its two steps; 8, 9 and 16
 * are the two steps of Cooley and Tukey with constant factors.
 *
 * Kernels and the host's vectors use the same text. point.dev.h defines a point and its operations, unless the
 * including file has defined them before, as fft/lanes.h does (with DEVICE_FN and UNROLL, words of the kernel
 * language):
 *
 *     point_add(a, b), point_subtract(a, b)       a + b, a - b
 *     point_add_i(a, b), point_subtract_i(a, b)   a + i b, a - i b
 *     point_minus_i(a)                            -i a
 *     point_scale(a, s)                           s a, with a float s
 *     point_multiply(a, re, im)                   (re + i im) a
 *     point_add_scaled, point_subtract_scaled, point_add_i_scaled, point_subtract_i_scaled (a, b, s)
 *                                                 the four sums with s b instead of b, fused or not
 *     POINT_FUSED                                 1: they are fused, and cost no more than the sums without s; 0: not
 */
#ifndef QN_FFT_BUTTERFLIES_DEV_H
#define QN_FFT_BUTTERFLIES_DEV_H

#ifndef POINT_FUSED
#include "fft/kernels/point.dev.h"
#endif

DEVICE_FN void butterfly_2(point *a, point *b)
{
    point difference = point_subtract(*a, *b);
    *a = point_add(*a, *b);
    *b = difference;
}

/* The same with `factor` b instead of b. */
DEVICE_FN void butterfly_2_scaled(point *a, point *b, float factor)
{
    point difference = point_subtract_scaled(*a, *b, factor);
    *a = point_add_scaled(*a, *b, factor);
    *b = difference;
}

/* The same with -i b instead of b. */
DEVICE_FN void butterfly_2_turned(point *a, point *b)
{
    point difference = point_add_i(*a, *b);
    *a = point_subtract_i(*a, *b);
    *b = difference;
}

/* x a, x a + y b, and x a + y b + z c. If products are fused, these are divided by x, and turned_pair multiplies by x.
 * */
DEVICE_FN point turn_of_one(point a, float x)
{
    if (POINT_FUSED) return a;
    return point_scale(a, x);
}

DEVICE_FN point turn_of_two(point a, float x, point b, float y)
{
    return point_add_scaled(turn_of_one(a, x), b, POINT_FUSED ? y / x : y);
}

DEVICE_FN point turn_of_three(point a, float x, point b, float y, point c, float z)
{
    return point_add_scaled(turn_of_two(a, x, b, y), c, POINT_FUSED ? z / x : z);
}

/* Compute outputs j and r - j of an odd radix r. */
DEVICE_FN void turned_pair(point real, point turn, float x, point *low, point *high)
{
    if (POINT_FUSED) {
        *low = point_subtract_i_scaled(real, turn, x);
        *high = point_add_i_scaled(real, turn, x);
    } else {
        *low = point_subtract_i(real, turn);
        *high = point_add_i(real, turn);
    }
}

DEVICE_FN void butterfly_3(point *a, point *b, point *c)
{
    const float sine = 0.866025403784438647f;
    point sum = point_add(*b, *c);
    point turn = turn_of_one(point_subtract(*b, *c), sine);
    point middle = point_subtract_scaled(*a, sum, 0.5f);
    *a = point_add(*a, sum);
    turned_pair(middle, turn, sine, b, c);
}

DEVICE_FN void butterfly_4(point *a, point *b, point *c, point *d)
{
    point even = point_add(*a, *c), even_difference = point_subtract(*a, *c);
    point odd = point_add(*b, *d), odd_difference = point_subtract(*b, *d);
    *a = point_add(even, odd);
    *b = point_subtract_i(even_difference, odd_difference);
    *c = point_subtract(even, odd);
    *d = point_add_i(even_difference, odd_difference);
}

/* The same with `factor` c instead of c. */
DEVICE_FN void butterfly_4_scaled_c(point *a, point *b, point *c, point *d, float factor)
{
    butterfly_2_scaled(a, c, factor);
    point odd = point_add(*b, *d), odd_difference = point_subtract(*b, *d), even = *a, even_difference = *c;
    *a = point_add(even, odd);
    *b = point_subtract_i(even_difference, odd_difference);
    *c = point_subtract(even, odd);
    *d = point_add_i(even_difference, odd_difference);
}

/* The same with -i c, `factor` b and `factor` d instead of c, b and d. */
DEVICE_FN void butterfly_4_turned_c(point *a, point *b, point *c, point *d, float factor)
{
    point even = point_subtract_i(*a, *c), even_difference = point_add_i(*a, *c);
    point odd = point_add(*b, *d), odd_difference = point_subtract(*b, *d);
    *a = point_add_scaled(even, odd, factor);
    *b = point_subtract_i_scaled(even_difference, odd_difference, factor);
    *c = point_subtract_scaled(even, odd, factor);
    *d = point_add_i_scaled(even_difference, odd_difference, factor);
}

/* first + x a + y b + z c */
DEVICE_FN point sum_onto(point first, point a, float x, point b, float y, point c, float z)
{
    if (POINT_FUSED) return point_add_scaled(point_add_scaled(point_add_scaled(first, a, x), b, y), c, z);
    return point_add(first, point_add_scaled(point_add_scaled(point_scale(a, x), b, y), c, z));
}

DEVICE_FN void butterfly_5(point *a, point *b, point *c, point *d, point *e)
{
    const float root = 0.559016994374947424f; /* square root of 5, divided by 4 */
    const float sine_1 = 0.951056516295153572f, sine_2 = 0.587785252292473129f;
    point sum_1 = point_add(*b, *e), difference_1 = point_subtract(*b, *e);
    point sum_2 = point_add(*c, *d), difference_2 = point_subtract(*c, *d);
    point sum = point_add(sum_1, sum_2), spread = point_subtract(sum_1, sum_2);
    point middle = point_subtract_scaled(*a, sum, 0.25f);
    point real_1 = point_add_scaled(middle, spread, root), real_2 = point_subtract_scaled(middle, spread, root);
    point turn_1 = turn_of_two(difference_1, sine_1, difference_2, sine_2);
    point turn_2 = turn_of_two(difference_1, sine_2, difference_2, -sine_1);
    *a = point_add(*a, sum);
    turned_pair(real_1, turn_1, sine_1, b, e);
    turned_pair(real_2, turn_2, sine_2, c, d);
}

DEVICE_FN void butterfly_7(point *x0, point *x1, point *x2, point *x3, point *x4, point *x5, point *x6)
{
    const float cosine_1 = 0.623489801858733531f, cosine_2 = -0.222520933956314404f, cosine_3 = -0.900968867902419126f;
    const float sine_1 = 0.781831482468029809f, sine_2 = 0.974927912181823607f, sine_3 = 0.433883739117558120f;
    point s1 = point_add(*x1, *x6), s2 = point_add(*x2, *x5), s3 = point_add(*x3, *x4);
    point d1 = point_subtract(*x1, *x6), d2 = point_subtract(*x2, *x5), d3 = point_subtract(*x3, *x4);
    point real_1 = sum_onto(*x0, s1, cosine_1, s2, cosine_2, s3, cosine_3);
    point real_2 = sum_onto(*x0, s1, cosine_2, s2, cosine_3, s3, cosine_1);
    point real_3 = sum_onto(*x0, s1, cosine_3, s2, cosine_1, s3, cosine_2);
    point turn_1 = turn_of_three(d1, sine_1, d2, sine_2, d3, sine_3);
    point turn_2 = turn_of_three(d1, sine_2, d2, -sine_3, d3, -sine_1);
    point turn_3 = turn_of_three(d1, sine_3, d2, -sine_1, d3, sine_2);
    *x0 = point_add(*x0, point_add(point_add(s1, s2), s3));
    turned_pair(real_1, turn_1, sine_1, x1, x6);
    turned_pair(real_2, turn_2, sine_2, x2, x5);
    turned_pair(real_3, turn_3, sine_3, x3, x4);
}

DEVICE_FN void butterfly_6(point *x)
{
    butterfly_3(&x[0], &x[2], &x[4]);
    butterfly_3(&x[3], &x[5], &x[1]);
    butterfly_2(&x[0], &x[3]);
    butterfly_2(&x[2], &x[5]);
    butterfly_2(&x[4], &x[1]);
}

/* (1 - i) a and (-1 - i) a: exp(-2 pi i / 8) a and exp(-2 pi i 3/8) a without the factor square root of 1/2. */
DEVICE_FN point eighth_turn(point a)
{
    return point_subtract_i(a, a);
}

DEVICE_FN point three_eighths_turn(point a)
{
    return eighth_turn(point_minus_i(a));
}

DEVICE_FN void butterfly_8(point *x)
{
    const float root = 0.707106781186547524f;
    butterfly_4(&x[0], &x[2], &x[4], &x[6]);
    butterfly_4(&x[1], &x[3], &x[5], &x[7]);
    x[3] = eighth_turn(x[3]);
    x[7] = three_eighths_turn(x[7]);
    butterfly_2(&x[0], &x[1]);
    butterfly_2_scaled(&x[2], &x[3], root);
    butterfly_2_turned(&x[4], &x[5]);
    butterfly_2_scaled(&x[6], &x[7], root);
}

DEVICE_FN void butterfly_9(point *x)
{
    UNROLL for (int i = 0; i < 3; i++) butterfly_3(&x[i], &x[i + 3], &x[i + 6]);
    x[4] = point_multiply(x[4], 0.766044443118978035f, -0.642787609686539326f);  /* exp(-2 pi i 1/9) */
    x[5] = point_multiply(x[5], 0.173648177666930349f, -0.984807753012208059f);  /* 2/9 */
    x[7] = point_multiply(x[7], 0.173648177666930349f, -0.984807753012208059f);  /* 2/9 */
    x[8] = point_multiply(x[8], -0.939692620785908384f, -0.342020143325668733f); /* 4/9 */
    UNROLL for (int i = 0; i < 9; i += 3) butterfly_3(&x[i], &x[i + 1], &x[i + 2]);
}

DEVICE_FN void butterfly_10(point *x)
{
    butterfly_5(&x[0], &x[2], &x[4], &x[6], &x[8]);
    butterfly_5(&x[5], &x[7], &x[9], &x[1], &x[3]);
    butterfly_2(&x[0], &x[5]);
    butterfly_2(&x[2], &x[7]);
    butterfly_2(&x[4], &x[9]);
    butterfly_2(&x[6], &x[1]);
    butterfly_2(&x[8], &x[3]);
}

DEVICE_FN void butterfly_12(point *x)
{
    butterfly_3(&x[0], &x[4], &x[8]);
    butterfly_3(&x[3], &x[7], &x[11]);
    butterfly_3(&x[6], &x[10], &x[2]);
    butterfly_3(&x[9], &x[1], &x[5]);
    butterfly_4(&x[0], &x[3], &x[6], &x[9]);
    butterfly_4(&x[4], &x[7], &x[10], &x[1]);
    butterfly_4(&x[8], &x[11], &x[2], &x[5]);
}

DEVICE_FN void butterfly_14(point *x)
{
    butterfly_7(&x[0], &x[2], &x[4], &x[6], &x[8], &x[10], &x[12]);
    butterfly_7(&x[7], &x[9], &x[11], &x[13], &x[1], &x[3], &x[5]);
    butterfly_2(&x[0], &x[7]);
    butterfly_2(&x[2], &x[9]);
    butterfly_2(&x[4], &x[11]);
    butterfly_2(&x[6], &x[13]);
    butterfly_2(&x[8], &x[1]);
    butterfly_2(&x[10], &x[3]);
    butterfly_2(&x[12], &x[5]);
}

DEVICE_FN void butterfly_15(point *x)
{
    butterfly_5(&x[0], &x[3], &x[6], &x[9], &x[12]);
    butterfly_5(&x[5], &x[8], &x[11], &x[14], &x[2]);
    butterfly_5(&x[10], &x[13], &x[1], &x[4], &x[7]);
    butterfly_3(&x[0], &x[5], &x[10]);
    butterfly_3(&x[3], &x[8], &x[13]);
    butterfly_3(&x[6], &x[11], &x[1]);
    butterfly_3(&x[9], &x[14], &x[4]);
    butterfly_3(&x[12], &x[2], &x[7]);
}

DEVICE_FN void butterfly_16(point *x)
{
    const float root = 0.707106781186547524f;
    const float cosine = 0.923879532511286756f, sine = 0.382683432365089772f; /* of 2 pi / 16 */
    UNROLL for (int i = 0; i < 4; i++) butterfly_4(&x[i], &x[i + 4], &x[i + 8], &x[i + 12]);
    x[5] = point_multiply(x[5], cosine, -sine);   /* exp(-2 pi i 1/16) */
    x[6] = eighth_turn(x[6]);                     /* 2/16 */
    x[7] = point_multiply(x[7], sine, -cosine);   /* 3/16 */
    x[9] = eighth_turn(x[9]);                     /* 2/16 */
    x[11] = three_eighths_turn(x[11]);            /* 6/16 */
    x[13] = point_multiply(x[13], sine, -cosine); /* 3/16 */
    x[14] = three_eighths_turn(x[14]);            /* 6/16 */
    x[15] = point_multiply(x[15], -cosine, sine); /* 9/16 */
    butterfly_4(&x[0], &x[1], &x[2], &x[3]);
    butterfly_4_scaled_c(&x[4], &x[5], &x[6], &x[7], root);
    butterfly_4_turned_c(&x[8], &x[9], &x[10], &x[11], root);
    butterfly_4_scaled_c(&x[12], &x[13], &x[14], &x[15], root);
}

/* `radix` is a constant in every inlined call, so that only one case is compiled. */
DEVICE_FN void butterfly(int radix, point *x)
{
    switch (radix) {
    case 2: butterfly_2(&x[0], &x[1]); break;
    case 3: butterfly_3(&x[0], &x[1], &x[2]); break;
    case 4: butterfly_4(&x[0], &x[1], &x[2], &x[3]); break;
    case 5: butterfly_5(&x[0], &x[1], &x[2], &x[3], &x[4]); break;
    case 6: butterfly_6(x); break;
    case 7: butterfly_7(&x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6]); break;
    case 8: butterfly_8(x); break;
    case 9: butterfly_9(x); break;
    case 10: butterfly_10(x); break;
    case 12: butterfly_12(x); break;
    case 14: butterfly_14(x); break;
    case 15: butterfly_15(x); break;
    case 16: butterfly_16(x); break;
    default: break; /* 1: a copy */
    }
}

/* Index of output j in x. For coprime factors a and b it is (b (j mod a) + a (j mod b)) mod r. */
DEVICE_FN int output_of(int radix, int j)
{
    switch (radix) {
    case 6: return (2 * (j % 3) + 3 * (j % 2)) % 6;
    case 8: return 2 * (j % 4) + j / 4;
    case 9: return 3 * (j % 3) + j / 3;
    case 10: return (2 * (j % 5) + 5 * (j % 2)) % 10;
    case 12: return (4 * (j % 3) + 3 * (j % 4)) % 12;
    case 14: return (2 * (j % 7) + 7 * (j % 2)) % 14;
    case 15: return (5 * (j % 3) + 3 * (j % 5)) % 15;
    case 16: return 4 * (j % 4) + j / 4;
    default: return j;
    }
}

/* Butterfly with results in natural order; because `radix` is a constant, the copies cost no instructions. */
DEVICE_FN void line_butterfly(int radix, point *x)
{
    point in_order[16];
    butterfly(radix, x);
    UNROLL for (int j = 0; j < 16; j++) if (j < radix) in_order[j] = x[output_of(radix, j)];
    UNROLL for (int j = 0; j < 16; j++) if (j < radix) x[j] = in_order[j];
}

#endif
