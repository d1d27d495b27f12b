/* Vectors of lines: LANES lines are transformed at once, one in each lane, so butterflies are plain arithmetic on
 * vectors for any length, and every lane's result depends on its line alone.
 *
 * GNU vector types (GCC, Clang) instead of loops over lanes: the two shuffles that split interleaved complex numbers
 * leave the lanes permuted (0 1 4 5 2 3 6 7 of eight; 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15 of 16), which costs nothing
 * because the shuffles that join them undo the permutation. Code that compilers vectorise puts the lanes in order, with
 * twice as many shuffles.
 */
#ifndef QN_FFT_LANES_H
#define QN_FFT_LANES_H

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 16 };
typedef float lanes __attribute__((vector_size(64)));
#elif defined(__AVX__)
enum { LANES = 8 };
typedef float lanes __attribute__((vector_size(32)));
#else
enum { LANES = 4 };
typedef float lanes __attribute__((vector_size(16)));
#endif

/* Vector without alignment. */
typedef float lanes_anywhere __attribute__((vector_size(sizeof(lanes)), aligned(4), may_alias));

#define QN_INLINE static inline __attribute__((always_inline))

/* One complex number of each line. In scratch memory a point is two vectors, the real parts first. */
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

/* Minimum of each lane; b if they are equal. */
QN_INLINE lanes lower_of(lanes a, lanes b)
{
#if defined(__AVX512F__)
    return (lanes)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
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

/* Ask for the complex numbers that load_interleaved would load: one cache line, or two. */
QN_INLINE void prefetch_interleaved(const float *from)
{
    enum { LINE_FLOATS = 16 };
    for (int i = 0; i < POINT_FLOATS; i += LINE_FLOATS) __builtin_prefetch(from + i);
}

/* Load LANES consecutive complex numbers, one of each line, and store them. */
QN_INLINE point load_interleaved(const float *from)
{
    lanes a = load_anywhere(from), b = load_anywhere(from + LANES);
#if defined(__AVX512F__)
    return (point){__builtin_shufflevector(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30),
                   __builtin_shufflevector(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31)};
#elif defined(__AVX__)
    return (point){__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14),
                   __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)};
#else
    return (point){__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)};
#endif
}

#if defined(__AVX512F__)
/* Interleave the numbers of two vectors: the first two of each quarter, and the last two. */
#define QN_LOW_OF_QUARTERS 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define QN_HIGH_OF_QUARTERS 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#endif

QN_INLINE void store_interleaved(float *to, point value)
{
#if defined(__AVX512F__)
    store_anywhere(to, __builtin_shufflevector(value.re, value.im, QN_LOW_OF_QUARTERS));
    store_anywhere(to + LANES, __builtin_shufflevector(value.re, value.im, QN_HIGH_OF_QUARTERS));
#elif defined(__AVX__)
    store_anywhere(to, __builtin_shufflevector(value.re, value.im, 0, 8, 1, 9, 4, 12, 5, 13));
    store_anywhere(to + LANES, __builtin_shufflevector(value.re, value.im, 2, 10, 3, 11, 6, 14, 7, 15));
#else
    store_anywhere(to, __builtin_shufflevector(value.re, value.im, 0, 4, 1, 5));
    store_anywhere(to + LANES, __builtin_shufflevector(value.re, value.im, 2, 6, 3, 7));
#endif
}

/* The same to an address aligned to a vector, past the caches. stream_end must follow before other threads read. */
QN_INLINE void stream_interleaved(float *to, point value)
{
#if defined(__AVX512F__)
    _mm512_stream_ps(to, (__m512)__builtin_shufflevector(value.re, value.im, QN_LOW_OF_QUARTERS));
    _mm512_stream_ps(to + LANES, (__m512)__builtin_shufflevector(value.re, value.im, QN_HIGH_OF_QUARTERS));
#elif defined(__AVX__)
    _mm256_stream_ps(to, (__m256)__builtin_shufflevector(value.re, value.im, 0, 8, 1, 9, 4, 12, 5, 13));
    _mm256_stream_ps(to + LANES, (__m256)__builtin_shufflevector(value.re, value.im, 2, 10, 3, 11, 6, 14, 7, 15));
#else
    store_interleaved(to, value);
#endif
}

QN_INLINE void stream_end(void)
{
#if defined(__AVX__)
    _mm_sfence();
#endif
}

#if defined(__AVX512F__)
/* Transpose pairs, then quarters of four rows each, then move the quarters to their places. */
QN_INLINE void transpose(lanes row[LANES])
{
    lanes a[16], b[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        a[i] = __builtin_shufflevector(row[i], row[i + 1], QN_LOW_OF_QUARTERS);
        a[i + 1] = __builtin_shufflevector(row[i], row[i + 1], QN_HIGH_OF_QUARTERS);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 4)
#pragma GCC unroll 2
        for (int j = 0; j < 2; j++) {
            const lanes x = a[i + j], y = a[i + j + 2];
            b[i + 2 * j] = __builtin_shufflevector(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
            b[i + 2 * j + 1] =
                __builtin_shufflevector(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const lanes c = b[i], d = b[i + 4], e = b[i + 8], f = b[i + 12];
        const lanes cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        const lanes ef = __builtin_shufflevector(e, f, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        const lanes dc = __builtin_shufflevector(c, d, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        const lanes fe = __builtin_shufflevector(e, f, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
        row[i] = __builtin_shufflevector(cd, ef, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        row[i + 4] = __builtin_shufflevector(cd, ef, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        row[i + 8] = __builtin_shufflevector(dc, fe, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        row[i + 12] = __builtin_shufflevector(dc, fe, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    }
}
#else
/* Swap lane j of row[i] with lane i of row[j]. */
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
#endif

/* Operations that kernels/butterflies.dev.h needs. A product is rounded before it is added, so that all processors give
 * the same bits; compilers notice products that two sums share. */
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

/* The sums above with factor·b instead of b. */
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
