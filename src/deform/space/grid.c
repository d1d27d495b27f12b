#include "deform/space/grid.h"

#include <math.h>
#include <stdlib.h>

static uint64_t length_of(const qn_grid *grid, int axis)
{
    return (uint64_t)(grid->most[axis] - grid->least[axis] + 1);
}

size_t qn_grid_point_count(const qn_grid *grid)
{
    return (size_t)(length_of(grid, 0) * length_of(grid, 1) * length_of(grid, 2));
}

uint64_t qn_grid_number(const qn_grid *grid, const int32_t index[3])
{
    uint64_t number = 0;
    for (int axis = 2; axis >= 0; axis--)
        number = number * length_of(grid, axis) + (uint64_t)(index[axis] - grid->least[axis]);
    return number;
}

void qn_grid_index(const qn_grid *grid, uint64_t number, int32_t index[3])
{
    for (int axis = 0; axis < 3; axis++) {
        index[axis] = grid->least[axis] + (int32_t)(number % length_of(grid, axis));
        number /= length_of(grid, axis);
    }
}

bool qn_grid_has(const qn_grid *grid, const int32_t index[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (index[axis] < grid->least[axis] || index[axis] > grid->most[axis]) return false;
    return true;
}

bool qn_grid_parent(const int32_t index[3], int32_t parent[3])
{
    int largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        parent[axis] = index[axis];
        if (abs(index[axis]) > abs(index[largest])) largest = axis;
    }
    if (index[largest] == 0) return false;
    parent[largest] += index[largest] > 0 ? -1 : 1;
    return true;
}

int qn_grid_depth(const int32_t index[3])
{
    return abs(index[0]) + abs(index[1]) + abs(index[2]);
}

bool qn_grid_cell(const qn_grid *grid, double place[3], int32_t cell[3])
{
    bool is_inside = true;
    for (int axis = 0; axis < 3; axis++) {
        const double least = grid->step * grid->least[axis], most = grid->step * grid->most[axis];
        if (!(place[axis] >= least)) place[axis] = least, is_inside = false;
        if (place[axis] > most) place[axis] = most, is_inside = false;
        const int32_t lowest = (int32_t)floor(place[axis] / grid->step);
        const int32_t last = grid->most[axis] > grid->least[axis] ? grid->most[axis] - 1 : grid->most[axis];
        cell[axis] = lowest > last ? last : lowest < grid->least[axis] ? grid->least[axis] : lowest;
    }
    return is_inside;
}
