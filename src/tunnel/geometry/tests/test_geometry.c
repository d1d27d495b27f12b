/* Clearances, power diagrams, climbing and lines, beside brute force and hand calculation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "math/random.h"
#include "tunnel/geometry/climb.h"
#include "tunnel/geometry/heap.h"
#include "tunnel/geometry/line.h"
#include "tunnel/geometry/power_diagram.h"

enum { BALLS = 300, PLACES = 500 };

/* Random balls in a box of 30 x 20 x 10 Å, which is no whole number of cells. */
static void fill(qn_ball *balls)
{
    static const double box[3] = {30, 20, 10};
    for (uint64_t i = 0; i < BALLS; i++) {
        for (uint64_t k = 0; k < 3; k++) balls[i].place[k] = box[k] * qn_random_uniform(5, i, k) - 7;
        balls[i].radius = 0.5 + 2 * qn_random_uniform(5, i, 3);
    }
}

static double distance_to(const qn_ball *ball, const double place[3])
{
    return sqrt(pow(place[0] - ball->place[0], 2) + pow(place[1] - ball->place[1], 2) +
                pow(place[2] - ball->place[2], 2));
}

/* Places inside of the box, around it and far away. */
static void clearance_is_that_of_all_balls(void)
{
    qn_ball given[BALLS];
    qn_balls *balls;
    qn_ball_list list = {0};
    fill(given);
    if (!CHECK_OK(qn_balls_create(given, BALLS, &balls))) return;
    for (uint64_t p = 0; p < PLACES; p++) {
        const double spread = p % 3 == 0 ? 20 : p % 3 == 1 ? 60 : 400;
        double place[3], least = INFINITY;
        uint32_t nearest;
        size_t near = 0;
        for (uint64_t k = 0; k < 3; k++) place[k] = spread * (qn_random_uniform(6, p, k) - 0.4);
        for (int i = 0; i < BALLS; i++) least = fmin(least, distance_to(&given[i], place) - given[i].radius);
        CHECK(qn_balls_clearance(balls, place, &nearest) == least);
        CHECK(distance_to(&given[nearest], place) - given[nearest].radius == least);
        for (int i = 0; i < BALLS; i++) near += distance_to(&given[i], place) - given[i].radius <= 3;
        CHECK_OK(qn_balls_near(balls, place, 3, &list));
        CHECK(list.count == near);
        for (size_t i = 0; i < list.count; i++)
            CHECK(memcmp(&list.balls[i], &given[list.index[i]], sizeof given[0]) == 0);
    }
    qn_ball_list_clear(&list);
    qn_balls_destroy(&balls);
}

/* Two balls a million Å apart do not take a million cells. */
static void cells_grow_with_the_distance(void)
{
    const qn_ball given[2] = {{{0, 0, 0}, 1}, {{1e6, 1e6, 1e6}, 2}};
    const double place[3] = {9e5, 1e6, 1e6};
    qn_balls *balls;
    if (!CHECK_OK(qn_balls_create(given, 2, &balls))) return;
    CHECK((double)balls->cells[0] * balls->cells[1] * balls->cells[2] < 1e4);
    CHECK_NEAR(qn_balls_clearance(balls, place, NULL), 1e5 - 2, 1e-6);
    qn_balls_destroy(&balls);
}

static double power_of(const qn_ball *ball, const double place[3])
{
    const double distance = distance_to(ball, place);
    return distance * distance - ball->radius * ball->radius;
}

/* A vertex has one least power to at least four balls, or to fewer beside the points far away; the ends of an edge
 * share three of them. */
static void vertices_have_equal_powers(void)
{
    qn_ball given[BALLS];
    qn_balls *balls;
    qn_power_diagram diagram;
    size_t inside = 0;
    fill(given);
    if (!CHECK_OK(qn_balls_create(given, BALLS, &balls))) return;
    if (CHECK_OK(qn_power_diagram_make(balls, &diagram))) {
        CHECK(diagram.vertex_count > BALLS && diagram.edge_count >= 2 * diagram.vertex_count - 100);
        for (size_t v = 0; v < diagram.vertex_count; v++) {
            const qn_power_vertex *vertex = &diagram.vertices[v];
            double least = INFINITY;
            int equal = 0;
            for (int i = 0; i < BALLS; i++) least = fmin(least, power_of(&given[i], vertex->place));
            const double tolerance = 1e-9 * (1 + fabs(least)) * 1e3;
            for (int i = 0; i < BALLS; i++) equal += power_of(&given[i], vertex->place) <= least + tolerance;
            CHECK(vertex->is_far ? equal >= 0 : equal >= 4);
            inside += !vertex->is_far;
        }
        CHECK(inside > BALLS);
        for (size_t e = 0; e < diagram.edge_count; e++) CHECK(diagram.edges[e][0] < diagram.edges[e][1]);
    }
    qn_power_diagram_clear(&diagram);
    qn_balls_destroy(&balls);
}

