/* Solvers of the states of a grid, one for each thread. */
#ifndef QN_DEFORM_WORKERS_H
#define QN_DEFORM_WORKERS_H

#include "deform/setup.h"
#include "deform/space/grid.h"

typedef struct qn_deform_workers {
    const qn_deform_setup *setup;
    int count;
    qn_solver **solvers;
    qn_state *parents, *found; /* of each worker */
    qn_state rest;
} qn_deform_workers;

/* Halvings of a way before a state counts as one without a balance: of a grid, and of a hand in real time, which cannot
 * wait for a place that will hardly be found. Ten halvings of a grid's ways found 3 states more, of 20,700, with 1.6
 * times the factors for a state without a balance. */
enum { QN_DEFORM_HALVINGS = 6, QN_DEFORM_LIVE_HALVINGS = 2 };

/* Make `count` solvers and the state at rest. The setup outlives them; qn_deform_workers_clear must be called after a
 * failure too. Errors of qn_solver_rest. */
QN_MUST_CHECK qn_status qn_deform_workers_make(const qn_deform_setup *setup, qn_pool *pool, double tolerance,
                                               int halvings, int count, qn_deform_workers *workers);
void qn_deform_workers_clear(qn_deform_workers *workers);

/* The state at a place from one of the grid's. *found is the worker's until its next call. */
QN_MUST_CHECK qn_status qn_deform_solve_from(qn_deform_workers *workers, int worker, double step,
                                             const qn_grid_state *from, const double place[3], qn_state **found);

/* Convert a state into one of the grid, whose arrays are allocated. Negative zeros become zeros, so that bytes do not
 * depend on how ranks exchange them. */
void qn_deform_keep_state(const qn_deform_setup *setup, const qn_state *found, const int32_t index[3],
                          qn_grid_state *state);

/* Whether St Venant-Kirchhoff is near its collapse, at a principal stretch below 0.6. */
bool qn_deform_is_compressed(const qn_deform_setup *setup, double least_stretch);

#endif
