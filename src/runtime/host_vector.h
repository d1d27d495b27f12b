/* Vectors of floats as wide as the registers of a host variant, for host kernels whose speed depends on 1/√x. Compilers
 * turn 1.0f / sqrtf(x) into a square root and a division, the slowest arithmetic instructions; the processor's estimate
 * with one Newton step is several times as fast. Operators + - * work on qn_lanes as on float.
 *
 * Estimates differ between processor vendors, so results that use them differ in their last bits. */
#ifndef QN_RUNTIME_HOST_VECTOR_H
#define QN_RUNTIME_HOST_VECTOR_H

#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <math.h>
#endif

#if defined(__AVX512F__)
enum { QN_LANES = 16 };
typedef __m512 qn_lanes;
#define QN_LANES_WORD(name) _mm512_##name##_ps
#elif defined(__AVX2__)
enum { QN_LANES = 8 };
typedef __m256 qn_lanes;
#define QN_LANES_WORD(name) _mm256_##name##_ps
#elif defined(__SSE2__)
enum { QN_LANES = 4 };
typedef __m128 qn_lanes;
#define QN_LANES_WORD(name) _mm_##name##_ps
#else
enum { QN_LANES = 1 };
typedef float qn_lanes;
#endif

static inline qn_lanes qn_lanes_splat(float value)
{
#ifdef QN_LANES_WORD
    return QN_LANES_WORD(set1)(value);
#else
    return value;
#endif
}

/* Load from and store to any address of floats. */
static inline qn_lanes qn_lanes_load(const float *from)
{
#ifdef QN_LANES_WORD
    return QN_LANES_WORD(loadu)(from);
#else
    return *from;
#endif
}

static inline void qn_lanes_store(float *to, qn_lanes value)
{
#ifdef QN_LANES_WORD
    QN_LANES_WORD(storeu)(to, value);
#else
    *to = value;
#endif
}

/* a · b + c, rounded once if the variant has fused multiply-add */
static inline qn_lanes qn_lanes_fma(qn_lanes a, qn_lanes b, qn_lanes c)
{
#if defined(__AVX512F__) || defined(__FMA__)
    return QN_LANES_WORD(fmadd)(a, b, c);
#else
    return a * b + c;
#endif
}

/* c − a · b, rounded likewise */
static inline qn_lanes qn_lanes_minus_product(qn_lanes c, qn_lanes a, qn_lanes b)
{
#if defined(__AVX512F__) || defined(__FMA__)
    return QN_LANES_WORD(fnmadd)(a, b, c);
#else
    return c - a * b;
#endif
}

static inline qn_lanes qn_lanes_maximum(qn_lanes a, qn_lanes b)
{
#ifdef QN_LANES_WORD
    return QN_LANES_WORD(max)(a, b);
#else
    return a > b ? a : b;
#endif
}

/* 1 / √x of normal x > 0 with a relative error below 2^-11 */
static inline qn_lanes qn_lanes_reciprocal_root_estimate(qn_lanes x)
{
#if defined(__AVX512F__)
    return _mm512_rsqrt14_ps(x);
#elif defined(QN_LANES_WORD)
    return QN_LANES_WORD(rsqrt)(x);
#else
    return 1.0f / sqrtf(x);
#endif
}

/* 2 / √x of normal x > 0 with a relative error below 5e-7: the estimate y and one Newton step, y (3 − x y²). The caller
 * includes the factor 1/2 in a number by which it multiplies anyway. */
static inline qn_lanes qn_lanes_twice_reciprocal_root(qn_lanes x)
{
    const qn_lanes y = qn_lanes_reciprocal_root_estimate(x);
    return y * qn_lanes_minus_product(qn_lanes_splat(3.0f), x * y, y);
}

#endif
