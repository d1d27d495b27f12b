/* The kernels on processor cores: a task has some rows, or some states of a sum; states are a vector's lanes. */
#include <quern/family.h>
#include <stddef.h>
#include <stdint.h>

#include "deform/batch/kernels/balance_arguments.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "deform/batch/kernels/balance.dev.h"

enum { ROWS_A_TASK = 256, LANES = 8 };

typedef struct host_job {
    balance_numbers n;
    const int32_t *kinds;
    void *const *arguments;
    void (*rows)(const struct host_job *job, int begin, int end);
    void (*states)(const struct host_job *job, size_t begin, size_t count);
} host_job;

/* ---- Rows ---- */

static qn_status do_rows(size_t index, int worker, void *user)
{
    const host_job *job = user;
    const int begin = (int)index * ROWS_A_TASK, end = MIN(begin + ROWS_A_TASK, job->n.rows);
    (void)worker;
    job->rows(job, begin, end);
    return QN_OK;
}

static qn_status run_rows(const qn_host_launch *launch, void (*rows)(const host_job *job, int begin, int end))
{
    const balance_numbers *n = launch->arguments[BALANCE_NUMBERS];
    host_job job = {.n = *n, .kinds = launch->arguments[BALANCE_KINDS], .arguments = launch->arguments, .rows = rows};
    return qn_host_parallel(launch, ((size_t)n->rows + ROWS_A_TASK - 1) / ROWS_A_TASK, do_rows, &job);
}

static void start_rows(const host_job *job, int begin, int end)
{
    const size_t stride = (size_t)job->n.stride, side = (size_t)job->n.freedoms * stride;
    const float *places = job->arguments[START_PLACES];
    for (int row = begin; row < end; row++) {
        const size_t at = (size_t)row * stride;
        const float *parent = (const float *)job->arguments[START_PARENT] + at;
        const float *change = (const float *)job->arguments[START_CHANGE] + at;
        float *x = (float *)job->arguments[START_X] + at;
        const int kind = job->kinds[row];
        if (kind == BALANCE_FREE) {
#pragma omp simd
            for (size_t s = 0; s < stride; s++) {
                float value = parent[s];
                value = FMA(change[s], places[s], value);
                value = FMA(change[side + s], places[stride + s], value);
                x[s] = FMA(change[2 * side + s], places[2 * stride + s], value);
            }
            continue;
        }
        for (size_t s = 0; s < stride; s++)
            x[s] = kind == BALANCE_FIXED ? 0.0f : places[(size_t)(3 + kind - BALANCE_HELD) * stride + s];
    }
}

static void negate_rows(const host_job *job, int begin, int end)
{
    const size_t stride = (size_t)job->n.stride;
    for (int row = begin; row < end; row++) {
        const float *values = (const float *)job->arguments[NEGATE_VALUES] + (size_t)row * stride;
        float *result = (float *)job->arguments[NEGATE_RESULT] + (size_t)row * stride;
        const int is_free = job->kinds[row % job->n.freedoms] == BALANCE_FREE;
#pragma omp simd
        for (size_t s = 0; s < stride; s++) result[s] = is_free ? -values[s] : 0.0f;
    }
}

static void advance_rows(const host_job *job, int begin, int end)
{
    const size_t stride = (size_t)job->n.stride;
    const float *lengths = job->arguments[ADVANCE_LENGTHS];
    for (int row = begin; row < end; row++) {
        const float *x = (const float *)job->arguments[ADVANCE_X] + (size_t)row * stride;
        const float *step = (const float *)job->arguments[ADVANCE_STEP] + (size_t)row * stride;
        float *result = (float *)job->arguments[ADVANCE_RESULT] + (size_t)row * stride;
#pragma omp simd
        for (size_t s = 0; s < stride; s++) result[s] = lengths[s] == 0.0f ? x[s] : FMA(lengths[s], step[s], x[s]);
    }
}

static void columns_rows(const host_job *job, int begin, int end)
{
    const size_t stride = (size_t)job->n.stride;
    const int32_t *starts = job->arguments[COLUMNS_STARTS], *terms = job->arguments[COLUMNS_TERMS];
    const float *values = job->arguments[COLUMNS_VALUES];
    for (int row = begin; row < end; row++)
        for (int axis = 0; axis < 3; axis++) {
            float *result = (float *)job->arguments[COLUMNS_RESULT] +
                            ((size_t)axis * (size_t)job->n.freedoms + (size_t)row) * stride;
            for (size_t s = 0; s < stride; s++) result[s] = 0.0f;
            for (int k = starts[3 * row + axis]; k < starts[3 * row + axis + 1]; k++) {
                const float *from = values + (size_t)terms[k] * stride;
#pragma omp simd
                for (size_t s = 0; s < stride; s++) result[s] = result[s] + from[s];
            }
        }
}

