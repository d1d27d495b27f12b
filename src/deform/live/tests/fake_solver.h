/* A solver that knows a field of forces and, where the test wants it, takes its time. It counts its calls and checks
 * what it is given. */
#ifndef QN_DEFORM_LIVE_TESTS_FAKE_SOLVER_H
#define QN_DEFORM_LIVE_TESTS_FAKE_SOLVER_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "deform/live/loop.h"
#include "deform/space/tests/field.h"

typedef struct fake_solver {
    field field;
    double step, seconds; /* a solution takes */
    bool adds_steps;      /* the energy is that of the parent plus 1, so that the way from rest shows */
    bool is_steep;        /* a step of 2 N along y where x ≥ 2 and y ≥ 1, whatever the way */
    bool has_folds;       /* where x ≥ 2, there are two answers, 2 N apart along y: see fake_branch */
    int32_t fails_at[3];  /* where a solution fails, unless it is rest */
    int32_t unsolved_at[3];
    atomic_int calls, batches, wrong;
} fake_solver;

static inline bool fake_is(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && (a[0] || a[1] || a[2]);
}

/* Which answer: at x ≤ 1 there is one. A step from there to x ≥ 2 leads to the second where y ≥ 1; from other points
 * the body stays in its answer. So canonical parents lead to the second one where x ≥ 2 and y ≥ 1, and a fold lies
 * between y = 0 and y = 1, but none between x = 1 and x = 2. The answer is kept in least_stretch. */
static inline double fake_branch(const int32_t index[3], const qn_grid_state *from)
{
    if (index[0] <= 1) return 0;
    return from->index[0] <= 1 ? index[1] >= 1 : from->least_stretch;
}

static inline qn_status fake_solve(void *user, int worker, const int32_t index[3], const qn_grid_state *from,
                                   qn_grid_state *state)
{
    fake_solver *const solver = user;
    const double energy = from ? from->energy : 0;
    const struct timespec pause = {.tv_nsec = (long)(1e9 * solver->seconds)};
    (void)worker;
    atomic_fetch_add(&solver->calls, 1);
    if (!from || (qn_grid_state_flags(from) & QN_GRID_UNSOLVED) || !state->x || state->x[0] != 0)
        atomic_fetch_add(&solver->wrong, 1);
    if (solver->seconds > 0) nanosleep(&pause, NULL);
    if (fake_is(index, solver->fails_at))
        return QN_FAIL(QN_DEVICE_LOST, "the device is lost at (%d, %d, %d)", index[0], index[1], index[2]);
    field_state(&solver->field, solver->step, index, state);
    state->newton_steps = 3;
    state->least_stretch = solver->has_folds ? fake_branch(index, from) : 0;
    state->force[1] += 2 * state->least_stretch;
    if (solver->is_steep && index[0] >= 2 && index[1] >= 1) state->force[1] += 2;
    if (fake_is(index, solver->unsolved_at)) state->flags = QN_GRID_UNSOLVED;
    if (solver->adds_steps) {
        state->energy = energy + 1;
        state->force[0] += 1e-3 * state->energy;
    }
    return QN_OK;
}

/* The same for batches of at most 16, by worker number 1; a batch takes as long as a single state. */
static inline qn_status fake_solve_batch(void *user, int worker, size_t count, const qn_grid_state *const *from,
                                         qn_grid_state *const *states)
{
    fake_solver *const solver = user;
    fake_solver alone = {.field = solver->field, .step = solver->step};
    const struct timespec pause = {.tv_nsec = (long)(1e9 * solver->seconds)};
    atomic_fetch_add(&solver->batches, 1);
    if (count < 1 || count > 16 || worker != 1) atomic_fetch_add(&solver->wrong, 1);
    if (solver->seconds > 0) nanosleep(&pause, NULL);
    for (size_t i = 0; i < count; i++) {
        int32_t index[3];
        memcpy(index, states[i]->index, sizeof index);
        for (size_t k = 0; k < i; k++)
            if (memcmp(index, states[k]->index, sizeof index) == 0) atomic_fetch_add(&solver->wrong, 1);
        if (fake_is(index, solver->fails_at)) return QN_FAIL(QN_DEVICE_LOST, "a batch is lost");
        const qn_status status = fake_solve(&alone, worker, index, from[i], states[i]);
        if (status != QN_OK) return status;
    }
    atomic_fetch_add(&solver->wrong, atomic_load(&alone.wrong));
    return QN_OK;
}

#endif
