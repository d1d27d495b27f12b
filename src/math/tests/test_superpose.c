/* Superposition: known motions are found, degenerate sets give proper rotations, and no nearby rotation is better. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "math/superpose.h"

static uint32_t state = 1;

static double uniform(void)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 * 2 - 1;
}

/* Rodrigues' formula; `axis` need not be a unit vector. */
static void axis_rotation(const double axis[3], double angle, double r[9])
{
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length, c = cos(angle), s = sin(angle), d = 1 - c;
    const double m[9] = {c + x * x * d,     x * y * d - z * s, x * z * d + y * s, y * x * d + z * s, c + y * y * d,
                         y * z * d - x * s, z * x * d - y * s, z * y * d + x * s, c + z * z * d};
    memcpy(r, m, sizeof m);
}

static void move(const double *points, size_t count, const double r[9], const double t[3], double *moved)
{
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++)
            moved[3 * i + a] =
                r[3 * a] * points[3 * i] + r[3 * a + 1] * points[3 * i + 1] + r[3 * a + 2] * points[3 * i + 2] + t[a];
}

static double determinant(const double r[9])
{
    return r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
}

static void check_proper(const double r[9])
{
    CHECK_NEAR(determinant(r), 1, 1e-12);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            CHECK_NEAR(r[3 * a] * r[3 * b] + r[3 * a + 1] * r[3 * b + 1] + r[3 * a + 2] * r[3 * b + 2], a == b, 1e-12);
}

static void known_motions_are_recovered(void)
{
    double points[150], moved[150], r[9], found[9], t[3], shift[3], rmsd;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 150; i++) points[i] = 30 * uniform();
        const double axis[3] = {uniform(), uniform(), uniform() + 1.1};
        axis_rotation(axis, round == 0 ? 0 : round == 1 ? acos(-1) : 3.14 * uniform(), r);
        for (int a = 0; a < 3; a++) t[a] = 1000 * uniform();
        move(points, 50, r, t, moved);
        CHECK_OK(qn_superpose(points, moved, 50, found, shift, &rmsd));
        for (int i = 0; i < 9; i++) CHECK_NEAR(found[i], r[i], 1e-9);
        for (int a = 0; a < 3; a++) CHECK_NEAR(shift[a], t[a], 1e-7);
        CHECK_NEAR(rmsd, 0, 1e-9);
        check_proper(found);
    }
}

/* The optimum for random points is unknown, but no rotation near the result and no random one may be better. */
static void no_other_rotation_is_better(void)
{
    double a[60], b[60], moved[60], r[9], t[3], rmsd, turned[9], product[9];
    for (int i = 0; i < 60; i++) a[i] = 5 * uniform(), b[i] = 5 * uniform();
    for (int axis = 0; axis < 3; axis++) { /* both means become 0, so that rotations alone can be compared */
        double mean_a = 0, mean_b = 0;
        for (int i = 0; i < 20; i++) mean_a += a[3 * i + axis] / 20, mean_b += b[3 * i + axis] / 20;
        for (int i = 0; i < 20; i++) a[3 * i + axis] -= mean_a, b[3 * i + axis] -= mean_b;
    }
    CHECK_OK(qn_superpose(a, b, 20, r, t, &rmsd));
    move(a, 20, r, t, moved);
    CHECK_NEAR(qn_rmsd(moved, b, 20), rmsd, 1e-12);
    for (int trial = 0; trial < 3000; trial++) {
        const double axis[3] = {uniform(), uniform(), uniform() + 1e-3}, none[3] = {0};
        axis_rotation(axis, trial < 1500 ? 0.02 : 3.14 * uniform(), turned);
        memset(product, 0, sizeof product);
        for (int i = 0; i < 9; i++)
            for (int k = 0; k < 3; k++) product[i] += turned[i / 3 * 3 + k] * r[3 * k + i % 3];
        move(a, 20, product, none, moved);
        CHECK(qn_rmsd(moved, b, 20) >= rmsd - 1e-12);
    }
}

