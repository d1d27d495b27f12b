/* Minima and volumes of small maps, by hand. */
#include "check.h"

#include <stdlib.h>

#include "potential/maps/hot_spots.h"

static const qn_potential_grid grid = {{9, 7, 5}, 0.5, {1, 2, 3}};
static float values[9 * 7 * 5];

static void set(int x, int y, int z, float value)
{
    values[(z * 7 + y) * 9 + x] = value;
}

static void clear(void)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) values[i] = 0.1F;
}

/* Five points are below −0.3: a minimum in a corner, its neighbour, one that is 1.5 Å from it, a pair of equal ones. */
static void minima_are_found_and_thinned_out(void)
{
    qn_map_summary summary;
    clear();
    set(0, 0, 0, -2);
    set(1, 0, 0, -1);
    set(3, 0, 0, -1.5F);
    set(7, 4, 2, -0.5F);
    set(8, 4, 2, -0.5F);
    set(5, 5, 0, -0.29F);
    if (!CHECK_OK(qn_map_summarise(&grid, values, &summary))) return;
    CHECK_NEAR(summary.favourable_angstrom3, 5 * 0.125, 1e-12);
    CHECK(summary.spot_count == 2);
    CHECK_NEAR(summary.least.energy, -2, 0);
    CHECK_NEAR(summary.spots[0].energy, -2, 0);
    CHECK_NEAR(summary.spots[0].position_angstrom[0], 1 - 2, 1e-12);
    CHECK_NEAR(summary.spots[0].position_angstrom[1], 2 - 1.5, 1e-12);
    CHECK_NEAR(summary.spots[0].position_angstrom[2], 3 - 1, 1e-12);
    CHECK_NEAR(summary.spots[1].energy, -0.5, 0);
    CHECK(summary.spots[1].point[0] == 7 && summary.spots[1].point[1] == 4 && summary.spots[1].point[2] == 2);
}

static void a_map_without_favourable_points_has_none(void)
{
    qn_map_summary summary;
    clear();
    set(4, 3, 2, -0.3F);
    if (!CHECK_OK(qn_map_summarise(&grid, values, &summary))) return;
    CHECK(summary.spot_count == 0 && summary.favourable_angstrom3 == 0);
    CHECK(summary.least.point[0] == 4 && summary.least.point[1] == 3 && summary.least.point[2] == 2);
}

/* The first ten of minima everywhere. */
static void there_are_at_most_ten(void)
{
    const qn_potential_grid wide = {{81, 1, 1}, 1, {0, 0, 0}};
    float line[81];
    qn_map_summary summary;
    for (int i = 0; i < 81; i++) line[i] = i % 4 == 0 ? -1 - (float)i / 100 : 0;
    if (!CHECK_OK(qn_map_summarise(&wide, line, &summary))) return;
    CHECK(summary.spot_count == QN_HOT_SPOTS_MAX);
    for (int i = 0; i < QN_HOT_SPOTS_MAX; i++) CHECK(summary.spots[i].point[0] == 80 - 4 * i);
}

int main(void)
{
    RUN(minima_are_found_and_thinned_out);
    RUN(a_map_without_favourable_points_has_none);
    RUN(there_are_at_most_ten);
    return check_finish();
}
