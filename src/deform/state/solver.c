/* Newton's method for one state, in double precision on the host. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/state/state.h"

enum { WAY_PARTS = 1024, HALVINGS_MAX = 6, HISTORY_MAX = 64 };

struct qn_solver {
    const qn_problem *problem;
    qn_solver_options options;
    qn_factor *factor;
    double *values;          /* of the tangent */
    double *residual, *step; /* freedom_count */
    double *trial, *trial_residual;
    double *compliance; /* [3][freedom_count]: K⁻¹ Cᵀ, with a mean */
    double history[HISTORY_MAX];
    size_t history_count;
};

/* ---- memory ---- */

static qn_status allocate_workspace(qn_solver *solver)
{
    const qn_body *body = solver->problem->body;
    const qn_block_pattern *pattern = &body->pattern;
    const size_t value_count = pattern->block_start[pattern->row_start[pattern->node_count]];
    double **const vectors[] = {&solver->residual, &solver->step, &solver->trial, &solver->trial_residual};
    QN_TRY(qn_allocate(value_count, sizeof(double), (void **)&solver->values));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        QN_TRY(qn_allocate(body->freedom_count, sizeof(double), (void **)vectors[i]));
    QN_TRY(qn_allocate(3 * body->freedom_count, sizeof(double), (void **)&solver->compliance));
    QN_TRY(qn_factor_create(solver->problem->plan, &solver->factor));
    qn_factor_keep_wrong(solver->factor, solver->problem->mean);
    return QN_OK;
}

qn_status qn_solver_create(const qn_problem *problem, const qn_solver_options *options, qn_solver **solver)
{
    QN_TRY(qn_allocate(1, sizeof **solver, (void **)solver));
    (*solver)->problem = problem;
    (*solver)->options = *options;
    const qn_status status = allocate_workspace(*solver);
    if (status != QN_OK) qn_solver_destroy(solver);
    return status;
}

void qn_solver_destroy(qn_solver **solver)
{
    if (!*solver) return;
    qn_factor_destroy(&(*solver)->factor);
    double **const vectors[] = {&(*solver)->values, &(*solver)->residual,       &(*solver)->step,
                                &(*solver)->trial,  &(*solver)->trial_residual, &(*solver)->compliance};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) qn_release(vectors[i]);
    qn_release(solver);
}

qn_status qn_state_create(const qn_problem *problem, qn_state *state)
{
    *state = (qn_state){0};
    const size_t count = problem->body->freedom_count;
    qn_status status = qn_allocate(count, sizeof(double), (void **)&state->x);
    if (status == QN_OK) status = qn_allocate(3 * count, sizeof(double), (void **)&state->change);
    if (status != QN_OK) qn_state_clear(state);
    return status;
}

qn_status qn_state_copy(const qn_problem *problem, const qn_state *from, qn_state *state)
{
    const size_t count = problem->body->freedom_count;
    qn_state copy;
    QN_TRY(qn_state_create(problem, &copy));
    double *const x = copy.x, *const change = copy.change;
    copy = *from;
    copy.x = x, copy.change = change;
    memcpy(x, from->x, count * sizeof *x);
    memcpy(change, from->change, 3 * count * sizeof *change);
    *state = copy;
    return QN_OK;
}

void qn_state_clear(qn_state *state)
{
    qn_release(&state->x);
    qn_release(&state->change);
    *state = (qn_state){0};
}

/* ---- residuals ---- */

/* Subtract the tool's force from the residual: with a mean it is spread over the held nodes. */
static void subtract_tool(const qn_problem *problem, const double force[3], double *residual)
{
    if (!problem->mean) return;
    for (size_t i = 0; i < problem->held_count; i++) {
        const uint32_t first = problem->body->pattern.first_freedom[problem->held[i]];
        for (unsigned axis = 0; axis < 3; axis++) residual[first + axis] -= force[axis] / (double)problem->held_count;
    }
}

