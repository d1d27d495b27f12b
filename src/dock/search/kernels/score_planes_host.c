/* Host kernels of score_planes: a thread computes a whole plane. The transformed columns go to a plane in the core's
 * cache; the transformed rows stay in vectors, which are searched for the lowest score. */
#include <float.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "dock/search/kernels/score_planes.h"
#include "fft/lanes.h"
#include "fft/lines.h"

#include "dock/search/kernels/cell_order.dev.h"
#include "dock/search/kernels/score_planes.dev.h"

/* Indices first … first + count − 1 on a circular axis of `size` cells. */
typedef struct circle_range {
    int first, count, size;
} circle_range;

/* Indices begin … end − 1. A circular range is one or two stretches, in rising order. */
typedef struct stretch {
    int begin, end;
} stretch;

static int stretches_of(const circle_range *range, stretch own[2])
{
    const int begin = range->first < 0 ? range->first + range->size : range->first, end = begin + range->count;
    if (end <= range->size) {
        own[0] = (stretch){begin, end};
        return 1;
    }
    own[0] = (stretch){0, end - range->size};
    own[1] = (stretch){begin, range->size};
    return 2;
}

typedef struct best_cell {
    float energy;
    int32_t cell;
} best_cell;

typedef struct scores_job {
    const float *products;
    float *partial_energies, *scores;
    int32_t *partial_cells;
    int nx, ny, nz, width, plane_step;
    size_t columns, planes, places; /* planes: number of planes searched in an output */
    size_t count, workers;          /* numbers of tasks and of workers */
    circle_range x, y;
    int first_z;
    const qn_line_functions *lines;
    qn_line_plan column_plan;
    qn_row_plan row_plan;
    size_t line_floats;
    char *scratch; /* for each worker: threshold, plane, scratch memory of the lines */
    size_t scratch_bytes;
} scores_job;

/* Lowest score that a worker has found so far in an output: higher ones are skipped. */
typedef struct threshold {
    size_t output; /* index of the output + 1; 0: none */
    float energy;
} threshold;

enum { THRESHOLD_BYTES = 64 };

static threshold *worker_threshold(const scores_job *job, int worker)
{
    return (threshold *)(void *)(job->scratch + (size_t)worker * job->scratch_bytes);
}

static float *worker_plane(const scores_job *job, int worker)
{
    return (float *)(void *)(job->scratch + (size_t)worker * job->scratch_bytes + THRESHOLD_BYTES);
}

