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
