/* Solving on processor cores: vectors of states; the states that fill no vector one by one. Every number is made by the
 * same operations either way. */
#include <math.h>
#include <stdbool.h>

#include "base/thread_pool.h"
#include "deform/factor/kernels/substitute.h"
#include "deform/factor/kernels/substitute_arguments.h"
#include "runtime/host_variant.h"
#include "runtime/host_vector.h"

#include "deform/factor/kernels/substitute.dev.h"

enum { BLOCK_MOST = 12, LEAST_TO_SHARE = 256 };

typedef struct side_job {
    const substitute_scalars *scalars;
    int kernel, block, sides;
    size_t stride;
    const int *panels, *freedoms, *gather_start, *gathers, *tile_panel, *below, *signs;
    const int *level_tile, *level_panel; /* of walks */
    const float *tiles, *diagonals;
    float *x;
} side_job;

static inline float *side_at(const side_job *job, int side, int freedom)
{
    return job->x + ((size_t)side * (size_t)job->scalars->freedoms + (size_t)freedom) * job->stride;
}

/* Levels without a fused multiply-add round twice, because a call of the C library for each would be slow. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define SINGLE_FMA(a, b, c) fmaf((a), (b), (c))
#else
#define SINGLE_FMA(a, b, c) ((a) * (b) + (c))
#endif

#define VALUE float
#define NAME(name) name##_single
#define LOAD(from) (*(from))
#define STORE(to, value) (*(to) = (value))
#define SPLAT(value) (value)
#define FMA SINGLE_FMA
#include "deform/factor/kernels/substitute_lanes.h"

#ifdef QN_LANES_WORD
#define VALUE qn_lanes
#define NAME(name) name##_wide
#define LOAD(from) qn_lanes_load(from)
#define STORE(to, value) qn_lanes_store((to), (value))
#define SPLAT(value) qn_lanes_splat(value)
#define FMA qn_lanes_fma
#include "deform/factor/kernels/substitute_lanes.h"
#else
#define run_wide run_single
#endif

/* A task has a vector of states, for one piece of work or more. */
static qn_status task(size_t index, int worker, void *user)
{
    const side_job *job = user;
    const size_t pieces = (size_t)job->scalars->count, state = index / pieces * QN_LANES;
    const size_t left = (size_t)job->scalars->states - state;
    const int piece = job->scalars->first + (int)(index % pieces);
    (void)worker;
    if (left >= QN_LANES)
        run_wide(job, state, job->kernel, piece);
    else
        for (size_t s = state; s < state + left; s++) run_single(job, s, job->kernel, piece);
    return QN_OK;
}

static qn_status run_job(const qn_host_launch *launch, side_job *job, int kernel, const substitute_scalars *scalars)
{
    const size_t pieces = (size_t)scalars->count * (((size_t)scalars->states + QN_LANES - 1) / QN_LANES);
    job->scalars = scalars;
    job->kernel = kernel;
    job->block = scalars->block;
    job->sides = scalars->sides;
    job->stride = (size_t)scalars->stride;
    return qn_pool_run(pieces >= LEAST_TO_SHARE ? launch->pool : NULL, pieces, task, job);
}

static qn_status gather_forward(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    side_job job = {.gather_start = arguments[FORWARD_START],
                    .gathers = arguments[FORWARD_GATHERS],
                    .freedoms = arguments[FORWARD_FREEDOMS],
                    .tiles = arguments[FORWARD_TILES],
                    .x = arguments[FORWARD_X]};
    return run_job(launch, &job, GATHER_FORWARD, arguments[FORWARD_SCALARS]);
}

static qn_status gather_backward(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    side_job job = {.panels = arguments[BACKWARD_PANELS],
                    .tile_panel = arguments[BACKWARD_TILE_PANEL],
                    .below = arguments[BACKWARD_BELOW],
                    .signs = arguments[BACKWARD_SIGNS],
                    .freedoms = arguments[BACKWARD_FREEDOMS],
                    .tiles = arguments[BACKWARD_TILES],
                    .x = arguments[BACKWARD_X]};
    return run_job(launch, &job, GATHER_BACKWARD, arguments[BACKWARD_SCALARS]);
}

static qn_status solve(const qn_host_launch *launch, int kernel)
{
    void *const *arguments = launch->arguments;
    side_job job = {.panels = arguments[SOLVE_PANELS],
                    .freedoms = arguments[SOLVE_FREEDOMS],
                    .tiles = arguments[SOLVE_TILES],
                    .diagonals = arguments[SOLVE_DIAGONALS],
                    .x = arguments[SOLVE_X]};
    return run_job(launch, &job, kernel, arguments[SOLVE_SCALARS]);
}

static qn_status solve_forward(const qn_host_launch *launch)
{
    return solve(launch, SOLVE_FORWARD);
}

static qn_status solve_backward(const qn_host_launch *launch)
{
    return solve(launch, SOLVE_BACKWARD);
}

static void run_pieces(const side_job *job, size_t state, bool wide, int kernel, const int *starts, int level)
{
    for (int piece = starts[level]; piece < starts[level + 1]; piece++)
        (wide ? run_wide : run_single)(job, state, kernel, piece);
}

/* All levels upwards and downwards, for `state` and the states beside it that fill a vector, or for it alone. */
static void walk_levels(const side_job *job, size_t state, bool wide)
{
    for (int level = 0; level < job->scalars->count; level++) {
        if (level > 0) run_pieces(job, state, wide, GATHER_FORWARD, job->level_tile, level);
        run_pieces(job, state, wide, SOLVE_FORWARD, job->level_panel, level);
    }
    for (int level = job->scalars->count; level-- > 0;) {
        run_pieces(job, state, wide, GATHER_BACKWARD, job->level_tile, level);
        run_pieces(job, state, wide, SOLVE_BACKWARD, job->level_panel, level);
    }
}

static qn_status walk_task(size_t index, int worker, void *user)
{
    const side_job *job = user;
    const size_t state = index * QN_LANES, left = (size_t)job->scalars->states - state;
    (void)worker;
    if (left >= QN_LANES)
        walk_levels(job, state, true);
    else
        for (size_t s = state; s < state + left; s++) walk_levels(job, s, false);
    return QN_OK;
}

static qn_status walk(const qn_host_launch *launch)
{
    void *const *arguments = launch->arguments;
    const substitute_scalars *scalars = arguments[SWEEP_SCALARS];
    side_job job = {.scalars = scalars,
                    .block = scalars->block,
                    .sides = scalars->sides,
                    .stride = (size_t)scalars->stride,
                    .panels = arguments[SWEEP_PANELS],
                    .freedoms = arguments[SWEEP_FREEDOMS],
                    .gather_start = arguments[SWEEP_START],
                    .gathers = arguments[SWEEP_GATHERS],
                    .tile_panel = arguments[SWEEP_TILE_PANEL],
                    .below = arguments[SWEEP_BELOW],
                    .signs = arguments[SWEEP_SIGNS],
                    .level_tile = arguments[SWEEP_LEVEL_TILE],
                    .level_panel = arguments[SWEEP_LEVEL_PANEL],
                    .tiles = arguments[SWEEP_TILES],
                    .diagonals = arguments[SWEEP_DIAGONALS],
                    .x = arguments[SWEEP_X]};
    return qn_pool_run(launch->pool, ((size_t)scalars->states + QN_LANES - 1) / QN_LANES, walk_task, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_deform_substitute_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_deform_substitute_host)[] = {gather_forward, solve_forward, gather_backward,
                                                                     solve_backward, walk};