static float *worker_lines(const scores_job *job, int worker)
{
    return worker_plane(job, worker) + job->ny * job->plane_step;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Transform the columns of a plane into the worker's plane. */
static void transform_columns(const scores_job *job, size_t plane, int worker)
{
    qn_line_columns(job->lines, &job->column_plan, job->products + 2 * plane * job->columns, 2 * (ptrdiff_t)job->width,
                    job->ny, worker_plane(job, worker), job->plane_step, 0, (job->width + LANES - 1) / LANES * LANES,
                    job->width, worker_lines(job, worker));
}

/* Lowest score of each row at the searched x; the vectors of consecutive x are `step` floats apart. */
static lanes lowest_of_rows(const float *scores, int step, const stretch *searched, int stretches)
{
    lanes lowest[4];
    const float *first = scores + searched[0].begin * step;
    for (int i = 0; i < 4; i++) lowest[i] = load_anywhere(first);
    for (int s = 0; s < stretches; s++) {
        int x = searched[s].begin;
        for (; x + 4 <= searched[s].end; x += 4)
            for (int i = 0; i < 4; i++) lowest[i] = lower_of(load_anywhere(scores + (x + i) * step), lowest[i]);
        for (; x < searched[s].end; x++) lowest[0] = lower_of(load_anywhere(scores + x * step), lowest[0]);
    }
    return lower_of(lower_of(lowest[0], lowest[1]), lower_of(lowest[2], lowest[3]));
}

/* Compare the scores of rows y … y + count − 1 with the best so far. Most rows have no score below `limit` and are
 * skipped. */
static void search_rows(const scores_job *job, const float *scores, int step, int y, int count, int z, float limit,
                        best_cell *best)
{
    stretch searched[2];
    float lowest[LANES];
    const int stretches = stretches_of(&job->x, searched);
    store_anywhere(lowest, lowest_of_rows(scores, step, searched, stretches));
    for (int l = 0; l < count; l++) {
        const int32_t row = job->nx * (y + l + job->ny * z);
        if (lowest[l] > limit || lowest[l] > best->energy) continue;
        for (int s = 0; s < stretches; s++)
            for (int x = searched[s].begin; x < searched[s].end; x++) {
                const float energy = scores[x * step + l];
                if (comes_before(energy, row + x, best->energy, best->cell)) *best = (best_cell){energy, row + x};
            }
    }
}

/* Prefetch part number `part` of `parts` parts of a plane: columns are read in steps that the processor does not
 * predict. */
static void ask_for_plane(const float *plane, size_t floats, int part, int parts)
{
    enum { LINE_FLOATS = 16 };
    const size_t lines = floats / LINE_FLOATS, first = lines * (size_t)part / (size_t)parts;
    const size_t end = lines * (size_t)(part + 1) / (size_t)parts;
    for (size_t i = first; i < end; i++) __builtin_prefetch(plane + i * LINE_FLOATS, 0, 2);
}

/* `next`: the plane that this worker will most likely have next. */
static best_cell search_plane(const scores_job *job, size_t output, int z, const float *next, float limit, int worker)
{
    const int tiles = (job->y.count + LANES - 1) / LANES + 1; /* largest possible number */
    int tile = 0;
    best_cell best = {FLT_MAX, -1};
    stretch searched[2];
    const int stretches = stretches_of(&job->y, searched);
    const float *plane = worker_plane(job, worker);
    transform_columns(job, output * (size_t)job->nz + (size_t)z, worker);
    for (int s = 0; s < stretches; s++)
        for (int y = searched[s].begin; y < searched[s].end; y += LANES) {
            const int count = smaller(searched[s].end - y, LANES);
            int step;
            const float *scores = job->lines->rows_to_vectors(&job->row_plan, plane + y * job->plane_step,
                                                              job->plane_step, count, worker_lines(job, worker), &step);
            ask_for_plane(next, 2 * job->columns, tile, tiles);
            tile++;
            search_rows(job, scores, step * LANES, y, count, z, limit, &best);
        }
    return best;
}

/* z of task `index`. */
static int plane_of(const scores_job *job, size_t index)
{
    const int place = job->first_z + (int)(index % job->planes);
    return place < 0 ? place + job->nz : place;
}

/* Search one plane of an output. The result of a plane depends on the planes that the worker searched before; the best
 * of all planes does not. */
static qn_status best_of_plane(size_t index, int worker, void *user)
{
    const scores_job *job = user;
    const size_t output = index / job->planes, list = index * job->places;
    const int z = plane_of(job, index);
    const size_t next = index + job->workers < job->count ? index + job->workers : index;
    const size_t next_plane = next / job->planes * (size_t)job->nz + (size_t)plane_of(job, next);
    threshold *limit = worker_threshold(job, worker);
    if (limit->output != output + 1) *limit = (threshold){output + 1, FLT_MAX};
    best_cell best = search_plane(job, output, z, job->products + 2 * next_plane * job->columns, limit->energy, worker);
    if (best.cell >= 0 && best.energy < limit->energy) limit->energy = best.energy;
    for (size_t place = 0; place < job->places; place++) {
        const bool found = place == 0 && best.cell >= 0;
        job->partial_energies[list + place] = found ? best.energy : FLT_MAX;
        job->partial_cells[list + place] = found ? best.cell : -1;
    }
    return QN_OK;
}

static qn_status scores_of_plane(size_t index, int worker, void *user)
{
    const scores_job *job = user;
    const float *plane = worker_plane(job, worker);
    float *scores = job->scores + index * (size_t)job->ny * (size_t)job->nx;
    transform_columns(job, index, worker);
    for (int y = 0; y < job->ny; y += LANES)
        job->lines->rows(&job->row_plan, plane + y * job->plane_step, job->plane_step, scores + y * job->nx, job->nx,
                         smaller(job->ny - y, LANES), worker_lines(job, worker));
    return QN_OK;
}

static qn_status run_planes(scores_job *job, size_t count, qn_pool_task task, qn_pool *pool)
{
    void *memory = NULL;
    const size_t multiple = QN_ROTATION_COLUMNS_MULTIPLE;
    job->width = job->nx / 2 + 1;
    job->plane_step = qn_line_plane_step(job->width);
    job->columns = ((size_t)job->width * (size_t)job->ny + multiple - 1) / multiple * multiple;
    job->lines = QN_HOST_VARIANT(qn_fft_lines_host);
    QN_TRY(qn_line_plan_create(job->ny, false, &job->column_plan));
    qn_status status = qn_row_plan_create(QN_ROW_HALF_TO_REAL, job->nx, false, 0, &job->row_plan);
    if (status == QN_OK) {
        const size_t columns = qn_line_scratch_floats(&job->column_plan, LANES);
        const size_t rows = qn_line_scratch_floats(&job->row_plan.line, LANES);
        job->line_floats = columns > rows ? columns : rows;
        job->scratch_bytes = THRESHOLD_BYTES + 4 * ((size_t)job->ny * (size_t)job->plane_step + job->line_floats);
        status = qn_allocate((size_t)qn_pool_threads(pool), job->scratch_bytes, &memory);
    }
    job->scratch = memory;
    job->count = count;
    job->workers = (size_t)qn_pool_threads(pool);
    if (status == QN_OK) status = qn_pool_run(pool, count, task, job);
    qn_release(&memory);
    qn_row_plan_clear(&job->row_plan);
    qn_line_plan_clear(&job->column_plan);
    return status;
}

static qn_status best(const qn_host_launch *launch)
{
    const best_scalars *s = launch->arguments[BEST_SCALARS];
    scores_job job = {.products = launch->arguments[BEST_PRODUCTS],
                      .partial_energies = launch->arguments[BEST_PARTIAL_ENERGIES],
                      .partial_cells = launch->arguments[BEST_PARTIAL_CELLS],
                      .nx = s->nx,
                      .ny = s->ny,
                      .nz = s->nz,
                      .planes = launch->geometry.items[1],
                      .places = (size_t)s->places,
                      .first_z = s->first_z};
    job.x = (circle_range){s->first_x, s->count_x, job.nx};
    job.y = (circle_range){s->first_y, s->count_y, job.ny};
    return run_planes(&job, launch->geometry.items[2] * job.planes, best_of_plane, launch->pool);
}

static qn_status write_scores(const qn_host_launch *launch)
{
    const write_scalars *s = launch->arguments[WRITE_SCALARS];
    scores_job job = {.products = launch->arguments[WRITE_PRODUCTS],
                      .scores = launch->arguments[WRITE_SCORES],
                      .nx = s->nx,
                      .ny = s->ny};
    return run_planes(&job, launch->geometry.items[2] * launch->geometry.items[1], scores_of_plane, launch->pool);
}

static qn_status merge(const qn_host_launch *launch)
{
    const float *partial_energies = launch->arguments[MERGE_PARTIAL_ENERGIES];
    const int32_t *partial_cells = launch->arguments[MERGE_PARTIAL_CELLS];
    float *energies = launch->arguments[MERGE_ENERGIES];
    int32_t *cells = launch->arguments[MERGE_CELLS];
    const size_t partials = (size_t) * (const int32_t *)launch->arguments[MERGE_PARTIALS];
    for (size_t output = 0; output < launch->geometry.items[1]; output++) {
        best_cell best = {FLT_MAX, -1};
        for (size_t i = output * partials; i < (output + 1) * partials; i++)
            if (partial_cells[i] >= 0 && comes_before(partial_energies[i], partial_cells[i], best.energy, best.cell))
                best = (best_cell){partial_energies[i], partial_cells[i]};
        energies[output] = best.energy;
        cells[output] = best.cell;
    }
    return QN_OK;
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_dock_score_planes_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_dock_score_planes_host)[] = {best, write_scores, merge};