static qn_status run_start(const qn_host_launch *launch)
{
    return run_rows(launch, start_rows);
}

static qn_status run_negate(const qn_host_launch *launch)
{
    return run_rows(launch, negate_rows);
}

static qn_status run_advance(const qn_host_launch *launch)
{
    return run_rows(launch, advance_rows);
}

static qn_status run_columns(const qn_host_launch *launch)
{
    return run_rows(launch, columns_rows);
}

/* ---- Sums ---- */

static qn_status do_states(size_t index, int worker, void *user)
{
    const host_job *job = user;
    const size_t begin = index * LANES, left = (size_t)job->n.stride - begin;
    (void)worker;
    job->states(job, begin, left < LANES ? left : LANES);
    return QN_OK;
}

static qn_status run_states(const qn_host_launch *launch,
                            void (*states)(const host_job *job, size_t begin, size_t count))
{
    const balance_numbers *n = launch->arguments[BALANCE_NUMBERS];
    host_job job = {
        .n = *n, .kinds = launch->arguments[BALANCE_KINDS], .arguments = launch->arguments, .states = states};
    return qn_host_parallel(launch, ((size_t)n->stride + LANES - 1) / LANES, do_states, &job);
}

/* Rows of a part of a sum. */
static int part_end(const host_job *job, int part)
{
    return MIN((part + 1) * job->n.part, job->n.freedoms);
}

static void norms_states(const host_job *job, size_t begin, size_t count)
{
    const size_t stride = (size_t)job->n.stride;
    const float *scales = job->arguments[NORMS_SCALES], *r = job->arguments[NORMS_R];
    float *result = job->arguments[NORMS_RESULT], total[5][LANES] = {{0}};
    for (int part = 0; part < BALANCE_PARTS; part++) {
        float sum[5][LANES] = {{0}};
        for (int row = part * job->n.part; row < part_end(job, part); row++) {
            const float *plain = r + (size_t)row * stride + begin;
            const int kind = job->kinds[row], square = kind == BALANCE_FREE ? 0 : 1;
            for (size_t s = 0; s < count; s++) {
                const float value = plain[s] * scales[row];
                sum[square][s] = FMA(value, value, sum[square][s]);
                if (kind >= BALANCE_HELD) sum[2 + kind - BALANCE_HELD][s] += plain[s];
            }
        }
        for (int k = 0; k < 5; k++)
            for (size_t s = 0; s < count; s++) total[k][s] += sum[k][s];
    }
    for (size_t k = 0; k < 5; k++)
        for (size_t s = 0; s < count; s++) result[k * stride + begin + s] = total[k][s];
}

static void stiffness_states(const host_job *job, size_t begin, size_t count)
{
    const size_t stride = (size_t)job->n.stride, side = (size_t)job->n.freedoms * stride;
    const float *columns = job->arguments[STIFFNESS_COLUMNS], *change = job->arguments[STIFFNESS_CHANGE];
    float *result = job->arguments[STIFFNESS_RESULT], total[9][LANES] = {{0}};
    for (int part = 0; part < BALANCE_PARTS; part++) {
        float sum[9][LANES] = {{0}};
        for (int row = part * job->n.part; row < part_end(job, part); row++) {
            const int kind = job->kinds[row];
            const float *column = columns + (size_t)row * stride + begin;
            const float *moved = change + (size_t)row * stride + begin;
            for (size_t k = 0; k < 9 && kind != BALANCE_FIXED; k++) {
                if (kind == BALANCE_FREE)
                    for (size_t s = 0; s < count; s++)
                        sum[k][s] = FMA(column[k / 3 * side + s], moved[k % 3 * side + s], sum[k][s]);
                else if ((int)k / 3 == kind - BALANCE_HELD)
                    for (size_t s = 0; s < count; s++) sum[k][s] += column[k % 3 * side + s];
            }
        }
        for (int k = 0; k < 9; k++)
            for (size_t s = 0; s < count; s++) total[k][s] += sum[k][s];
    }
    for (size_t k = 0; k < 9; k++)
        for (size_t s = 0; s < count; s++) result[k * stride + begin + s] = total[k][s];
}

static qn_status run_norms(const qn_host_launch *launch)
{
    return run_states(launch, norms_states);
}

static qn_status run_stiffness(const qn_host_launch *launch)
{
    return run_states(launch, stiffness_states);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_deform_balance_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_deform_balance_host)[] = {run_start, run_negate,  run_advance,
                                                                  run_norms, run_columns, run_stiffness};
