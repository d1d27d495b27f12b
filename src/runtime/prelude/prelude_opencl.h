/* The kernel language in OpenCL C 1.2. The same words exist in prelude_cuda.h; the words that a pure device function
 * (.dev.h) may use exist in prelude_host.h too. Kernels use only these words, C operators and float constants with an
 * f: no double, no vector operators outside VEC values, no OpenCL or CUDA names.
 *
 * A kernel must not define names of OpenCL C (half, kernel, global, local, private, constant, any, select, step,
 * distance, length, cross, dot, mix, sign, uint ...) or keywords of C++ (new, class, this, template ...).
 *
 * Work-items and counts are int: a launch has fewer than 2^31 work-items in each dimension. */
#define QN_LANGUAGE_OPENCL 1

/* A program means the same on every device: a * b + c is rounded twice, FMA(a, b, c) once. */
#pragma OPENCL FP_CONTRACT OFF

#define QN_PASTE_(a, b) a##b
#define QN_PASTE(a, b) QN_PASTE_(a, b)

/* Declarations */
#define KERNEL __kernel /* KERNEL GROUP_LIMIT(64, 1, 1) void name(GLOBAL const float *RESTRICT x, int n) */
#define GROUP_LIMIT(x, y, z) __attribute__((reqd_work_group_size(x, y, z))) /* every launch has groups of this size */
/* The same, with at least `groups` (1 or more) groups at once on a compute unit. A compiler that supports this uses all
 * the registers that are left to hide latencies; otherwise it saves registers to fit more groups. */
#define GROUP_LIMIT_RESIDENT(x, y, z, groups) GROUP_LIMIT(x, y, z)
#define GLOBAL __global /* before the type of a pointer to a kernel's buffer */
#define LOCAL __local   /* declares an array shared by a group, at the top of a kernel: LOCAL float tile[64]; */
/* Local memory whose size the family's local_room gives at launch. It is the last parameter of a kernel, without a
 * comma before it (KERNEL void name(GLOBAL float *x, int n LOCAL_ROOM_PARAMETER)); LOCAL_ROOM(float) is its address, a
 * multiple of 16. */
#define LOCAL_ROOM_PARAMETER , __local float4 *qn_local_room
#define LOCAL_ROOM(type) ((__local type *)qn_local_room)
#define LOCAL_PTR __local       /* before the type of a pointer to a LOCAL array */
#define CONSTANT __constant     /* declares a table at file scope: CONSTANT float weights[3] = {...}; */
#define CONSTANT_PTR __constant /* before the type of a pointer to a CONSTANT table */
#define RESTRICT restrict       /* no other pointer points there */
#define DEVICE_FN static inline __attribute__((always_inline)) /* a function that kernels call, as if written there */
#define UNROLL _Pragma("unroll")                               /* before a loop of constant length: unroll all of it */
#define QN_PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(count) QN_PRAGMA(unroll count) /* before a loop: this many iterations at once */

/* Types with the same size on every device; int and float have 32 bits */
typedef int qn_int32;
typedef uint qn_uint32;
typedef long qn_int64;
typedef ulong qn_uint64;
typedef float qn_float32;
typedef uchar qn_uint8;
typedef float2 qn_float2;  /* .x .y, no operators */
typedef float4 qn_float4;  /* .x .y .z .w, no operators */
typedef int4 qn_int4;      /* .x .y .z .w, no operators */
typedef float2 qn_complex; /* .x + i .y; functions in runtime/kernels/complex.dev.h */
#define FLOAT2_MAKE(x, y) ((float2)((x), (y)))
#define FLOAT4_MAKE(x, y, z, w) ((float4)((x), (y), (z), (w)))
#define INT4_MAKE(x, y, z, w) ((int4)((x), (y), (z), (w)))
#define COMPLEX_MAKE(re, im) ((float2)((re), (im)))
#define FLOAT_INFINITY INFINITY
#define FLOAT_MAXIMUM 3.402823466e+38f
#define FLOAT_PI 3.14159265358979f

/* Position of a work-item, d = 0, 1, 2 */
#define GLOBAL_ID(d) ((int)get_global_id(d))     /* index in the whole launch */
#define GLOBAL_SIZE(d) ((int)get_global_size(d)) /* work-items of the whole launch */
#define LOCAL_ID(d) ((int)get_local_id(d))       /* index in the group */
#define LOCAL_SIZE(d) ((int)get_local_size(d))   /* work-items of a group */
#define GROUP_ID(d) ((int)get_group_id(d))       /* index of the group */
#define GROUP_COUNT(d) ((int)get_num_groups(d))  /* number of groups */

