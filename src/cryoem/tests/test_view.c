/* Directions of view against what the angles mean. */
#include "cryoem/view.h"

#include <math.h>

#include "check.h"
#include "math/rotation.h"

static void check_row(const double *row, double x, double y, double z)
{
    CHECK_NEAR(row[0], x, 1e-12);
    CHECK_NEAR(row[1], y, 1e-12);
    CHECK_NEAR(row[2], z, 1e-12);
}

/* The last row is the direction of view: rot is its longitude and tilt its angle from z. */
static void third_row_is_the_direction(void)
{
    double matrix[9];
    const double rot = 30, tilt = 50, degree = 3.14159265358979 / 180;
    qn_view_matrix(rot, tilt, 77, matrix);
    check_row(matrix + 6, sin(tilt * degree) * cos(rot * degree), sin(tilt * degree) * sin(rot * degree),
              cos(tilt * degree));
    CHECK(qn_rotation_error(matrix) < 1e-12);
}

/* Without a tilt rot and psi add up, and what lies along the volume's y is seen at the angle's sine along x. */
static void turns_in_the_plane_add_up(void)
{
    double matrix[9];
    qn_view_matrix(20, 0, 10, matrix);
    check_row(matrix, sqrt(0.75), 0.5, 0);
    check_row(matrix + 3, -0.5, sqrt(0.75), 0);
}

int main(void)
{
    RUN(third_row_is_the_direction);
    RUN(turns_in_the_plane_add_up);
    return check_finish();
}