typedef struct norms {
    double free_norm, constrained_norm; /* N */
} norms;

static norms measure_norms(const qn_problem *problem, const double *residual)
{
    const qn_body *body = problem->body;
    double of_free = 0, of_constrained = 0;
    for (size_t i = 0; i < body->freedom_count; i++) {
        const double value = body->sign[i] > 0 ? residual[i] : residual[i] * problem->pressure_scale;
        if (problem->is_free[i])
            of_free += value * value;
        else
            of_constrained += value * value;
    }
    return (norms){sqrt(of_free), sqrt(of_constrained)};
}

static double relative(norms of)
{
    if (of.free_norm == 0) return 0;
    return of.free_norm / of.constrained_norm;
}

/* Residual at x, without the tool's force of a mean. */
static void compute_residual(const qn_problem *problem, const double *x, const double force[3], double *residual,
                             qn_body_measures *measures)
{
    qn_body_residual(problem->body, x, residual, measures);
    subtract_tool(problem, force, residual);
}

static void sum_held(const qn_problem *problem, const double *values, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t i = 0; i < problem->held_count; i++) {
        const uint32_t first = problem->body->pattern.first_freedom[problem->held[i]];
        for (unsigned axis = 0; axis < 3; axis++) sum[axis] += values[first + axis];
    }
}

/* ---- 3 × 3 ---- */

/* Inverse of a 3 × 3 matrix, by cofactors. */
static void invert(const double m[9], double result[9])
{
    const double cofactor[3] = {m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6]};
    const double determinant = m[0] * cofactor[0] + m[1] * cofactor[1] + m[2] * cofactor[2];
    result[0] = cofactor[0] / determinant;
    result[1] = (m[2] * m[7] - m[1] * m[8]) / determinant;
    result[2] = (m[1] * m[5] - m[2] * m[4]) / determinant;
    result[3] = cofactor[1] / determinant;
    result[4] = (m[0] * m[8] - m[2] * m[6]) / determinant;
    result[5] = (m[2] * m[3] - m[0] * m[5]) / determinant;
    result[6] = cofactor[2] / determinant;
    result[7] = (m[1] * m[6] - m[0] * m[7]) / determinant;
    result[8] = (m[0] * m[4] - m[1] * m[3]) / determinant;
}