/* Balls on a lattice have many vertices in one place, which qhull merges. */
static void lattices_are_no_trouble(void)
{
    enum { SIDE = 5 };
    qn_ball given[SIDE * SIDE * SIDE];
    qn_balls *balls;
    qn_power_diagram diagram;
    bool found = false;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        given[i] = (qn_ball){{2.0 * (i % SIDE), 2.0 * (i / SIDE % SIDE), 2.0 * (i / SIDE / SIDE)}, 1};
    if (!CHECK_OK(qn_balls_create(given, SIDE * SIDE * SIDE, &balls))) return;
    if (CHECK_OK(qn_power_diagram_make(balls, &diagram)))
        for (size_t v = 0; v < diagram.vertex_count; v++) {
            const double *place = diagram.vertices[v].place;
            found |= fabs(place[0] - 3) + fabs(place[1] - 3) + fabs(place[2] - 3) < 1e-6;
        }
    CHECK(found);
    qn_power_diagram_clear(&diagram);
    qn_balls_destroy(&balls);
}

/* Three balls around the origin of a plane: the largest circle between them touches all three. */
static void places_climb_to_where_three_balls_touch(void)
{
    const double reach[3] = {3.2, 2.9, 2.6}, across[3] = {0, 0, 1};
    qn_ball given[3];
    qn_balls *balls;
    qn_ball_list list = {0};
    for (int i = 0; i < 3; i++) { /* surfaces at 1.3 Å of the origin */
        const double angle = 2 * 3.14159265358979 * i / 3;
        given[i] = (qn_ball){{reach[i] * cos(angle), reach[i] * sin(angle), 0}, reach[i] - 1.3};
    }
    if (!CHECK_OK(qn_balls_create(given, 3, &balls))) return;
    double place[3] = {0.25, -0.2, 0};
    CHECK_OK(qn_balls_near(balls, place, 10, &list));
    CHECK(list.count == 3);
    const qn_climbing climbing = {across, 1, 0.1, 1e-4, INFINITY};
    CHECK_NEAR(qn_climb(&list, &climbing, place), 1.3, 1e-3);
    for (int k = 0; k < 3; k++) CHECK_NEAR(place[k], 0, 5e-3);
    place[0] = 0.25, place[1] = -0.2;
    const qn_climbing short_climb = {across, 0.05, 0.02, 1e-4, INFINITY};
    const double reached = qn_climb(&list, &short_climb, place);
    CHECK(reached < 1.25 && hypot(place[0] - 0.25, place[1] + 0.2) <= 0.05 + 1e-9);
    qn_ball_list_clear(&list);
    qn_balls_destroy(&balls);
}

/* A way through a row of rings, given with corners and beside the axis, climbs to the axis. */
static void lines_climb_to_the_axis(void)
{
    enum { RINGS = 12, AROUND = 12 };
    static const double path[][3] = {{0, 0, 0}, {0.3, 0.2, 3}, {-0.3, 0.1, 6}, {0.2, -0.3, 9}, {0.1, 0.2, 11}};
    qn_ball given[RINGS * AROUND];
    qn_balls *balls;
    qn_line line;
    for (int i = 0; i < RINGS * AROUND; i++) {
        const double angle = 2 * 3.14159265358979 * (i % AROUND) / AROUND;
        given[i] = (qn_ball){{3.5 * cos(angle), 3.5 * sin(angle), i / AROUND}, 1.7};
    }
    if (!CHECK_OK(qn_balls_create(given, RINGS * AROUND, &balls))) return;
    CHECK_OK(qn_line_make(path, sizeof path / sizeof *path, &line));
    CHECK_OK(qn_line_climb(balls, &line));
    for (size_t i = 0; i < line.count; i++) {
        CHECK_NEAR(hypot(line.places[i][0], line.places[i][1]), 0, 0.05);
        CHECK(line.radii[i] >= 1.75);
    }
    CHECK_NEAR(line.length, 11, 0.1);
    CHECK_NEAR(line.cost, 11 / (1.81 * 1.81), 0.15); /* 1.80 in the rings, a little more between them */
    double marks[QN_LINE_MARKS][3];
    qn_line_mark(&line, marks);
    CHECK_NEAR(marks[0][2], 2, 0.05);
    CHECK_NEAR(marks[QN_LINE_MARKS - 1][2], 11, 0.1);
    CHECK_NEAR(qn_line_distance((const double(*)[3])marks, (const double(*)[3])marks), 0, 0);
    qn_line_clear(&line);
    qn_balls_destroy(&balls);
}

static void heaps_give_the_smallest_first(void)
{
    qn_heap heap = {0};
    qn_heap_entry before = {-1, 0}, entry;
    for (uint32_t i = 0; i < 1000; i++) CHECK_OK(qn_heap_push(&heap, floor(20 * qn_random_uniform(7, 0, i)), i));
    for (int i = 0; i < 1000; i++, before = entry) {
        CHECK(qn_heap_pop(&heap, &entry));
        CHECK(entry.key > before.key || (entry.key == before.key && entry.item > before.item));
    }
    CHECK(!qn_heap_pop(&heap, &entry));
    qn_heap_clear(&heap);
}

int main(void)
{
    RUN(clearance_is_that_of_all_balls);
    RUN(cells_grow_with_the_distance);
    RUN(vertices_have_equal_powers);
    RUN(lattices_are_no_trouble);
    RUN(places_climb_to_where_three_balls_touch);
    RUN(lines_climb_to_the_axis);
    RUN(heaps_give_the_smallest_first);
    return check_finish();
}