/* A mirror image has a perfect improper fit, which must not be used. The points are a tetrahedron without symmetry. */
static void reflections_are_not_used(void)
{
    const double points[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
    double mirrored[12], r[9], t[3], rmsd;
    for (int i = 0; i < 12; i++) mirrored[i] = i % 3 == 0 ? -points[i] : points[i];
    CHECK_OK(qn_superpose(points, mirrored, 4, r, t, &rmsd));
    check_proper(r);
    CHECK(rmsd > 0.3);
}

static void degenerate_sets_give_proper_rotations(void)
{
    const double axis[3] = {1, 2, -3}, t[3] = {4, -5, 6};
    double points[30], moved[30], r[9], found[9], shift[3], rmsd;
    axis_rotation(axis, 2.5, r);
    for (int kind = 0; kind < 4; kind++) { /* planar, collinear, coincident, coincident at the origin */
        for (int i = 0; i < 30; i++) {
            const double collinear = (i / 3) * (i % 3 + 1), coincident = kind == 3 ? 0 : i % 3 + 7;
            points[i] = kind == 0 ? (i % 3 == 2 ? 8 : 9 * uniform()) : kind == 1 ? collinear : coincident;
        }
        move(points, 10, r, t, moved);
        CHECK_OK(qn_superpose(points, moved, 10, found, shift, &rmsd));
        check_proper(found);
        CHECK_NEAR(rmsd, 0, 1e-9);
    }
    CHECK_OK(qn_superpose(points, moved, 10, found, shift, NULL));
}

/* Collinear points against their reverse about the middle: a half turn fits exactly, although the motion looks like a
 * mirror. */
static void a_reversed_line_is_fitted_by_a_half_turn(void)
{
    const double line[9] = {-1, 0, 0, 0, 0, 0, 1, 0, 0}, reverse[9] = {1, 0, 0, 0, 0, 0, -1, 0, 0};
    double r[9], t[3], rmsd;
    CHECK_OK(qn_superpose(line, reverse, 3, r, t, &rmsd));
    check_proper(r);
    CHECK_NEAR(rmsd, 0, 1e-12);
}

static void bad_arguments_are_refused(void)
{
    double points[9] = {0, 1, 2, 3, 4, 5, 6, 7, 9}, r[9], t[3];
    CHECK_FAILS(qn_superpose(points, points, 2, r, t, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("2 points");
    points[4] = NAN;
    CHECK_FAILS(qn_superpose(points, points, 3, r, t, NULL), QN_INVALID_ARGUMENT);
}

static void rmsd_without_superposition(void)
{
    const double a[6] = {0, 0, 0, 1, 1, 1}, b[6] = {3, 0, 0, 1, 5, 1};
    CHECK_NEAR(qn_rmsd(a, b, 2), sqrt((9.0 + 16.0) / 2), 1e-15);
    CHECK(qn_rmsd(a, b, 0) == 0);
}

/* A weight of 2 is equivalent to a duplicated point, and a weight of 0 to a missing point. */
static void weights_act_like_repeated_points(void)
{
    double points[21], moved[21], twice[21], moved_twice[21], weights[6] = {1, 2, 1, 1, 1, 0};
    double r[9], t[3], rmsd, expected_r[9], expected_t[3], expected_rmsd;
    for (int i = 0; i < 18; i++) {
        points[i] = uniform();
        moved[i] = uniform();
    }
    for (int i = 0; i < 18; i++) {
        int from = i < 15 ? i : 3 + i % 3;
        twice[i] = points[from];
        moved_twice[i] = moved[from];
    }
    CHECK_OK(qn_superpose_weighted(points, moved, weights, 6, r, t, &rmsd));
    CHECK_OK(qn_superpose(twice, moved_twice, 6, expected_r, expected_t, &expected_rmsd));
    CHECK_NEAR(rmsd, expected_rmsd, 1e-13);
    for (int i = 0; i < 9; i++) CHECK_NEAR(r[i], expected_r[i], 1e-10);
    for (int i = 0; i < 3; i++) CHECK_NEAR(t[i], expected_t[i], 1e-10);
    const double nothing[6] = {0};
    CHECK_FAILS(qn_superpose_weighted(points, moved, nothing, 6, r, t, &rmsd), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("whose weights sum to 0");
}

/* s[3 a + b] = Σ x_a y_b of points about their means. */
static void correlate_points(const double *x, const double *y, size_t count, double s[9])
{
    double means[2][3] = {{0}};
    for (size_t i = 0; i < 3 * count; i++) {
        means[0][i % 3] += x[i] / (double)count;
        means[1][i % 3] += y[i] / (double)count;
    }
    memset(s, 0, 9 * sizeof *s);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 9; k++)
            s[k] += (x[3 * i + (size_t)k / 3] - means[0][k / 3]) * (y[3 * i + (size_t)k % 3] - means[1][k % 3]);
}

/* Σ (R·x)·y */
static double overlap(const double s[9], const double r[9])
{
    double sum = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) sum += r[3 * b + a] * s[3 * a + b];
    return sum;
}

/* Points on a line with a thickness, so that the two best rotations come as close as the thickness squared; and flat,
 * mirrored, scaled ones. The rotation is as good as that of the eigenvectors to the last digits, and where it is well
 * determined it is the same. */
static void correlations_give_the_best_rotation(void)
{
    double x[60], y[60], s[9], wanted[9], found[9], t[3];
    const double axis[3] = {0.3, -1, 0.7};
    for (int round = 0; round < 400; round++) {
        const double thickness = pow(10, -(round % 20) / 2.0), noise = pow(10, -(round % 7) * 2.0);
        const double scale = round % 3 == 0 ? 1e-60 : round % 3 == 1 ? 1 : 1e60;
        for (int i = 0; i < 60; i++) x[i] = (i % 3 == 0 ? 1 : thickness) * uniform();
        axis_rotation(axis, 3 * uniform(), wanted);
        move(x, 20, wanted, (const double[3]){0}, y);
        for (int i = 0; i < 60; i++) y[i] = (round % 5 == 4 ? -1 : 1) * y[i] + noise * thickness * uniform();
        CHECK_OK(qn_superpose(x, y, 20, wanted, t, NULL));
        correlate_points(x, y, 20, s);
        const double best = overlap(s, wanted);
        for (int k = 0; k < 9; k++) s[k] *= scale;
        qn_superpose_correlation(s, found);
        check_proper(found);
        for (int k = 0; k < 9; k++) s[k] /= scale;
        CHECK_NEAR(overlap(s, found), best, 1e-14 * fabs(best));
        if (round % 5 != 4 && noise < 1e-3)
            for (int k = 0; k < 9; k++) CHECK_NEAR(found[k], wanted[k], 1e-14 / (thickness * thickness));
    }
}

static void degenerate_correlations_give_rotations(void)
{
    const double cases[][9] = {{0},
                               {1, 0, 0, 0, 0, 0, 0, 0, 0},
                               {-1, 0, 0, 0, -1, 0, 0, 0, -1},
                               {1, 0, 0, 0, 1, 0, 0, 0, -1},
                               {0, 0, 0, 0, 0, 0, 1e-300, 0, 0},
                               {NAN, 0, 0, 0, 1, 0, 0, 0, 1},
                               {INFINITY, 0, 0, 0, 1, 0, 0, 0, 1}};
    double r[9];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_superpose_correlation(cases[i], r);
        check_proper(r);
    }
    qn_superpose_correlation(cases[1], r);
    CHECK_NEAR(r[0], 1, 1e-14);
    qn_superpose_correlation(cases[2], r); /* a point reflection: at best one of three axes is turned back */
    CHECK_NEAR(overlap(cases[2], r), 1, 1e-14);
}

int main(void)
{
    RUN(known_motions_are_recovered);
    RUN(no_other_rotation_is_better);
    RUN(reflections_are_not_used);
    RUN(degenerate_sets_give_proper_rotations);
    RUN(a_reversed_line_is_fitted_by_a_half_turn);
    RUN(bad_arguments_are_refused);
    RUN(rmsd_without_superposition);
    RUN(weights_act_like_repeated_points);
    RUN(correlations_give_the_best_rotation);
    RUN(degenerate_correlations_give_rotations);
    return check_finish();
}
