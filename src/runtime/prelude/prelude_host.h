/* The kernel language in host C17, for pure device functions: C code includes this file and then a .dev.h. Every word
 * is explained in prelude_opencl.h; words of kernels (KERNEL, GLOBAL_ID, LOCAL_BARRIER, atomics ...) do not exist here.
 * Results have the same bits as on devices for all words that are exact or correctly rounded there (operators, FMA,
 * FLOOR, ROUND, integers). */
#ifndef QN_RUNTIME_PRELUDE_HOST_H
#define QN_RUNTIME_PRELUDE_HOST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define QN_LANGUAGE_HOST 1

/* Declarations */
#define GLOBAL
#define LOCAL_PTR
#define CONSTANT static const
#define CONSTANT_PTR const
#define RESTRICT restrict
#define DEVICE_FN static inline
#define UNROLL
#define UNROLL_BY(count)

/* Types */
typedef int32_t qn_int32;
typedef uint32_t qn_uint32;
typedef int64_t qn_int64;
typedef uint64_t qn_uint64;
typedef float qn_float32;
typedef uint8_t qn_uint8;
typedef struct qn_float2 {
    float x, y;
} qn_float2;
typedef struct qn_float4 {
    float x, y, z, w;
} qn_float4;
typedef struct qn_int4 {
    int32_t x, y, z, w;
} qn_int4;
typedef qn_float2 qn_complex;
#define FLOAT2_MAKE(x, y) ((qn_float2){(x), (y)})
#define FLOAT4_MAKE(x, y, z, w) ((qn_float4){(x), (y), (z), (w)})
#define INT4_MAKE(x, y, z, w) ((qn_int4){(x), (y), (z), (w)})
#define COMPLEX_MAKE(re, im) ((qn_complex){(re), (im)})
#define FLOAT_INFINITY INFINITY
#define FLOAT_MAXIMUM 3.402823466e+38f
#define FLOAT_PI 3.14159265358979f

/* Single precision */
#define FMA(a, b, c) fmaf((a), (b), (c))
#define SQRT(x) sqrtf(x)
#define NORMAL_SQRT(x) sqrtf(x)
#define RSQRT(x) (1.0f / sqrtf(x))
#define EXP(x) expf(x)
#define LOG(x) logf(x)
#define SIN(x) sinf(x)
#define COS(x) cosf(x)
#define FLOOR(x) floorf(x)
#define ROUND(x) rintf(x)
#define ROUND_INT(x) ((int)rintf(x))
#define ABS(x) fabsf(x)
#define FMIN(a, b) qn_minimum((a), (b))
#define FMAX(a, b) qn_maximum((a), (b))
#define SATURATE(x) qn_minimum(qn_maximum((x), 0.0f), 1.0f)
#define FAST_EXP(x) expf(x)
#define FAST_RSQRT(x) (1.0f / sqrtf(x))
#define FAST_DIVIDE(a, b) ((a) / (b))
/* fminf and fmaxf handle NaN and compile to calls; these compile to one instruction. */
DEVICE_FN float qn_minimum(float a, float b)
{
    return a < b ? a : b;
}
DEVICE_FN float qn_maximum(float a, float b)
{
    return a > b ? a : b;
}

/* Any type. The C library's <sys/param.h> also defines MIN and MAX. */
#undef MIN
#undef MAX
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, low, high) MIN(MAX((x), (low)), (high))

/* Integers and bits */
#define MUL_HIGH_INT32(a, b) ((int32_t)(((int64_t)(int32_t)(a) * (int32_t)(b)) >> 32))
#define MUL_HIGH_UINT32(a, b) ((uint32_t)(((uint64_t)(uint32_t)(a) * (uint32_t)(b)) >> 32))
#define MUL_HIGH_UINT64(a, b) qn_mul_high_uint64((a), (b))
#define BIT_COUNT(x) __builtin_popcount((uint32_t)(x))
#define LEADING_ZEROS(x) qn_leading_zeros(x)
#define FLOAT_BITS(x) qn_float_bits(x)
#define BITS_FLOAT(x) qn_bits_float(x)

DEVICE_FN uint64_t qn_mul_high_uint64(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32); /* cannot overflow: (2^32 - 1)^2 + 2^32 - 1 < 2^64 */
    uint64_t lower = a_low * b_high + (uint32_t)middle;
    return a_high * b_high + (middle >> 32) + (lower >> 32);
}

DEVICE_FN int qn_leading_zeros(uint32_t x)
{
    return x ? __builtin_clz(x) : 32;
}

DEVICE_FN uint32_t qn_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

DEVICE_FN float qn_bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Explicit vectors have one element here; another width does not compile. */
#define QN_VEC_PASTE_(a, b) a##b
#define QN_VEC_PASTE(a, b) QN_VEC_PASTE_(a, b)
#define VEC(type, n) QN_VEC_PASTE(QN_VEC_, n)(type)
#define QN_VEC_1(type) QN_SCALAR_##type
#define QN_SCALAR_float float
#define QN_SCALAR_int int32_t
#define QN_SCALAR_uint uint32_t
#define VEC_LOAD(n, pointer) QN_VEC_PASTE(QN_VEC_LOAD_, n)(pointer)
#define QN_VEC_LOAD_1(pointer) (*(pointer))
#define VEC_STORE(n, pointer, value) QN_VEC_PASTE(QN_VEC_STORE_, n)(pointer, value)
#define QN_VEC_STORE_1(pointer, value) (*(pointer) = (value))
#define VEC_SPLAT(type, n, value) ((VEC(type, n))(value))
#define VEC_RAMP(type, n) ((VEC(type, n))0)
#define VEC_CONVERT(type, n, value) ((VEC(type, n))(value))
#define VEC_FMA(a, b, c) FMA((a), (b), (c))
#define VEC_SELECT(condition, yes, no) ((condition) ? (yes) : (no))
#define VEC_ANY(n, condition) QN_VEC_PASTE(QN_VEC_ANY_, n)(condition)
#define QN_VEC_ANY_1(condition) ((condition) != 0)
#define VEC_ELEMENT(n, value, i) QN_VEC_PASTE(QN_VEC_ONLY_, n)(value)
#define VEC_SUM(n, value) QN_VEC_PASTE(QN_VEC_ONLY_, n)(value)
#define VEC_MINIMUM(n, value) QN_VEC_PASTE(QN_VEC_ONLY_, n)(value)
#define VEC_MAXIMUM(n, value) QN_VEC_PASTE(QN_VEC_ONLY_, n)(value)
#define QN_VEC_ONLY_1(value) (value)

#include "runtime/kernels/complex.dev.h"
#endif
