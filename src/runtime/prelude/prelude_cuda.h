/* The kernel language in CUDA C++17 for NVRTC, without headers. Every word is explained in prelude_opencl.h.
 * The driver compiles with --fmad=false, so a * b + c is rounded twice here too. */
#define QN_LANGUAGE_CUDA 1

#define QN_PASTE_(a, b) a##b
#define QN_PASTE(a, b) QN_PASTE_(a, b)

/* Declarations */
#define KERNEL extern "C" __global__
#define GROUP_LIMIT(x, y, z) __launch_bounds__((x) * (y) * (z))
#define GROUP_LIMIT_RESIDENT(x, y, z, groups) __launch_bounds__((x) * (y) * (z), (groups))
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_PTR
#define CONSTANT __constant__ const
#define CONSTANT_PTR const
#define RESTRICT __restrict__
#define DEVICE_FN __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define QN_PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(count) QN_PRAGMA(unroll count)

/* Types */
typedef int qn_int32;
typedef unsigned int qn_uint32;
typedef long long qn_int64;
typedef unsigned long long qn_uint64;
typedef float qn_float32;
typedef unsigned char qn_uint8;
typedef float2 qn_float2;
typedef float4 qn_float4;
typedef int4 qn_int4;
typedef float2 qn_complex;
extern __shared__ float4 qn_local_room[];
#define LOCAL_ROOM_PARAMETER
#define LOCAL_ROOM(type) ((type *)qn_local_room)
#define FLOAT2_MAKE(x, y) make_float2((x), (y))
#define FLOAT4_MAKE(x, y, z, w) make_float4((x), (y), (z), (w))
#define INT4_MAKE(x, y, z, w) make_int4((x), (y), (z), (w))
#define COMPLEX_MAKE(re, im) make_float2((re), (im))
#define FLOAT_INFINITY __int_as_float(0x7f800000)
#define FLOAT_MAXIMUM 3.402823466e+38f
#define FLOAT_PI 3.14159265358979f

/* Position of a work-item */
#define QN_AXIS_0 x
#define QN_AXIS_1 y
#define QN_AXIS_2 z
#define QN_AXIS(d) QN_PASTE(QN_AXIS_, d)
#define GLOBAL_ID(d) ((int)(blockIdx.QN_AXIS(d) * blockDim.QN_AXIS(d) + threadIdx.QN_AXIS(d)))
#define GLOBAL_SIZE(d) ((int)(gridDim.QN_AXIS(d) * blockDim.QN_AXIS(d)))
#define LOCAL_ID(d) ((int)threadIdx.QN_AXIS(d))
#define LOCAL_SIZE(d) ((int)blockDim.QN_AXIS(d))
#define GROUP_ID(d) ((int)blockIdx.QN_AXIS(d))
#define GROUP_COUNT(d) ((int)gridDim.QN_AXIS(d))

#define LOCAL_BARRIER() __syncthreads()
#define GLOBAL_BARRIER() __syncthreads()
#define LOCAL_BARRIER_OF_32() __syncwarp()
#define SUM_OF_32(value, room) qn_sum_of_32(value)
#define SUMS_OF_32(count, values, room) qn_sums_of_32<count>(values)

/* Work-items i and i ± reach add the same two numbers, so that all get the bits of the sum. */
template <int count> DEVICE_FN void qn_sums_of_32(float *values)
{
    for (int reach = 16; reach > 0; reach /= 2)
        for (int i = 0; i < count; i++) values[i] += __shfl_xor_sync(0xffffffffu, values[i], reach);
    __syncwarp();
}

DEVICE_FN float qn_sum_of_32(float value)
{
    qn_sums_of_32<1>(&value);
    return value;
}

/* Asynchronous copies; devices below compute capability 8.0 copy at once */
#define ASYNC_COPY(n, to, from) QN_PASTE(QN_ASYNC_COPY_, n)(to, from)
#if __CUDA_ARCH__ >= 800
#define QN_CP_ASYNC(kind, to, from, bytes)                                    \
    asm volatile("cp.async." kind ".shared.global [%0], [%1], " bytes ";"     \
                 :                                                            \
                 : "r"((unsigned int)__cvta_generic_to_shared(to)), "l"(from) \
                 : "memory")
#define QN_ASYNC_COPY_1(to, from) QN_CP_ASYNC("ca", to, from, "4")
#define QN_ASYNC_COPY_2(to, from) QN_CP_ASYNC("ca", to, from, "8")
#define QN_ASYNC_COPY_4(to, from) QN_CP_ASYNC("cg", to, from, "16")
#define ASYNC_COMMIT() asm volatile("cp.async.commit_group;" : : : "memory")
#define ASYNC_WAIT(batches) asm volatile("cp.async.wait_group %0;" : : "n"(batches) : "memory")
#else
#define QN_ASYNC_COPY_1(to, from) (*(float *)(to) = *(const float *)(from))
#define QN_ASYNC_COPY_2(to, from) (*(float2 *)(to) = *(const float2 *)(from))
#define QN_ASYNC_COPY_4(to, from) (*(float4 *)(to) = *(const float4 *)(from))
#define ASYNC_COMMIT()
#define ASYNC_WAIT(batches)
#endif

