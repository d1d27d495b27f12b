/* A problem: a body, nodes that are fixed, and nodes that a tool holds.
 *
 * The tool's place d (m) is its displacement from where it touched the body at rest. Held nodes have the displacement d
 * each; or, with `mean`, they are free and only the mean of their displacements is d. The reactions are the Lagrange
 * multipliers of these constraints: the residual at held nodes, or one multiplier for each axis of a mean. */
#ifndef QN_DEFORM_STATE_PROBLEM_H
#define QN_DEFORM_STATE_PROBLEM_H

#include "deform/factor/factor.h"

typedef struct qn_problem {
    const qn_body *body; /* stays the caller's, and outlives the problem */
    uint32_t *held;      /* ascending */
    size_t held_count;
    bool mean;
    bool *is_free;          /* freedom_count: neither fixed nor held */
    bool *is_held;          /* freedom_count: a displacement that is d; none with `mean` */
    double pressure_scale;  /* N/m³: makes residuals of pressures comparable with forces */
    double *pressure_shift; /* freedom_count: subtracted from K's diagonal before it is factored; NULL: nothing. In
                             * order 2 without compressibility the pressures have no block of their own, and a factor
                             * in any order needs one; Newton's method corrects for it, 1e-7 a step. */
    qn_factor_plan *plan;
} qn_problem;

/* Fixed and held nodes are indices, ascending; a node in both is an error of the caller. QN_INVALID_ARGUMENT (nothing
 * is fixed or held), QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_problem_create(const qn_body *body, const uint32_t *fixed, size_t fixed_count,
                                          const uint32_t *held, size_t held_count, bool mean, qn_problem **problem);
void qn_problem_destroy(qn_problem **problem);

/* Subtract the shift of pressures from the values of a tangent. */
void qn_problem_shift_pressures(const qn_problem *problem, double *values);

/* Product with the columns of the held freedoms: b = K_·c e_axis for all freedoms, where e_axis moves every held node
 * by 1 along the axis. values: of the tangent. Not for `mean`. */
void qn_problem_held_column(const qn_problem *problem, const double *values, int axis, double *b);

#endif