static void multiply(const double m[9], const double v[3], double result[3])
{
    for (int i = 0; i < 3; i++) result[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

/* ---- stiffness ---- */

/* The factor of the tangent at x. *is_good is false for a pivot of the wrong sign. */
static qn_status factor_at(qn_solver *solver, const double *x, bool *is_good)
{
    size_t wrong;
    qn_body_tangent(solver->problem->body, x, solver->values);
    qn_problem_shift_pressures(solver->problem, solver->values);
    QN_TRY(qn_factor_compute(solver->factor, solver->values, &wrong));
    *is_good = wrong == SIZE_MAX;
    return QN_OK;
}

/* Negative eigenvalues of a symmetric 3 × 3 matrix, by Descartes' rule for the signs of its characteristic polynomial,
 * whose roots are all real. */
static int count_negative(const double m[9])
{
    const double minors = m[0] * m[4] - m[1] * m[3] + m[0] * m[8] - m[2] * m[6] + m[4] * m[8] - m[5] * m[7];
    const double determinant =
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
    const bool is_positive[4] = {true, m[0] + m[4] + m[8]<0, minors> 0, determinant < 0};
    int positive = 0;
    for (int i = 0; i < 3; i++) positive += is_positive[i] != is_positive[i + 1];
    return 3 - positive;
}

/* K⁻¹ Cᵀ and (C K⁻¹ Cᵀ)⁻¹ of a mean, and whether the balance is stable while the mean is held: K alone may have
 * negative eigenvalues, as of a body that buckles under a force; the matrix with the constraints has three of them
 * exactly, if K has as many as C K⁻¹ Cᵀ (Haynsworth 1968, Linear Algebra Appl 1, 73). */
static bool find_compliance(qn_solver *solver, double stiffness[9])
{
    const qn_problem *problem = solver->problem;
    const size_t count = problem->body->freedom_count;
    double schur[9];
    memset(solver->compliance, 0, 3 * count * sizeof *solver->compliance);
    for (unsigned axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < problem->held_count; i++)
            solver->compliance[axis * count + problem->body->pattern.first_freedom[problem->held[i]] + axis] =
                1 / (double)problem->held_count;
    qn_factor_solve(solver->factor, solver->compliance, 3, solver->compliance);
    for (int axis = 0; axis < 3; axis++) {
        double sum[3];
        sum_held(problem, solver->compliance + (size_t)axis * count, sum);
        for (int i = 0; i < 3; i++) schur[3 * i + axis] = sum[i] / (double)problem->held_count;
    }
    invert(schur, stiffness);
    return count_negative(schur) == qn_factor_excess(solver->factor);
}

static bool find_change_of_mean(qn_solver *solver, qn_state *state)
{
    const size_t count = solver->problem->body->freedom_count;
    const bool is_stable = find_compliance(solver, state->stiffness);
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += solver->compliance[(size_t)k * count + i] * state->stiffness[3 * k + axis];
            state->change[(size_t)axis * count + i] = sum;
        }
    return is_stable;
}

static void find_change_of_held(qn_solver *solver, qn_state *state)
{
    const qn_problem *problem = solver->problem;
    const size_t count = problem->body->freedom_count;
    double *const columns = solver->compliance; /* K_·c e_axis */
    for (int axis = 0; axis < 3; axis++) {
        double *const column = columns + (size_t)axis * count, *const change = state->change + (size_t)axis * count;
        qn_problem_held_column(problem, solver->values, axis, column);
        for (size_t i = 0; i < count; i++) change[i] = -column[i];
    }
    qn_factor_solve(solver->factor, state->change, 3, state->change);
    for (int axis = 0; axis < 3; axis++) {
        const double *change = state->change + (size_t)axis * count;
        for (int i = 0; i < 3; i++) {
            /* K_cf Z is the transposed product with the columns of the held freedoms. */
            const double *column = columns + (size_t)i * count;
            double own[3], sum = 0;
            for (size_t k = 0; k < count; k++) sum += column[k] * change[k];
            sum_held(problem, columns + (size_t)axis * count, own);
            state->stiffness[3 * i + axis] = sum + own[i];
        }
    }
    for (unsigned axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < problem->held_count; i++)
            state->change[axis * count + problem->body->pattern.first_freedom[problem->held[i]] + axis] = 1;
}

/* H and Z by the factor. Returns whether the balance is stable. */
static bool find_change(qn_solver *solver, qn_state *state)
{
    if (solver->problem->mean) return find_change_of_mean(solver, state);
    find_change_of_held(solver, state);
    return true;
}

/* ---- Newton's method ---- */

/* Move by one Newton step with a line search. `force` is that of a mean. Returns false where no part of at least 1/64
 * of the step makes the residual smaller. */
static bool search_line(qn_solver *solver, const double force_step[3], norms *current, qn_state *state)
{
    const qn_problem *problem = solver->problem;
    const size_t count = problem->body->freedom_count;
    double part = 1;
    for (int halving = 0; halving <= HALVINGS_MAX; halving++, part /= 2) {
        double force[3];
        qn_body_measures measures;
        for (size_t i = 0; i < count; i++) solver->trial[i] = state->x[i] + part * solver->step[i];
        for (int axis = 0; axis < 3; axis++) force[axis] = state->force[axis] + part * force_step[axis];
        compute_residual(problem, solver->trial, force, solver->trial_residual, &measures);
        const norms found = measure_norms(problem, solver->trial_residual);
        if (!(measures.least_volume > 0) || !(found.free_norm <= (1 - 1e-4 * part) * current->free_norm)) continue;
        memcpy(state->x, solver->trial, count * sizeof *state->x);
        memcpy(solver->residual, solver->trial_residual, count * sizeof *solver->residual);
        memcpy(state->force, force, sizeof force);
        state->energy = measures.energy;
        state->least_volume = measures.least_volume;
        state->least_stretch = measures.least_stretch;
        *current = found;
        return true;
    }
    return false;
}

/* The full step: dx = −K⁻¹ r, and with a mean what keeps C x. Returns false where it leads to no stable balance. */
static bool find_step(qn_solver *solver, double force_step[3])
{
    const qn_problem *problem = solver->problem;
    const size_t count = problem->body->freedom_count;
    for (size_t i = 0; i < count; i++) solver->step[i] = -solver->residual[i];
    qn_factor_solve(solver->factor, solver->step, 1, solver->step);
    force_step[0] = force_step[1] = force_step[2] = 0;
    if (!problem->mean) return true;
    double stiffness[9], moved[3];
    const bool is_stable = find_compliance(solver, stiffness);
    sum_held(problem, solver->step, moved);
    for (int axis = 0; axis < 3; axis++) moved[axis] /= -(double)problem->held_count;
    multiply(stiffness, moved, force_step);
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < count; i++)
            solver->step[i] += solver->compliance[(size_t)axis * count + i] * force_step[axis];
    return is_stable;
}

