/* Sum of many floats.
 *
 * sum_groups: every group sums a part of the floats into one partial sum; sum_partials: one group adds the partial
 * sums. With ATOMIC 1 groups add their sums to the result themselves, in no fixed order; sum_partials first sets it to
 * 0. */

#include "benchmark/algebra/kernels/reduction.dev.h"

#ifndef GROUP_SIZE
#error "GROUP_SIZE: work-items per group"
#endif
#ifndef VECTOR_WIDTH
#error "VECTOR_WIDTH: floats per vector"
#endif
#ifndef GROUPS_PER_UNIT
#error "GROUPS_PER_UNIT: groups for each compute unit; 0: as many as take ITEM_VECTORS vectors an item"
#endif
#ifndef ITEM_VECTORS
#error "ITEM_VECTORS: vectors of an item that are loaded before they are added"
#endif
#ifndef ADJACENT
#error "ADJACENT: vectors in a row are those of 0 neighbouring items, 1 an item's turn, 2 all an item takes"
#endif
#ifndef LOCAL_SUM
#error "LOCAL_SUM: in a group sums are added 0 by one item, 1 in a tree, 2 by one item of 32 and then by one"
#endif
#ifndef ATOMIC
#error "ATOMIC: sums of groups are added up 0 by another kernel, 1 by atomic additions"
#endif

#include "benchmark/kernels/lanes.dev.h"

/* Sum over the items of a group, returned to item 0. */
DEVICE_FN float sum_over_group(float value, LOCAL_PTR float *shares, int item)
{
    shares[item] = value;
    LOCAL_BARRIER();
#if LOCAL_SUM == 0
    if (item == 0)
        for (int i = 1; i < GROUP_SIZE; i++) value += shares[i];
#elif LOCAL_SUM == 1
    for (int half_size = GROUP_SIZE / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) shares[item] += shares[item + half_size];
        LOCAL_BARRIER();
    }
    value = shares[0];
#else
    if (item < GROUP_SIZE / 32)
        for (int i = 1; i < 32; i++) value += shares[item + i * (GROUP_SIZE / 32)];
    LOCAL_BARRIER();
    if (item < GROUP_SIZE / 32) shares[item] = value;
    LOCAL_BARRIER();
    if (item == 0)
        for (int i = 1; i < GROUP_SIZE / 32; i++) value += shares[i];
#endif
    return value;
}

/* count is a multiple of 16, and so of every VECTOR_WIDTH */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void sum_groups(GLOBAL const float *RESTRICT from, GLOBAL float *RESTRICT partial,
                                                     GLOBAL float *RESTRICT result, GLOBAL int *RESTRICT partials,
                                                     int count)
{
    LOCAL float shares[GROUP_SIZE];
    const int item = LOCAL_ID(0), vectors = count / VECTOR_WIDTH;
#if ADJACENT == 2
    const int share = (vectors + GLOBAL_SIZE(0) - 1) / GLOBAL_SIZE(0);
    const qn_int64 first = (qn_int64)GLOBAL_ID(0) * share, end = MIN(first + share, vectors);
    const int next = 1, step = ITEM_VECTORS;
#elif ADJACENT == 1
    const qn_int64 first = (qn_int64)GLOBAL_ID(0) * ITEM_VECTORS, end = vectors, step = (qn_int64)GLOBAL_SIZE(0) * ITEM_VECTORS;
    const int next = 1;
#else
    const qn_int64 first = (qn_int64)GROUP_ID(0) * (GROUP_SIZE * ITEM_VECTORS) + item, end = vectors;
    const qn_int64 step = (qn_int64)GLOBAL_SIZE(0) * ITEM_VECTORS;
    const int next = GROUP_SIZE;
#endif
    lanes sum[ITEM_VECTORS];
    UNROLL
    for (int k = 0; k < ITEM_VECTORS; k++) sum[k] = lanes_splat(0.0f);
    qn_int64 place = first;
    for (; place + (ITEM_VECTORS - 1) * next < end; place += step) {
        lanes value[ITEM_VECTORS];
        UNROLL
        for (int k = 0; k < ITEM_VECTORS; k++) value[k] = lanes_load(from + (place + k * next) * VECTOR_WIDTH);
        UNROLL
        for (int k = 0; k < ITEM_VECTORS; k++) sum[k] = lanes_add(sum[k], value[k]);
    }
    UNROLL
    for (int k = 0; k < ITEM_VECTORS; k++)
        if (place + k * next < end) sum[k] = lanes_add(sum[k], lanes_load(from + (place + k * next) * VECTOR_WIDTH));
    UNROLL
    for (int k = 1; k < ITEM_VECTORS; k++) sum[0] = lanes_add(sum[0], sum[k]);
    const float total = sum_over_group(lanes_sum(sum[0]), shares, item);
    if (item > 0) return;
#if ATOMIC
    ATOMIC_ADD_FLOAT(result, total);
#else
    partial[GROUP_ID(0)] = total;
#endif
    if (GROUP_ID(0) == 0) partials[0] = ATOMIC ? 0 : GROUP_COUNT(0);
}

/* A kernel for one group. mode 0: *result = 0; 1: *result = Σ partial; 2: *result += Σ partial. */
KERNEL GROUP_LIMIT(GROUP_SIZE, 1, 1) void sum_partials(GLOBAL const float *RESTRICT partial,
                                                       GLOBAL const int *RESTRICT partials,
                                                       GLOBAL float *RESTRICT result, int mode)
{
    LOCAL float shares[GROUP_SIZE];
    const int item = LOCAL_ID(0), count = mode ? partials[0] : 0;
    float sum = 0.0f;
    UNROLL_BY(4)
    for (int i = item; i < count; i += GROUP_SIZE) sum += partial[i];
    sum = sum_over_group(sum, shares, item);
    if (item == 0) result[0] = mode == 2 ? result[0] + sum : sum;
}
