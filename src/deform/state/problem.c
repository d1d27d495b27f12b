#include "deform/state/problem.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static void set_displacements(const qn_block_pattern *pattern, const uint32_t *nodes, size_t count, bool value,
                              bool *flags)
{
    for (size_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) flags[pattern->first_freedom[nodes[i]] + (unsigned)axis] = value;
}

/* Compressibility of the shifted pressures: κ of so many shear moduli. */
static const double SHIFT_KAPPA = 1e7;

static qn_status shift_pressures(qn_problem *problem)
{
    const qn_body *body = problem->body;
    const qn_mesh *mesh = body->mesh;
    const double kappa = SHIFT_KAPPA * body->material.mu;
    if (!body->mixed || mesh->order == 1 || body->material.kappa <= kappa) return QN_OK;
    QN_TRY(qn_allocate(body->freedom_count, sizeof *problem->pressure_shift, (void **)&problem->pressure_shift));
    for (size_t element = 0; element < mesh->element_count; element++) {
        double volume = 0;
        for (int q = 0; q < body->point_count; q++)
            volume += body->weights[element * (size_t)body->point_count + (size_t)q];
        for (size_t corner = 0; corner < 4; corner++) {
            const uint32_t node = mesh->elements[element * (size_t)body->element_nodes + corner];
            problem->pressure_shift[body->pattern.first_freedom[node] + 3] += volume / (4 * kappa);
        }
    }
    return QN_OK;
}

void qn_problem_shift_pressures(const qn_problem *problem, double *values)
{
    const qn_block_pattern *pattern = &problem->body->pattern;
    if (!problem->pressure_shift) return;
    for (size_t i = 0; i < pattern->node_count; i++)
        if (pattern->size[i] == 4) /* the diagonal block is the last of its row */
            values[pattern->block_start[pattern->row_start[i + 1] - 1] + 15] -=
                problem->pressure_shift[pattern->first_freedom[i] + 3];
}

static qn_status fill(const uint32_t *fixed, size_t fixed_count, const uint32_t *held, size_t held_count,
                      qn_problem *problem)
{
    const qn_body *body = problem->body;
    QN_TRY(qn_allocate(body->freedom_count, sizeof *problem->is_free, (void **)&problem->is_free));
    QN_TRY(qn_allocate(body->freedom_count, sizeof *problem->is_held, (void **)&problem->is_held));
    QN_TRY(qn_allocate(held_count, sizeof *problem->held, (void **)&problem->held));
    memcpy(problem->held, held, held_count * sizeof *held);
    problem->held_count = held_count;
    for (size_t i = 0; i < body->freedom_count; i++) problem->is_free[i] = true;
    set_displacements(&body->pattern, fixed, fixed_count, false, problem->is_free);
    if (!problem->mean) {
        set_displacements(&body->pattern, held, held_count, false, problem->is_free);
        set_displacements(&body->pattern, held, held_count, true, problem->is_held);
    }
    /* A force on a face of an element of this size has the unit N = Pa m²; a pressure's residual is a volume, so the
     * factor is a modulus over a length. */
    problem->pressure_scale = body->material.mu / cbrt(body->volume / (double)body->mesh->element_count);
    QN_TRY(shift_pressures(problem));
    return qn_factor_plan_create(&body->pattern, problem->is_free, body->sign, &problem->plan);
}

qn_status qn_problem_create(const qn_body *body, const uint32_t *fixed, size_t fixed_count, const uint32_t *held,
                            size_t held_count, bool mean, qn_problem **problem)
{
    *problem = NULL;
    if (fixed_count == 0 || held_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu nodes are fixed and %zu held; expected at least one of each",
                       fixed_count, held_count);
    QN_TRY(qn_allocate(1, sizeof **problem, (void **)problem));
    (*problem)->body = body;
    (*problem)->mean = mean;
    const qn_status status = fill(fixed, fixed_count, held, held_count, *problem);
    if (status != QN_OK) qn_problem_destroy(problem);
    return status;
}

void qn_problem_destroy(qn_problem **problem)
{
    if (!*problem) return;
    qn_factor_plan_destroy(&(*problem)->plan);
    qn_release(&(*problem)->is_free);
    qn_release(&(*problem)->is_held);
    qn_release(&(*problem)->pressure_shift);
    qn_release(&(*problem)->held);
    qn_release(problem);
}

void qn_problem_held_column(const qn_problem *problem, const double *values, int axis, double *b)
{
    const qn_block_pattern *pattern = &problem->body->pattern;
    memset(b, 0, problem->body->freedom_count * sizeof *b);
    for (size_t i = 0; i < pattern->node_count; i++) {
        const uint32_t row = pattern->first_freedom[i];
        for (uint32_t k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            const uint32_t j = pattern->column[k], column = pattern->first_freedom[j];
            const double *block = values + pattern->block_start[k];
            const int rows = pattern->size[i], columns = pattern->size[j];
            if (problem->is_held[column + (unsigned)axis])
                for (int a = 0; a < rows; a++) b[row + (unsigned)a] += block[a * columns + axis];
            if (j != i && problem->is_held[row + (unsigned)axis])
                for (int a = 0; a < columns; a++) b[column + (unsigned)a] += block[axis * columns + a];
        }
    }
}
