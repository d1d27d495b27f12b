/* Optimal superposition of matched points, and RMSD. */
#ifndef QN_MATH_SUPERPOSE_H
#define QN_MATH_SUPERPOSE_H

#include <quern/status.h>
#include <stddef.h>

/* Least-squares rigid motion x' = R·x + t of `mobile` onto `reference` (count × 3 doubles, Å each) by Horn's quaternion
 * method; R row-major, det(R) = +1. *rmsd_angstrom (may be NULL) is the RMSD after the motion. QN_INVALID_ARGUMENT for
 * fewer than 3 points. */
QN_MUST_CHECK qn_status qn_superpose(const double *mobile, const double *reference, size_t count, double rotation[9],
                                     double translation_angstrom[3], double *rmsd_angstrom);

/* The motion that minimises S = Σ w |R·x + t − y|², and √(S / Σ w), in the unit of the points. `weights` (count) NULL:
 * all equal. QN_INVALID_ARGUMENT also for weights whose sum is 0. */
QN_MUST_CHECK qn_status qn_superpose_weighted(const double *mobile, const double *reference, const double *weights,
                                              size_t count, double rotation[9], double translation[3], double *rmsd);

/* The rotation R, det +1, with the largest Σ w (R·x)·y, from the correlation s[3 a + b] = Σ w x_a y_b of points x and y
 * about their means: the R of qn_superpose_weighted, in a tenth of the time. If several rotations are equally good, as
 * for collinear points, it is one of them. For numbers that are not finite, R is the identity. */
void qn_superpose_correlation(const double s[9], double rotation[9]);

/* Root mean square distance without superposition; 0 for no points. */
double qn_rmsd(const double *a, const double *b, size_t count);

#endif
