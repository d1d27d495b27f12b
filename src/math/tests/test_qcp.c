/* RMSD by the characteristic polynomial: the same as by superposition with its rotation, also where the largest
 * eigenvalue is multiple. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "math/qcp.h"
#include "math/random.h"
#include "math/superpose.h"

enum { MOST = 300 };
static double first[3 * MOST], second[3 * MOST], weights[MOST];
static uint64_t drawn;

static double uniform(void)
{
    return 2 * qn_random_uniform(7, 0, drawn++) - 1;
}

static double rmsd_of(size_t count, double *size)
{
    double means[2][3] = {{0}}, products[9] = {0}, half_sum = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += weights[i];
        for (int s = 0; s < 3; s++) {
            means[0][s] += weights[i] * first[3 * i + (size_t)s];
            means[1][s] += weights[i] * second[3 * i + (size_t)s];
        }
    }
    for (size_t i = 0; i < count; i++)
        for (int s = 0; s < 3; s++) {
            const double a = first[3 * i + (size_t)s] - means[0][s] / sum;
            const double own = second[3 * i + (size_t)s] - means[1][s] / sum;
            half_sum += weights[i] * (a * a + own * own) / 2;
            for (int t = 0; t < 3; t++)
                products[3 * s + t] += weights[i] * a * (second[3 * i + (size_t)t] - means[1][t] / sum);
        }
    *size = sqrt(half_sum / sum);
    return qn_qcp_rmsd(products, half_sum, sum);
}

/* Differences of squares have an error of 1e-13 of the squared size. */
static void check_pair(size_t count)
{
    double rotation[9], translation[3], expected, size;
    const double found = rmsd_of(count, &size);
    CHECK_OK(qn_superpose_weighted(first, second, weights, count, rotation, translation, &expected));
    CHECK_NEAR(found * found, expected * expected, 1e-12 * (1 + size * size));
}

static void draw(size_t count, const double extent[3])
{
    for (size_t i = 0; i < count; i++) {
        weights[i] = 1 + 0.5 * uniform();
        for (size_t s = 0; s < 3; s++) {
            first[3 * i + s] = extent[s] * uniform() + 5;
            second[3 * i + s] = extent[s] * uniform() - 7;
        }
    }
}

static void random_points_agree_with_superposition(void)
{
    const double extents[][3] = {{10, 10, 10}, {30, 5, 1}, {0.01, 0.01, 0.01}, {1e4, 1e3, 1e4}};
    for (int e = 0; e < 4; e++)
        for (size_t count = 3; count <= MOST; count += 33) {
            draw(count, extents[e]);
            check_pair(count);
        }
}

static void planes_and_lines_agree_with_superposition(void)
{
    const double extents[][3] = {{10, 10, 0}, {10, 0, 0}, {0, 0, 0}, {10, 1e-7, 0}, {10, 1e-4, 1e-4}};
    for (int e = 0; e < 5; e++)
        for (size_t count = 3; count <= 40; count += 9) {
            draw(count, extents[e]);
            check_pair(count);
        }
}

static void copies_and_mirror_images_agree_with_superposition(void)
{
    const double extent[3] = {10, 8, 6}, equal[3] = {10, 10, 10};
    for (int round = 0; round < 20; round++) {
        double size;
        draw(50, round % 2 ? extent : equal);
        for (size_t i = 0; i < 50; i++) {
            second[3 * i] = -first[3 * i + 1];
            second[3 * i + 1] = first[3 * i];
            second[3 * i + 2] = first[3 * i + 2];
        }
        check_pair(50);
        CHECK(rmsd_of(50, &size) < 1e-6);
        for (size_t i = 0; i < 50; i++) second[3 * i] = -second[3 * i];
        check_pair(50);
        CHECK(rmsd_of(50, &size) > 1);
    }
}

/* Six points on the axes: the mirror image has three eigenvalues that are equal. */
static void symmetric_points_agree_with_superposition(void)
{
    for (size_t i = 0; i < 6; i++) {
        weights[i] = 1;
        for (size_t s = 0; s < 3; s++) {
            first[3 * i + s] = i / 2 == s ? (i % 2 ? 1 : -1) : 0;
            second[3 * i + s] = -first[3 * i + s];
        }
    }
    check_pair(6);
    second[0] = 3;
    check_pair(6);
}

static void one_and_two_points_have_the_difference_of_lengths(void)
{
    double size;
    weights[0] = weights[1] = 1;
    memcpy(first, (double[]){1, 2, 3, 1, 2, 7}, 6 * sizeof(double));
    memcpy(second, (double[]){0, 0, 0, 3, 0, 0}, 6 * sizeof(double));
    CHECK_NEAR(rmsd_of(1, &size), 0, 0);
    CHECK_NEAR(rmsd_of(2, &size), 0.5, 1e-7);
}

int main(void)
{
    RUN(random_points_agree_with_superposition);
    RUN(planes_and_lines_agree_with_superposition);
    RUN(copies_and_mirror_images_agree_with_superposition);
    RUN(symmetric_points_agree_with_superposition);
    RUN(one_and_two_points_have_the_difference_of_lengths);
    return check_finish();
}
