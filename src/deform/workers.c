#include "deform/workers.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { NEWTON_STEPS_MAX = 25 };

/* A principal stretch near which St Venant-Kirchhoff collapses. */
static const double COMPRESSED_STRETCH = 0.6;

typedef struct worker_making {
    qn_deform_workers *workers;
    qn_solver_options options;
} worker_making;

static qn_status make_worker(size_t index, int thread, void *user)
{
    const worker_making *making = user;
    qn_deform_workers *workers = making->workers;
    const qn_problem *problem = workers->setup->problem;
    (void)thread;
    QN_TRY(qn_solver_create(problem, &making->options, &workers->solvers[index]));
    QN_TRY(qn_state_create(problem, &workers->parents[index]));
    return qn_state_create(problem, &workers->found[index]);
}

/* By all threads: zeros of the factors of 64 workers take seconds. */
static qn_status make(qn_pool *pool, double tolerance, int halvings, int count, qn_deform_workers *workers)
{
    worker_making making = {
        .workers = workers,
        .options = {.tolerance = tolerance, .newton_steps_max = NEWTON_STEPS_MAX, .halvings_max = halvings}};
    QN_TRY(qn_allocate((size_t)count, sizeof *workers->solvers, (void **)&workers->solvers));
    QN_TRY(qn_allocate((size_t)count, sizeof *workers->parents, (void **)&workers->parents));
    QN_TRY(qn_allocate((size_t)count, sizeof *workers->found, (void **)&workers->found));
    workers->count = count;
    QN_TRY(qn_pool_run(pool, (size_t)count, make_worker, &making));
    QN_TRY(qn_state_create(workers->setup->problem, &workers->rest));
    return qn_solver_rest(workers->solvers[0], &workers->rest);
}

qn_status qn_deform_workers_make(const qn_deform_setup *setup, qn_pool *pool, double tolerance, int halvings, int count,
                                 qn_deform_workers *workers)
{
    *workers = (qn_deform_workers){.setup = setup};
    return make(pool, tolerance, halvings, count, workers);
}

void qn_deform_workers_clear(qn_deform_workers *workers)
{
    for (int i = 0; i < workers->count; i++) {
        qn_solver_destroy(&workers->solvers[i]);
        qn_state_clear(&workers->parents[i]);
        qn_state_clear(&workers->found[i]);
    }
    qn_release(&workers->solvers);
    qn_release(&workers->parents);
    qn_release(&workers->found);
    qn_state_clear(&workers->rest);
}

bool qn_deform_is_compressed(const qn_deform_setup *setup, double least_stretch)
{
    return setup->material.kind == QN_MATERIAL_SVK && least_stretch < COMPRESSED_STRETCH;
}

void qn_deform_keep_state(const qn_deform_setup *setup, const qn_state *found, const int32_t index[3],
                          qn_grid_state *state)
{
    const size_t count = setup->body->freedom_count;
    float *const x = state->x, *const change = state->change;
    *state = (qn_grid_state){.x = x, .change = change};
    memcpy(state->index, index, sizeof state->index);
    if (!found->converged) {
        state->flags = QN_GRID_UNSOLVED;
        memset(x, 0, count * sizeof *x);
        memset(change, 0, 3 * count * sizeof *change);
        return;
    }
    if (qn_deform_is_compressed(setup, found->least_stretch)) state->flags = QN_GRID_COMPRESSED;
    memcpy(state->force, found->force, sizeof state->force);
    memcpy(state->stiffness, found->stiffness, sizeof state->stiffness);
    state->energy = found->energy;
    state->residual = found->residual;
    state->least_volume = found->least_volume;
    state->least_stretch = found->least_stretch;
    state->newton_steps = found->newton_steps;
    state->load_steps = found->load_steps;
    for (size_t i = 0; i < count; i++) x[i] = (float)found->x[i] + 0.0f;
    for (size_t i = 0; i < 3 * count; i++) change[i] = (float)found->change[i] + 0.0f;
}

/* The state of the grid in the solver's form. */
static void recall(const qn_body *body, double step, const qn_grid_state *from, qn_state *state)
{
    const size_t count = body->freedom_count;
    double *const x = state->x, *const change = state->change;
    *state = (qn_state){.energy = from->energy, .converged = true, .x = x, .change = change};
    for (int axis = 0; axis < 3; axis++) state->place[axis] = step * from->index[axis];
    memcpy(state->force, from->force, sizeof state->force);
    memcpy(state->stiffness, from->stiffness, sizeof state->stiffness);
    for (size_t i = 0; i < count; i++) x[i] = from->x[i];
    for (size_t i = 0; i < 3 * count; i++) change[i] = from->change[i];
}

qn_status qn_deform_solve_from(qn_deform_workers *workers, int worker, double step, const qn_grid_state *from,
                               const double place[3], qn_state **found)
{
    *found = &workers->found[worker];
    recall(workers->setup->body, step, from, &workers->parents[worker]);
    return qn_solver_solve(workers->solvers[worker], &workers->parents[worker], place, *found);
}