static void note_residual(qn_solver *solver, double residual)
{
    if (solver->history_count < HISTORY_MAX) solver->history[solver->history_count++] = residual;
}

/* Find the balance near state->x. *is_found is false where Newton's method does not get there. */
static qn_status find_balance(qn_solver *solver, qn_state *state, bool *is_found)
{
    qn_body_measures measures;
    *is_found = false;
    solver->history_count = 0;
    compute_residual(solver->problem, state->x, state->force, solver->residual, &measures);
    state->energy = measures.energy;
    state->least_volume = measures.least_volume;
    state->least_stretch = measures.least_stretch;
    norms current = measure_norms(solver->problem, solver->residual);
    for (int step = 0;; step++) {
        double force_step[3];
        bool is_good;
        state->residual = relative(current);
        note_residual(solver, state->residual);
        if (!(state->least_volume > 0) || !isfinite(state->residual)) return QN_OK;
        if (state->residual <= solver->options.tolerance) break;
        if (step == solver->options.newton_steps_max) return QN_OK;
        QN_TRY(factor_at(solver, state->x, &is_good));
        if (!is_good) return QN_OK;
        if (!find_step(solver, force_step)) return QN_OK;
        state->newton_steps++;
        if (!search_line(solver, force_step, &current, state)) return QN_OK;
    }
    if (!solver->problem->mean) sum_held(solver->problem, solver->residual, state->force);
    *is_found = true;
    return QN_OK;
}

/* Move the tool's place, and the unknowns along the change that the state knows. */
static void predict(const qn_problem *problem, const qn_state *from, const double place[3], qn_state *state)
{
    const size_t count = problem->body->freedom_count;
    double way[3], force_change[3];
    for (int axis = 0; axis < 3; axis++) way[axis] = place[axis] - from->place[axis];
    for (size_t i = 0; i < count; i++)
        state->x[i] = from->x[i] + from->change[i] * way[0] + from->change[count + i] * way[1] +
                      from->change[2 * count + i] * way[2];
    for (size_t i = 0; i < problem->held_count && !problem->mean; i++)
        memcpy(state->x + problem->body->pattern.first_freedom[problem->held[i]], place, 3 * sizeof *place);
    multiply(from->stiffness, way, force_change);
    for (int axis = 0; axis < 3; axis++) state->force[axis] = from->force[axis] + force_change[axis];
    memcpy(state->place, place, 3 * sizeof *place);
}

