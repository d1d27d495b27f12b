/* Host kernels of reduction: a piece has ITEM_VECTORS streams, each of which is summed in a vector. */
#include "base/thread_pool.h"
#include "benchmark/algebra/kernels/reduction.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"

#include "benchmark/algebra/kernels/reduction.dev.h"

enum { GROUPS_PER_UNIT = 2, ITEM_VECTORS = 3 }; /* indices of the tunables */

typedef struct reduction_job {
    const float *from;
    float *partial;
    size_t count, pieces, streams;
} reduction_job;

static inline float sum_streams(const float *from, size_t count, const size_t streams)
{
    const size_t length = count / streams / QN_LANES * QN_LANES;
    qn_lanes sum[8];
    float lane[QN_LANES], total = 0;
    for (size_t k = 0; k < streams; k++) sum[k] = qn_lanes_splat(0.0f);
    for (size_t i = 0; i < length; i += QN_LANES)
        for (size_t k = 0; k < streams; k++) sum[k] = sum[k] + qn_lanes_load(from + k * length + i);
    for (size_t k = 1; k < streams; k++) sum[0] = sum[0] + sum[k];
    qn_lanes_store(lane, sum[0]);
    for (int i = 0; i < QN_LANES; i++) total += lane[i];
    for (size_t i = streams * length; i < count; i++) total += from[i];
    return total;
}

/* The constant number of streams in each call lets compilers keep the sums in registers. */
static qn_status sum_piece(size_t index, int worker, void *user)
{
    const reduction_job *job = user;
    const size_t first = job->count * index / job->pieces, end = job->count * (index + 1) / job->pieces;
    float *sum = job->partial + index;
    (void)worker;
    switch (job->streams) {
    case 1: *sum = sum_streams(job->from + first, end - first, 1); break;
    case 2: *sum = sum_streams(job->from + first, end - first, 2); break;
    case 4: *sum = sum_streams(job->from + first, end - first, 4); break;
    default: *sum = sum_streams(job->from + first, end - first, 8);
    }
    return QN_OK;
}

static qn_status sum_groups(const qn_host_launch *launch)
{
    const int *value = launch->configuration->value;
    reduction_job job = {.from = launch->arguments[GROUPS_FROM],
                         .partial = launch->arguments[GROUPS_PARTIAL],
                         .count = (size_t) * (const int32_t *)launch->arguments[GROUPS_COUNT],
                         .pieces = (size_t)qn_pool_threads(launch->pool) * (size_t)value[GROUPS_PER_UNIT],
                         .streams = (size_t)value[ITEM_VECTORS]};
    const size_t most = launch->argument_bytes[GROUPS_PARTIAL] / sizeof(float);
    if (job.pieces > most) job.pieces = most;
    *(int32_t *)launch->arguments[GROUPS_PARTIALS] = (int32_t)job.pieces;
    return qn_pool_run(launch->pool, job.pieces, sum_piece, &job);
}

static qn_status sum_partials(const qn_host_launch *launch)
{
    const float *partial = launch->arguments[PARTIALS_PARTIAL];
    float *result = launch->arguments[PARTIALS_RESULT];
    const int32_t mode = *(const int32_t *)launch->arguments[PARTIALS_MODE];
    const int32_t count = mode ? *(const int32_t *)launch->arguments[PARTIALS_PARTIALS] : 0;
    float sum = mode == 2 ? *result : 0;
    for (int32_t i = 0; i < count; i++) sum += partial[i];
    *result = sum;
    return QN_OK;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_reduction_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_reduction_host)[] = {sum_groups, sum_partials};
