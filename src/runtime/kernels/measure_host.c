/* Host kernels of measure: every thread of the pool works at a core's highest rate. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/thread_pool.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"
#include "runtime/kernels/measure.h"

#include "runtime/kernels/measure.dev.h"

typedef struct measure_job {
    const float *from;
    float *to;
    int32_t *counters;
    size_t count, pieces; /* `count` floats, elements or chains in `pieces` equal pieces */
    int steps;
    float factor, addend;
} measure_job;

static int32_t value_of(const qn_host_launch *launch, int argument)
{
    return *(const int32_t *)launch->arguments[argument];
}

/* A thread gets one piece, because memcpy bypasses the caches only if a piece is large. */
static qn_status copy_piece(size_t index, int worker, void *user)
{
    const measure_job *job = user;
    size_t first = job->count * index / job->pieces, end = job->count * (index + 1) / job->pieces;
    (void)worker;
    memcpy(job->to + first, job->from + first, (end - first) * sizeof(float));
    return QN_OK;
}

static qn_status copy(const qn_host_launch *launch)
{
    measure_job job = {.from = launch->arguments[COPY_FROM], .to = launch->arguments[COPY_TO]};
    job.count = 4 * (size_t)value_of(launch, COPY_ELEMENTS);
    job.pieces = (size_t)qn_pool_threads(launch->pool);
    return qn_pool_run(launch->pool, job.pieces, copy_piece, &job);
}

/* Four streams, because additions to one vector register of sums would wait for each other. */
static float sum_of(const float *restrict x, size_t count)
{
    float a = 0, b = 0, c = 0, d = 0;
    size_t quarter = count / 4;
    const float *restrict y = x + quarter, *restrict z = y + quarter, *restrict w = z + quarter;
#pragma omp simd reduction(+ : a, b, c, d)
    for (size_t i = 0; i < quarter; i++) {
        a += x[i];
        b += y[i];
        c += z[i];
        d += w[i];
    }
    return (a + b) + (c + d);
}

static qn_status sum_piece(size_t index, int worker, void *user)
{
    const measure_job *job = user;
    /* in elements of four floats, so that a piece has four equal streams */
    size_t first = job->count * index / job->pieces, end = job->count * (index + 1) / job->pieces;
    (void)worker;
    job->to[index] = sum_of(job->from + 4 * first, 4 * (end - first));
    return QN_OK;
}

static qn_status sum(const qn_host_launch *launch)
{
    measure_job job = {.from = launch->arguments[SUM_FROM], .to = launch->arguments[SUM_PARTIAL]};
    job.count = (size_t)value_of(launch, SUM_ELEMENTS);
    job.pieces = (size_t)value_of(launch, SUM_PARTIALS);
    return qn_pool_run(launch->pool, job.pieces, sum_piece, &job);
}

/* Eight vector registers of independent sequences: enough to hide the latency of a multiply-add, few enough that
 * compilers keep the array in registers. */
#ifdef __AVX512F__
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif
enum { ROWS = 8, BLOCK = LANES * ROWS };
_Static_assert(QN_MEASURE_CHAINS_STEP % BLOCK == 0, "a piece is a whole number of blocks");

static void start_from(size_t first, float x[ROWS][LANES])
{
    for (int row = 0; row < ROWS; row++)
        for (int lane = 0; lane < LANES; lane++) x[row][lane] = (float)(first + (size_t)(row * LANES + lane));
}

static qn_status multiply_add_piece(size_t index, int worker, void *user)
{
    const measure_job *job = user;
    const float a = job->factor, b = job->addend;
    const int steps = job->steps;
    float x[ROWS][LANES];
    (void)worker;
    start_from(index * BLOCK, x);
    for (int step = 0; step < steps; step++)
        for (int row = 0; row < ROWS; row++)
#pragma omp simd
            for (int lane = 0; lane < LANES; lane++) x[row][lane] = fmaf(x[row][lane], a, b);
    memcpy(job->to + index * BLOCK, x, sizeof x);
    return QN_OK;
}

static qn_status multiply_add(const qn_host_launch *launch)
{
    measure_job job = {.to = launch->arguments[MULTIPLY_ADD_RESULT],
                       .count = (size_t)value_of(launch, MULTIPLY_ADD_CHAINS),
                       .steps = value_of(launch, MULTIPLY_ADD_STEPS)};
    job.factor = *(const float *)launch->arguments[MULTIPLY_ADD_FACTOR];
    job.addend = *(const float *)launch->arguments[MULTIPLY_ADD_ADDEND];
    return qn_pool_run(launch->pool, job.count / BLOCK, multiply_add_piece, &job);
}

/* The multiplication by 1/2 represents the operation in which a kernel uses the root. */
static qn_status reciprocal_root_piece(size_t index, int worker, void *user)
{
    const measure_job *job = user;
    const qn_lanes b = qn_lanes_splat(job->addend), half = qn_lanes_splat(0.5f);
    const int steps = job->steps;
    float start[ROWS][LANES];
    qn_lanes x[BLOCK / QN_LANES];
    (void)worker;
    start_from(index * BLOCK, start);
    for (int i = 0; i < BLOCK / QN_LANES; i++) x[i] = qn_lanes_load(start[0] + i * QN_LANES);
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < BLOCK / QN_LANES; i++) x[i] = half * qn_lanes_twice_reciprocal_root(x[i] + b);
    for (int i = 0; i < BLOCK / QN_LANES; i++) qn_lanes_store(job->to + index * BLOCK + i * QN_LANES, x[i]);
    return QN_OK;
}

static qn_status reciprocal_root(const qn_host_launch *launch)
{
    measure_job job = {.to = launch->arguments[RECIPROCAL_ROOT_RESULT],
                       .count = (size_t)value_of(launch, RECIPROCAL_ROOT_CHAINS),
                       .steps = value_of(launch, RECIPROCAL_ROOT_STEPS)};
    job.addend = *(const float *)launch->arguments[RECIPROCAL_ROOT_ADDEND];
    return qn_pool_run(launch->pool, job.count / BLOCK, reciprocal_root_piece, &job);
}

/* A core's local memory is its first cache: atomic additions to a block of counters that one thread owns. */
static qn_status local_atomic_add_piece(size_t index, int worker, void *user)
{
    const measure_job *job = user;
    _Atomic int32_t counters[BLOCK];
    (void)worker;
    for (int i = 0; i < BLOCK; i++) atomic_init(&counters[i], 0);
    for (int step = 0; step < job->steps; step++)
        for (int i = 0; i < BLOCK; i++) atomic_fetch_add_explicit(&counters[i], step, memory_order_relaxed);
    for (int i = 0; i < BLOCK; i++) job->counters[index * BLOCK + (size_t)i] = atomic_load(&counters[i]);
    return QN_OK;
}

static qn_status local_atomic_add(const qn_host_launch *launch)
{
    measure_job job = {.counters = launch->arguments[LOCAL_ATOMIC_ADD_RESULT],
                       .steps = value_of(launch, LOCAL_ATOMIC_ADD_STEPS)};
    job.count = launch->argument_bytes[LOCAL_ATOMIC_ADD_RESULT] / sizeof(int32_t);
    return qn_pool_run(launch->pool, job.count / BLOCK, local_atomic_add_piece, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_runtime_measure_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_runtime_measure_host)[] = {copy, sum, multiply_add, reciprocal_root,
                                                                   local_atomic_add};
