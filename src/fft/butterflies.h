/* Transforms of 2 to 12 points in registers: X_j = Σ_k x_k exp(−2πi·jk / r), in place and in an order of their own:
 * output j is in x[output_of(r, j)]. Composite radices with coprime factors use the prime factor map of Good (1958),
 * which needs no factors between its two steps; 8 and 9 are Cooley and Tukey's two steps with constant factors.
 */
#ifndef QN_FFT_BUTTERFLIES_H
#define QN_FFT_BUTTERFLIES_H

#include "fft/lanes.h"

QN_INLINE void butterfly_2(point *a, point *b)
{
    point difference = subtract(*a, *b);
    *a = add(*a, *b);
    *b = difference;
}

QN_INLINE void butterfly_3(point *a, point *b, point *c)
{
    const float sine = 0.866025403784438647f;
    point sum = add(*b, *c);
    point turn = scale(subtract(*b, *c), sine);
    point middle = subtract(*a, scale(sum, 0.5f));
    *a = add(*a, sum);
    *b = subtract_i(middle, turn);
    *c = add_i(middle, turn);
}

QN_INLINE void butterfly_4(point *a, point *b, point *c, point *d)
{
    point even = add(*a, *c), even_difference = subtract(*a, *c);
    point odd = add(*b, *d), odd_difference = subtract(*b, *d);
    *a = add(even, odd);
    *b = subtract_i(even_difference, odd_difference);
    *c = subtract(even, odd);
    *d = add_i(even_difference, odd_difference);
}

QN_INLINE void butterfly_5(point *a, point *b, point *c, point *d, point *e)
{
    const float root = 0.559016994374947424f; /* √5 / 4 */
    const float sine_1 = 0.951056516295153572f, sine_2 = 0.587785252292473129f;
    point sum_1 = add(*b, *e), difference_1 = subtract(*b, *e);
    point sum_2 = add(*c, *d), difference_2 = subtract(*c, *d);
    point sum = add(sum_1, sum_2);
    point spread = scale(subtract(sum_1, sum_2), root);
    point middle = subtract(*a, scale(sum, 0.25f));
    point real_1 = add(middle, spread), real_2 = subtract(middle, spread);
    point turn_1 = add(scale(difference_1, sine_1), scale(difference_2, sine_2));
    point turn_2 = subtract(scale(difference_1, sine_2), scale(difference_2, sine_1));
    *a = add(*a, sum);
    *b = subtract_i(real_1, turn_1);
    *c = subtract_i(real_2, turn_2);
    *d = add_i(real_2, turn_2);
    *e = add_i(real_1, turn_1);
}

QN_INLINE point sum_of_three(point a, float x, point b, float y, point c, float z)
{
    return add(add(scale(a, x), scale(b, y)), scale(c, z));
}

QN_INLINE void butterfly_7(point *x)
{
    const float cosine_1 = 0.623489801858733531f, cosine_2 = -0.222520933956314404f, cosine_3 = -0.900968867902419126f;
    const float sine_1 = 0.781831482468029809f, sine_2 = 0.974927912181823607f, sine_3 = 0.433883739117558120f;
    point s1 = add(x[1], x[6]), s2 = add(x[2], x[5]), s3 = add(x[3], x[4]);
    point d1 = subtract(x[1], x[6]), d2 = subtract(x[2], x[5]), d3 = subtract(x[3], x[4]);
    point real_1 = add(x[0], sum_of_three(s1, cosine_1, s2, cosine_2, s3, cosine_3));
    point real_2 = add(x[0], sum_of_three(s1, cosine_2, s2, cosine_3, s3, cosine_1));
    point real_3 = add(x[0], sum_of_three(s1, cosine_3, s2, cosine_1, s3, cosine_2));
    point turn_1 = sum_of_three(d1, sine_1, d2, sine_2, d3, sine_3);
    point turn_2 = sum_of_three(d1, sine_2, d2, -sine_3, d3, -sine_1);
    point turn_3 = sum_of_three(d1, sine_3, d2, -sine_1, d3, sine_2);
    x[0] = add(x[0], add(add(s1, s2), s3));
    x[1] = subtract_i(real_1, turn_1);
    x[2] = subtract_i(real_2, turn_2);
    x[3] = subtract_i(real_3, turn_3);
    x[4] = add_i(real_3, turn_3);
    x[5] = add_i(real_2, turn_2);
    x[6] = add_i(real_1, turn_1);
}