/* Wait until every work-item of the group arrives; afterwards each sees what the others wrote */
#define LOCAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)                         /* ... to LOCAL memory */
#define GLOBAL_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE) /* ... to LOCAL and GLOBAL memory */
/* The same for each 32 work-items of a group, which a GPU may run in step; all of the group must arrive. */
#define LOCAL_BARRIER_OF_32() barrier(CLK_LOCAL_MEM_FENCE)
/* The sum of a float of each of a group's 32 work-items, for all of them: the upper half is added to the lower one
 * until one is left. `room`: 32 LOCAL floats. It is a barrier, too. */
#define SUM_OF_32(value, room) qn_sum_of_32((value), (room))
/* Replace each of `count` floats, a constant number, by such a sum. */
#define SUMS_OF_32(count, values, room) \
    for (int qn_i = 0; qn_i < (count); qn_i++) (values)[qn_i] = qn_sum_of_32((values)[qn_i], (room))

DEVICE_FN float qn_sum_of_32(float value, __local float *room)
{
    const int item = LOCAL_ID(0);
    room[item] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = 16; reach > 0; reach /= 2) {
        if (item < reach) room[item] += room[item + reach];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float sum = room[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/* Asynchronous copies from GLOBAL to LOCAL; devices without them copy at once. n is 1, 2 or 4 floats; both addresses
 * are multiples of 4 * n bytes. */
#define ASYNC_COPY(n, to, from) QN_PASTE(QN_ASYNC_COPY_, n)(to, from)
#define ASYNC_COMMIT()      /* put the copies that this work-item started since its last commit into a batch */
#define ASYNC_WAIT(batches) /* wait until at most `batches` of its batches, a constant number, are unfinished */
#define QN_ASYNC_COPY_1(to, from) (*(__local float *)(to) = *(__global const float *)(from))
#define QN_ASYNC_COPY_2(to, from) (*(__local float2 *)(to) = *(__global const float2 *)(from))
#define QN_ASYNC_COPY_4(to, from) (*(__local float4 *)(to) = *(__global const float4 *)(from))

/* Single precision; all words but ROUND_INT take VEC values too. ulp: unit in the last place */
#define FMA(a, b, c) fma((a), (b), (c)) /* a * b + c, rounded once */
#define SQRT(x) sqrt(x)                 /* correctly rounded if the device supports it, else 3 ulp */
#define NORMAL_SQRT(x) sqrt(x) /* the same for 2^-100 <= x <= 2^100 only, so that GPUs skip the special cases */
#define RSQRT(x) rsqrt(x)      /* 1 / sqrt(x), 2 ulp */
#define EXP(x) exp(x)          /* 3 ulp */
#define LOG(x) log(x)          /* 3 ulp */
#define SIN(x) sin(x)          /* 4 ulp */
#define COS(x) cos(x)          /* 4 ulp */
#define FLOOR(x) floor(x)      /* exact */
#define ROUND(x) rint(x)       /* nearest integer, halves to even; exact */
#define ROUND_INT(x) convert_int_rte(x)    /* the same, as an int */
#define ABS(x) fabs(x)                     /* exact */
#define FMIN(a, b) fmin((a), (b))          /* of floats that are not NaN */
#define FMAX(a, b) fmax((a), (b))          /* of floats that are not NaN */
#define SATURATE(x) clamp((x), 0.0f, 1.0f) /* of a float that is not NaN; free on GPUs after + - * and FMA */
#define FAST_EXP(x) native_exp(x)          /* as fast as the device can; relative error about 1e-6 * (1 + |x|) */
#define FAST_RSQRT(x) native_rsqrt(x)      /* as fast as the device can; relative error below 1e-6, x >= 2^-126 */
#define FAST_DIVIDE(a, b) \
    native_divide((a), (b)) /* as fast as the device can; relative error below 1e-6, |b| < 2^126 */

/* Pack a complex number as two halves, rounded to nearest, into a uint32, the real part in the low bits; unpack it
 * exactly */
#define PACK_HALVES(value) qn_pack_halves(value)
#define UNPACK_HALVES(bits) qn_unpack_halves(bits)

DEVICE_FN uint qn_pack_halves(float2 value)
{
    uint bits;
    vstore_half2_rte(value, 0, (half *)&bits);
    return bits;
}

DEVICE_FN float2 qn_unpack_halves(uint bits)
{
    return vload_half2(0, (const half *)&bits);
}

/* Any type; arguments are evaluated more than once */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, low, high) MIN(MAX((x), (low)), (high))

/* Integers and bits */
#define MUL_HIGH_INT32(a, b) mul_hi((int)(a), (int)(b))      /* upper 32 bits of the 64-bit product */
#define MUL_HIGH_UINT32(a, b) mul_hi((uint)(a), (uint)(b))   /* upper 32 bits of the 64-bit product */
#define MUL_HIGH_UINT64(a, b) mul_hi((ulong)(a), (ulong)(b)) /* upper 64 bits of the 128-bit product */
#define BIT_COUNT(x) ((int)popcount((uint)(x)))              /* bits set in a uint32 */
#define LEADING_ZEROS(x) ((int)clz((uint)(x)))               /* of a uint32; 32 for 0 */
#define FLOAT_BITS(x) as_uint((float)(x))                    /* the bits of a float as uint32 */
#define BITS_FLOAT(x) as_float((uint)(x))                    /* the float with these bits */

/* Atomics on GLOBAL and (LOCAL_...) LOCAL int or uint32; each returns the old value */
#define ATOMIC_ADD_INT(pointer, value) atomic_add((pointer), (value))
#define ATOMIC_MIN_INT(pointer, value) atomic_min((pointer), (value))
#define ATOMIC_MAX_INT(pointer, value) atomic_max((pointer), (value))
#define ATOMIC_OR_INT(pointer, value) atomic_or((pointer), (value))
#define ATOMIC_COMPARE_EXCHANGE_INT(pointer, expected, value) atomic_cmpxchg((pointer), (expected), (value))
#define LOCAL_ATOMIC_ADD_INT(pointer, value) atomic_add((pointer), (value))
#define LOCAL_ATOMIC_MIN_INT(pointer, value) atomic_min((pointer), (value))
#define LOCAL_ATOMIC_MAX_INT(pointer, value) atomic_max((pointer), (value))
#define LOCAL_ATOMIC_OR_INT(pointer, value) atomic_or((pointer), (value))
/* Float additions in no fixed order, so that sums differ in their last bits from run to run; they return nothing */
#define ATOMIC_ADD_FLOAT(pointer, value) qn_atomic_add_float((pointer), (value))
#define LOCAL_ATOMIC_ADD_FLOAT(pointer, value) qn_local_atomic_add_float((pointer), (value))

DEVICE_FN void qn_atomic_add_float(volatile __global float *sum, float value)
{
    volatile __global uint *bits = (volatile __global uint *)sum;
    uint seen = *bits, expected;
    do {
        expected = seen;
        seen = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + value));
    } while (seen != expected);
}

