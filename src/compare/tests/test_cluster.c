/* Greedy clustering compared with a brute-force implementation of its definition. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compare/cluster.h"

static uint32_t state;

static double uniform(void)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0;
}

static float *random_distances(size_t count, double step)
{
    float *distance = malloc(count * count * sizeof *distance);
    double *points = malloc(count * 3 * sizeof *points);
    for (size_t i = 0; i < 3 * count; i++) points[i] = step > 0 ? floor(uniform() * 10 / step) * step : uniform() * 10;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double dx = points[3 * i] - points[3 * j], dy = points[3 * i + 1] - points[3 * j + 1],
                   dz = points[3 * i + 2] - points[3 * j + 2];
            distance[i * count + j] = (float)sqrt(dx * dx + dy * dy + dz * dz);
        }
    free(points);
    return distance;
}

/* Count all neighbours again for each cluster: O(n³), but without counts that are updated. */
static size_t brute_force(const float *distance, size_t count, float radius, size_t capacity, qn_cluster *clusters,
                          size_t *assignment)
{
    size_t founded = 0;
    for (size_t i = 0; i < count; i++) assignment[i] = SIZE_MAX;
    while (founded < capacity) {
        size_t best = SIZE_MAX, best_size = 0;
        for (size_t i = 0; i < count; i++) {
            if (assignment[i] != SIZE_MAX) continue;
            size_t size = 1;
            for (size_t j = 0; j < count; j++)
                size += j != i && assignment[j] == SIZE_MAX && distance[i * count + j] <= radius;
            if (size > best_size) best = i, best_size = size;
        }
        if (best == SIZE_MAX) break;
        for (size_t j = 0; j < count; j++)
            if (assignment[j] == SIZE_MAX && (j == best || distance[best * count + j] <= radius))
                assignment[j] = founded;
        clusters[founded++] = (qn_cluster){best, best_size};
    }
    return founded;
}

static void compare(size_t count, double step, float radius, size_t capacity)
{
    float *distance = random_distances(count, step);
    qn_cluster *found = calloc(capacity, sizeof *found), *expected = calloc(capacity, sizeof *expected);
    size_t *assignment = malloc(count * sizeof *assignment), *expected_assignment = malloc(count * sizeof *assignment);
    size_t founded, expected_count = brute_force(distance, count, radius, capacity, expected, expected_assignment);
    CHECK_OK(qn_cluster_greedy(distance, count, radius, capacity, found, &founded, assignment));
    if (CHECK(founded == expected_count))
        for (size_t i = 0; i < founded; i++)
            CHECK(found[i].centre == expected[i].centre && found[i].size == expected[i].size);
    CHECK(memcmp(assignment, expected_assignment, count * sizeof *assignment) == 0);
    free(distance);
    free(found);
    free(expected);
    free(assignment);
    free(expected_assignment);
}

static void clusters_of_random_points_equal_brute_force(void)
{
    for (state = 1; state <= 20;) {
        uint32_t seed = state;
        compare(60, 0, 2.5f, 60);
        state = seed + 1;
    }
}

/* Points on a lattice have many equal distances, some exactly at the radius, and many equal counts. */
static void clusters_with_ties_equal_brute_force(void)
{
    state = 7;
    compare(200, 2, 2, 200);
    compare(200, 2, 4, 5);
}

static void clusters_of_many_points_equal_brute_force(void)
{
    state = 3;
    compare(600, 0, 1.5f, 30);
}

static void lowest_index_breaks_ties(void)
{
    const float distance[16] = {0, 9, 9, 1, 9, 0, 1, 9, 9, 1, 0, 9, 1, 9, 9, 0};
    qn_cluster clusters[4];
    size_t count, assignment[4];
    CHECK_OK(qn_cluster_greedy(distance, 4, 1, 4, clusters, &count, assignment));
    CHECK(count == 2 && clusters[0].centre == 0 && clusters[1].centre == 1);
    CHECK(assignment[0] == 0 && assignment[3] == 0 && assignment[1] == 1 && assignment[2] == 1);
}

static void items_beyond_the_capacity_are_unassigned(void)
{
    const float distance[9] = {0, 1, 9, 1, 0, 9, 9, 9, 0};
    qn_cluster cluster;
    size_t count, assignment[3];
    CHECK_OK(qn_cluster_greedy(distance, 3, 1, 1, &cluster, &count, assignment));
    CHECK(count == 1 && cluster.size == 2 && assignment[2] == SIZE_MAX);
    CHECK_OK(qn_cluster_greedy(distance, 3, 1, 0, &cluster, &count, assignment));
    CHECK(count == 0 && assignment[0] == SIZE_MAX);
    CHECK_OK(qn_cluster_greedy(NULL, 0, 1, 1, &cluster, &count, NULL));
    CHECK(count == 0);
}

static void negative_radius_is_refused(void)
{
    const float distance = 0;
    qn_cluster cluster;
    size_t count, assignment;
    CHECK_FAILS(qn_cluster_greedy(&distance, 1, -1, 1, &cluster, &count, &assignment), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_cluster_greedy(&distance, 1, NAN, 1, &cluster, &count, &assignment), QN_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(clusters_of_random_points_equal_brute_force);
    RUN(clusters_with_ties_equal_brute_force);
    RUN(clusters_of_many_points_equal_brute_force);
    RUN(lowest_index_breaks_ties);
    RUN(items_beyond_the_capacity_are_unassigned);
    RUN(negative_radius_is_refused);
    return check_finish();
}
