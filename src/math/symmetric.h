/* Eigenvalues and eigenvectors of small symmetric matrices. */
#ifndef QN_MATH_SYMMETRIC_H
#define QN_MATH_SYMMETRIC_H

enum { QN_SYMMETRIC_MAX = 64 };

/* `matrix` is size × size, size at most QN_SYMMETRIC_MAX. The values ascend; vectors[k · size …] is a unit eigenvector
 * of values[k]. Cyclic Jacobi: the vectors are orthonormal even where an eigenvalue is multiple. */
void qn_symmetric_eigen(const double *matrix, int size, double *values, double *vectors);

#endif
