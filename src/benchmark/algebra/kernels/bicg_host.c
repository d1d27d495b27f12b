/* Host kernels of bicg: a thread goes down a block of rows, ROWS rows per iteration; its part of s stays in the caches.
 */
#include <string.h>

#include "base/thread_pool.h"
#include "benchmark/algebra/kernels/bicg.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"

#include "benchmark/algebra/kernels/bicg.dev.h"

enum { ROWS = 3 }; /* index of the tunable */

typedef struct bicg_job {
    const float *matrix, *p, *r;
    float *q, *s_partial;
    size_t rows, columns, blocks, step;
} bicg_job;

_Static_assert(QN_BICG_STEP % QN_LANES == 0, "a row is a whole number of vectors");

static inline float lanes_total(qn_lanes value)
{
    float lane[QN_LANES], total = 0;
    qn_lanes_store(lane, value);
    for (int i = 0; i < QN_LANES; i++) total += lane[i];
    return total;
}

/* Process rows first … first + count − 1: compute q of each, and add their products to s. */
static inline void multiply_rows(const bicg_job *job, size_t first, float *s, const size_t count)
{
    const float *matrix = job->matrix + first * job->columns;
    qn_lanes factor[8], sum[8];
    for (size_t i = 0; i < count; i++) {
        factor[i] = qn_lanes_splat(job->r[first + i]);
        sum[i] = qn_lanes_splat(0.0f);
    }
    for (size_t j = 0; j < job->columns; j += QN_LANES) {
        const qn_lanes p = qn_lanes_load(job->p + j);
        qn_lanes share = qn_lanes_load(s + j);
        for (size_t i = 0; i < count; i++) {
            const qn_lanes element = qn_lanes_load(matrix + i * job->columns + j);
            sum[i] = qn_lanes_fma(element, p, sum[i]);
            share = qn_lanes_fma(element, factor[i], share);
        }
        qn_lanes_store(s + j, share);
    }
    for (size_t i = 0; i < count; i++) job->q[first + i] = lanes_total(sum[i]);
}

/* The constant number of rows in each call lets compilers keep the sums in registers. */
static qn_status multiply_block(size_t index, int worker, void *user)
{
    const bicg_job *job = user;
    size_t row = job->rows * index / job->blocks;
    const size_t end = job->rows * (index + 1) / job->blocks;
    float *s = job->s_partial + index * job->columns;
    (void)worker;
    memset(s, 0, job->columns * sizeof *s);
    for (; row + job->step <= end; row += job->step) switch (job->step) {
        case 1: multiply_rows(job, row, s, 1); break;
        case 2: multiply_rows(job, row, s, 2); break;
        case 4: multiply_rows(job, row, s, 4); break;
        default: multiply_rows(job, row, s, 8);
        }
    for (; row < end; row++) multiply_rows(job, row, s, 1);
    return QN_OK;
}

static qn_status multiply(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    int32_t *parts = arguments[MULTIPLY_PARTS];
    bicg_job job = {.matrix = arguments[MULTIPLY_MATRIX],
                    .p = arguments[MULTIPLY_P],
                    .r = arguments[MULTIPLY_R],
                    .q = arguments[MULTIPLY_Q_PARTIAL],
                    .s_partial = arguments[MULTIPLY_S_PARTIAL],
                    .rows = (size_t) * (const int32_t *)arguments[MULTIPLY_ROWS],
                    .columns = (size_t) * (const int32_t *)arguments[MULTIPLY_COLUMNS],
                    .step = (size_t)launch->configuration->value[ROWS]};
    const size_t most = launch->argument_bytes[MULTIPLY_S_PARTIAL] / sizeof(float) / job.columns;
    job.blocks = (size_t)qn_pool_threads(launch->pool);
    if (job.blocks > most) job.blocks = most;
    parts[0] = 1;
    parts[1] = (int32_t)job.blocks;
    return qn_pool_run(launch->pool, job.blocks, multiply_block, &job);
}

static void add_parts(const float *partial, size_t length, int parts, float *result)
{
    memcpy(result, partial, length * sizeof *result);
    for (int part = 1; part < parts; part++)
#pragma omp simd
        for (size_t i = 0; i < length; i++) result[i] += partial[(size_t)part * length + i];
}

static qn_status gather(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    const int32_t *parts = arguments[GATHER_PARTS];
    add_parts(arguments[GATHER_Q_PARTIAL], (size_t) * (const int32_t *)arguments[GATHER_ROWS], parts[0],
              arguments[GATHER_Q]);
    add_parts(arguments[GATHER_S_PARTIAL], (size_t) * (const int32_t *)arguments[GATHER_COLUMNS], parts[1],
              arguments[GATHER_S]);
    return QN_OK;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_bicg_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_bicg_host)[] = {multiply, gather};
