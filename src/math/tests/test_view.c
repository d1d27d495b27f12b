/* Views of points: directions, and the numbers that PyMOL and ChimeraX get, read back as these programs read them. */
#include "check.h"
#include "math/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 40 };

static double points[3 * POINTS];

/* An ellipsoid of points, half axes 9, 5 and 2 along the axes of `frame`, about `centre`. */
static void make_points(const double frame[3][3], const double centre[3])
{
    static const double halves[3] = {9, 5, 2};
    for (int i = 0; i < POINTS; i++) {
        const double z = 1 - (2 * i + 1.0) / POINTS, turn = 2.399963 * i, r = sqrt(1 - z * z);
        const double unit[3] = {r * cos(turn), r * sin(turn), z};
        for (int axis = 0; axis < 3; axis++) {
            points[3 * i + axis] = centre[axis];
            for (int k = 0; k < 3; k++) points[3 * i + axis] += halves[k] * unit[k] * frame[k][axis];
        }
    }
}

static double product(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void check_right_handed(const qn_view *view)
{
    const double(*a)[3] = view->axes;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) CHECK_NEAR(product(a[i], a[j]), i == j, 1e-12);
    const double third[3] = {a[0][1] * a[1][2] - a[0][2] * a[1][1], a[0][2] * a[1][0] - a[0][0] * a[1][2],
                             a[0][0] * a[1][1] - a[0][1] * a[1][0]};
    CHECK_NEAR(product(third, a[2]), 1, 1e-12);
}

static void the_longest_extent_lies_flat(void)
{
    static const double frame[3][3] = {{0.6, 0, 0.8}, {0, 1, 0}, {-0.8, 0, 0.6}}, centre[3] = {10, -20, 30};
    const double *const directions[3] = {frame[0], frame[1], frame[2]};
    static const int flat[3] = {1, 0, 0}; /* seen along each axis, the longer of the two others */
    make_points(frame, centre);
    for (int k = 0; k < 3; k++) {
        qn_view view;
        double far[3];
        for (int axis = 0; axis < 3; axis++) far[axis] = 7 * directions[k][axis];
        qn_view_from(points, POINTS, far, &view);
        check_right_handed(&view);
        CHECK_NEAR(product(view.axes[2], directions[k]), 1, 1e-12);
        CHECK_NEAR(fabs(product(view.axes[0], directions[flat[k]])), 1, 0.01); /* the points are not quite even */
        CHECK_NEAR(view.radius, 9, 0.3);
        for (int axis = 0; axis < 3; axis++) CHECK_NEAR(view.centre[axis], centre[axis], 0.2);
    }
}

static void a_direction_without_length_is_z(void)
{
    static const double nowhere[3] = {0}, one[3] = {1, 2, 3};
    qn_view view;
    qn_view_from(one, 1, nowhere, &view);
    check_right_handed(&view);
    CHECK(view.axes[2][2] == 1 && view.radius == 0);
    qn_view_from(one, 0, nowhere, &view);
    check_right_handed(&view);
}

/* Where a program that was given the line has a place: to the right, up, and towards the viewer from the camera. */
static void seen_by_pymol(const char *line, const double place[3], double seen[3])
{
    double v[18];
    int used = 0, taken = 0;
    CHECK(sscanf(line, "set_view (%n", &used) == 0 && used > 0);
    for (int i = 0; i < 18; i++, used += taken)
        CHECK(sscanf(line + used, i < 17 ? "%lf, %n" : "%lf)%n", &v[i], &taken) == 1);
    CHECK_TEXT(line + used, "\n");
    for (int row = 0; row < 3; row++) {
        seen[row] = v[9 + row];
        for (int column = 0; column < 3; column++) seen[row] += v[3 * column + row] * (place[column] - v[12 + column]);
    }
    CHECK(v[15] > 0 && v[16] > v[15]);
    CHECK(-seen[2] > v[15] && -seen[2] < v[16]); /* between the planes that cut */
}

static void seen_by_chimerax(const char *line, const double place[3], double seen[3])
{
    double m[12];
    int used = 0, taken = 0;
    CHECK(sscanf(line, "view matrix camera %n", &used) == 0 && used > 0);
    for (int i = 0; i < 12; i++, used += taken)
        CHECK(sscanf(line + used, i < 11 ? "%lf,%n" : "%lf%n", &m[i], &taken) == 1);
    CHECK_TEXT(line + used, "\n");
    for (int column = 0; column < 3; column++) {
        seen[column] = 0;
        for (int row = 0; row < 3; row++) seen[column] += m[4 * row + column] * (place[row] - m[4 * row + 3]);
    }
}

static void both_programs_see_the_same(void)
{
    static const double frame[3][3] = {{0.6, 0, 0.8}, {0, 1, 0}, {-0.8, 0, 0.6}}, centre[3] = {10, -20, 30};
    static const double towards[3] = {0.2, -0.5, 0.7};
    qn_view view;
    make_points(frame, centre);
    qn_view_from(points, POINTS, towards, &view);
    qn_text pymol = {0}, chimerax = {0};
    CHECK_OK(qn_view_append_pymol(&view, &pymol));
    CHECK_OK(qn_view_append_chimerax(&view, &chimerax));
    for (int i = 0; i < POINTS; i++) {
        double shift[3], a[3], b[3];
        for (int axis = 0; axis < 3; axis++) shift[axis] = points[3 * i + axis] - view.centre[axis];
        seen_by_pymol(pymol.data, points + 3 * i, a);
        seen_by_chimerax(chimerax.data, points + 3 * i, b);
        for (int axis = 0; axis < 3; axis++) {
            const double away = axis == 2 ? 6 * view.radius : 0;                /* of the centre from the camera */
            CHECK_NEAR(a[axis], product(shift, view.axes[axis]) - away, 0.002); /* of numbers with three decimals */
            CHECK_NEAR(b[axis], a[axis], 0.004);
        }
    }
    qn_text_clear(&pymol);
    qn_text_clear(&chimerax);
}

int main(void)
{
    RUN(the_longest_extent_lies_flat);
    RUN(a_direction_without_length_is_z);
    RUN(both_programs_see_the_same);
    return check_finish();
}
