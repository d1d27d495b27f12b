/* Rigid-body minimisation without derivatives, for energies that are rough, and flat or undefined in some places. */
#ifndef QN_DOCK_REFINE_H
#define QN_DOCK_REFINE_H

#include <quern/status.h>

/* Energy of the pose x' = R·x + t, `matrix` row-major. A value that is not finite marks a forbidden pose. */
typedef double (*qn_dock_refine_energy)(const double matrix[9], const double translation[3], void *user);

enum { QN_DOCK_REFINE_EVALUATIONS = 600 }; /* largest number of calls of the energy */

/* Lower `energy` by moving the body from the pose `matrix`, `translation`, which become the refined pose. The point
 * `pivot_angstrom` (the ligand's centre, in input coordinates) is shifted by at most `most_shift_angstrom` from its
 * place in the first pose, and the body is turned about it by at most `most_turn_degrees` (0 … 180). A limit of 0
 * forbids that kind of move.
 *
 * Rosenbrock's search: steps along up to six orthogonal directions, which are turned towards the progress made. Steps
 * are halved when none lowers the energy, until they are shorter than 0.01 Å and 0.05°. Then the search starts again
 * from the best pose with long steps along other directions. It ends after two consecutive starts that found no lower
 * energy, after eight starts, or when the evaluations are used up.
 *
 * The same input gives the same bits. The energy never rises; if no lower energy is found, the pose is not moved.
 * `matrix` must be a rotation within 1e-6. A matrix that is off by more than 1e-13 is first made orthonormal. The
 * refined matrix is orthonormal within 1e-12.
 *
 * QN_INVALID_ARGUMENT if a limit or the matrix is out of range, or the energy of the first pose is not finite; `matrix`
 * and `translation` are then unchanged. */
QN_MUST_CHECK qn_status qn_dock_refine(qn_dock_refine_energy energy, void *user, const double pivot_angstrom[3],
                                       double most_shift_angstrom, double most_turn_degrees, double matrix[9],
                                       double translation[3], double *refined_energy);

#endif
