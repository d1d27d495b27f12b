/* Vectors of lines: LANES lines are transformed at once, one in each lane, so butterflies are plain arithmetic on
 * vectors whatever the length, and every lane's result is that of its line alone.
 *
 * GNU vector types (GCC, Clang) instead of loops over lanes: the two shuffles that split interleaved complex numbers
 * leave the lanes in an order of their own (0 1 4 5 2 3 6 7 of eight), which costs nothing because the shuffles that
 * join them again undo it; compilers' own loops put them in order with as many shuffles again.
 */
#ifndef QN_FFT_LANES_H
#define QN_FFT_LANES_H

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX__)
enum { LANES = 8 };
typedef float lanes __attribute__((vector_size(32)));
#else
enum { LANES = 4 };
typedef float lanes __attribute__((vector_size(16)));
#endif

/* The same at any address. */
typedef float lanes_anywhere __attribute__((vector_size(sizeof(lanes)), aligned(4), may_alias));

#define QN_INLINE static inline __attribute__((always_inline))

/* A complex number of each line. In scratch memory a point is its two vectors, real first. */
typedef struct point {
    lanes re, im;
} point;

enum { POINT_FLOATS = 2 * LANES };

QN_INLINE lanes load_anywhere(const float *from)
{
    return *(const lanes_anywhere *)from;
}
QN_INLINE void store_anywhere(float *to, lanes value)
{
    *(lanes_anywhere *)to = value;
}

/* The lower of each lane; b where they are equal. */
QN_INLINE lanes lower_of(lanes a, lanes b)
{
#if defined(__AVX__)
    return (lanes)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (lanes)_mm_min_ps((__m128)a, (__m128)b);
#else
    for (int l = 0; l < LANES; l++) b[l] = a[l] < b[l] ? a[l] : b[l];
    return b;
#endif
}

QN_INLINE point load_split(const float *from)
{
    return (point){*(const lanes_anywhere *)from, *(const lanes_anywhere *)(from + LANES)};
}

QN_INLINE void store_split(float *to, point value)
{
    store_anywhere(to, value.re);
    store_anywhere(to + LANES, value.im);
}

/* LANES consecutive complex numbers in memory, one of each line, and back. */
QN_INLINE point load_interleaved(const float *from)
{
    lanes a = load_anywhere(from), b = load_anywhere(from + LANES);
#if defined(__AVX__)
    return (point){__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14),
                   __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)};
#else
    return (point){__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)};
#endif
}

QN_INLINE void store_interleaved(float *to, point value)
{
#if defined(__AVX__)
    store_anywhere(to, __builtin_shufflevector(value.re, value.im, 0, 8, 1, 9, 4, 12, 5, 13));
    store_anywhere(to + LANES, __builtin_shufflevector(value.re, value.im, 2, 10, 3, 11, 6, 14, 7, 15));
#else
    store_anywhere(to, __builtin_shufflevector(value.re, value.im, 0, 4, 1, 5));
    store_anywhere(to + LANES, __builtin_shufflevector(value.re, value.im, 2, 6, 3, 7));
#endif
}

/* row[i] lane j ↔ row[j] lane i. */
QN_INLINE void transpose(lanes row[LANES])
{
#if defined(__AVX__)
    lanes a[8], b[8];
#define QN_PAIR(i)                                                                            \
    a[2 * i] = __builtin_shufflevector(row[2 * i], row[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13); \
    a[2 * i + 1] = __builtin_shufflevector(row[2 * i], row[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15)
    QN_PAIR(0);
    QN_PAIR(1);
    QN_PAIR(2);
    QN_PAIR(3);
#undef QN_PAIR
#define QN_QUAD(i)                                                                                \
    b[4 * i] = __builtin_shufflevector(a[4 * i], a[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);         \
    b[4 * i + 1] = __builtin_shufflevector(a[4 * i], a[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);   \
    b[4 * i + 2] = __builtin_shufflevector(a[4 * i + 1], a[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13); \
    b[4 * i + 3] = __builtin_shufflevector(a[4 * i + 1], a[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15)
    QN_QUAD(0);
    QN_QUAD(1);
#undef QN_QUAD
#define QN_HALF(i)                                                              \
    row[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11); \
    row[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15)
    QN_HALF(0);
    QN_HALF(1);
    QN_HALF(2);
    QN_HALF(3);
#undef QN_HALF
#else
    lanes a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    lanes b = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    lanes c = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    lanes d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    row[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    row[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    row[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#endif
}

/* What kernels/butterflies.dev.h asks of its includer. A product that is added to something is rounded before, so all
 * processors have the same bits; compilers see that two sums have a product in common. */
#define DEVICE_FN QN_INLINE
#define UNROLL _Pragma("GCC unroll 16")
#define POINT_FUSED 0

QN_INLINE point point_add(point a, point b)
{
    return (point){a.re + b.re, a.im + b.im};
}
QN_INLINE point point_subtract(point a, point b)
{
    return (point){a.re - b.re, a.im - b.im};
}
QN_INLINE point point_scale(point a, float factor)
{
    return (point){a.re * factor, a.im * factor};
}
QN_INLINE point point_conjugate(point a)
{
    return (point){a.re, -a.im};
}
/* −i·a */
QN_INLINE point point_minus_i(point a)
{
    return (point){a.im, -a.re};
}

/* a − i·b and a + i·b */
QN_INLINE point point_subtract_i(point a, point b)
{
    return (point){a.re + b.im, a.im - b.re};
}
QN_INLINE point point_add_i(point a, point b)
{
    return (point){a.re - b.im, a.im + b.re};
}

QN_INLINE point point_multiply(point a, float re, float im)
{
    return (point){a.re * re - a.im * im, a.re * im + a.im * re};
}

/* The sums above with factor·b for b. */
QN_INLINE point point_add_scaled(point a, point b, float factor)
{
    return point_add(a, point_scale(b, factor));
}
QN_INLINE point point_subtract_scaled(point a, point b, float factor)
{
    return point_subtract(a, point_scale(b, factor));
}
QN_INLINE point point_add_i_scaled(point a, point b, float factor)
{
    return point_add_i(a, point_scale(b, factor));
}
QN_INLINE point point_subtract_i_scaled(point a, point b, float factor)
{
    return point_subtract_i(a, point_scale(b, factor));
}

#endif
