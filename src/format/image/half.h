/* IEEE 754 binary16, the values of MRC mode 12. */
#ifndef QN_FORMAT_IMAGE_HALF_H
#define QN_FORMAT_IMAGE_HALF_H

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
 * infinite, and NaN stays NaN. */
static inline uint16_t qn_half_from_float(float value)
{
    uint32_t bits, small_bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000) return (uint16_t)(sign | 0x7e00);  /* NaN */
    if (size >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* rounds to 2^16 or more */
    if (size >= 0x38800000)                                   /* 2^-14 and more: normal */
        return (uint16_t)(sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13));
    float small; /* adding 1/2 rounds to a multiple of 2^-24, as the fraction of a float in [1/2, 1) */
    memcpy(&small, &size, sizeof small);
    small += 0.5f;
    memcpy(&small_bits, &small, sizeof small_bits);
    return (uint16_t)(sign | (small_bits - 0x3f000000));
}

#endif
