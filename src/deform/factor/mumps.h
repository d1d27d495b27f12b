/* Factors by MUMPS (CeCILL-C), with pivoting, in double precision. They are for systems whose factor without pivoting
 * breaks down, and a second opinion for tests.
 *
 * MUMPS is called through a library of its own, libquern_mumps.so, which is searched for beside libquern or beside the
 * program; QUERN_MUMPS_LIBRARY names another file. Where it is absent, qn_mumps_create returns QN_NOT_FOUND, and
 * factor.h serves alone.
 *
 * Life cycle: create → (compute → solve …)… → destroy. Thread rule: any thread; calls of a process take turns. */
#ifndef QN_DEFORM_FACTOR_MUMPS_H
#define QN_DEFORM_FACTOR_MUMPS_H

#include "deform/factor/factor.h"

typedef struct qn_mumps qn_mumps;

/* The plan gives the free freedoms and the pattern; MUMPS orders them in its own way. The plan stays the caller's, and
 * outlives the factor. Errors: QN_NOT_FOUND with the reason; QN_OUT_OF_MEMORY; QN_INTERNAL with MUMPS's numbers. */
QN_MUST_CHECK qn_status qn_mumps_create(const qn_factor_plan *plan, qn_mumps **mumps);

/* Factor a matrix; `values` as qn_body_tangent gives them. *wrong_pivots: by how many the pivots' signs differ from the
 * plan's, positive or negative ones (0: as expected; SIZE_MAX: the matrix is singular, and there is no factor). */
QN_MUST_CHECK qn_status qn_mumps_compute(qn_mumps *mumps, const double *values, size_t *wrong_pivots);

/* As qn_factor_solve. */
QN_MUST_CHECK qn_status qn_mumps_solve(qn_mumps *mumps, const double *b, int count, double *x);
void qn_mumps_destroy(qn_mumps **mumps);

#endif
