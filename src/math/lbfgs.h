/* Minimising a smooth function of many variables by L-BFGS (Nocedal 1980; Liu & Nocedal 1989), with the line search of
 * Lewis & Overton 2013, which ends at a point with the weak Wolfe conditions. */
#ifndef QN_MATH_LBFGS_H
#define QN_MATH_LBFGS_H

#include <quern/status.h>
#include <stdbool.h>

typedef struct qn_lbfgs_problem {
    int size;
    /* Compute *value and gradient[size] at x[size]. Its failure ends the search. */
    qn_status (*evaluate)(const double *x, double *value, double *gradient, void *user);
    /* vector := H vector, where H is symmetric positive definite and near the inverse of the second derivatives. NULL:
     * a multiple of the unit matrix, from the last step. */
    void (*precondition)(double *vector, void *user);
    void *user;
} qn_lbfgs_problem;

typedef struct qn_lbfgs_options {
    int history;      /* pairs of steps that are kept; 0: 8 */
    int iterations;   /* at most; 0: 100 */
    double tolerance; /* the search has converged when gᵀ H g / 2, the decrease to be expected, is not above this */
} qn_lbfgs_options;

typedef struct qn_lbfgs_facts {
    double value;
    int iterations, evaluations;
    bool converged;
} qn_lbfgs_facts;

/* Start at x and leave the best point there. A search that ends because no step lowers the value, within rounding, or
 * because of the number of iterations, is no failure: facts->converged is false. facts may be NULL.
 * Errors: those of `evaluate`; QN_INVALID_ARGUMENT if the value at the start is not finite. */
QN_MUST_CHECK qn_status qn_lbfgs_minimise(const qn_lbfgs_problem *problem, const qn_lbfgs_options *options, double *x,
                                          qn_lbfgs_facts *facts);

#endif
