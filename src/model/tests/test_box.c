/* Boxes: reduction keeps the lattice, nearest images agree with a brute-force search, broken boxes are refused. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "model/box.h"

static uint32_t state = 7;

static double uniform(void)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 * 2 - 1;
}

/* Distance of the nearest of (2·reach + 1)³ images in the unreduced lattice. */
static double brute_distance(const double v[9], const double d[3], int reach)
{
    double best = INFINITY;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++)
            for (int k = -reach; k <= reach; k++) {
                double sum = 0;
                for (int axis = 0; axis < 3; axis++) {
                    double x = d[axis] + i * v[axis] + j * v[3 + axis] + k * v[6 + axis];
                    sum += x * x;
                }
                if (sum < best) best = sum;
            }
    return sqrt(best);
}

/* Check that the displacement in the box is an image of the plain displacement and as short as the shortest image. */
static void compare(const double vectors[9], int reach, int count)
{
    qn_box box;
    if (!CHECK_OK(qn_box_from_vectors(vectors, &box))) return;
    const double origin[3] = {0.3, -0.2, 0.9};
    for (int n = 0; n < count; n++) {
        double fractions[3] = {uniform(), uniform(), uniform()}, to[3], plain[3], found[3];
        for (int axis = 0; axis < 3; axis++) {
            plain[axis] =
                fractions[0] * vectors[axis] + fractions[1] * vectors[3 + axis] + fractions[2] * vectors[6 + axis];
            to[axis] = origin[axis] + plain[axis];
        }
        qn_box_displacement(&box, origin, to, found);
        double length = sqrt(found[0] * found[0] + found[1] * found[1] + found[2] * found[2]);
        CHECK_NEAR(length, brute_distance(vectors, plain, reach), 1e-11);
        for (int k = 0; k < 3; k++) {
            double turns = 0;
            for (int axis = 0; axis < 3; axis++) turns += (plain[axis] - found[axis]) * box.inverse[axis][k];
            CHECK_NEAR(turns, nearbyint(turns), 1e-9);
        }
    }
}

static void nearest_images_agree_with_brute_force(void)
{
    const double boxes[][9] = {
        {3, 0, 0, 0, 4, 0, 0, 0, 5},
        {8.0017, 0, 0, 0, 8.0017, 0, 4.00085, 4.00085, 5.658057},      /* rhombic dodecahedron */
        {5, 0, 0, 5.0 / 3, 4.714045, 0, -5.0 / 3, 2.357023, 4.082483}, /* truncated octahedron */
        {4, 0, 0, 2, 3.4641016, 0, 0, 0, 7},                           /* hexagonal prism */
        {4, 0, 0, -1.9, 3, 0, 1.95, 1.45, 2.2},
        {10, 0, 0, 4.9, 4, 0, 4.9, 1.9, 3},
    };
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) compare(boxes[k], 2 + (k == 5), 400);
}

static void random_cells_are_searched_far_enough(void)
{
    for (int n = 0; n < 60; n++) {
        double v[9] = {2 + uniform(), 0, 0, 6 * uniform(), 2 + uniform(), 0, 6 * uniform(), 6 * uniform(),
                       2 + uniform()};
        compare(v, 12, 6);
    }
}

static void nearest_image_in_a_flat_skewed_cell_is_found_beyond_neighbours(void)
{
    const double v[9] = {10, 0, 0, 0, 10, 0, 3, 0, 0.4}; /* 3c − a = (−1, 0, 1.2) */
    compare(v, 16, 100);
}

static void reduction_keeps_lattice_and_volume(void)
{
    const double skewed[9] = {3, 0, 0, 7, 4, 0, -8, 9, 5};
    qn_box box;
    CHECK_OK(qn_box_from_vectors(skewed, &box));
    CHECK(box.shape == QN_BOX_TRICLINIC);
    CHECK_NEAR(box.volume_nm3, 60, 1e-12);
    /* b − 2a = (1, 4, 0); c − 2b = (−22, 1, 5), + 7a = (−1, 1, 5) */
    const double expected[9] = {3, 0, 0, 1, 4, 0, -1, 1, 5};
    for (int k = 0; k < 9; k++) CHECK_NEAR(box.vectors_nm[k / 3][k % 3], expected[k], 1e-12);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += box.vectors_nm[row][k] * box.inverse[k][column];
            CHECK_NEAR(sum, row == column, 1e-12);
        }
}

