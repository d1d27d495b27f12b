#include "check.h"

#include <string.h>

#include "math/random.h"
#include "model/neighbour_grid.h"

enum { POINTS = 500, PLACES = 300 };

static double points[3 * POINTS];

static void mark(size_t index, void *user)
{
    ((int *)user)[index]++;
}

/* Compare with all distances, for points in a flat, long box, so that the number of cubes differs along the axes. */
static void neighbours_agree_with_all_distances(void)
{
    for (uint64_t i = 0; i < POINTS; i++) {
        points[3 * i] = 80 * qn_random_uniform(1, 1, 3 * i) - 40;
        points[3 * i + 1] = 20 * qn_random_uniform(1, 1, 3 * i + 1);
        points[3 * i + 2] = 3 * qn_random_uniform(1, 1, 3 * i + 2) + 100;
    }
    size_t found_somewhere = 0, searches = 0;
    for (double radius = 0.7; radius < 60; radius *= 3) {
        qn_neighbour_grid *grid;
        CHECK_OK(qn_neighbour_grid_create(points, POINTS, radius, &grid));
        for (uint64_t place = 0; place < PLACES; place++) {
            double at[3] = {120 * qn_random_uniform(1, 2, 3 * place) - 60,
                            40 * qn_random_uniform(1, 2, 3 * place + 1) - 10,
                            20 * qn_random_uniform(1, 2, 3 * place + 2) + 90};
            int found[POINTS] = {0}, expected[POINTS] = {0}, any = 0;
            for (size_t i = 0; i < POINTS; i++) {
                double d2 = 0;
                for (size_t axis = 0; axis < 3; axis++)
                    d2 += (points[3 * i + axis] - at[axis]) * (points[3 * i + axis] - at[axis]);
                expected[i] = d2 <= radius * radius;
                any |= expected[i];
            }
            qn_neighbour_grid_each(grid, at, mark, found);
            CHECK(memcmp(found, expected, sizeof found) == 0);
            CHECK(qn_neighbour_grid_any(grid, at) == (any != 0));
            found_somewhere += any != 0;
            searches++;
        }
        qn_neighbour_grid_destroy(&grid);
    }
    CHECK(found_somewhere > searches / 10 && found_somewhere < searches * 9 / 10);
}

static int found_wrongly;

static void count_far_ones(size_t index, void *user)
{
    const double *at = user;
    double d2 = 0;
    for (size_t axis = 0; axis < 3; axis++)
        d2 += (points[3 * index + axis] - at[axis]) * (points[3 * index + axis] - at[axis]);
    found_wrongly -= d2 <= 9 ? 1 : 1000000;
}

/* Clusters in a space of many more cubes than points: every point is found exactly once, and the grid takes little
 * memory. */
static void distant_clusters_take_little_memory(void)
{
    qn_neighbour_grid *grid;
    for (uint64_t i = 0; i < POINTS; i++)
        for (uint64_t axis = 0; axis < 3; axis++)
            points[3 * i + axis] =
                90000 * qn_random_uniform(1, 3, 3 * (i / 5) + axis) + 5 * qn_random_uniform(1, 4, 3 * i + axis);
    const long before_kib = check_peak_kib();
    CHECK_OK(qn_neighbour_grid_create(points, POINTS, 3, &grid));
    CHECK(check_peak_kib() - before_kib < 16 * 1024);
    size_t all = 0;
    for (uint64_t place = 0; place < PLACES; place++) {
        double at[3];
        for (uint64_t axis = 0; axis < 3; axis++)
            at[axis] = points[3 * place + axis] + 2 * qn_random_uniform(1, 5, 3 * place + axis) - 1;
        found_wrongly = 0;
        for (size_t i = 0; i < POINTS; i++) {
            double d2 = 0;
            for (size_t axis = 0; axis < 3; axis++)
                d2 += (points[3 * i + axis] - at[axis]) * (points[3 * i + axis] - at[axis]);
            found_wrongly += d2 <= 9;
        }
        all += (size_t)found_wrongly;
        qn_neighbour_grid_each(grid, at, count_far_ones, at);
        CHECK(found_wrongly == 0);
        CHECK(qn_neighbour_grid_any(grid, at));
    }
    CHECK(all > 2 * PLACES);
    CHECK(!qn_neighbour_grid_any(grid, (double[]){-50, -50, -50}));
    qn_neighbour_grid_destroy(&grid);
}

static void empty_and_degenerate_sets_work(void)
{
    qn_neighbour_grid *grid;
    CHECK_OK(qn_neighbour_grid_create(NULL, 0, 1, &grid));
    CHECK(!qn_neighbour_grid_any(grid, (double[]){0, 0, 0}));
    qn_neighbour_grid_destroy(&grid);
    CHECK_OK(qn_neighbour_grid_create((double[]){0, 0, 0, 1e9, 0, 0}, 2, 1, &grid));
    CHECK(qn_neighbour_grid_any(grid, (double[]){1e9, 0, 1}));
    CHECK(!qn_neighbour_grid_any(grid, (double[]){1e300, 0, 0}));
    qn_neighbour_grid_destroy(&grid);
    CHECK_FAILS(qn_neighbour_grid_create(points, 1, 0, &grid), QN_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(neighbours_agree_with_all_distances);
    RUN(distant_clusters_take_little_memory);
    RUN(empty_and_degenerate_sets_work);
    return check_finish();
}
