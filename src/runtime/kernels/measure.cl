/* Kernels that each do one operation at the device's rate; measure.h says what they compute.
 *
 * copy, sum: elements of four floats. On GPUs neighbouring work-items take neighbouring elements; on CPUs, where
 * work-items run one after the other on a core, each takes ELEMENTS_PER_ITEM adjacent elements.
 * multiply_add, reciprocal_root: CHAINS_PER_ITEM sequences of VECTOR_WIDTH lanes hide each other's latency.
 * local_atomic_add: a group's work-items add to different counters in every step. */

#include "runtime/kernels/measure.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: floats per vector"
#endif
#ifndef ELEMENTS_PER_ITEM
#error "ELEMENTS_PER_ITEM: adjacent elements of a work-item"
#endif

#define CHAINS_PER_ITEM 8 /* hides the latency of a multiply-add on every CPU and GPU */

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void copy(GLOBAL const qn_float4 *RESTRICT from, GLOBAL qn_float4 *RESTRICT to,
                                               int elements)
{
    qn_int64 first = (qn_int64)GLOBAL_ID(0) * ELEMENTS_PER_ITEM;
    if (first >= elements) return;
    for (int k = 0; k < ELEMENTS_PER_ITEM; k++) to[first + k] = from[first + k];
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void sum(GLOBAL const float *RESTRICT from, GLOBAL float *RESTRICT partial,
                                              int elements, int partials)
{
    int item = GLOBAL_ID(0);
    if (item >= partials) return;
#if ELEMENTS_PER_ITEM == 1
    GLOBAL const qn_float4 *four = (GLOBAL const qn_float4 *)from;
    float x = 0.0f, y = 0.0f, z = 0.0f, w = 0.0f;
    for (qn_int64 i = item; i < elements; i += partials) {
        qn_float4 value = four[i];
        x += value.x;
        y += value.y;
        z += value.z;
        w += value.w;
    }
    partial[item] = (x + y) + (z + w);
#else
    VEC(float, VECTOR_WIDTH) total = VEC_SPLAT(float, VECTOR_WIDTH, 0.0f);
    const qn_int64 row = (qn_int64)partials * (4 * ELEMENTS_PER_ITEM), end = 4 * (qn_int64)elements;
    for (qn_int64 i = (qn_int64)item * (4 * ELEMENTS_PER_ITEM); i < end; i += row)
        for (int k = 0; k < 4 * ELEMENTS_PER_ITEM; k += VECTOR_WIDTH)
            total = total + VEC_LOAD(VECTOR_WIDTH, from + i + k);
    partial[item] = VEC_SUM(VECTOR_WIDTH, total);
#endif
}

/* first, first + 1, ... as floats */
DEVICE_FN VEC(float, VECTOR_WIDTH) start_from(int first)
{
    VEC(int, VECTOR_WIDTH) index = VEC_RAMP(int, VECTOR_WIDTH) + VEC_SPLAT(int, VECTOR_WIDTH, first);
    return VEC_CONVERT(float, VECTOR_WIDTH, index);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void multiply_add(GLOBAL float *RESTRICT result, int chains, int steps,
                                                       float factor, float addend)
{
    VEC(float, VECTOR_WIDTH) x[CHAINS_PER_ITEM];
    VEC(float, VECTOR_WIDTH) a = VEC_SPLAT(float, VECTOR_WIDTH, factor);
    VEC(float, VECTOR_WIDTH) b = VEC_SPLAT(float, VECTOR_WIDTH, addend);
    int first = GLOBAL_ID(0) * (CHAINS_PER_ITEM * VECTOR_WIDTH);
    if (first >= chains) return;
    UNROLL
    for (int c = 0; c < CHAINS_PER_ITEM; c++) x[c] = start_from(first + c * VECTOR_WIDTH);
    int step = 0;
    /* Unrolled by hand, because compilers unroll loops of unknown length differently. With 16 steps per iteration the
     * cost of the loop itself does not matter. */
    for (; step + 16 <= steps; step += 16) {
        UNROLL
        for (int k = 0; k < 16 * CHAINS_PER_ITEM; k++)
            x[k % CHAINS_PER_ITEM] = VEC_FMA(x[k % CHAINS_PER_ITEM], a, b);
    }
    for (; step < steps; step++) {
        UNROLL
        for (int c = 0; c < CHAINS_PER_ITEM; c++) x[c] = VEC_FMA(x[c], a, b);
    }
    UNROLL
    for (int c = 0; c < CHAINS_PER_ITEM; c++) VEC_STORE(VECTOR_WIDTH, result + first + c * VECTOR_WIDTH, x[c]);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void reciprocal_root(GLOBAL float *RESTRICT result, int chains, int steps,
                                                          float addend)
{
    VEC(float, VECTOR_WIDTH) x[CHAINS_PER_ITEM];
    VEC(float, VECTOR_WIDTH) b = VEC_SPLAT(float, VECTOR_WIDTH, addend);
    int first = GLOBAL_ID(0) * (CHAINS_PER_ITEM * VECTOR_WIDTH);
    if (first >= chains) return;
    UNROLL
    for (int c = 0; c < CHAINS_PER_ITEM; c++) x[c] = start_from(first + c * VECTOR_WIDTH);
    for (int step = 0; step < steps; step++) {
        UNROLL
        for (int c = 0; c < CHAINS_PER_ITEM; c++) x[c] = RSQRT(x[c] + b);
    }
    UNROLL
    for (int c = 0; c < CHAINS_PER_ITEM; c++) VEC_STORE(VECTOR_WIDTH, result + first + c * VECTOR_WIDTH, x[c]);
}

KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void local_atomic_add(GLOBAL int *RESTRICT result, int steps)
{
    LOCAL int counters[GROUP_SIZE];
    int item = LOCAL_ID(0);
    counters[item] = 0;
    LOCAL_BARRIER();
    for (int step = 0; step < steps; step++) LOCAL_ATOMIC_ADD_INT(&counters[(item + step) % GROUP_SIZE], step);
    LOCAL_BARRIER();
    result[GLOBAL_ID(0)] = counters[item];
}