static void inscribed_sphere_touches_the_nearest_faces(void)
{
    qn_box box;
    CHECK_OK(qn_box_from_vectors((const double[9]){3, 0, 0, 0, 4, 0, 0, 0, 2}, &box));
    CHECK_NEAR(box.inscribed_radius_nm, 1, 1e-12);
    CHECK(box.shape == QN_BOX_ORTHORHOMBIC);
    /* Hexagonal, edge 4: faces are 4 sin 60° apart. */
    CHECK_OK(qn_box_from_vectors((const double[9]){4, 0, 0, 2, 2 * sqrt(3), 0, 0, 0, 9}, &box));
    CHECK_NEAR(box.inscribed_radius_nm, sqrt(3), 1e-12);
}

/* Turned by 0.3 about z and then by 0.5 about x: lengths, angles and fractional coordinates stay. */
static void cells_in_any_orientation_are_turned(void)
{
    const double triangular[9] = {3, 0, 0, 0.7, 4, 0, -1.1, 0.9, 5};
    const double z[3][3] = {{cos(0.3), -sin(0.3), 0}, {sin(0.3), cos(0.3), 0}, {0, 0, 1}};
    const double x[3][3] = {{1, 0, 0}, {0, cos(0.5), -sin(0.5)}, {0, sin(0.5), cos(0.5)}};
    double vectors[9], given[9], rotation[3][3];
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 3; i++) {
            vectors[3 * row + i] = 0;
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) vectors[3 * row + i] += x[i][j] * z[j][k] * triangular[3 * row + k];
        }
    memcpy(given, vectors, sizeof given);
    if (!CHECK(qn_box_turn(vectors, rotation))) return;
    for (int k = 0; k < 9; k++) CHECK_NEAR(vectors[k], triangular[k], 1e-14);
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 3; i++) {
            double turned = 0;
            for (int k = 0; k < 3; k++) turned += rotation[i][k] * given[3 * row + k];
            CHECK_NEAR(turned, triangular[3 * row + i], 1e-14);
        }
    /* cells that need no rotation, that are left-handed, and no cell */
    double others[4][9] = {
        {3, 0, 0, 0.7, 4, 0, -1.1, 0.9, 5}, {0, 2, 0, 0, 0, 3, 4, 0, 0}, {3, 1, 1, 1, 1, 4, 1, 4, 1}, {0}};
    for (int k = 0; k < 4; k++) CHECK(!qn_box_turn(others[k], rotation));
}

static void vectors_in_another_order_are_accepted(void)
{
    qn_box box;
    /* a along y, b along z, c along x; then b and c swapped, with negative axes */
    CHECK_OK(qn_box_from_vectors((const double[9]){0, 2, 0, 0, 0, 3, 4, 0, 0}, &box));
    CHECK_NEAR(box.vectors_nm[0][0], 4, 0);
    CHECK_NEAR(box.vectors_nm[1][1], 2, 0);
    CHECK_NEAR(box.vectors_nm[2][2], 3, 0);
    CHECK_OK(qn_box_from_vectors((const double[9]){-2, 0, 0, 0, -3, 0, 0, 0, 4}, &box));
    CHECK(box.shape == QN_BOX_ORTHORHOMBIC);
    CHECK_NEAR(box.volume_nm3, 24, 1e-12);
}

static void without_a_box_displacements_are_plain(void)
{
    qn_box box;
    const double zero[9] = {0}, from[3] = {1, 2, 3}, to[3] = {100, -50, 3};
    double d[3];
    CHECK_OK(qn_box_from_vectors(zero, &box));
    CHECK(box.shape == QN_BOX_NONE && box.volume_nm3 == 0);
    qn_box_displacement(&box, from, to, d);
    CHECK(d[0] == 99 && d[1] == -52 && d[2] == 0);
}

