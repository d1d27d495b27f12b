/* Host kernel of correlate_columns: as many neighbouring columns as the vector code has lanes, all grids of a rotation.
 */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "dock/kernels/correlate_columns.h"
#include "fft/lines.h"
#include "runtime/prelude/prelude_host.h"

typedef struct columns_job {
    const float *planes, *receptor;
    float *products;
    size_t grids, rotations, sets, nz, box, columns;
    const qn_line_functions *lines;
    qn_line_plan plan;
    float *scratch; /* of each worker: a ligand spectrum, a sum, the lines' own */
    size_t scratch_floats;
} columns_job;

/* sum += conj(receptor) · ligand, `count` numbers. */
static void add_products(const float *restrict a, const float *restrict b, float *restrict sum, size_t count)
{
#pragma omp simd
    for (size_t k = 0; k < count; k++) {
        float ax = a[2 * k], ay = a[2 * k + 1], bx = b[2 * k], by = b[2 * k + 1];
        sum[2 * k] = FMA(ax, bx, FMA(ay, by, sum[2 * k]));
        sum[2 * k + 1] = FMA(ax, by, FMA(-ay, bx, sum[2 * k + 1]));
    }
}

/* A tile of columns of one rotation in one set. */
static qn_status correlate_tile(size_t index, int worker, void *user)
{
    const columns_job *job = user;
    const size_t lanes = (size_t)job->lines->lanes, tiles = job->columns / lanes;
    const size_t first = index % tiles * lanes, rotation = index / tiles % job->rotations;
    const size_t set = index / tiles / job->rotations, tile_floats = 2 * lanes * job->nz;
    float *spectrum = job->scratch + (size_t)worker * job->scratch_floats;
    float *sum = spectrum + tile_floats, *scratch = sum + tile_floats;
    const ptrdiff_t step = 2 * (ptrdiff_t)job->columns, tile_step = 2 * (ptrdiff_t)lanes;
    memset(sum, 0, tile_floats * sizeof(float));
    for (size_t grid = 0; grid < job->grids; grid++) {
        const float *planes = job->planes + 2 * ((rotation * job->grids + grid) * job->box * job->columns + first);
        const float *receptor = job->receptor + 2 * ((set * job->grids + grid) * job->nz * job->columns + first);
        job->lines->columns(&job->plan, planes, step, (int)job->box, spectrum, tile_step, (int)lanes, scratch);
        for (size_t k = 0; k < job->nz; k++)
            add_products(receptor + 2 * k * job->columns, spectrum + 2 * k * lanes, sum + 2 * k * lanes, lanes);
    }
    job->lines->columns(&job->plan, sum, tile_step, (int)job->nz,
                        job->products + 2 * ((set * job->rotations + rotation) * job->nz * job->columns + first), step,
                        (int)lanes, scratch);
    return QN_OK;
}

static size_t value(const qn_host_launch *launch, int argument)
{
    return (size_t) * (const int32_t *)launch->arguments[argument];
}

static qn_status correlate_columns(const qn_host_launch *launch)
{
    columns_job job = {.planes = launch->arguments[0],
                       .receptor = launch->arguments[1],
                       .products = launch->arguments[3],
                       .grids = value(launch, 4),
                       .rotations = value(launch, 5),
                       .sets = value(launch, 6),
                       .nz = value(launch, 9),
                       .box = value(launch, 10),
                       .columns = value(launch, 11),
                       .lines = QN_HOST_SELECT(qn_fft_lines_host)};
    void *memory = NULL;
    QN_TRY(qn_line_plan_create((int)job.nz, false, &job.plan));
    job.scratch_floats =
        4 * (size_t)job.lines->lanes * job.nz + qn_line_scratch_floats(&job.plan, job.lines->lanes) + 16;
    qn_status status = qn_allocate((size_t)qn_pool_threads(launch->pool) * job.scratch_floats, sizeof(float), &memory);
    job.scratch = memory;
    if (status == QN_OK)
        status = qn_pool_run(launch->pool, job.sets * job.rotations * (job.columns / (size_t)job.lines->lanes),
                             correlate_tile, &job);
    qn_release(&memory);
    qn_line_plan_clear(&job.plan);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_correlate_columns_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_correlate_columns_host)[] = {correlate_columns};
