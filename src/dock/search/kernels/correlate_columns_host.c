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

/* Columns of a task are a multiple of this number. A task computes all rotations: a tile of the receptor is read from
 * memory once. */
enum { PIECE_COLUMNS = 2 * QN_ROTATION_COLUMNS_MULTIPLE };

/* Number of sums in registers, and of grids whose products are added to the sums at once. */
enum { FREQUENCIES = 4, GRIDS = 2 };

typedef struct columns_job {
    const float *planes, *receptor;
    float *products;
    size_t grids, own, rotations, sets, nz, box, columns; /* own: grids before those that are common to all sets */
    size_t piece;                                         /* columns of a task */
    const qn_line_functions *lines;
    qn_line_plan plan;
    float *scratch; /* for each worker: spectra of GRIDS grids, a sum for each set and one for the common grids, scratch
                       memory of the lines */
    size_t scratch_floats;
} columns_job;

/* conj(a) · b */
QN_INLINE point conjugate_product(point a, point b)
{
    return (point){a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}

/* Sum conj(receptor) · ligand over `grids` ≤ GRIDS grids, at `count` frequencies of a tile from `first`, and `before`
 * unless `is_first`. Callers pass constants for `count`, `grids` and `is_first`. */
QN_INLINE void multiply_some(const columns_job *job, const float *receptor, const float *spectra, const float *before,
                             float *sums, size_t first, int count, int grids, bool is_first)
{
    const size_t step = 2 * job->columns, grid_step = step * job->nz, line = POINT_FLOATS * job->nz;
    const float *a = receptor + first * step, *b = spectra + first * POINT_FLOATS;
    float *to = sums + first * POINT_FLOATS;
    point sum[FREQUENCIES];
#pragma GCC unroll 4
    for (int k = 0; k < count; k++)
        sum[k] = is_first ? (point){0} : load_split(before + (first + (size_t)k) * POINT_FLOATS);
#pragma GCC unroll 4
    for (int grid = 0; grid < grids; grid++, a += grid_step, b += line) {
        const float *from = a;
#pragma GCC unroll 4
        for (int k = 0; k < count; k++, from += step) {
            prefetch_interleaved(from + POINT_FLOATS); /* for the next tile; the processor does not predict it */
            sum[k] = point_add(sum[k], conjugate_product(load_interleaved(from), load_split(b + k * POINT_FLOATS)));
        }
    }
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) store_split(to + k * POINT_FLOATS, sum[k]);
}

QN_INLINE void multiply_all(const columns_job *job, const float *receptor, const float *spectra, const float *before,
                            float *sums, int grids, bool is_first)
{
    size_t k = 0;
    for (; k + FREQUENCIES <= job->nz; k += FREQUENCIES)
        multiply_some(job, receptor, spectra, before, sums, k, FREQUENCIES, grids, is_first);
    for (; k < job->nz; k++) multiply_some(job, receptor, spectra, before, sums, k, 1, grids, is_first);
}

/* `before`: sums to add to; NULL: none. */
static void multiply(const columns_job *job, const float *receptor, const float *spectra, const float *before,
                     float *sums, int grids)
{
    if (grids == GRIDS && !before)
        multiply_all(job, receptor, spectra, before, sums, GRIDS, true);
    else if (grids == GRIDS)
        multiply_all(job, receptor, spectra, before, sums, GRIDS, false);
    else if (!before)
        multiply_all(job, receptor, spectra, before, sums, 1, true);
    else
        multiply_all(job, receptor, spectra, before, sums, 1, false);
}

/* A tile of columns of one rotation, and its memory. */
typedef struct columns_tile {
    size_t first, rotation;
    float *spectra, *sums, *common, *scratch;
} columns_tile;

/* Transform the columns of the grids first_grid … first_grid + count − 1, count ≤ GRIDS. */
static void transform_grids(const columns_job *job, const columns_tile *tile, size_t first_grid, size_t count)
{
    for (size_t g = 0; g < count; g++) {
        const size_t plane = (tile->rotation * job->grids + first_grid + g) * job->box;
        job->lines->columns_to_points(&job->plan, job->planes + 2 * (plane * job->columns + tile->first),
                                      2 * (ptrdiff_t)job->columns, (int)job->box,
                                      tile->spectra + g * POINT_FLOATS * job->nz, tile->scratch);
    }
}

/* Sum the grids that are common to all sets. */
static void add_common(const columns_job *job, const columns_tile *tile)
{
    const float *receptor = job->receptor + 2 * (job->sets * job->own * job->nz * job->columns + tile->first);
    for (size_t grid = job->own; grid < job->grids; grid += GRIDS) {
        const size_t count = job->grids - grid < GRIDS ? job->grids - grid : GRIDS;
        transform_grids(job, tile, grid, count);
        multiply(job, receptor + 2 * (grid - job->own) * job->nz * job->columns, tile->spectra,
                 grid == job->own ? NULL : tile->common, tile->common, (int)count);
    }
}

