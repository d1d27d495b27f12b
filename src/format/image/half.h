/* IEEE 754 binary16, the values of MRC mode 12. */
#ifndef QN_FORMAT_IMAGE_HALF_H
#define QN_FORMAT_IMAGE_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Largest finite value. */
#define QN_HALF_MAX 65504.0f

/* Without branches, so that the compiler can vectorise the conversion. */
static inline float qn_half_to_float(uint32_t half)
{
    const uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
    const float small = (float)(int32_t)fraction * 0x1p-24f; /* the value where the exponent is 0 */
    const uint32_t is_small = 0u - ((exponent - 1) >> 31), is_largest = (exponent + 1) >> 5; /* infinite or NaN */
    uint32_t bits = (exponent + 112 + 112 * is_largest) << 23 | fraction << 13, small_bits;
    float value;
    memcpy(&small_bits, &small, sizeof small_bits);
    bits = (small_bits & is_small) | (bits & ~is_small) | (half & 0x8000) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Round to the nearest value, to an even fraction where two are equally near; values beyond the largest become
 * infinite, and NaN stays NaN. Without branches as well. */
static inline uint16_t qn_half_from_float(float value)
{
    uint32_t bits, small_bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000;
    const int32_t size = (int32_t)(bits & 0x7fffffff);
    /* adding 1/2 rounds to a multiple of 2^-24, as the fraction of a float in [1/2, 1) */
    const float small = fabsf(value) + 0.5f;
    memcpy(&small_bits, &small, sizeof small_bits);
    const int32_t subnormal = (int32_t)small_bits - 0x3f000000;
    const int32_t normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    const int32_t is_normal = (0x387fffff - size) >> 31; /* all bits: 2^-14 and more */
    const int32_t is_large = (0x477fefff - size) >> 31;  /* rounds to 2^16 or more */
    const int32_t is_nan = (0x7f800000 - size) >> 31;
    int32_t half = (normal & is_normal) | (subnormal & ~is_normal);
    half = (0x7c00 & is_large) | (half & ~is_large) | (0x7e00 & is_nan);
    return (uint16_t)(sign | (uint32_t)half);
}

#endif
