/* Batched factors on processor cores: vectors of states; the states that fill no vector one by one. Every number is
 * made by the same operations either way. */
#include <math.h>
#include <stdbool.h>

#include "base/thread_pool.h"
#include "deform/factor/kernels/factor.h"
#include "deform/factor/kernels/factor_arguments.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"

#include "deform/factor/kernels/factor.dev.h"

enum { BLOCK_MOST = 12, TILES_OF_TASK = 8, ROWS_OF_TASK = 4, LEAST_TO_SHARE = 64 };

typedef struct tile_layout {
    int block;
    size_t stride;
    const int *signs;
} tile_layout;

typedef struct update_lists {
    const int *map, *run_start, *runs;
} update_lists;

/* Levels without a fused multiply-add round twice, because a call of the C library for each would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define SINGLE_FMA(a, b, c) fmaf((a), (b), (c))
#else
#define SINGLE_FMA(a, b, c) ((a) * (b) + (c))
#endif

/* Panels of a level and walks may share a state's `wrong`. */
static void note_wrong(int *wrong, int place)
{
    int least = __atomic_load_n(wrong, __ATOMIC_RELAXED);
    while (place < least &&
           !__atomic_compare_exchange_n(wrong, &least, place, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/* One state alone: the rows of a tile lie side by side, so they are the vectors. `block` is a constant in each call. */
static inline __attribute__((always_inline)) void subtract_alone(float *restrict sum, int block, const tile_layout *l,
                                                                 const float *tiles, const int *runs, int count)
{
    const size_t size = (size_t)(block * block);
    for (int r = 0; r < count; r++)
        for (size_t t = 0; t < (size_t)runs[4 * r + 2]; t++) {
            const float *restrict a = tiles + ((size_t)runs[4 * r] + t) * size;
            const float *restrict b = tiles + ((size_t)runs[4 * r + 1] + t) * size;
            const int negative = l->signs[(size_t)runs[4 * r + 3] + t];
            for (int k = 0; k < block; k++)
                for (int j = 0; j < block; j++) {
                    const float factor = negative >> k & 1 ? b[k * block + j] : -b[k * block + j];
#pragma omp simd
                    for (int i = 0; i < block; i++)
                        sum[j * block + i] = SINGLE_FMA(a[k * block + i], factor, sum[j * block + i]);
                }
        }
}

static void subtract_runs_alone(float *sum, const tile_layout *l, const float *tiles, const int *runs, int count)
{
    if (l->block == 12)
        subtract_alone(sum, 12, l, tiles, runs, count);
    else if (l->block == 6)
        subtract_alone(sum, 6, l, tiles, runs, count);
    else
        subtract_alone(sum, 3, l, tiles, runs, count);
}

#define VALUE float
#define NAME(name) name##_single
#define SUBTRACT_ALONE
#define LOAD(from) (*(from))
#define STORE(to, value) (*(to) = (value))
#define SPLAT(value) (value)
#define FMA SINGLE_FMA
#define ROOT(value) sqrtf(value)
#define LANES 1
#include "deform/factor/kernels/factor_lanes.h"

#ifdef QN_LANES_WORD
#define VALUE qn_lanes
#define NAME(name) name##_wide
#define LOAD(from) qn_lanes_load(from)
#define STORE(to, value) qn_lanes_store((to), (value))
#define SPLAT(value) qn_lanes_splat(value)
#define FMA qn_lanes_fma
#define ROOT(value) QN_LANES_WORD(sqrt)(value)
#define LANES QN_LANES
#include "deform/factor/kernels/factor_lanes.h"
#else
#define update_tile_wide update_tile_single
#define factor_panel_wide factor_panel_single
#define divide_row_wide divide_row_single
#endif

typedef struct factor_job {
    const factor_scalars *scalars;
    tile_layout layout;
    update_lists lists;
    const int *panels, *row_panel, *walk_start, *walk_panel;
    const float *values;
    float *tiles, *diagonals;
    int *wrong;
    size_t pieces; /* tasks of a vector of states */
} factor_job;

static factor_job make_job(const qn_host_launch *launch, const factor_scalars *scalars, const int *signs)
{
    return (factor_job){
        .scalars = scalars,
        .layout = {launch->configuration->value[QN_FACTOR_BLOCK], (size_t)scalars->stride, signs},
    };
}

/* States of a task: first one, and how many. A last chunk that fills no vector goes state by state. */
static int states_of(const factor_job *job, size_t index, size_t *first)
{
    *first = index / job->pieces * QN_LANES;
    const size_t left = (size_t)job->scalars->states - *first;
    return left < QN_LANES ? (int)left : QN_LANES;
}

static qn_status run(const qn_host_launch *launch, factor_job *job, int each, qn_pool_task task)
{
    const size_t chunks = ((size_t)job->scalars->states + QN_LANES - 1) / QN_LANES;
    job->pieces = ((size_t)job->scalars->count + (size_t)each - 1) / (size_t)each;
    const bool share = each == 1 || (size_t)job->scalars->count * (size_t)job->scalars->states >= LEAST_TO_SHARE;
    return qn_pool_run(share ? launch->pool : NULL, chunks * job->pieces, task, job);
}

/* First and last piece of a task. */
static size_t begin_of(const factor_job *job, size_t index, size_t each, size_t *end)
{
    const size_t begin = index % job->pieces * each, count = (size_t)job->scalars->count;
    *end = (size_t)job->scalars->first + (begin + each < count ? begin + each : count);
    return (size_t)job->scalars->first + begin;
}

static qn_status update_task(size_t index, int worker, void *user)
{
    const factor_job *job = user;
    size_t state, end;
    const int states = states_of(job, index, &state);
    (void)worker;
    for (size_t tile = begin_of(job, index, TILES_OF_TASK, &end); tile < end; tile++) {
        if (states == QN_LANES)
            update_tile_wide(&job->layout, &job->lists, job->values + state, job->tiles + state, tile);
        else
            for (size_t s = state; s < state + (size_t)states; s++)
                update_tile_single(&job->layout, &job->lists, job->values + s, job->tiles + s, tile);
    }
    return QN_OK;
}

static qn_status update(const qn_host_launch *launch)
{
    factor_job job = make_job(launch, launch->arguments[UPDATE_SCALARS], launch->arguments[UPDATE_SIGNS]);
    job.lists = (update_lists){launch->arguments[UPDATE_MAP], launch->arguments[UPDATE_RUN_START],
                               launch->arguments[UPDATE_RUNS]};
    job.values = launch->arguments[UPDATE_VALUES];
    job.tiles = launch->arguments[UPDATE_TILES];
    return run(launch, &job, TILES_OF_TASK, update_task);
}

static qn_status diagonal_task(size_t index, int worker, void *user)
{
    const factor_job *job = user;
    size_t state, end;
    const int states = states_of(job, index, &state);
    const int *panel = job->panels + begin_of(job, index, 1, &end) * QN_PANEL_INTS;
    (void)worker;
    if (states == QN_LANES)
        factor_panel_wide(&job->layout, panel, job->tiles + state, job->diagonals + state, job->wrong + state);
    else
        for (size_t s = state; s < state + (size_t)states; s++)
            factor_panel_single(&job->layout, panel, job->tiles + s, job->diagonals + s, job->wrong + s);
    return QN_OK;
}

static qn_status diagonal(const qn_host_launch *launch)
{
    factor_job job = make_job(launch, launch->arguments[DIAGONAL_SCALARS], launch->arguments[DIAGONAL_SIGNS]);
    job.panels = launch->arguments[DIAGONAL_PANELS];
    job.tiles = launch->arguments[DIAGONAL_TILES];
    job.diagonals = launch->arguments[DIAGONAL_DIAGONALS];
    job.wrong = launch->arguments[DIAGONAL_WRONG];
    return run(launch, &job, 1, diagonal_task);
}

static qn_status rows_task(size_t index, int worker, void *user)
{
    const factor_job *job = user;
    size_t state, end;
    const int states = states_of(job, index, &state);
    (void)worker;
    for (size_t row = begin_of(job, index, ROWS_OF_TASK, &end); row < end; row++) {
        const int *panel = job->panels + (size_t)job->row_panel[row] * QN_PANEL_INTS;
        if (states == QN_LANES)
            divide_row_wide(&job->layout, panel, job->diagonals + state, job->tiles + state, (int)row);
        else
            for (size_t s = state; s < state + (size_t)states; s++)
                divide_row_single(&job->layout, panel, job->diagonals + s, job->tiles + s, (int)row);
    }
    return QN_OK;
}

static qn_status rows(const qn_host_launch *launch)
{
    factor_job job = make_job(launch, launch->arguments[ROWS_SCALARS], launch->arguments[ROWS_SIGNS]);
    job.panels = launch->arguments[ROWS_PANELS];
    job.row_panel = launch->arguments[ROWS_ROW_PANEL];
    job.diagonals = launch->arguments[ROWS_DIAGONALS];
    job.tiles = launch->arguments[ROWS_TILES];
    return run(launch, &job, ROWS_OF_TASK, rows_task);
}

/* A panel with all of its rows, for `state` and the states beside it that fill a vector, or for it alone. */
static void walk_panel(const factor_job *job, const int *panel, size_t state, bool wide)
{
    const int columns = panel[QN_PANEL_COLUMNS], below = panel[QN_PANEL_BELOW], rows_first = panel[QN_PANEL_ROWS];
    const size_t first = (size_t)panel[QN_PANEL_STORE];
    const size_t end = first + (size_t)(columns * (columns + 1) / 2 + below * columns);
    for (size_t tile = first; tile < end; tile++)
        (wide ? update_tile_wide : update_tile_single)(&job->layout, &job->lists, job->values + state,
                                                       job->tiles + state, tile);
    (wide ? factor_panel_wide : factor_panel_single)(&job->layout, panel, job->tiles + state, job->diagonals + state,
                                                     job->wrong + state);
    for (int b = 0; b < below; b++)
        (wide ? divide_row_wide : divide_row_single)(&job->layout, panel, job->diagonals + state, job->tiles + state,
                                                     rows_first + b);
}

static qn_status walk_task(size_t index, int worker, void *user)
{
    const factor_job *job = user;
    size_t state, end;
    const int states = states_of(job, index, &state);
    const size_t own = begin_of(job, index, 1, &end);
    (void)worker;
    for (int w = job->walk_start[own]; w < job->walk_start[own + 1]; w++) {
        const int *panel = job->panels + (size_t)job->walk_panel[w] * QN_PANEL_INTS;
        if (states == QN_LANES)
            walk_panel(job, panel, state, true);
        else
            for (size_t s = state; s < state + (size_t)states; s++) walk_panel(job, panel, s, false);
    }
    return QN_OK;
}

static qn_status walk(const qn_host_launch *launch)
{
    factor_job job = make_job(launch, launch->arguments[WALK_SCALARS], launch->arguments[WALK_SIGNS]);
    job.lists =
        (update_lists){launch->arguments[WALK_MAP], launch->arguments[WALK_RUN_START], launch->arguments[WALK_RUNS]};
    job.values = launch->arguments[WALK_VALUES];
    job.panels = launch->arguments[WALK_PANELS];
    job.walk_start = launch->arguments[WALK_START];
    job.walk_panel = launch->arguments[WALK_PANEL];
    job.tiles = launch->arguments[WALK_TILES];
    job.diagonals = launch->arguments[WALK_DIAGONALS];
    job.wrong = launch->arguments[WALK_WRONG];
    return run(launch, &job, 1, walk_task);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_deform_factor_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_deform_factor_host)[] = {update, diagonal, rows, walk};
