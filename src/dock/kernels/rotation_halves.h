/* Intermediates of the fused rotation in half precision, on the host: the same bits on every processor. */
#ifndef QN_DOCK_ROTATION_HALVES_H
#define QN_DOCK_ROTATION_HALVES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bits of the nearest number of IEEE 754 binary16, ties to even; numbers beyond become infinite. */
static inline uint16_t qn_half_of_float(float number)
{
    uint32_t bits, small;
    memcpy(&bits, &number, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    const float shifted = fabsf(number) + 0.5f; /* rounds to multiples of 2^-24, the lowest step */
    memcpy(&small, &shifted, sizeof small);
    uint32_t half = (size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13;
    half = size < 0x38800000u ? small - 0x3f000000u : half;
    half = size >= 0x477ff000u ? 0x7c00u : half;
    return (uint16_t)(sign | half);
}

static inline float qn_float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t bits = (uint32_t)(half & 0x7fffu) << 13;
    float number;
    memcpy(&number, &bits, sizeof bits);
    number *= 0x1p112f;
    memcpy(&bits, &number, sizeof bits);
    bits |= sign | ((half & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u);
    memcpy(&number, &bits, sizeof bits);
    return number;
}

static inline void qn_halves_of_floats(const float *restrict from, float scale, size_t count, uint16_t *restrict to)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) to[i] = qn_half_of_float(scale * from[i]);
}

static inline void qn_floats_of_halves(const uint16_t *restrict from, size_t count, float *restrict to)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) to[i] = qn_float_of_half(from[i]);
}

#endif
