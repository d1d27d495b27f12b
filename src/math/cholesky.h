/* The Cholesky factorisation A = L Lᵀ of symmetric positive definite matrices, row by row, for sizes of some hundreds.
 */
#ifndef QN_MATH_CHOLESKY_H
#define QN_MATH_CHOLESKY_H

#include <quern/status.h>

/* Replace the lower triangle of `matrix` (size × size, rows) by L. The strictly upper triangle is neither read nor
 * changed. QN_INVALID_ARGUMENT if the matrix is not positive definite; it is spoilt then. */
QN_MUST_CHECK qn_status qn_cholesky_factor(double *matrix, int size);

/* vector := L⁻¹ vector. */
void qn_cholesky_solve_lower(const double *factor, int size, double *vector);

/* vector := L⁻ᵀ vector. */
void qn_cholesky_solve_upper(const double *factor, int size, double *vector);

/* vector := A⁻¹ vector. */
void qn_cholesky_solve(const double *factor, int size, double *vector);

#endif