/* Add the other grids of each set to the sum of the common ones. */
static void add_own(const columns_job *job, const columns_tile *tile)
{
    const size_t line = POINT_FLOATS * job->nz;
    const float *start = job->own < job->grids ? tile->common : NULL;
    for (size_t grid = 0; grid < job->own; grid += GRIDS) {
        const size_t count = job->own - grid < GRIDS ? job->own - grid : GRIDS;
        transform_grids(job, tile, grid, count);
        for (size_t set = 0; set < job->sets; set++) {
            float *sums = tile->sums + set * line;
            const size_t spectrum = (set * job->own + grid) * job->nz * job->columns;
            multiply(job, job->receptor + 2 * (spectrum + tile->first), tile->spectra, grid == 0 ? start : sums, sums,
                     (int)count);
        }
    }
}

/* Correlate a tile. Grids are processed in pairs, so that their spectra and the sums stay in the first-level cache. */
static void correlate_tile(const columns_job *job, const columns_tile *tile)
{
    const size_t volume = job->nz * job->columns;
    add_common(job, tile);
    add_own(job, tile);
    for (size_t set = 0; set < job->sets; set++)
        job->lines->points_to_columns(&job->plan, tile->sums + set * POINT_FLOATS * job->nz,
                                      job->products +
                                          2 * ((set * job->rotations + tile->rotation) * volume + tile->first),
                                      2 * (ptrdiff_t)job->columns, tile->scratch);
}

static qn_status correlate_piece(size_t index, int worker, void *user)
{
    const columns_job *job = user;
    const size_t line = POINT_FLOATS * job->nz;
    columns_tile tile = {.spectra = job->scratch + (size_t)worker * job->scratch_floats};
    const size_t begin = index * job->piece, rest = job->columns - begin;
    const size_t end = rest < job->piece ? job->columns : begin + job->piece;
    tile.sums = tile.spectra + GRIDS * line;
    tile.common = tile.sums + job->sets * line;
    tile.scratch = tile.common + line;
    for (tile.first = begin; tile.first < end; tile.first += LANES)
        for (tile.rotation = 0; tile.rotation < job->rotations; tile.rotation++) correlate_tile(job, &tile);
    return QN_OK;
}

/* Choose the columns of a task: many, because each tile asks for the next one's inputs, but several tasks for each
 * worker, so that all end at about the same time. */
static size_t piece_columns(size_t columns, int workers)
{
    enum { TASKS = 6 };
    const size_t piece = columns / (TASKS * (size_t)workers) / PIECE_COLUMNS * PIECE_COLUMNS;
    return piece > PIECE_COLUMNS ? piece : PIECE_COLUMNS;
}

static qn_status correlate_columns(const qn_host_launch *launch)
{
    const columns_scalars *s = launch->arguments[COLUMNS_SCALARS];
    columns_job job = {.planes = launch->arguments[COLUMNS_PLANES],
                       .receptor = launch->arguments[COLUMNS_RECEPTOR],
                       .products = launch->arguments[COLUMNS_PRODUCTS],
                       .grids = (size_t)s->grids,
                       .own = (size_t)(s->grids - s->common),
                       .rotations = (size_t)s->rotations,
                       .sets = (size_t)s->sets,
                       .nz = (size_t)s->nz,
                       .box = (size_t)s->box,
                       .columns = (size_t)s->columns,
                       .lines = QN_HOST_VARIANT(qn_fft_lines_host)};
    void *memory = NULL;
    QN_TRY(qn_line_plan_create((int)job.nz, false, &job.plan));
    job.scratch_floats = (GRIDS + job.sets + 1) * POINT_FLOATS * job.nz + qn_line_scratch_floats(&job.plan, LANES);
    job.scratch_floats = (job.scratch_floats + 15) / 16 * 16;
    qn_status status = qn_allocate((size_t)qn_pool_threads(launch->pool) * job.scratch_floats, sizeof(float), &memory);
    job.scratch = memory;
    job.piece = piece_columns(job.columns, qn_pool_threads(launch->pool));
    if (status == QN_OK)
        status = qn_pool_run(launch->pool, (job.columns + job.piece - 1) / job.piece, correlate_piece, &job);
    qn_release(&memory);
    qn_line_plan_clear(&job.plan);
    return status;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_correlate_columns_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_correlate_columns_host)[] = {correlate_columns};
