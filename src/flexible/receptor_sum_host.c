/* Vina's terms of an atom with a range of atoms of a receptor. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre") /* it moves parts of a minimum or maximum into branches: no vectors */
#endif
#include <math.h>
#include <string.h>

#include "flexible/receptor_sum.h"
#include "score/vina.h"

/* e^x for −700 ≤ x ≤ 0, relative error below 1e-12: 2^n times the Taylor series to degree 10 in the rest, which is
 * within ln 2 / 2; ln 2 is taken off in two parts (Cody & Waite 1980). */
static inline double exponential(double x)
{
    const double shift = 6755399441055744.0; /* 1.5 · 2^52: a sum's last bits are the nearest whole number */
    const double shifted = x * 1.4426950408889634 + shift, n = shifted - shift;
    const double r = (x - n * 0.69314718036912382) - n * 1.9082149292705877e-10;
    double p = 2.7557319223985888e-07;
    p = p * r + 2.7557319223985893e-06;
    p = p * r + 2.4801587301587302e-05;
    p = p * r + 1.9841269841269841e-04;
    p = p * r + 1.3888888888888889e-03;
    p = p * r + 8.3333333333333332e-03;
    p = p * r + 4.1666666666666664e-02;
    p = p * r + 1.6666666666666666e-01;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    uint64_t bits, whole;
    memcpy(&bits, &p, sizeof bits);
    memcpy(&whole, &shifted, sizeof whole);
    bits += whole << 52; /* the exponent's bits; those of `shift` fall off */
    memcpy(&p, &bits, sizeof p);
    return p;
}

/* The same as 2^(x / ln 2) for −1000 ≤ x ≤ 0, relative error below 3e-7 + 1e-7 |x| above −79, where it ends; 2^r by the
 * polynomial of degree 5 that has its values at Chebyshev's nodes of −1/2 … 1/2. */
static inline float single_exponential(float x)
{
    const float shift = 12582912.0f; /* 1.5 · 2^23 */
    const float power = x * 1.44269504f, within = power > -115.0f ? power : -115.0f;
    const float shifted = within + shift, r = within - (shifted - shift);
    float p = 1.33908634e-03f;
    p = p * r + 9.67603192e-03f;
    p = p * r + 5.55035711e-02f;
    p = p * r + 2.40221075e-01f;
    p = p * r + 6.93147188e-01f;
    p = p * r + 1.00000008f;
    uint32_t bits, whole;
    memcpy(&bits, &p, sizeof bits);
    memcpy(&whole, &shifted, sizeof whole);
    bits += whole << 23;
    memcpy(&p, &bits, sizeof p);
    return p;
}

#define ADD add
#define REAL double
#define LANES QN_RECEPTOR_LANES
#define ROOT sqrt
#define EXPONENTIAL exponential
#define SUMS of_double
#define CELLS (*cells)
#define FROM(axis) 0.0
#define SKIPS 1
#include "flexible/receptor_add.h"
#undef ADD
#undef REAL
#undef LANES
#undef ROOT
#undef EXPONENTIAL
#undef SUMS
#undef CELLS
#undef FROM

#define ADD add_single
#define REAL float
#define LANES QN_RECEPTOR_SINGLE_LANES
#define ROOT sqrtf
#define EXPONENTIAL single_exponential
#define SUMS of_single
#define CELLS cells->single
#define FROM(axis) cells->low[axis]
#include "flexible/receptor_add.h"
#undef ADD
#undef SKIPS

#define ADD add_listed
#define SKIPS 0
#include "flexible/receptor_add.h"

extern const qn_receptor_add QN_HOST_VARIANT(qn_receptor_add_host)[];
const qn_receptor_add QN_HOST_VARIANT(qn_receptor_add_host)[] = {add, add_single, add_listed};
