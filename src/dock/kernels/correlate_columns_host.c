/* Host kernel of correlate_columns: as many neighbouring columns at a time as the vector code has lanes. The spectra of
 * all grids of a tile of columns, their products and the first passes of the transform back stay in a core's cache. */
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "dock/kernels/correlate_columns.h"
#include "fft/lanes.h"
#include "fft/lines.h"

/* Columns of a piece of work, for all rotations: a tile of the receptor is read once for them. */
enum { PIECE_COLUMNS = 2 * QN_ROTATION_COLUMNS_MULTIPLE };

/* Sums in registers. */
enum { FREQUENCIES = 4 };

typedef struct columns_job {
    const float *planes, *receptor;
    float *products;
    size_t grids, rotations, sets, nz, box, columns;
    const qn_line_functions *lines;
    qn_line_plan plan;
    float *scratch; /* of each worker: spectra of all grids, a sum, the lines' own */
    size_t scratch_floats;
} columns_job;

/* conj(a) · b */
QN_INLINE point conjugate_product(point a, point b)
{
    return (point){a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}

/* Sums over grids of conj(receptor) · ligand at `count` frequencies from `first` on of a tile; `count` is a constant.
 */
QN_INLINE void multiply_some(const columns_job *job, const float *receptor, const float *spectra, float *sums,
                             size_t first, int count)
{
    const size_t step = 2 * job->columns, grid_step = step * job->nz, line = POINT_FLOATS * job->nz;
    const float *a = receptor + first * step, *b = spectra + first * POINT_FLOATS;
    point sum[FREQUENCIES];
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) sum[k] = (point){0};
    for (size_t grid = 0; grid < job->grids; grid++, a += grid_step, b += line) {
        const float *from = a;
#pragma GCC unroll 4
        for (int k = 0; k < count; k++, from += step) {
            __builtin_prefetch(from + POINT_FLOATS); /* of the next tile: too far apart for the processor to foresee */
            sum[k] = point_add(sum[k], conjugate_product(load_interleaved(from), load_split(b + k * POINT_FLOATS)));
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) store_split(sums + (first + (size_t)k) * POINT_FLOATS, sum[k]);
}

static void multiply(const columns_job *job, const float *receptor, const float *spectra, float *sums)
{
    size_t k = 0;
    for (; k + FREQUENCIES <= job->nz; k += FREQUENCIES) multiply_some(job, receptor, spectra, sums, k, FREQUENCIES);
    for (; k < job->nz; k++) multiply_some(job, receptor, spectra, sums, k, 1);
}

static void correlate_tile(const columns_job *job, size_t first, size_t rotation, float *spectra)
{
    const size_t line = POINT_FLOATS * job->nz;
    const ptrdiff_t step = 2 * (ptrdiff_t)job->columns;
    float *sums = spectra + job->grids * line, *scratch = sums + line;
    for (size_t grid = 0; grid < job->grids; grid++)
        job->lines->columns_to_points(
            &job->plan, job->planes + 2 * ((rotation * job->grids + grid) * job->box * job->columns + first), step,
            (int)job->box, spectra + grid * line, scratch);
    for (size_t set = 0; set < job->sets; set++) {
        multiply(job, job->receptor + 2 * (set * job->grids * job->nz * job->columns + first), spectra, sums);
        job->lines->points_to_columns(
            &job->plan, sums, job->products + 2 * ((set * job->rotations + rotation) * job->nz * job->columns + first),
            step, scratch);
    }
}

static qn_status correlate_piece(size_t index, int worker, void *user)
{
    const columns_job *job = user;
    float *scratch = job->scratch + (size_t)worker * job->scratch_floats;
    const size_t begin = index * PIECE_COLUMNS, rest = job->columns - begin;
    const size_t end = rest < PIECE_COLUMNS ? job->columns : begin + PIECE_COLUMNS;
    for (size_t first = begin; first < end; first += LANES)
        for (size_t rotation = 0; rotation < job->rotations; rotation++) correlate_tile(job, first, rotation, scratch);
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
                       .lines = QN_HOST_VARIANT(qn_fft_lines_host)};
    void *memory = NULL;
    QN_TRY(qn_line_plan_create((int)job.nz, false, &job.plan));
    job.scratch_floats = (job.grids + 1) * POINT_FLOATS * job.nz + qn_line_scratch_floats(&job.plan, LANES);
    job.scratch_floats = (job.scratch_floats + 15) / 16 * 16;
    qn_status status = qn_allocate((size_t)qn_pool_threads(launch->pool) * job.scratch_floats, sizeof(float), &memory);
    job.scratch = memory;
    if (status == QN_OK)
        status = qn_pool_run(launch->pool, (job.columns + PIECE_COLUMNS - 1) / PIECE_COLUMNS, correlate_piece, &job);
    qn_release(&memory);
    qn_line_plan_clear(&job.plan);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_correlate_columns_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_correlate_columns_host)[] = {correlate_columns};
