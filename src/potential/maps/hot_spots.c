#include "potential/maps/hot_spots.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct minimum {
    float energy;
    size_t place;
} minimum;

typedef struct minima {
    minimum *items;
    size_t count, capacity;
} minima;

static size_t place_of(const qn_potential_grid *grid, const int point[3])
{
    return ((size_t)point[2] * (size_t)grid->points[1] + (size_t)point[1]) * (size_t)grid->points[0] + (size_t)point[0];
}

/* Of equal neighbours the first one is the minimum. */
static bool is_minimum(const qn_potential_grid *grid, const float *values, const int point[3])
{
    const size_t here = place_of(grid, point);
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int next[3] = {point[0] + dx, point[1] + dy, point[2] + dz};
                bool inside = true;
                for (int k = 0; k < 3; k++) inside &= next[k] >= 0 && next[k] < grid->points[k];
                if (!inside) continue;
                const size_t there = place_of(grid, next);
                if (values[there] < values[here] || (values[there] == values[here] && there < here)) return false;
            }
    return true;
}

static int compare_minima(const void *a, const void *b)
{
    const minimum *x = a, *y = b;
    if (x->energy != y->energy) return x->energy < y->energy ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static qn_hot_spot spot_at(const qn_potential_grid *grid, size_t place, float energy)
{
    const size_t nx = (size_t)grid->points[0], ny = (size_t)grid->points[1];
    qn_hot_spot spot = {.energy = energy,
                        .point = {(int)(place % nx), (int)(place / nx % ny), (int)(place / (nx * ny))}};
    for (int k = 0; k < 3; k++)
        spot.position_angstrom[k] = grid->centre_angstrom[k] + qn_potential_grid_offset(grid, k, spot.point[k]);
    return spot;
}

static bool is_near_a_deeper_one(const qn_map_summary *summary, const qn_hot_spot *spot)
{
    for (int i = 0; i < summary->spot_count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double difference = summary->spots[i].position_angstrom[k] - spot->position_angstrom[k];
            square += difference * difference;
        }
        if (square < QN_HOT_SPOT_DISTANCE_ANGSTROM * QN_HOT_SPOT_DISTANCE_ANGSTROM) return true;
    }
    return false;
}

static void take_spots(const qn_potential_grid *grid, minima *found, qn_map_summary *summary)
{
    if (found->count > 0) qsort(found->items, found->count, sizeof *found->items, compare_minima);
    for (size_t i = 0; i < found->count && summary->spot_count < QN_HOT_SPOTS_MAX; i++) {
        const qn_hot_spot spot = spot_at(grid, found->items[i].place, found->items[i].energy);
        if (!is_near_a_deeper_one(summary, &spot)) summary->spots[summary->spot_count++] = spot;
    }
}

static qn_status find_minima(const qn_potential_grid *grid, const float *values, minima *found, qn_map_summary *summary)
{
    size_t favourable = 0, least = 0, place = 0;
    int point[3];
    for (point[2] = 0; point[2] < grid->points[2]; point[2]++)
        for (point[1] = 0; point[1] < grid->points[1]; point[1]++)
            for (point[0] = 0; point[0] < grid->points[0]; point[0]++, place++) {
                if (values[place] < values[least]) least = place;
                if (!(values[place] < (float)QN_FAVOURABLE_ENERGY)) continue;
                favourable++;
                if (!is_minimum(grid, values, point)) continue;
                QN_TRY(qn_grow((void **)&found->items, &found->capacity, found->count + 1, sizeof *found->items));
                found->items[found->count++] = (minimum){values[place], place};
            }
    summary->least = spot_at(grid, least, values[least]);
    summary->favourable_angstrom3 =
        (double)favourable * grid->spacing_angstrom * grid->spacing_angstrom * grid->spacing_angstrom;
    return QN_OK;
}

qn_status qn_map_summarise(const qn_potential_grid *grid, const float *values, qn_map_summary *summary)
{
    minima found = {0};
    *summary = (qn_map_summary){0};
    const qn_status status = find_minima(grid, values, &found, summary);
    if (status == QN_OK) take_spots(grid, &found, summary);
    qn_release(&found.items);
    return status;
}
