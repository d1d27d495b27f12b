#include "cryoem/view.h"

#include <math.h>

#include "math/rotation.h"

static const double degree = 3.14159265358979323846 / 180;

static void passive_about_z(double angle_degrees, double matrix[9])
{
    const double c = cos(angle_degrees * degree), s = sin(angle_degrees * degree);
    const double rows[9] = {c, s, 0, -s, c, 0, 0, 0, 1};
    for (int i = 0; i < 9; i++) matrix[i] = rows[i];
}

void qn_view_matrix(double rot_degrees, double tilt_degrees, double psi_degrees, double matrix[9])
{
    const double c = cos(tilt_degrees * degree), s = sin(tilt_degrees * degree);
    const double about_y[9] = {c, 0, -s, 0, 1, 0, s, 0, c};
    double about_z[9], turned[9];
    passive_about_z(rot_degrees, about_z);
    qn_rotation_multiply(about_y, about_z, turned);
    passive_about_z(psi_degrees, about_z);
    qn_rotation_multiply(about_z, turned, matrix);
}

/* The last row of A is (sin tilt cos rot, sin tilt sin rot, cos tilt), which gives rot and tilt. Then A · Rz(rot)ᵀ =
 * Rz(psi) Ry(tilt), whose middle column (sin psi, cos psi, 0) gives psi for every tilt. */
void qn_view_angles(const double matrix[9], double *rot_degrees, double *tilt_degrees, double *psi_degrees)
{
    const double rot = atan2(matrix[7], matrix[6]), c = cos(rot), s = sin(rot);
    *rot_degrees = rot / degree;
    *tilt_degrees = atan2(hypot(matrix[6], matrix[7]), matrix[8]) / degree;
    *psi_degrees = atan2(c * matrix[1] - s * matrix[0], c * matrix[4] - s * matrix[3]) / degree;
}