/* Single precision */
#define FMA(a, b, c) __fmaf_rn((a), (b), (c))
#define SQRT(x) __fsqrt_rn(x)
#define NORMAL_SQRT(x) qn_normal_sqrt(x)
#define RSQRT(x) rsqrtf(x)
#define EXP(x) expf(x)
#define LOG(x) logf(x)
#define SIN(x) sinf(x)
#define COS(x) cosf(x)
#define FLOOR(x) floorf(x)
#define ROUND(x) rintf(x)
#define ROUND_INT(x) __float2int_rn(x)
#define ABS(x) fabsf(x)
#define FMIN(a, b) fminf((a), (b))
#define FMAX(a, b) fmaxf((a), (b))
#define SATURATE(x) __saturatef(x)
#define FAST_EXP(x) __expf(x)
#define FAST_RSQRT(x) qn_fast_rsqrt(x)
#define FAST_DIVIDE(a, b) __fdividef((a), (b))

/* Without rsqrtf's scaling of subnormal x, which takes three more instructions. */
DEVICE_FN float qn_fast_rsqrt(float x)
{
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

/* The computation of sqrt.rn.f32 for such x: one Newton step, whose last operation rounds correctly. */
DEVICE_FN float qn_normal_sqrt(float x)
{
    float reciprocal = qn_fast_rsqrt(x), root = x * reciprocal;
    return __fmaf_rn(__fmaf_rn(-root, root, x), 0.5f * reciprocal, root);
}

/* Complex numbers in half precision */
#define PACK_HALVES(value) qn_pack_halves(value)
#define UNPACK_HALVES(bits) qn_unpack_halves(bits)

DEVICE_FN unsigned int qn_pack_halves(qn_complex value)
{
    unsigned int bits;
    asm("{.reg .b16 x, y; cvt.rn.f16.f32 x, %1; cvt.rn.f16.f32 y, %2; mov.b32 %0, {x, y};}"
        : "=r"(bits)
        : "f"(value.x), "f"(value.y));
    return bits;
}

DEVICE_FN qn_complex qn_unpack_halves(unsigned int bits)
{
    float x, y;
    asm("{.reg .b16 x, y; mov.b32 {x, y}, %2; cvt.f32.f16 %0, x; cvt.f32.f16 %1, y;}" : "=f"(x), "=f"(y) : "r"(bits));
    return COMPLEX_MAKE(x, y);
}

/* Any type */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, low, high) MIN(MAX((x), (low)), (high))

/* Integers and bits */
#define MUL_HIGH_INT32(a, b) __mulhi((int)(a), (int)(b))
#define MUL_HIGH_UINT32(a, b) __umulhi((unsigned int)(a), (unsigned int)(b))
#define MUL_HIGH_UINT64(a, b) __umul64hi((qn_uint64)(a), (qn_uint64)(b))
#define BIT_COUNT(x) __popc((unsigned int)(x))
#define LEADING_ZEROS(x) __clz((int)(x))
#define FLOAT_BITS(x) __float_as_uint(x)
#define BITS_FLOAT(x) __uint_as_float(x)

/* Atomics */
#define ATOMIC_ADD_INT(pointer, value) atomicAdd((pointer), (value))
#define ATOMIC_MIN_INT(pointer, value) atomicMin((pointer), (value))
#define ATOMIC_MAX_INT(pointer, value) atomicMax((pointer), (value))
#define ATOMIC_OR_INT(pointer, value) atomicOr((pointer), (value))
#define ATOMIC_COMPARE_EXCHANGE_INT(pointer, expected, value) atomicCAS((pointer), (expected), (value))
#define LOCAL_ATOMIC_ADD_INT(pointer, value) atomicAdd((pointer), (value))
#define LOCAL_ATOMIC_MIN_INT(pointer, value) atomicMin((pointer), (value))
#define LOCAL_ATOMIC_MAX_INT(pointer, value) atomicMax((pointer), (value))
#define LOCAL_ATOMIC_OR_INT(pointer, value) atomicOr((pointer), (value))
#define ATOMIC_ADD_FLOAT(pointer, value) ((void)atomicAdd((pointer), (float)(value)))
#define LOCAL_ATOMIC_ADD_FLOAT(pointer, value) ((void)atomicAdd((pointer), (float)(value)))

/* Explicit vectors have one element here; another width does not compile. */
#define VEC(type, n) QN_PASTE(QN_VEC_, n)(type)
#define QN_VEC_1(type) QN_SCALAR_##type
#define QN_SCALAR_float float
#define QN_SCALAR_int int
#define QN_SCALAR_uint unsigned int
#define VEC_LOAD(n, pointer) QN_PASTE(QN_VEC_LOAD_, n)(pointer)
#define QN_VEC_LOAD_1(pointer) (*(pointer))
#define VEC_STORE(n, pointer, value) QN_PASTE(QN_VEC_STORE_, n)(pointer, value)
#define QN_VEC_STORE_1(pointer, value) (*(pointer) = (value))
#define VEC_SPLAT(type, n, value) ((VEC(type, n))(value))
#define VEC_RAMP(type, n) ((VEC(type, n))0)
#define VEC_CONVERT(type, n, value) ((VEC(type, n))(value))
#define VEC_FMA(a, b, c) FMA((a), (b), (c))
#define VEC_SELECT(condition, yes, no) ((condition) ? (yes) : (no))
#define VEC_ANY(n, condition) QN_PASTE(QN_VEC_ANY_, n)(condition)
#define QN_VEC_ANY_1(condition) ((condition) != 0)
#define VEC_ELEMENT(n, value, i) QN_PASTE(QN_VEC_ONLY_, n)(value)
#define VEC_SUM(n, value) QN_PASTE(QN_VEC_ONLY_, n)(value)
#define VEC_MINIMUM(n, value) QN_PASTE(QN_VEC_ONLY_, n)(value)
#define VEC_MAXIMUM(n, value) QN_PASTE(QN_VEC_ONLY_, n)(value)
#define QN_VEC_ONLY_1(value) (value)

#include "runtime/kernels/complex.dev.h"
