/* The start of tunnels beside a fine grid within its reach, in a lattice of balls that are out of place. */
#include "tunnel/geometry/void_start.h"

#include <math.h>
#include <stdio.h>

#include "check.h"
#include "math/random.h"

enum { SIDE = 8, BALLS = SIDE * SIDE * SIDE, PLACES = 20 };

static const double lattice = 4, ball_radius = 1.5, spacing = 0.1; /* Å */
static const qn_void_settings settings = {0.5, 3, 4};

static qn_balls *make_balls(void)
{
    static qn_ball given[BALLS];
    qn_balls *balls = NULL;
    for (uint64_t i = 0; i < BALLS; i++) {
        const uint64_t at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (uint64_t k = 0; k < 3; k++) given[i].place[k] = lattice * (double)at[k] + qn_random_uniform(3, i, k) - 0.5;
        given[i].radius = ball_radius;
    }
    CHECK_OK(qn_balls_create(given, BALLS, &balls));
    return balls;
}

/* A random place in the middle, where all voids are inside. */
static void random_place(uint64_t i, double place[3])
{
    for (uint64_t k = 0; k < 3; k++) place[k] = lattice * (3 + qn_random_uniform(4, i, k));
}

static double distance_of(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* The largest clearance on the grid within reach. */
static double widest_by_grid(const qn_balls *balls, const double place[3], double reach)
{
    const int most = (int)(reach / spacing);
    double widest = -INFINITY;
    for (int x = -most; x <= most; x++)
        for (int y = -most; y <= most; y++)
            for (int z = -most; z <= most; z++) {
                const double there[3] = {place[0] + spacing * x, place[1] + spacing * y, place[2] + spacing * z};
                if (distance_of(there, place) > reach) continue;
                widest = fmax(widest, qn_balls_clearance(balls, there, NULL));
            }
    return widest;
}

/* The place lies within reach, is as wide as it says, and is joined by ways that the probe passes. */
static void check_start(const qn_balls *balls, const qn_void_graph *graph, const double place[3], double reach)
{
    qn_void_start start;
    const double widest = widest_by_grid(balls, place, reach);
    if (!CHECK_OK(qn_void_start_find(balls, graph, place, reach, 5, &start))) return;
    if (widest < settings.probe) {
        CHECK(!isfinite(start.clearance) || start.clearance < widest + 0.1);
        return;
    }
    CHECK(start.is_inside && start.join_count > 0);
    CHECK(distance_of(start.place, place) <= reach + 1e-9);
    CHECK_NEAR(start.clearance, qn_balls_clearance(balls, start.place, NULL), 1e-12);
    if (!CHECK(start.clearance > widest - 0.12)) printf("reach %g: %.3f, grid %.3f\n", reach, start.clearance, widest);
    for (int i = 0; i < start.join_count; i++) {
        CHECK(start.joins[i].width >= settings.probe && start.joins[i].width <= start.clearance);
        CHECK(graph->clearance[start.joins[i].vertex] >= settings.probe);
    }
}

static void starts_are_the_widest_places_within_reach(void)
{
    static const double reaches[] = {0, 0.5, 1, 2, 3};
    qn_balls *balls = make_balls();
    qn_void_graph graph;
    if (CHECK_OK(qn_void_graph_make(balls, &settings, NULL, &graph))) {
        for (uint64_t i = 0; i < PLACES; i++)
            for (size_t r = 0; r < sizeof reaches / sizeof *reaches; r++) {
                double place[3];
                random_place(i, place);
                check_start(balls, &graph, place, reaches[r]);
            }
    }
    qn_void_graph_clear(&graph);
    qn_balls_destroy(&balls);
}

/* Where all places are wide enough, the given one is the nearest. */
static void enough_is_nearest(void)
{
    qn_balls *balls = make_balls();
    qn_void_graph graph;
    qn_void_start start;
    if (CHECK_OK(qn_void_graph_make(balls, &settings, NULL, &graph))) {
        for (uint64_t i = 0; i < PLACES; i++) {
            double place[3];
            random_place(i, place);
            const double clearance = qn_balls_clearance(balls, place, NULL);
            if (clearance < settings.probe) continue;
            if (!CHECK_OK(qn_void_start_find(balls, &graph, place, 3, 0.5, &start))) continue;
            CHECK_NEAR(distance_of(start.place, place), 0, 0);
        }
    }
    qn_void_graph_clear(&graph);
    qn_balls_destroy(&balls);
}

int main(void)
{
    RUN(starts_are_the_widest_places_within_reach);
    RUN(enough_is_nearest);
    return check_finish();
}
