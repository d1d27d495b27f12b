#include "model/neighbour_grid.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* The table has one slot for each cube if there are at most CUBES_A_POINT cubes for each point plus FURTHER_CUBES. If
 * points lie far apart there are more cubes, and a hash assigns them to slots. */
enum { CUBES_A_POINT = 8, FURTHER_CUBES = 32768, CUBES_A_SIDE_MAX = 1 << 20 };

struct qn_neighbour_grid {
    double radius, side; /* side ≥ radius: all neighbours of a place lie in the 27 cubes around it */
    double low[3];
    long cubes[3];
    bool hashed;
    size_t slots;    /* slots of the table: one for each cube, or a power of two */
    double *points;  /* sorted by slot */
    size_t *indices; /* the caller's index of each sorted point */
    size_t *start;   /* points of slot s: start[s] … start[s + 1] − 1 */
};

static long cube_along(const qn_neighbour_grid *grid, double coordinate, int axis)
{
    return (long)floor((coordinate - grid->low[axis]) / grid->side);
}

static size_t slot_of_cube(const qn_neighbour_grid *grid, long x, long y, long z)
{
    if (!grid->hashed) return (size_t)(x + grid->cubes[0] * (y + grid->cubes[1] * z));
    /* Multiply by large odd numbers, so that the upper bits depend on all of x, y and z. */
    uint64_t mixed = (uint64_t)x * 0x9e3779b97f4a7c15u + (uint64_t)y * 0xc2b2ae3d27d4eb4fu;
    mixed = (mixed ^ mixed >> 32) * 0xff51afd7ed558ccdu + (uint64_t)z * 0x165667b19e3779f9u;
    mixed = (mixed ^ mixed >> 29) * 0xc4ceb9fe1a85ec53u;
    return (size_t)(mixed >> 32) & (grid->slots - 1);
}

static size_t slot_of(const qn_neighbour_grid *grid, const double *point)
{
    return slot_of_cube(grid, cube_along(grid, point[0], 0), cube_along(grid, point[1], 1),
                        cube_along(grid, point[2], 2));
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
    grid->side = fmax(grid->radius, extent / CUBES_A_SIDE_MAX);
    double all = 1;
    for (int axis = 0; axis < 3; axis++) {
        grid->cubes[axis] = cube_along(grid, high[axis], axis) + 1;
        all *= (double)grid->cubes[axis];
    }
    grid->hashed = all > CUBES_A_POINT * (double)count + FURTHER_CUBES;
    grid->slots = grid->hashed ? 1 : (size_t)all;
    while (grid->hashed && grid->slots < count) grid->slots *= 2;
}

/* Sort points by slot, by counting. */
static void sort_points(qn_neighbour_grid *grid, const double *points, size_t count)
{
    for (size_t i = 0; i < count; i++) grid->start[slot_of(grid, points + 3 * i) + 2]++;
    for (size_t slot = 2; slot < grid->slots + 2; slot++) grid->start[slot] += grid->start[slot - 1];
    /* While points are sorted in, start[s + 1] moves from the beginning of slot s to its end, where slot s + 1
     * begins. */
    for (size_t i = 0; i < count; i++) {
        size_t at = grid->start[slot_of(grid, points + 3 * i) + 1]++;
        memcpy(grid->points + 3 * at, points + 3 * i, 3 * sizeof(double));
        grid->indices[at] = i;
    }
}

qn_status qn_neighbour_grid_create(const double *points, size_t count, double radius_angstrom, qn_neighbour_grid **out)
{
    void *memory;
    if (!(radius_angstrom > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "neighbour radius is %g Å; expected more than 0", radius_angstrom);
    QN_TRY(qn_allocate(1, sizeof(qn_neighbour_grid), &memory));
    qn_neighbour_grid *grid = memory;
    grid->radius = radius_angstrom;
    lay_out(grid, points, count);
    void *sorted = NULL, *indices = NULL, *start = NULL;
    qn_status status = qn_allocate(3 * count, sizeof(double), &sorted);
    if (status == QN_OK) status = qn_allocate(count, sizeof(size_t), &indices);
    if (status == QN_OK) status = qn_allocate(grid->slots + 2, sizeof(size_t), &start);
    grid->points = sorted;
    grid->indices = indices;
    grid->start = start;
    if (status != QN_OK) {
        qn_neighbour_grid_destroy(&grid);
        return status;
    }
    sort_points(grid, points, count);
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

typedef struct place_query {
    const qn_neighbour_grid *grid;
    const double *place;
    bool (*visit)(size_t index, void *user);
    void *user;
} place_query;

static bool lies_in_cube(const qn_neighbour_grid *grid, const double *point, const long cube[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (cube_along(grid, point[axis], axis) != cube[axis]) return false;
    return true;
}

/* Search slots `first` to `last`. `cube` not NULL: only points in this cube, because other cubes share its slot. */
static bool search_slots(const place_query *query, size_t first, size_t last, const long *cube)
{
    const qn_neighbour_grid *grid = query->grid;
    const double *place = query->place;
    for (size_t i = grid->start[first]; i < grid->start[last + 1]; i++) {
        const double *point = grid->points + 3 * i;
        double dx = point[0] - place[0], dy = point[1] - place[1], dz = point[2] - place[2];
        if (dx * dx + dy * dy + dz * dz > grid->radius * grid->radius) continue;
        if (cube && !lies_in_cube(grid, point, cube)) continue;
        if (query->visit(grid->indices[i], query->user)) return true;
    }
    return false;
}

/* Visit neighbours until `visit` returns true; returns whether it did. */
static bool search(const qn_neighbour_grid *grid, const double place[3], bool (*visit)(size_t index, void *user),
                   void *user)
{
    const place_query query = {grid, place, visit, user};
    long first[3], last[3];
    for (int axis = 0; axis < 3; axis++) {
        double cube = floor((place[axis] - grid->low[axis]) / grid->side);
        if (!(cube >= -1 && cube <= (double)grid->cubes[axis])) return false;
        first[axis] = cube - 1 < 0 ? 0 : (long)cube - 1;
        last[axis] = (long)cube + 1 < grid->cubes[axis] ? (long)cube + 1 : grid->cubes[axis] - 1;
    }
    for (long z = first[2]; z <= last[2]; z++)
        for (long y = first[1]; y <= last[1]; y++) {
            if (!grid->hashed) {
                size_t row = slot_of_cube(grid, 0, y, z);
                if (search_slots(&query, row + (size_t)first[0], row + (size_t)last[0], NULL)) return true;
                continue;
            }
            for (long x = first[0]; x <= last[0]; x++) {
                size_t slot = slot_of_cube(grid, x, y, z);
                if (search_slots(&query, slot, slot, (long[]){x, y, z})) return true;
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
