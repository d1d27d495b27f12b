/* Rigid-body minimisation without derivatives, for energies that are rough, flat in places or undefined in others. */
#ifndef QN_DOCK_REFINE_H
#define QN_DOCK_REFINE_H

#include <quern/status.h>

/* Energy of the pose x' = R·x + t, `matrix` row-major. A value that is not finite marks a forbidden pose. */
typedef double (*qn_dock_refine_energy)(const double matrix[9], const double translation[3], void *user);

enum { QN_DOCK_REFINE_EVALUATIONS = 600 }; /* most calls of the energy */

/* Lower `energy` by moving the body from the pose `matrix`, `translation` (in and out): a turn about where the pose
 * puts the point `pivot_angstrom` (input coordinates; the ligand's centre), at most `most_turn_degrees` (0 … 180) in
 * all, and a shift of that point by at most `most_shift_angstrom`. A limit of 0 forbids that kind of move.
 *
 * Rosenbrock's search: steps along six orthogonal directions, which turn towards the progress made, halved when none
 * helps, until shorter than 0.01 Å and 0.05°; then again from the best pose with long steps along other directions,
 * until two such starts in a row found nothing lower or the evaluations are used up. The same input gives the same
 * bits. The energy never rises: when nothing is lower, the pose comes back as it was. `matrix` must be a rotation
 * within 1e-6; one that is off by more than 1e-13 is made orthonormal before anything else, and what comes back is
 * orthonormal within 1e-12.
 *
 * QN_INVALID_ARGUMENT when a limit or the matrix is not as said, or the energy of the start is not finite; `matrix` and
 * `translation` are then as they were. */
QN_MUST_CHECK qn_status qn_dock_refine(qn_dock_refine_energy energy, void *user, const double pivot_angstrom[3],
                                       double most_shift_angstrom, double most_turn_degrees, double matrix[9],
                                       double translation[3], double *refined_energy);

#endif
