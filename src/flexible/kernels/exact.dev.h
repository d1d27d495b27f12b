/* Functions of single precision from +, ×, FMA and bits alone, so that every device gives the same bits, and Vina's
 * energy of a pair made of them. Arguments are normal numbers. */
#ifndef QN_FLEXIBLE_EXACT_DEV_H
#define QN_FLEXIBLE_EXACT_DEV_H

#include "runtime/kernels/power_of_two.dev.h"

/* Cases are chosen by factors of 0 and 1, so that compilers make vectors of the host's loops: they would move the
 * computation of a value that is not always needed into a branch. */

/* 1/√x, relative error below 2e-7: a guess by the bits (error 0.035, Lomont 2003), and three steps of Newton's method.
 */
DEVICE_FN float exact_rsqrt(float x)
{
    float y = BITS_FLOAT(0x5f375a86u - (FLOAT_BITS(x) >> 1));
    const float h = -0.5f * x;
    y = y * FMA(h * y, y, 1.5f);
    y = y * FMA(h * y, y, 1.5f);
    return y * FMA(h * y, y, 1.5f);
}

/* 1/x of x > 0, relative error below 5e-7. */
DEVICE_FN float exact_reciprocal(float x)
{
    const float root = exact_rsqrt(x);
    return root * root;
}

/* Sine and cosine of |x| ≤ 100, error below 1e-6: the nearest multiple of π/2 is taken off in two parts; Taylor series
 * to degree 9 and 8 in the rest, |r| ≤ π/4. */
DEVICE_FN void exact_sine_cosine(float x, float *sine, float *cosine)
{
    const float shifted = FMA(x, 0.63661977236758134f, 12582912.0f), turns = shifted - 12582912.0f;
    const float r = FMA(turns, 4.371139000186241e-8f, FMA(turns, -1.57079637050628662f, x));
    const float q = r * r;
    const qn_uint32 quarter = FLOAT_BITS(shifted);
    float s = FMA(q, 2.7557319223985893e-6f, -1.9841269841269841e-4f);
    float c = FMA(q, 2.48015873015873e-5f, -1.3888888888888889e-3f);
    s = FMA(q, s, 8.3333333333333333e-3f);
    c = FMA(q, c, 4.1666666666666667e-2f);
    s = FMA(q, s, -0.16666666666666667f);
    c = FMA(q, c, -0.5f);
    s = FMA(q * r, s, r);
    c = FMA(q, c, 1.0f);
    const float at_sine = (quarter & 1u) ? c : s, at_cosine = (quarter & 1u) ? s : c;
    *sine = (quarter & 2u) ? -at_sine : at_sine;
    *cosine = ((quarter + 1u) & 2u) ? -at_cosine : at_cosine;
}

/* Vina's energy of two atoms at distance r and its derivative; pair: sum of radii; weight, slope and offset of the ramp
 * weight · sat(offset − d · slope), sat(y) = min(1, max(0, y)), for which a pair has one use at most. */
DEVICE_FN float exact_pair(float r, qn_float4 pair, float *slope)
{
    const float d = r - pair.x, beyond = d - 3.0f, overlap = FMIN(d, 0.0f);
    const float gauss1 = -0.035579f * qn_power_of_two(FMAX(-5.770780163555854f * (d * d), -100.0f));
    const float gauss2 = -0.005156f * qn_power_of_two(FMAX(-0.36067376022224085f * (beyond * beyond), -100.0f));
    const float ramp = FMA(-d, pair.z, pair.w);
    const float inside = pair.y * pair.z * ((ramp > 0.0f ? 1.0f : 0.0f) * (ramp < 1.0f ? 1.0f : 0.0f));
    const float sat = FMIN(FMAX(ramp, 0.0f), 1.0f);
    *slope = FMA(-8.0f * d, gauss1, FMA(-0.5f * beyond, gauss2, FMA(1.68049f, overlap, -inside)));
    return FMA(0.840245f * overlap, overlap, FMA(pair.y, sat, gauss1 + gauss2));
}

#endif
