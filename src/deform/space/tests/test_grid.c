/* Points of the grid: numbers, parents and cells, each against its definition over whole grids. */
#include "deform/space/grid.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

static const qn_grid wide = {.step = 0.01, .least = {-2, -3, 0}, .most = {4, 1, 2}};
static const qn_grid flat = {.step = 0.01, .least = {-2, 0, -1}, .most = {2, 0, 3}};

static void numbers_and_indices_are_inverse(void)
{
    CHECK(qn_grid_point_count(&wide) == 7 * 5 * 3);
    CHECK(qn_grid_point_count(&flat) == 5 * 1 * 5);
    uint64_t number = 0;
    int wrong = 0;
    for (int32_t k = 0; k <= 2; k++)
        for (int32_t j = -3; j <= 1; j++)
            for (int32_t i = -2; i <= 4; i++, number++) {
                int32_t index[3];
                wrong += qn_grid_number(&wide, (const int32_t[3]){i, j, k}) != number;
                qn_grid_index(&wide, number, index);
                wrong += index[0] != i || index[1] != j || index[2] != k;
                wrong += !qn_grid_has(&wide, index);
            }
    CHECK(wrong == 0 && number == qn_grid_point_count(&wide));
    CHECK(!qn_grid_has(&wide, (const int32_t[3]){5, 0, 0}) && !qn_grid_has(&wide, (const int32_t[3]){0, -4, 0}) &&
          !qn_grid_has(&wide, (const int32_t[3]){0, 0, 3}));
}

static void parents_lead_to_rest_along_the_largest_axis(void)
{
    static const int32_t known[][6] = {{1, 0, 0, 0, 0, 0},   {2, -2, 2, 1, -2, 2}, {1, -2, 2, 1, -1, 2},
                                       {1, -1, 2, 1, -1, 1}, {0, 0, -3, 0, 0, -2}, {-1, 1, 0, 0, 1, 0}};
    int32_t parent[3];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK(qn_grid_parent(known[i], parent));
        CHECK(parent[0] == known[i][3] && parent[1] == known[i][4] && parent[2] == known[i][5]);
    }
    CHECK(!qn_grid_parent((const int32_t[3]){0, 0, 0}, parent));
    CHECK(parent[0] == 0 && parent[1] == 0 && parent[2] == 0);
    int wrong = 0;
    for (uint64_t number = 0; number < qn_grid_point_count(&wide); number++) {
        int32_t index[3];
        qn_grid_index(&wide, number, index);
        int steps = 0;
        const int depth = qn_grid_depth(index);
        while (qn_grid_parent(index, parent)) {
            wrong += !qn_grid_has(&wide, parent); /* a box around rest has the parents of its points */
            wrong += qn_grid_depth(parent) != qn_grid_depth(index) - 1;
            for (int axis = 0; axis < 3; axis++) index[axis] = parent[axis];
            steps++;
        }
        wrong += steps != depth;
    }
    CHECK(wrong == 0);
}

static void places_are_in_their_cell(void)
{
    int32_t cell[3];
    double place[3] = {0.0149, -0.0251, 0.0199};
    CHECK(qn_grid_cell(&wide, place, cell));
    CHECK(cell[0] == 1 && cell[1] == -3 && cell[2] == 1);
    CHECK(place[0] == 0.0149 && place[1] == -0.0251 && place[2] == 0.0199);
    double last[3] = {0.04, 0.01, 0.02}; /* the uppermost point belongs to the last cell */
    CHECK(qn_grid_cell(&wide, last, cell));
    CHECK(cell[0] == 3 && cell[1] == 0 && cell[2] == 1);
    double first[3] = {-0.02, -0.03, 0};
    CHECK(qn_grid_cell(&wide, first, cell));
    CHECK(cell[0] == -2 && cell[1] == -3 && cell[2] == 0);
}

static void places_outside_are_clamped(void)
{
    int32_t cell[3];
    double place[3] = {0.07, 0.005, -1e-9};
    CHECK(!qn_grid_cell(&wide, place, cell));
    CHECK(place[0] == 0.01 * 4 && place[1] == 0.005 && place[2] == 0);
    CHECK(cell[0] == 3 && cell[1] == 0 && cell[2] == 0);
    double far[3] = {-1e300, 1e300, INFINITY};
    CHECK(!qn_grid_cell(&wide, far, cell));
    CHECK(far[0] == 0.01 * -2 && far[1] == 0.01 * 1 && far[2] == 0.01 * 2);
    CHECK(cell[0] == -2 && cell[1] == 0 && cell[2] == 1);
    double nothing[3] = {NAN, 0, 0}; /* no number may leave the grid */
    CHECK(!qn_grid_cell(&wide, nothing, cell));
    CHECK(nothing[0] == 0.01 * -2 && cell[0] == -2);
    double beside[3] = {0.001, 0.002, 0.003};
    CHECK(!qn_grid_cell(&flat, beside, cell));
    CHECK(beside[1] == 0 && cell[0] == 0 && cell[1] == 0 && cell[2] == 0);
}

int main(void)
{
    RUN(numbers_and_indices_are_inverse);
    RUN(parents_lead_to_rest_along_the_largest_axis);
    RUN(places_are_in_their_cell);
    RUN(places_outside_are_clamped);
    return check_finish();
}
