/* Sparse symmetric factors: K = P L D Lᵀ Pᵀ without pivoting, which exists in any order for a quasi-definite matrix
 * (Vanderbei 1995): pivots of displacements are positive, those of pressures negative.
 *
 * A plan is made once for a pattern and a set of free freedoms (METIS's nested dissection, elimination tree, blocks,
 * schedule); every state's factor uses it. */
#ifndef QN_DEFORM_FACTOR_FACTOR_H
#define QN_DEFORM_FACTOR_FACTOR_H

#include "base/thread_pool.h"
#include "deform/body/body.h"

typedef struct qn_factor_plan qn_factor_plan;

/* `free_freedoms`: whether each freedom is unknown; the others are left out (their rows and columns do not exist).
 * Errors: QN_OUT_OF_MEMORY, QN_INVALID_ARGUMENT (no freedom is free). */
QN_MUST_CHECK qn_status qn_factor_plan_create(const qn_block_pattern *pattern, const bool *free_freedoms,
                                              const signed char *sign, qn_factor_plan **plan);
void qn_factor_plan_destroy(qn_factor_plan **plan);

/* Facts of a plan: free freedoms, stored values of L with the diagonal, multiply-adds of a factor. */
typedef struct qn_factor_facts {
    size_t freedom_count, value_count;
    double multiply_adds;
} qn_factor_facts;
qn_factor_facts qn_factor_plan_facts(const qn_factor_plan *plan);

/* A factor in double precision on the host. `values` as qn_body_tangent gives them. A pivot that is zero, not finite or
 * of the wrong sign ends the work: QN_OK, and `wrong_freedom` is its freedom (SIZE_MAX: none). */
typedef struct qn_factor qn_factor;
QN_MUST_CHECK qn_status qn_factor_create(const qn_factor_plan *plan, qn_factor **factor);
/* Let the threads of a pool share the work of later factors, which keep their bits. NULL: the calling thread alone. The
 * pool stays the caller's, and outlives the factor. */
QN_MUST_CHECK qn_status qn_factor_use_pool(qn_factor *factor, qn_pool *pool);
/* Keep pivots of the wrong sign in later factors, of matrices that need not be quasi-definite; only zeros and what is
 * not finite end the work then. Such a factor exists for almost every matrix, but may be inexact where a pivot is
 * small. */
void qn_factor_keep_wrong(qn_factor *factor, bool keeps);
/* Negative pivots of the last factor less those that were expected: with Sylvester's law, eigenvalues. */
int64_t qn_factor_excess(const qn_factor *factor);
QN_MUST_CHECK qn_status qn_factor_compute(qn_factor *factor, const double *values, size_t *wrong_freedom);

/* Solve K x = b for `count` right sides, b and x [side][freedom_count of the body]; entries of freedoms that are not
 * free are read as 0 and written as 0. In place where b == x. One
 * call at a time for a factor. */
void qn_factor_solve(qn_factor *factor, const double *b, int count, double *x);
void qn_factor_destroy(qn_factor **factor);

#endif
