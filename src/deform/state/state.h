/* A state: the body in balance with the tool at a place, and how it changes when the tool moves.
 *
 * With the held nodes moved by d, the free unknowns satisfy r_f(x) = 0. Then f = Σ r over held nodes is the force of
 * the tool on the body, and with Z = −K_ff⁻¹ K_fc (three solves) H = ∂f/∂d = K_cc + K_cf Z,    ∂x/∂d = Z. With a mean C
 * x = d instead, r = Cᵀ f in balance, H = (C K⁻¹ Cᵀ)⁻¹ and Z = K⁻¹ Cᵀ H. */
#ifndef QN_DEFORM_STATE_STATE_H
#define QN_DEFORM_STATE_STATE_H

#include "deform/state/problem.h"

typedef struct qn_state {
    double place[3];      /* d, m */
    double force[3];      /* of the tool on the body, N */
    double stiffness[9];  /* H, N/m, row by row: ∂force[i]/∂place[j] */
    double energy;        /* J */
    double least_volume;  /* least J = det F */
    double least_stretch; /* least principal stretch */
    double residual;      /* |r_f| / |r of all constrained displacements| */
    bool converged;       /* else no balance was found: the members are those of the last place that was reached */
    int newton_steps;     /* all of them, over all load steps */
    int load_steps;       /* parts of the way from the parent that converged: 1, or more after halving */
    double *x;            /* freedom_count: displacements, m, and pressures, Pa */
    double *change;       /* [3][freedom_count]: Z, ∂x/∂d */
} qn_state;

typedef struct qn_solver_options {
    double tolerance;     /* of the relative residual */
    int newton_steps_max; /* of a load step */
    int halvings_max;     /* of the way between two states, at most 10; where less fails, there is no balance */
} qn_solver_options;

/* Workspace of a thread that solves states of a problem, in double precision on the host. */
typedef struct qn_solver qn_solver;

QN_MUST_CHECK qn_status qn_solver_create(const qn_problem *problem, const qn_solver_options *options,
                                         qn_solver **solver);
void qn_solver_destroy(qn_solver **solver);

QN_MUST_CHECK qn_status qn_state_create(const qn_problem *problem, qn_state *state);
QN_MUST_CHECK qn_status qn_state_copy(const qn_problem *problem, const qn_state *from, qn_state *state);
void qn_state_clear(qn_state *state);

/* The state at rest: place 0, with its stiffness and change. `state` was created. QN_BAD_FORMAT where the stiffness at
 * rest is not definite (part of the body is loose). */
QN_MUST_CHECK qn_status qn_solver_rest(qn_solver *solver, qn_state *state);

/* The state at `place`, reached from `parent`, with all its members. `state` was created and is not `parent`.
 * The first guess is parent->x + Z Δd. Newton's method then takes steps with a line search that halves until J > 0
 * everywhere and the residual falls by 1e-4 of the step. Where the step gets shorter than 1/64 or a pivot has the wrong
 * sign, the way is halved; where halvings_max are not enough, state->converged is false. */
QN_MUST_CHECK qn_status qn_solver_solve(qn_solver *solver, const qn_state *parent, const double place[3],
                                        qn_state *state);

/* Relative residuals of the last load step, for tests: count, and the first of `capacity`. */
size_t qn_solver_history(const qn_solver *solver, double *residuals, size_t capacity);

#endif
