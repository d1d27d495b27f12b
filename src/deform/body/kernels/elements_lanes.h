/* Vectors of one float for each state, as wide as the registers of a host variant, for elements_host.c. */
#ifndef QN_DEFORM_BODY_KERNELS_ELEMENTS_LANES_H
#define QN_DEFORM_BODY_KERNELS_ELEMENTS_LANES_H

#include <string.h>

#include "runtime/prelude/prelude_host.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX2__) && defined(__FMA__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t lanes_bits __attribute__((vector_size(4 * LANES)));

/* x in every lane; x − 0 is x for both zeros. */
static inline lanes lanes_splat(float x)
{
    return x - (lanes){0};
}

/* a · b + c, rounded once; where the instruction set has no such instruction, by doubles, which differ in rare ties. */
static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
#if LANES == 16
    return (lanes)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif LANES == 8
    return (lanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    lanes sum;
    for (int k = 0; k < LANES; k++) sum[k] = (float)((double)a[k] * (double)b[k] + (double)c[k]);
    return sum;
#endif
}

static inline lanes lanes_load(const float *from)
{
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void lanes_store(float *to, lanes value)
{
    memcpy(to, &value, sizeof value);
}

/* The first `count` lanes; the others are 0. */
static inline lanes lanes_keep(lanes value, int count)
{
    for (int k = count; k < LANES; k++) value[k] = 0.0f;
    return value;
}

/* See elements.dev.h. */
static inline lanes real_inverse_root(lanes v)
{
    const lanes bits = __builtin_convertvector((lanes_bits)v, lanes);
    return (lanes) __builtin_convertvector(1419967116.0f - bits * 0.333333333f, lanes_bits);
}

#define REAL lanes
#define REAL_OF(x) lanes_splat(x)
#define REAL_FMA(a, b, c) lanes_fma((a), (b), (c))

#include "deform/body/kernels/elements.dev.h"

#endif