QN_INLINE void butterfly_6(point *x)
{
    butterfly_3(&x[0], &x[2], &x[4]);
    butterfly_3(&x[3], &x[5], &x[1]);
    butterfly_2(&x[0], &x[3]);
    butterfly_2(&x[2], &x[5]);
    butterfly_2(&x[4], &x[1]);
}

QN_INLINE void butterfly_8(point *x)
{
    const float root = 0.707106781186547524f;
    butterfly_4(&x[0], &x[2], &x[4], &x[6]);
    butterfly_4(&x[1], &x[3], &x[5], &x[7]);
    x[3] = scale((point){x[3].re + x[3].im, x[3].im - x[3].re}, root);
    x[5] = (point){x[5].im, -x[5].re};
    x[7] = scale((point){x[7].im - x[7].re, -x[7].re - x[7].im}, root);
    butterfly_2(&x[0], &x[1]);
    butterfly_2(&x[2], &x[3]);
    butterfly_2(&x[4], &x[5]);
    butterfly_2(&x[6], &x[7]);
}

QN_INLINE void butterfly_9(point *x)
{
    for (int i = 0; i < 3; i++) butterfly_3(&x[i], &x[i + 3], &x[i + 6]);
    x[4] = multiply(x[4], 0.766044443118978035f, -0.642787609686539326f);  /* exp(−2πi·1/9) */
    x[5] = multiply(x[5], 0.173648177666930349f, -0.984807753012208059f);  /* 2/9 */
    x[7] = multiply(x[7], 0.173648177666930349f, -0.984807753012208059f);  /* 2/9 */
    x[8] = multiply(x[8], -0.939692620785908384f, -0.342020143325668733f); /* 4/9 */
    for (int i = 0; i < 9; i += 3) butterfly_3(&x[i], &x[i + 1], &x[i + 2]);
}

QN_INLINE void butterfly_10(point *x)
{
    butterfly_5(&x[0], &x[2], &x[4], &x[6], &x[8]);
    butterfly_5(&x[5], &x[7], &x[9], &x[1], &x[3]);
    butterfly_2(&x[0], &x[5]);
    butterfly_2(&x[2], &x[7]);
    butterfly_2(&x[4], &x[9]);
    butterfly_2(&x[6], &x[1]);
    butterfly_2(&x[8], &x[3]);
}

QN_INLINE void butterfly_12(point *x)
{
    butterfly_3(&x[0], &x[4], &x[8]);
    butterfly_3(&x[3], &x[7], &x[11]);
    butterfly_3(&x[6], &x[10], &x[2]);
    butterfly_3(&x[9], &x[1], &x[5]);
    butterfly_4(&x[0], &x[3], &x[6], &x[9]);
    butterfly_4(&x[4], &x[7], &x[10], &x[1]);
    butterfly_4(&x[8], &x[11], &x[2], &x[5]);
}

/* `radix` is a constant wherever this is inlined, so one case is left. */
QN_INLINE void butterfly(int radix, point *x)
{
    switch (radix) {
    case 2: butterfly_2(&x[0], &x[1]); break;
    case 3: butterfly_3(&x[0], &x[1], &x[2]); break;
    case 4: butterfly_4(&x[0], &x[1], &x[2], &x[3]); break;
    case 5: butterfly_5(&x[0], &x[1], &x[2], &x[3], &x[4]); break;
    case 6: butterfly_6(x); break;
    case 7: butterfly_7(x); break;
    case 8: butterfly_8(x); break;
    case 9: butterfly_9(x); break;
    case 10: butterfly_10(x); break;
    case 12: butterfly_12(x); break;
    default: break; /* 1: a copy */
    }
}

/* Where output j is. Coprime factors a·b: slot (b·(j mod a) + a·(j mod b)) mod r. */
QN_INLINE int output_of(int radix, int j)
{
    switch (radix) {
    case 6: return (2 * (j % 3) + 3 * (j % 2)) % 6;
    case 8: return 2 * (j % 4) + j / 4;
    case 9: return 3 * (j % 3) + j / 3;
    case 10: return (2 * (j % 5) + 5 * (j % 2)) % 10;
    case 12: return (4 * (j % 3) + 3 * (j % 4)) % 12;
    default: return j;
    }
}

#endif
