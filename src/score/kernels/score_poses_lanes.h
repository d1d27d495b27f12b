/* Vectors of ligand atoms in a processor's registers: distances and ramps for the host kernels of BUDE's energy.
 * QN_LANES: number of atoms in a vector; not defined if there are no such registers or no fused multiply-add.
 *
 * The divider of AVX-512 is no wider than that of AVX2. So fast scoring (QN_MIXED_ROOTS) uses the divider for every
 * other receptor atom and an estimate with multiplications for the others at the same time. These give the distances as
 * −2 r, for which the pairs of odd receptor atoms are folded (qn_score_poses_receptor). */
#ifndef QN_SCORE_SCORE_POSES_LANES_H
#define QN_SCORE_SCORE_POSES_LANES_H

#include <stdbool.h>

#include "runtime/prelude/prelude_host.h"

#include "score/kernels/score_poses.dev.h"

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>

#ifdef __AVX512F__
typedef __m512 lanes;
#define QN_LANES 16
#define LANES_WORD(word) _mm512_##word
#define QN_MIXED_ROOTS 1
#else
typedef __m256 lanes;
#define QN_LANES 8
#define LANES_WORD(word) _mm256_##word
#endif

static inline lanes splat(float x)
{
    return LANES_WORD(set1_ps)(x);
}

static inline lanes squared_distance(const qn_float4 *place, lanes x, lanes y, lanes z)
{
    const lanes dx = LANES_WORD(sub_ps)(x, splat(place->x));
    const lanes dy = LANES_WORD(sub_ps)(y, splat(place->y));
    const lanes dz = LANES_WORD(sub_ps)(z, splat(place->z));
    const lanes xx = LANES_WORD(fmadd_ps)(dx, dx, splat(SMALLEST_SQUARE));
    return LANES_WORD(fmadd_ps)(dz, dz, LANES_WORD(fmadd_ps)(dy, dy, xx));
}

static inline lanes add_ramps(lanes energy, lanes r, const qn_float4 *pair)
{
    const lanes contact = splat(pair->x), end = splat(pair->y);
    const lanes near = LANES_WORD(sub_ps)(contact, LANES_WORD(min_ps)(r, contact));
    const lanes far = LANES_WORD(sub_ps)(end, LANES_WORD(min_ps)(r, end));
    return LANES_WORD(fmadd_ps)(far, splat(pair->w), LANES_WORD(fmadd_ps)(near, splat(pair->z), energy));
}

#ifdef QN_MIXED_ROOTS
/* `r_minus_two`: −2 r. */
static inline lanes add_turned_ramps(lanes energy, lanes r_minus_two, const qn_float4 *pair)
{
    const lanes contact = splat(pair->x), end = splat(pair->y);
    const lanes near = LANES_WORD(sub_ps)(contact, LANES_WORD(max_ps)(r_minus_two, contact));
    const lanes far = LANES_WORD(sub_ps)(end, LANES_WORD(max_ps)(r_minus_two, end));
    return LANES_WORD(fmadd_ps)(far, splat(pair->w), LANES_WORD(fmadd_ps)(near, splat(pair->z), energy));
}

/* −2 √x. If y is an estimate of 1 / √x, one step of Newton's method gives √x = x y (3 − x y²) / 2. */
static inline lanes root_minus_two(lanes x)
{
    const lanes y = _mm512_rsqrt14_ps(x), root = LANES_WORD(mul_ps)(x, y);
    return LANES_WORD(mul_ps)(root, LANES_WORD(fmadd_ps)(root, y, splat(-3)));
}
#endif
#endif

/* If the processor has no fused multiply-add, fma() is a slow call, so fast scoring rounds twice there. */
#if defined(__FMA__) || !defined(__x86_64__)
#define FAST_FMA(a, b, c) FMA(a, b, c)
#else
#define FAST_FMA(a, b, c) ((a) * (b) + (c))
#endif

/* a · b + c. `exact` is a constant in all callers. */
static inline float multiply_add(float a, float b, float c, bool exact)
{
    return exact ? FMA(a, b, c) : FAST_FMA(a, b, c);
}

/* Add the energy of one pair, for loops that compilers vectorise. */
static inline float add_pair(float energy, float x, float y, float z, const qn_float4 *place, const qn_float4 *pair,
                             bool exact)
{
    const float dx = x - place->x, dy = y - place->y, dz = z - place->z;
    const float square = multiply_add(dy, dy, multiply_add(dx, dx, SMALLEST_SQUARE, exact), exact);
    const float r = SQRT(multiply_add(dz, dz, square, exact));
    const float near = multiply_add(pair->x - FMIN(r, pair->x), pair->z, energy, exact);
    return multiply_add(pair->y - FMIN(r, pair->y), pair->w, near, exact);
}

#endif