static void copy_state(const qn_problem *problem, const qn_state *from, qn_state *to)
{
    double *const x = to->x, *const change = to->change;
    const size_t count = problem->body->freedom_count;
    *to = *from;
    to->x = x, to->change = change;
    memcpy(x, from->x, count * sizeof *x);
    memcpy(change, from->change, 3 * count * sizeof *change);
}

/* Try to get from `reached` to `place` in one load step. The change of a state on the way only predicts the next one,
 * so the factor of the last Newton step is near enough for it; that at the end of the way is exact. */
static qn_status try_step(qn_solver *solver, const qn_state *reached, const double place[3], bool is_end,
                          qn_state *state, bool *is_reached)
{
    const int steps = reached->newton_steps;
    predict(solver->problem, reached, place, state);
    state->newton_steps = steps;
    QN_TRY(find_balance(solver, state, is_reached));
    if (*is_reached && (is_end || state->newton_steps == steps)) QN_TRY(factor_at(solver, state->x, is_reached));
    if (*is_reached) *is_reached = find_change(solver, state);
    return QN_OK;
}

/* Go from state to state until the place is reached. `reached` is a copy of the parent. */
static qn_status walk(qn_solver *solver, const double start[3], const double place[3], qn_state *reached,
                      qn_state *state)
{
    int done = 0, length = WAY_PARTS;
    while (done < WAY_PARTS) {
        double target[3];
        bool is_reached;
        const int end = done + length;
        for (int axis = 0; axis < 3; axis++)
            target[axis] = end == WAY_PARTS ? place[axis] : start[axis] + (place[axis] - start[axis]) * end / WAY_PARTS;
        QN_TRY(try_step(solver, reached, target, end == WAY_PARTS, state, &is_reached));
        if (is_reached) {
            done = end;
            state->load_steps = ++reached->load_steps;
            if (done < WAY_PARTS) copy_state(solver->problem, state, reached);
            length = WAY_PARTS - done < 2 * length ? WAY_PARTS - done : 2 * length;
            continue;
        }
        reached->newton_steps = state->newton_steps;
        if (length <= WAY_PARTS >> solver->options.halvings_max) {
            const double residual = state->residual, least_volume = state->least_volume;
            copy_state(solver->problem, reached, state);
            state->residual = residual;
            state->least_volume = least_volume;
            return QN_OK;
        }
        length /= 2;
    }
    state->converged = true;
    return QN_OK;
}

qn_status qn_solver_solve(qn_solver *solver, const qn_state *parent, const double place[3], qn_state *state)
{
    qn_state reached;
    QN_TRY(qn_state_copy(solver->problem, parent, &reached));
    reached.newton_steps = reached.load_steps = 0;
    reached.converged = state->converged = false;
    const qn_status status = walk(solver, parent->place, place, &reached, state);
    qn_state_clear(&reached);
    return status;
}

qn_status qn_solver_rest(qn_solver *solver, qn_state *state)
{
    bool is_good;
    double *const x = state->x, *const change = state->change;
    qn_body_measures measures;
    *state = (qn_state){.x = x, .change = change, .converged = true, .load_steps = 1};
    memset(x, 0, solver->problem->body->freedom_count * sizeof *x);
    qn_body_residual(solver->problem->body, x, solver->residual, &measures);
    state->least_volume = measures.least_volume;
    state->least_stretch = measures.least_stretch;
    QN_TRY(factor_at(solver, state->x, &is_good));
    if (is_good) is_good = find_change(solver, state);
    if (!is_good || qn_factor_excess(solver->factor) != 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "the stiffness at rest is not definite; expected a body that the fixed nodes hold");
    return QN_OK;
}

size_t qn_solver_history(const qn_solver *solver, double *residuals, size_t capacity)
{
    const size_t count = solver->history_count < capacity ? solver->history_count : capacity;
    memcpy(residuals, solver->history, count * sizeof *residuals);
    return count;
}