DEVICE_FN void qn_local_atomic_add_float(volatile __local float *sum, float value)
{
    volatile __local uint *bits = (volatile __local uint *)sum;
    uint seen = *bits, expected;
    do {
        expected = seen;
        seen = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + value));
    } while (seen != expected);
}

/* Explicit vectors of n elements; n is a constant 1, 2, 4, 8 or 16 (a tunable; only 1 on CUDA and host), the type is
 * float, int or uint. Operators, comparisons and the single precision words above apply element by element. The result
 * of a comparison is a VEC(int, n), which only VEC_SELECT and VEC_ANY may use. A scalar operand needs VEC_SPLAT. */
#define VEC(type, n) QN_PASTE(QN_VEC_, n)(type)
#define QN_VEC_1(type) type
#define QN_VEC_2(type) type##2
#define QN_VEC_4(type) type##4
#define QN_VEC_8(type) type##8
#define QN_VEC_16(type) type##16
/* Load or store n elements at `pointer` in any address space, aligned to an element */
#define VEC_LOAD(n, pointer) QN_PASTE(QN_VEC_LOAD_, n)(pointer)
#define QN_VEC_LOAD_1(pointer) (*(pointer))
#define QN_VEC_LOAD_2(pointer) vload2(0, (pointer))
#define QN_VEC_LOAD_4(pointer) vload4(0, (pointer))
#define QN_VEC_LOAD_8(pointer) vload8(0, (pointer))
#define QN_VEC_LOAD_16(pointer) vload16(0, (pointer))
#define VEC_STORE(n, pointer, value) QN_PASTE(QN_VEC_STORE_, n)(pointer, value)
#define QN_VEC_STORE_1(pointer, value) (*(pointer) = (value))
#define QN_VEC_STORE_2(pointer, value) vstore2((value), 0, (pointer))
#define QN_VEC_STORE_4(pointer, value) vstore4((value), 0, (pointer))
#define QN_VEC_STORE_8(pointer, value) vstore8((value), 0, (pointer))
#define QN_VEC_STORE_16(pointer, value) vstore16((value), 0, (pointer))
/* `value` in every element */
#define VEC_SPLAT(type, n, value) ((VEC(type, n))(value))
/* 0, 1, ... n - 1 */
#define VEC_RAMP(type, n) QN_PASTE(QN_VEC_RAMP_, n)(type)
#define QN_VEC_RAMP_1(type) ((type)0)
#define QN_VEC_RAMP_2(type) ((type##2)(0, 1))
#define QN_VEC_RAMP_4(type) ((type##4)(0, 1, 2, 3))
#define QN_VEC_RAMP_8(type) ((type##8)(0, 1, 2, 3, 4, 5, 6, 7))
#define QN_VEC_RAMP_16(type) ((type##16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
/* Convert to a VEC of another type, element by element; float to int rounds towards 0 */
#define VEC_CONVERT(type, n, value) QN_PASTE(QN_VEC_CONVERT_, n)(type, value)
#define QN_VEC_CONVERT_1(type, value) ((type)(value))
#define QN_VEC_CONVERT_2(type, value) convert_##type##2(value)
#define QN_VEC_CONVERT_4(type, value) convert_##type##4(value)
#define QN_VEC_CONVERT_8(type, value) convert_##type##8(value)
#define QN_VEC_CONVERT_16(type, value) convert_##type##16(value)
#define VEC_FMA(a, b, c) fma((a), (b), (c))                         /* a * b + c, rounded once */
#define VEC_SELECT(condition, yes, no) ((condition) ? (yes) : (no)) /* both sides are evaluated */
/* Whether a condition holds for any element */
#define VEC_ANY(n, condition) QN_PASTE(QN_VEC_ANY_, n)(condition)
#define QN_VEC_ANY_1(condition) ((condition) != 0)
#define QN_VEC_ANY_2(condition) any(condition)
#define QN_VEC_ANY_4(condition) any(condition)
#define QN_VEC_ANY_8(condition) any(condition)
#define QN_VEC_ANY_16(condition) any(condition)
/* Element i, a constant hexadecimal digit 0 ... f */
#define VEC_ELEMENT(n, value, i) QN_PASTE(QN_VEC_ELEMENT_, n)(value, i)
#define QN_VEC_ELEMENT_1(value, i) (value)
#define QN_VEC_ELEMENT_2(value, i) ((value).s##i)
#define QN_VEC_ELEMENT_4(value, i) ((value).s##i)
#define QN_VEC_ELEMENT_8(value, i) ((value).s##i)
#define QN_VEC_ELEMENT_16(value, i) ((value).s##i)
/* Sum, minimum and maximum of float elements; each step combines the upper half with the lower until one is left */
#define VEC_SUM(n, value) QN_PASTE(qn_vec_sum_, n)(value)
#define VEC_MINIMUM(n, value) QN_PASTE(qn_vec_minimum_, n)(value)
#define VEC_MAXIMUM(n, value) QN_PASTE(qn_vec_maximum_, n)(value)
DEVICE_FN float qn_vec_sum_1(float v)
{
    return v;
}
DEVICE_FN float qn_vec_sum_2(float2 v)
{
    return v.x + v.y;
}
DEVICE_FN float qn_vec_sum_4(float4 v)
{
    return qn_vec_sum_2(v.lo + v.hi);
}
DEVICE_FN float qn_vec_sum_8(float8 v)
{
    return qn_vec_sum_4(v.lo + v.hi);
}
DEVICE_FN float qn_vec_sum_16(float16 v)
{
    return qn_vec_sum_8(v.lo + v.hi);
}
DEVICE_FN float qn_vec_minimum_1(float v)
{
    return v;
}
DEVICE_FN float qn_vec_minimum_2(float2 v)
{
    return fmin(v.x, v.y);
}
DEVICE_FN float qn_vec_minimum_4(float4 v)
{
    return qn_vec_minimum_2(fmin(v.lo, v.hi));
}
DEVICE_FN float qn_vec_minimum_8(float8 v)
{
    return qn_vec_minimum_4(fmin(v.lo, v.hi));
}
DEVICE_FN float qn_vec_minimum_16(float16 v)
{
    return qn_vec_minimum_8(fmin(v.lo, v.hi));
}
DEVICE_FN float qn_vec_maximum_1(float v)
{
    return v;
}
DEVICE_FN float qn_vec_maximum_2(float2 v)
{
    return fmax(v.x, v.y);
}
DEVICE_FN float qn_vec_maximum_4(float4 v)
{
    return qn_vec_maximum_2(fmax(v.lo, v.hi));
}
DEVICE_FN float qn_vec_maximum_8(float8 v)
{
    return qn_vec_maximum_4(fmax(v.lo, v.hi));
}
DEVICE_FN float qn_vec_maximum_16(float16 v)
{
    return qn_vec_maximum_8(fmax(v.lo, v.hi));
}

#include "runtime/kernels/complex.dev.h"