static void broken_boxes_are_refused(void)
{
    qn_box box;
    CHECK_FAILS(qn_box_from_vectors((const double[9]){3, 0, 0, 0, 4, 0, 0, 0, 0}, &box), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("no volume");
    CHECK_FAILS(qn_box_from_vectors((const double[9]){3, 0, 0, 0, NAN, 0, 0, 0, 4}, &box), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("finite");
    CHECK_FAILS(qn_box_from_vectors((const double[9]){0, 3, 0, 4, 0, 0, 0, 0, 5}, &box), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("left-handed");
    CHECK_FAILS(qn_box_from_vectors((const double[9]){3, 3, 0, -3, 3, 0, 0, 0, 5}, &box), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("along x");
    CHECK_FAILS(qn_box_from_vectors((const double[9]){1e6, 0, 0, 0, 1e6, 0, 0, 0, 1}, &box), QN_BAD_FORMAT);
}

static void far_and_non_finite_positions_do_not_hang(void)
{
    qn_box box;
    double d[3];
    CHECK_OK(qn_box_from_vectors((const double[9]){4, 0, 0, -1.9, 3, 0, 1.95, 1.45, 2.2}, &box));
    qn_box_displacement(&box, (const double[3]){0, 0, 0}, (const double[3]){3e38, -3e38, 1e30}, d);
    qn_box_displacement(&box, (const double[3]){0, 0, 0}, (const double[3]){NAN, 1, 1}, d);
    CHECK(isnan(d[0]));
    qn_box_displacement(&box, (const double[3]){0, 0, 0}, (const double[3]){1, INFINITY, 1}, d);
    CHECK(!isfinite(d[1]));
}

static void angles_become_vectors(void)
{
    double v[9];
    const double right[3] = {90, 90, 90}, dodecahedron[3] = {60, 60, 90}, edges[3] = {8, 8, 8};
    CHECK_OK(qn_box_from_angles((const double[3]){2, 3, 4}, right, v));
    const double straight[9] = {2, 0, 0, 0, 3, 0, 0, 0, 4};
    CHECK(memcmp(v, straight, sizeof v) == 0);
    CHECK_OK(qn_box_from_angles(edges, dodecahedron, v));
    const double expected[9] = {8, 0, 0, 0, 8, 0, 4, 4, 8 / sqrt(2)};
    for (int k = 0; k < 9; k++) CHECK_NEAR(v[k], expected[k], 1e-12);

    /* the vectors of a general cell have its angles and lengths */
    const double lengths[3] = {3, 4, 5}, angles[3] = {70, 80, 100};
    CHECK_OK(qn_box_from_angles(lengths, angles, v));
    for (int k = 0; k < 3; k++) {
        const double *p = v + 3 * ((k + 1) % 3), *q = v + 3 * ((k + 2) % 3), *own = v + 3 * k;
        double dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        double pp = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), qq = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        CHECK_NEAR(acos(dot / pp / qq) * 180 / acos(-1), angles[k], 1e-10);
        CHECK_NEAR(sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]), lengths[k], 1e-12);
    }
}

static void impossible_angles_are_refused(void)
{
    double v[9];
    const double edges[3] = {1, 1, 1};
    CHECK_FAILS(qn_box_from_angles(edges, (const double[3]){90, 90, 180}, v), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("gamma");
    CHECK_FAILS(qn_box_from_angles(edges, (const double[3]){30, 30, 90}, v), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("form no cell");
    CHECK_FAILS(qn_box_from_angles((const double[3]){1, -1, 1}, (const double[3]){90, 90, 90}, v), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("edge b");
    CHECK_OK(qn_box_from_angles((const double[3]){0, 0, 0}, (const double[3]){0, 0, 0}, v));
    CHECK(v[0] == 0 && v[8] == 0);
}

int main(void)
{
    RUN(nearest_images_agree_with_brute_force);
    RUN(random_cells_are_searched_far_enough);
    RUN(nearest_image_in_a_flat_skewed_cell_is_found_beyond_neighbours);
    RUN(reduction_keeps_lattice_and_volume);
    RUN(inscribed_sphere_touches_the_nearest_faces);
    RUN(cells_in_any_orientation_are_turned);
    RUN(vectors_in_another_order_are_accepted);
    RUN(without_a_box_displacements_are_plain);
    RUN(broken_boxes_are_refused);
    RUN(far_and_non_finite_positions_do_not_hang);
    RUN(angles_become_vectors);
    RUN(impossible_angles_are_refused);
    return check_finish();
}
