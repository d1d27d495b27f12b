/* Point groups of particles in RELION's orientations: C1 …, D2 …, T, O, I1 … I4 (I = I2). */
#ifndef QN_MATH_SYMMETRY_GROUP_H
#define QN_MATH_SYMMETRY_GROUP_H

#include <quern/status.h>

enum { QN_SYMMETRY_OPERATORS_MAX = 1024 };

/* Get the rotation matrices (row-major) of all operators, the identity first: n, 2n, 12, 24 or 60 of them. `name` may
 * be in upper or lower case. The caller releases *operators with qn_release. QN_INVALID_ARGUMENT for an unknown
 * name. */
QN_MUST_CHECK qn_status qn_symmetry_group(const char *name, double (**operators)[9], int *count);

#endif
