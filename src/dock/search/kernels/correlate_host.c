/* Host kernel of correlate: a task computes a piece of one rotation's spectrum for all sets. */
#include "base/thread_pool.h"
#include "dock/search/kernels/correlate.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/correlate.dev.h"

enum { PIECE = 4096 }; /* bins of a piece: 32 KiB of each spectrum */

typedef struct correlate_job {
    const float *receptor, *ligand;
    float *product;
    size_t grids, bins, rotations, sets, pieces;
} correlate_job;

static void add_product(const float *restrict a, const float *restrict b, float *restrict sum, size_t count)
{
#pragma omp simd
    for (size_t k = 0; k < count; k++) {
        float ax = a[2 * k], ay = a[2 * k + 1], bx = b[2 * k], by = b[2 * k + 1];
        sum[2 * k] = FMA(ax, bx, FMA(ay, by, sum[2 * k]));
        sum[2 * k + 1] = FMA(ay, bx, FMA(-ax, by, sum[2 * k + 1]));
    }
}

static qn_status correlate_piece(size_t index, int worker, void *user)
{
    const correlate_job *job = user;
    size_t rotation = index / job->pieces, first = index % job->pieces * PIECE;
    size_t count = job->bins - first < PIECE ? job->bins - first : PIECE;
    (void)worker;
    for (size_t set = 0; set < job->sets; set++) {
        float *sum = job->product + 2 * ((set * job->rotations + rotation) * job->bins + first);
        for (size_t k = 0; k < 2 * count; k++) sum[k] = 0;
        for (size_t grid = 0; grid < job->grids; grid++)
            add_product(job->receptor + 2 * ((set * job->grids + grid) * job->bins + first),
                        job->ligand + 2 * ((rotation * job->grids + grid) * job->bins + first), sum, count);
    }
    return QN_OK;
}

static qn_status correlate(const qn_host_launch *launch)
{
    const correlate_scalars *s = launch->arguments[CORRELATE_SCALARS];
    correlate_job job = {.receptor = launch->arguments[CORRELATE_RECEPTOR],
                         .ligand = launch->arguments[CORRELATE_LIGAND],
                         .product = launch->arguments[CORRELATE_PRODUCT]};
    job.grids = (size_t)s->grids;
    job.bins = (size_t)s->bins;
    job.rotations = (size_t)s->rotations;
    job.sets = (size_t)s->sets;
    job.pieces = (job.bins + PIECE - 1) / PIECE;
    return qn_pool_run(launch->pool, job.rotations * job.pieces, correlate_piece, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_correlate_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_correlate_host)[] = {correlate};
