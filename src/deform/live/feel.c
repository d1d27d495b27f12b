#include "deform/live/feel.h"

#include <math.h>
#include <string.h>

enum { SHELLS = 2, FROM_CELLS = 1, FROM_STATE = 2 };

static const double blend_s = 0.05;

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static double distance_to(const qn_grid *grid, const qn_grid_state *state, const double place[3])
{
    double delta[3];
    for (int axis = 0; axis < 3; axis++) delta[axis] = place[axis] - grid->step * state->index[axis];
    return length(delta);
}

static void keep_nearer(const qn_grid *grid, const qn_grid_state *state, const double place[3],
                        const qn_grid_state **nearest)
{
    if (!state || qn_grid_state_flags(state) & QN_GRID_UNSOLVED) return;
    if (!*nearest || distance_to(grid, state, place) < distance_to(grid, *nearest, place)) *nearest = state;
}

/* The nearest of the states in the shells around the cell, the last source, the caller's hint and rest. Rest is always
 * there. */
static const qn_grid_state *nearest_state(const qn_feel_options *options, const qn_cache *cache, uint64_t hint,
                                          uint64_t source, const int32_t cell[3], const double place[3])
{
    const qn_grid *const grid = &options->grid;
    const qn_grid_state *nearest = NULL;
    int32_t at[3];
    if (source >= FROM_STATE) { /* first, so that it stays the source where another is as near */
        qn_grid_index(grid, source - FROM_STATE, at);
        keep_nearer(grid, qn_cache_find(cache, at), place, &nearest);
    }
    for (at[2] = cell[2] - SHELLS; at[2] <= cell[2] + SHELLS + 1; at[2]++)
        for (at[1] = cell[1] - SHELLS; at[1] <= cell[1] + SHELLS + 1; at[1]++)
            for (at[0] = cell[0] - SHELLS; at[0] <= cell[0] + SHELLS + 1; at[0]++)
                keep_nearer(grid, qn_cache_find(cache, at), place, &nearest);
    if (hint < qn_grid_point_count(grid)) {
        qn_grid_index(grid, hint, at);
        keep_nearer(grid, qn_cache_find(cache, at), place, &nearest);
    }
    keep_nearer(grid, qn_cache_find(cache, (const int32_t[3]){0, 0, 0}), place, &nearest);
    return nearest;
}

/* The body's force on the tool at a place inside of the grid; returns its source. */
static uint64_t force_at(const qn_feel_options *options, const qn_cache *cache, uint64_t hint, uint64_t last_source,
                         const double place[3], const int32_t index[3], double force[3], uint32_t *flags)
{
    qn_cell cell;
    uint64_t source = FROM_CELLS;
    qn_cache_cell(cache, index, &cell);
    if (qn_cell_is_whole(&cell)) {
        qn_cell_force(&cell, options->way, place, force);
    } else {
        bool is_missing = false;
        for (int corner = 0; corner < 8; corner++) {
            int32_t at[3];
            is_missing |= qn_cell_corner(&cell, corner, at) && !cell.corners[corner];
        }
        *flags |= QN_TICK_EXTRAPOLATED | (is_missing ? QN_TICK_LATE : QN_TICK_FOLD);
        const qn_grid_state *const nearest = nearest_state(options, cache, hint, last_source, index, place);
        qn_grid_state_extrapolate(nearest, options->grid.step, place, force);
        source = FROM_STATE + qn_grid_number(&options->grid, nearest->index);
    }
    for (int axis = 0; axis < 3; axis++) force[axis] = -force[axis];
    return source;
}

static void blend(double step_s, uint64_t source, qn_feel *feel, double force[3], uint32_t *flags)
{
    if (source != feel->source) {
        for (int axis = 0; axis < 3; axis++) feel->offset[axis] = feel->force[axis] - force[axis];
        feel->offset_age_s = 0;
    } else {
        feel->offset_age_s += step_s;
    }
    feel->source = source;
    if (feel->offset_age_s >= blend_s || length(feel->offset) == 0) return;
    const double t = feel->offset_age_s / blend_s, left = 1 - t * t * (3 - 2 * t);
    for (int axis = 0; axis < 3; axis++) force[axis] += left * feel->offset[axis];
    *flags |= QN_TICK_BLENDED;
}

/* Limit the force, then its change since the last tick. Both forces are in the ball of the limit, so what lies between
 * them is, too. */
static void limit(const qn_feel_options *options, double step_s, const double last[3], double force[3], uint32_t *flags)
{
    const double most = options->force_limit, size = length(force), slew = options->slew_limit * step_s;
    double change[3];
    if (size > most) {
        for (int axis = 0; axis < 3; axis++) force[axis] *= most / size;
        *flags |= QN_TICK_LIMITED;
    }
    for (int axis = 0; axis < 3; axis++) change[axis] = force[axis] - last[axis];
    const double jump = length(change);
    if (jump <= slew) return;
    for (int axis = 0; axis < 3; axis++) force[axis] = last[axis] + change[axis] * (slew / jump);
    *flags |= QN_TICK_LIMITED;
}

static bool is_finite(const double force[3])
{
    return isfinite(force[0]) && isfinite(force[1]) && isfinite(force[2]);
}

/* Nobody holds the tool: the force falls in a straight line. */
static void let_go(double step_s, qn_feel *feel)
{
    if (!feel->is_free) {
        memcpy(feel->free_from, feel->force, sizeof feel->free_from);
        feel->free_age_s = 0;
    }
    feel->is_free = true;
    feel->source = 0;
    feel->free_age_s += step_s;
    const double left = feel->free_age_s < blend_s ? 1 - feel->free_age_s / blend_s : 0;
    for (int axis = 0; axis < 3; axis++) feel->force[axis] = left * feel->free_from[axis];
}

void qn_feel_tick(const qn_feel_options *options, const qn_cache *cache, uint64_t nearest, const double where[3],
                  bool is_held, double step_s, qn_feel *feel, int32_t cell[3], uint32_t *flags)
{
    double place[3], force[3];
    memcpy(place, where, sizeof place);
    *flags = qn_grid_cell(&options->grid, place, cell) ? 0 : QN_TICK_CLAMPED;
    if (!is_held) {
        *flags |= QN_TICK_FREE;
        let_go(step_s, feel);
        return;
    }
    feel->is_free = false;
    const uint64_t source = force_at(options, cache, nearest, feel->source, place, cell, force, flags);
    if (!is_finite(force)) {
        *flags |= QN_TICK_LIMITED;
        return;
    }
    blend(step_s, source, feel, force, flags);
    limit(options, step_s, feel->force, force, flags);
    memcpy(feel->force, force, sizeof feel->force);
}
