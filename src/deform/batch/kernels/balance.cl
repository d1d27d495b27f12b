/* Steps of Newton's method for many states. Neighbouring work-items have neighbouring states. */
#include "deform/batch/kernels/balance.dev.h"

#ifndef STATES
#error "STATES: states of a group"
#endif
#ifndef ROWS
#error "ROWS: freedoms, or parts of a sum, that a group works on at once"
#endif

/* places: [6][stride], the way from the parent's place, then the place. */
KERNEL GROUP_LIMIT(STATES, ROWS, 1) void start(balance_numbers n, GLOBAL const int *RESTRICT kinds,
                                               GLOBAL const float *RESTRICT parent,
                                               GLOBAL const float *RESTRICT change,
                                               GLOBAL const float *RESTRICT places, GLOBAL float *RESTRICT x)
{
    const int state = GLOBAL_ID(0), row = GLOBAL_ID(1);
    if (state >= n.stride || row >= n.rows) return;
    const qn_int64 at = (qn_int64)row * n.stride + state, side = (qn_int64)n.freedoms * n.stride;
    const int kind = kinds[row];
    float value = 0.0f;
    if (kind == BALANCE_FREE) {
        value = parent[at];
        UNROLL
        for (int axis = 0; axis < 3; axis++)
            value = FMA(change[axis * side + at], places[(qn_int64)axis * n.stride + state], value);
    } else if (kind >= BALANCE_HELD) {
        value = places[(qn_int64)(3 + kind - BALANCE_HELD) * n.stride + state];
    }
    x[at] = value;
}

KERNEL GROUP_LIMIT(STATES, ROWS, 1) void negate(balance_numbers n, GLOBAL const int *RESTRICT kinds,
                                                GLOBAL const float *RESTRICT values, GLOBAL float *RESTRICT result)
{
    const int state = GLOBAL_ID(0), row = GLOBAL_ID(1);
    if (state >= n.stride || row >= n.rows) return;
    const qn_int64 at = (qn_int64)row * n.stride + state;
    result[at] = kinds[row % n.freedoms] == BALANCE_FREE ? -values[at] : 0.0f;
}

KERNEL GROUP_LIMIT(STATES, ROWS, 1) void advance(balance_numbers n, GLOBAL const float *RESTRICT x,
                                                 GLOBAL const float *RESTRICT step,
                                                 GLOBAL const float *RESTRICT lengths, GLOBAL float *RESTRICT result)
{
    const int state = GLOBAL_ID(0), row = GLOBAL_ID(1);
    if (state >= n.stride || row >= n.rows) return;
    const qn_int64 at = (qn_int64)row * n.stride + state;
    const float length = lengths[state];
    result[at] = length == 0.0f ? x[at] : FMA(length, step[at], x[at]);
}

/* result: [5][stride]. scales: factors that make residuals of pressures comparable with forces. */
KERNEL GROUP_LIMIT(STATES, ROWS, 1) void norms(balance_numbers n, GLOBAL const int *RESTRICT kinds,
                                               GLOBAL const float *RESTRICT scales, GLOBAL const float *RESTRICT r,
                                               GLOBAL float *RESTRICT result)
{
    LOCAL float sums[5 * BALANCE_PARTS * STATES];
    const int state = GLOBAL_ID(0), lane = LOCAL_ID(0);
    for (int part = LOCAL_ID(1); part < BALANCE_PARTS; part += ROWS) {
        float sum[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        const int end = MIN((part + 1) * n.part, n.freedoms);
        for (int row = part * n.part; state < n.stride && row < end; row++) {
            const float plain = r[(qn_int64)row * n.stride + state], value = plain * scales[row];
            const int kind = kinds[row];
            if (kind == BALANCE_FREE)
                sum[0] = FMA(value, value, sum[0]);
            else
                sum[1] = FMA(value, value, sum[1]);
            UNROLL
            for (int axis = 0; axis < 3; axis++)
                if (kind == BALANCE_HELD + axis) sum[2 + axis] = sum[2 + axis] + plain;
        }
        UNROLL
        for (int k = 0; k < 5; k++) sums[(k * BALANCE_PARTS + part) * STATES + lane] = sum[k];
    }
    LOCAL_BARRIER();
    for (int k = LOCAL_ID(1); state < n.stride && k < 5; k += ROWS) {
        float sum = 0.0f;
        for (int part = 0; part < BALANCE_PARTS; part++) sum = sum + sums[(k * BALANCE_PARTS + part) * STATES + lane];
        result[(qn_int64)k * n.stride + state] = sum;
    }
}

/* result: [3][freedom][stride]. terms: places in K's values of the terms of a row, from starts[3 · row + axis] on. */
KERNEL GROUP_LIMIT(STATES, ROWS, 1) void columns(balance_numbers n, GLOBAL const int *RESTRICT starts,
                                                 GLOBAL const int *RESTRICT terms,
                                                 GLOBAL const float *RESTRICT values, GLOBAL float *RESTRICT result)
{
    const int state = GLOBAL_ID(0), row = GLOBAL_ID(1);
    if (state >= n.stride || row >= n.rows) return;
    for (int axis = 0; axis < 3; axis++) {
        float sum = 0.0f;
        for (int k = starts[3 * row + axis]; k < starts[3 * row + axis + 1]; k++)
            sum = sum + values[(qn_int64)terms[k] * n.stride + state];
        result[(qn_int64)(axis * n.freedoms + row) * n.stride + state] = sum;
    }
}

/* result: [9][stride], H row by row: Σ over free rows of column i times change a, and over rows held along i of column
 * a. change: [3][freedom][stride]. */
KERNEL GROUP_LIMIT(STATES, ROWS, 1) void stiffness(balance_numbers n, GLOBAL const int *RESTRICT kinds,
                                                   GLOBAL const float *RESTRICT of_held,
                                                   GLOBAL const float *RESTRICT change, GLOBAL float *RESTRICT result)
{
    LOCAL float sums[9 * BALANCE_PARTS * STATES];
    const int state = GLOBAL_ID(0), lane = LOCAL_ID(0);
    const qn_int64 side = (qn_int64)n.freedoms * n.stride;
    for (int part = LOCAL_ID(1); part < BALANCE_PARTS; part += ROWS) {
        float sum[9] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        const int end = MIN((part + 1) * n.part, n.freedoms);
        for (int row = part * n.part; state < n.stride && row < end; row++) {
            const qn_int64 at = (qn_int64)row * n.stride + state;
            const int kind = kinds[row];
            if (kind == BALANCE_FIXED) continue;
            const float column[3] = {of_held[at], of_held[side + at], of_held[2 * side + at]};
            if (kind == BALANCE_FREE) {
                const float moved[3] = {change[at], change[side + at], change[2 * side + at]};
                UNROLL
                for (int k = 0; k < 9; k++) sum[k] = FMA(column[k / 3], moved[k % 3], sum[k]);
            } else {
                UNROLL
                for (int k = 0; k < 9; k++)
                    if (k / 3 == kind - BALANCE_HELD) sum[k] = sum[k] + column[k % 3];
            }
        }
        UNROLL
        for (int k = 0; k < 9; k++) sums[(k * BALANCE_PARTS + part) * STATES + lane] = sum[k];
    }
    LOCAL_BARRIER();
    for (int k = LOCAL_ID(1); state < n.stride && k < 9; k += ROWS) {
        float sum = 0.0f;
        for (int part = 0; part < BALANCE_PARTS; part++) sum = sum + sums[(k * BALANCE_PARTS + part) * STATES + lane];
        result[(qn_int64)k * n.stride + state] = sum;
    }
}
