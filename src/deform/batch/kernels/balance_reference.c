#include <string.h>

#include "deform/batch/kernels/balance.h"

/* Number `entry` of the state. */
static double at(const float *values, size_t entry, int stride, int state)
{
    return (double)values[entry * (size_t)stride + (size_t)state];
}

/* Axis along which a freedom is held; −1: it is not. */
static int held_axis(const qn_problem *problem, size_t row)
{
    if (!problem->is_held[row]) return -1;
    for (size_t i = 0; i < problem->held_count; i++) {
        const uint32_t first = problem->body->pattern.first_freedom[problem->held[i]];
        if (row >= first && row < first + 3) return (int)(row - first);
    }
    return -1;
}

static void start(const qn_problem *problem, int stride, int state, const float *const inputs[], double *x)
{
    const size_t count = problem->body->freedom_count;
    for (size_t row = 0; row < count; row++) {
        const int axis = held_axis(problem, row);
        x[row] = axis >= 0 ? at(inputs[2], 3 + (size_t)axis, stride, state) : 0;
        if (!problem->is_free[row]) continue;
        x[row] = at(inputs[0], row, stride, state);
        for (size_t k = 0; k < 3; k++)
            x[row] += at(inputs[1], k * count + row, stride, state) * at(inputs[2], k, stride, state);
    }
}

static void norms(const qn_problem *problem, int stride, int state, const float *r, double result[5])
{
    memset(result, 0, 5 * sizeof *result);
    for (size_t row = 0; row < problem->body->freedom_count; row++) {
        const double plain = at(r, row, stride, state);
        const double value = problem->body->sign[row] > 0 ? plain : plain * problem->pressure_scale;
        const int axis = held_axis(problem, row);
        result[problem->is_free[row] ? 0 : 1] += value * value;
        if (axis >= 0) result[2 + axis] += plain;
    }
}

/* By the host's product, for which the values of the state are in double precision at result + 3 · freedoms. */
static void columns(const qn_problem *problem, int stride, int state, const float *values, double *result)
{
    const qn_block_pattern *pattern = &problem->body->pattern;
    const size_t count = problem->body->freedom_count;
    const size_t value_count = pattern->block_start[pattern->row_start[pattern->node_count]];
    double *exact = result + 3 * count;
    for (size_t k = 0; k < value_count; k++) exact[k] = at(values, k, stride, state);
    for (int axis = 0; axis < 3; axis++) qn_problem_held_column(problem, exact, axis, result + (size_t)axis * count);
}

static void stiffness(const qn_problem *problem, int stride, int state, const float *const inputs[], double result[9])
{
    const size_t count = problem->body->freedom_count;
    memset(result, 0, 9 * sizeof *result);
    for (size_t row = 0; row < count; row++)
        for (size_t i = 0; i < 3; i++)
            for (size_t a = 0; a < 3; a++) {
                if (problem->is_free[row])
                    result[3 * i + a] +=
                        at(inputs[0], i * count + row, stride, state) * at(inputs[1], a * count + row, stride, state);
                else if (held_axis(problem, row) == (int)i)
                    result[3 * i + a] += at(inputs[0], a * count + row, stride, state);
            }
}

void qn_balance_reference(const qn_problem *problem, int kernel, int stride, int state, int sides,
                          const float *const inputs[], double *result)
{
    const size_t count = problem->body->freedom_count;
    switch (kernel) {
    case QN_BALANCE_START: start(problem, stride, state, inputs, result); break;
    case QN_BALANCE_NEGATE:
        for (size_t row = 0; row < count * (size_t)sides; row++)
            result[row] = problem->is_free[row % count] ? -at(inputs[0], row, stride, state) : 0;
        break;
    case QN_BALANCE_ADVANCE:
        for (size_t row = 0; row < count; row++)
            result[row] =
                at(inputs[0], row, stride, state) + at(inputs[2], 0, stride, state) * at(inputs[1], row, stride, state);
        break;
    case QN_BALANCE_NORMS: norms(problem, stride, state, inputs[0], result); break;
    case QN_BALANCE_COLUMNS: columns(problem, stride, state, inputs[0], result); break;
    default: stiffness(problem, stride, state, inputs, result);
    }
}
