/* Host kernel of correlate_columns: computes a tile of as many neighbouring columns as vectors have lanes. The
 * intermediates of a tile, between its transforms and the transform back, stay in the core's first-level cache. */
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "dock/search/kernels/correlate_columns.dev.h"
#include "dock/search/kernels/correlate_columns.h"
#include "fft/lanes.h"
#include "fft/lines.h"

/* Columns of a task, which computes all rotations: a tile of the receptor is read from memory once. */
enum { PIECE_COLUMNS = 2 * QN_ROTATION_COLUMNS_MULTIPLE };

/* Number of sums in registers, and of grids whose products are added to the sums at once. */
enum { FREQUENCIES = 4, GRIDS = 2 };

typedef struct columns_job {
    const float *planes, *receptor;
    float *products;
    size_t grids, rotations, sets, nz, box, columns;
    const qn_line_functions *lines;
    qn_line_plan plan;
    float *scratch; /* for each worker: spectra of GRIDS grids, a sum for each set, scratch memory of the lines */
    size_t scratch_floats;
} columns_job;

/* conj(a) · b */
QN_INLINE point conjugate_product(point a, point b)
{
    return (point){a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}

/* Sum conj(receptor) · ligand over `grids` ≤ GRIDS grids, at `count` frequencies of a tile from `first`. `is_first`:
 * set the sums, else add to them. Callers pass constants for `count`, `grids` and `is_first`. */
QN_INLINE void multiply_some(const columns_job *job, const float *receptor, const float *spectra, float *sums,
                             size_t first, int count, int grids, bool is_first)
{
    const size_t step = 2 * job->columns, grid_step = step * job->nz, line = POINT_FLOATS * job->nz;
    const float *a = receptor + first * step, *b = spectra + first * POINT_FLOATS;
    float *to = sums + first * POINT_FLOATS;
    point sum[FREQUENCIES];
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) sum[k] = is_first ? (point){0} : load_split(to + k * POINT_FLOATS);
#pragma GCC unroll 4
    for (int grid = 0; grid < grids; grid++, a += grid_step, b += line) {
        const float *from = a;
#pragma GCC unroll 4
        for (int k = 0; k < count; k++, from += step) {
            __builtin_prefetch(from + POINT_FLOATS); /* for the next tile; the processor does not predict it */
            sum[k] = point_add(sum[k], conjugate_product(load_interleaved(from), load_split(b + k * POINT_FLOATS)));
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) store_split(to + k * POINT_FLOATS, sum[k]);
}

QN_INLINE void multiply_all(const columns_job *job, const float *receptor, const float *spectra, float *sums, int grids,
                            bool is_first)
{
    size_t k = 0;
    for (; k + FREQUENCIES <= job->nz; k += FREQUENCIES)
        multiply_some(job, receptor, spectra, sums, k, FREQUENCIES, grids, is_first);
    for (; k < job->nz; k++) multiply_some(job, receptor, spectra, sums, k, 1, grids, is_first);
}

static void multiply(const columns_job *job, const float *receptor, const float *spectra, float *sums, int grids,
                     bool is_first)
{
    if (grids == GRIDS && is_first)
        multiply_all(job, receptor, spectra, sums, GRIDS, true);
    else if (grids == GRIDS)
        multiply_all(job, receptor, spectra, sums, GRIDS, false);
    else if (is_first)
        multiply_all(job, receptor, spectra, sums, 1, true);
    else
        multiply_all(job, receptor, spectra, sums, 1, false);
}

/* Correlate a tile. Grids are processed in pairs, so that their spectra and the sums stay in the first-level cache. */
static void correlate_tile(const columns_job *job, size_t first, size_t rotation, float *spectra)
{
    const size_t line = POINT_FLOATS * job->nz, volume = job->nz * job->columns;
    const ptrdiff_t step = 2 * (ptrdiff_t)job->columns;
    float *sums = spectra + GRIDS * line, *scratch = sums + job->sets * line;
    for (size_t grid = 0; grid < job->grids; grid += GRIDS) {
        const size_t grids = job->grids - grid < GRIDS ? job->grids - grid : GRIDS;
        for (size_t g = 0; g < grids; g++) {
            const size_t plane = (rotation * job->grids + grid + g) * job->box;
            job->lines->columns_to_points(&job->plan, job->planes + 2 * (plane * job->columns + first), step,
                                          (int)job->box, spectra + g * line, scratch);
        }
        for (size_t set = 0; set < job->sets; set++)
            multiply(job, job->receptor + 2 * ((set * job->grids + grid) * volume + first), spectra, sums + set * line,
                     (int)grids, grid == 0);
    }
    for (size_t set = 0; set < job->sets; set++)
        job->lines->points_to_columns(&job->plan, sums + set * line,
                                      job->products + 2 * ((set * job->rotations + rotation) * volume + first), step,
                                      scratch);
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

static qn_status correlate_columns(const qn_host_launch *launch)
{
    const columns_scalars *s = launch->arguments[COLUMNS_SCALARS];
    columns_job job = {.planes = launch->arguments[COLUMNS_PLANES],
                       .receptor = launch->arguments[COLUMNS_RECEPTOR],
                       .products = launch->arguments[COLUMNS_PRODUCTS],
                       .grids = (size_t)s->grids,
                       .rotations = (size_t)s->rotations,
                       .sets = (size_t)s->sets,
                       .nz = (size_t)s->nz,
                       .box = (size_t)s->box,
                       .columns = (size_t)s->columns,
                       .lines = QN_HOST_VARIANT(qn_fft_lines_host)};
    void *memory = NULL;
    QN_TRY(qn_line_plan_create((int)job.nz, false, &job.plan));
    job.scratch_floats = (GRIDS + job.sets) * POINT_FLOATS * job.nz + qn_line_scratch_floats(&job.plan, LANES);
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
