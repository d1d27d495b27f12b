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
    int32_t fails_at[3];  /* where a solution fails, unless it is rest */
    int32_t unsolved_at[3];
    atomic_int calls, wrong;
} fake_solver;

static inline bool fake_is(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && (a[0] || a[1] || a[2]);
}

static inline qn_status fake_solve(void *user, int worker, const int32_t index[3], const qn_grid_state *from,
                                   qn_grid_state *state)
{
    fake_solver *const solver = user;
    const double energy = from ? from->energy : 0;
    const struct timespec pause = {.tv_nsec = (long)(1e9 * solver->seconds)};
    (void)worker;
    atomic_fetch_add(&solver->calls, 1);
    if (!from || (from->flags & QN_GRID_UNSOLVED) || !state->x || state->x[0] != 0) atomic_fetch_add(&solver->wrong, 1);
    if (solver->seconds > 0) nanosleep(&pause, NULL);
    if (fake_is(index, solver->fails_at))
        return QN_FAIL(QN_DEVICE_LOST, "the device is lost at (%d, %d, %d)", index[0], index[1], index[2]);
    field_state(&solver->field, solver->step, index, state);
    state->newton_steps = 3;
    if (fake_is(index, solver->unsolved_at)) state->flags = QN_GRID_UNSOLVED;
    if (solver->adds_steps) {
        state->energy = energy + 1;
        state->force[0] += 1e-3 * state->energy;
    }
    return QN_OK;
}

#endif
