#include "model/neighbour_grid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { MOST_CUBES_A_SIDE = 512 };

struct qn_neighbour_grid {
    double radius, side; /* side ≥ radius: the 27 cubes around a place hold all its neighbours */
    double low[3];
    long cubes[3];
    double *points;  /* sorted by cube */
    size_t *indices; /* of the sorted points in the caller's order */
    size_t *start;   /* points of cube c: start[c] … start[c + 1] − 1 */
};

static long cube_along(const qn_neighbour_grid *grid, double coordinate, int axis)
{
    return (long)floor((coordinate - grid->low[axis]) / grid->side);
}

static size_t cube_of(const qn_neighbour_grid *grid, const double *point)
{
    return (size_t)(cube_along(grid, point[0], 0) +
                    grid->cubes[0] * (cube_along(grid, point[1], 1) + grid->cubes[1] * cube_along(grid, point[2], 2)));
}

static void lay_out(qn_neighbour_grid *grid, const double *points, size_t count)
{
    double extent = 0, high[3];
    for (int axis = 0; axis < 3; axis++) {
        grid->low[axis] = high[axis] = count ? points[axis] : 0;
        for (size_t i = 0; i < count; i++) {
            grid->low[axis] = fmin(grid->low[axis], points[3 * i + (size_t)axis]);
            high[axis] = fmax(high[axis], points[3 * i + (size_t)axis]);
        }
        extent = fmax(extent, high[axis] - grid->low[axis]);
    }
    grid->side = fmax(grid->radius, extent / MOST_CUBES_A_SIDE);
    for (int axis = 0; axis < 3; axis++) grid->cubes[axis] = cube_along(grid, high[axis], axis) + 1;
}

/* Counting sort by cube. */
static void sort_points(qn_neighbour_grid *grid, const double *points, size_t count, size_t cubes)
{
    for (size_t i = 0; i < count; i++) grid->start[cube_of(grid, points + 3 * i) + 2]++;
    for (size_t cube = 2; cube < cubes + 2; cube++) grid->start[cube] += grid->start[cube - 1];
    /* start[c + 1] is now where cube c begins; filling moves it to where c ends, which is where c + 1 begins. */
    for (size_t i = 0; i < count; i++) {
        size_t at = grid->start[cube_of(grid, points + 3 * i) + 1]++;
        memcpy(grid->points + 3 * at, points + 3 * i, 3 * sizeof(double));
        grid->indices[at] = i;
    }
}

qn_status qn_neighbour_grid_create(const double *points, size_t count, double radius_angstrom, qn_neighbour_grid **out)
{
    void *memory;
    if (!(radius_angstrom > 0))
        QN_FAIL(QN_INVALID_ARGUMENT, "neighbour radius is %g Å; expected more than 0", radius_angstrom);
    QN_TRY(qn_allocate(1, sizeof(qn_neighbour_grid), &memory));
    qn_neighbour_grid *grid = memory;
    grid->radius = radius_angstrom;
    lay_out(grid, points, count);
    size_t cubes = (size_t)grid->cubes[0] * (size_t)grid->cubes[1] * (size_t)grid->cubes[2];
    void *sorted = NULL, *indices = NULL, *start = NULL;
    qn_status status = qn_allocate(3 * count, sizeof(double), &sorted);
    if (status == QN_OK) status = qn_allocate(count, sizeof(size_t), &indices);
    if (status == QN_OK) status = qn_allocate(cubes + 2, sizeof(size_t), &start);
    grid->points = sorted;
    grid->indices = indices;
    grid->start = start;
    if (status != QN_OK) {
        qn_neighbour_grid_destroy(&grid);
        return status;
    }
    sort_points(grid, points, count, cubes);
    *out = grid;
    return QN_OK;
}

void qn_neighbour_grid_destroy(qn_neighbour_grid **pointer)
{
    qn_neighbour_grid *grid = *pointer;
    if (!grid) return;
    qn_release(&grid->points);
    qn_release(&grid->indices);
    qn_release(&grid->start);
    qn_release(pointer);
}

/* Visit neighbours until `visit` returns true; whether it did. */
static bool search(const qn_neighbour_grid *grid, const double place[3], bool (*visit)(size_t index, void *user),
                   void *user)
{
    long first[3], last[3];
    for (int axis = 0; axis < 3; axis++) {
        double cube = floor((place[axis] - grid->low[axis]) / grid->side);
        if (!(cube >= -1 && cube <= (double)grid->cubes[axis])) return false;
        first[axis] = cube - 1 < 0 ? 0 : (long)cube - 1;
        last[axis] = (long)cube + 1 < grid->cubes[axis] ? (long)cube + 1 : grid->cubes[axis] - 1;
    }
    for (long z = first[2]; z <= last[2]; z++)
        for (long y = first[1]; y <= last[1]; y++) {
            size_t row = (size_t)(grid->cubes[0] * (y + grid->cubes[1] * z));
            for (size_t i = grid->start[row + (size_t)first[0]]; i < grid->start[row + (size_t)last[0] + 1]; i++) {
                double dx = grid->points[3 * i] - place[0], dy = grid->points[3 * i + 1] - place[1],
                       dz = grid->points[3 * i + 2] - place[2];
                if (dx * dx + dy * dy + dz * dz <= grid->radius * grid->radius && visit(grid->indices[i], user))
                    return true;
            }
        }
    return false;
}

static bool stop_at_first(size_t index, void *user)
{
    (void)index, (void)user;
    return true;
}

bool qn_neighbour_grid_any(const qn_neighbour_grid *grid, const double place[3])
{
    return search(grid, place, stop_at_first, NULL);
}

typedef struct visitor {
    void (*visit)(size_t index, void *user);
    void *user;
} visitor;

static bool go_on(size_t index, void *user)
{
    visitor *every = user;
    every->visit(index, every->user);
    return false;
}

void qn_neighbour_grid_each(const qn_neighbour_grid *grid, const double place[3],
                            void (*visit)(size_t index, void *user), void *user)
{
    visitor every = {visit, user};
    search(grid, place, go_on, &every);
}
