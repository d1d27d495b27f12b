/* Host kernel of nbody: the sums of BODIES vectors of bodies stay in registers over a loop of all sources. */
#include "base/thread_pool.h"
#include "benchmark/physics/kernels/nbody.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"

#include "benchmark/physics/kernels/nbody.dev.h"

enum { BODIES = 2, BODIES_MAX = 4 }; /* index of the tunable, its largest value here */

typedef struct nbody_job {
    const float *bodies, *components;
    float *acceleration;
    size_t count;
    int vectors;
    float softening_squared;
} nbody_job;

_Static_assert(QN_NBODY_STEP % QN_LANES == 0, "bodies are a whole number of vectors");

/* Compute bodies first … first + vectors · QN_LANES − 1. Roots are doubled, so sums are eight times too large. */
static inline void sum_sources(const nbody_job *job, size_t first, const int vectors)
{
    qn_lanes at[BODIES_MAX][3], sum[BODIES_MAX][3];
    const qn_lanes softening = qn_lanes_splat(job->softening_squared);
    for (int b = 0; b < vectors; b++)
        for (size_t c = 0; c < 3; c++) {
            at[b][c] = qn_lanes_load(job->components + c * job->count + first + (size_t)b * QN_LANES);
            sum[b][c] = qn_lanes_splat(0.0f);
        }
    for (size_t j = 0; j < job->count; j++) {
        const float *source = job->bodies + 4 * j;
        const qn_lanes mass = qn_lanes_splat(source[3]);
        for (int b = 0; b < vectors; b++) {
            const qn_lanes dx = qn_lanes_splat(source[0]) - at[b][0], dy = qn_lanes_splat(source[1]) - at[b][1],
                           dz = qn_lanes_splat(source[2]) - at[b][2];
            const qn_lanes square = qn_lanes_fma(dz, dz, qn_lanes_fma(dy, dy, qn_lanes_fma(dx, dx, softening)));
            const qn_lanes root = qn_lanes_twice_reciprocal_root(square);
            const qn_lanes weight = (mass * root) * (root * root);
            sum[b][0] = qn_lanes_fma(weight, dx, sum[b][0]);
            sum[b][1] = qn_lanes_fma(weight, dy, sum[b][1]);
            sum[b][2] = qn_lanes_fma(weight, dz, sum[b][2]);
        }
    }
    for (int b = 0; b < vectors; b++)
        for (size_t c = 0; c < 3; c++)
            qn_lanes_store(job->acceleration + c * job->count + first + (size_t)b * QN_LANES,
                           sum[b][c] * qn_lanes_splat(0.125f));
}

/* The constant number of vectors in each call lets compilers keep the sums in registers. */
static qn_status sum_block(size_t index, int worker, void *user)
{
    const nbody_job *job = user;
    const size_t block = (size_t)job->vectors * QN_LANES;
    size_t first = index * block;
    (void)worker;
    if (job->count - first < block) {
        for (; first < job->count; first += QN_LANES) sum_sources(job, first, 1);
        return QN_OK;
    }
    switch (job->vectors) {
    case 1: sum_sources(job, first, 1); break;
    case 2: sum_sources(job, first, 2); break;
    default: sum_sources(job, first, BODIES_MAX);
    }
    return QN_OK;
}

static qn_status nbody(const qn_host_launch *launch)
{
    nbody_job job = {.bodies = launch->arguments[NBODY_BODIES],
                     .components = launch->arguments[NBODY_COMPONENTS],
                     .acceleration = launch->arguments[NBODY_ACCELERATION],
                     .count = (size_t) * (const int32_t *)launch->arguments[NBODY_COUNT],
                     .vectors = launch->configuration->value[BODIES],
                     .softening_squared = *(const float *)launch->arguments[NBODY_SOFTENING_SQUARED]};
    const size_t block = (size_t)job.vectors * QN_LANES;
    return qn_pool_run(launch->pool, (job.count + block - 1) / block, sum_block, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_nbody_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_benchmark_nbody_host)[] = {nbody};
