/* Compare directions of view with the meaning of their angles. */
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

/* Without a tilt rot and psi add up, and a point on the volume's y axis is seen at the sine of the sum along x. */
static void rot_and_psi_add_up_without_tilt(void)
{
    double matrix[9];
    qn_view_matrix(20, 0, 10, matrix);
    check_row(matrix, sqrt(0.75), 0.5, 0);
    check_row(matrix + 3, -0.5, sqrt(0.75), 0);
}

/* The angles of a matrix reproduce the matrix, also if rot and psi turn about the same or nearly the same axis. */
static void angles_of_a_matrix_reproduce_it(void)
{
    static const double tilts[] = {0, 1e-9, 1e-4, 31, 90, 179.9999, 180, -40};
    for (size_t i = 0; i < sizeof tilts / sizeof *tilts; i++)
        for (int turn = -2; turn < 3; turn++) {
            double matrix[9], again[9], rot, tilt, psi;
            qn_view_matrix(80.0 * turn + 3, tilts[i], 55 - 70.0 * turn, matrix);
            qn_view_angles(matrix, &rot, &tilt, &psi);
            qn_view_matrix(rot, tilt, psi, again);
            for (int k = 0; k < 9; k++) CHECK_NEAR(again[k], matrix[k], 1e-12);
        }
}

int main(void)
{
    RUN(angles_of_a_matrix_reproduce_it);
    RUN(third_row_is_the_direction);
    RUN(rot_and_psi_add_up_without_tilt);
    return check_finish();
}
