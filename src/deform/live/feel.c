#include "deform/live/feel.h"

#include <math.h>
#include <string.h>

enum { SHELLS = 2, FROM_CELLS = 1, FROM_STATE = 2 };

static const double blend_s = 0.05;

static double length(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* The nearest solved state so far. */
typedef struct search {
    const qn_grid *grid;
    const qn_cache *cache;
    const double *place;
    const qn_grid_state *nearest, *last; /* `last` is the last source: it stays where another is as near */
    double distance;                     /* of the nearest one */
    double most_square;                  /* no state beyond this square of a distance is as near */
} search;

/* Whether the state at a point is taken though the nearest one is as near: the first by number, if the caller wants. */
static bool wins_tie(const search *of, const int32_t at[3], bool by_number)
{
    return by_number && of->nearest != of->last &&
           qn_grid_number(of->grid, at) < qn_grid_number(of->grid, of->nearest->index);
}

/* Take the state at a point where it is nearer. States are far from the processor, in memory that other threads have
 * driven out of its caches: so those that are farther than the nearest one are not looked at. */
static void consider(search *of, const int32_t at[3], bool by_number)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double delta = of->place[axis] - of->grid->step * at[axis];
        square += delta * delta;
    }
    if (of->nearest && square > of->most_square) return;
    const qn_grid_state *const state = qn_cache_find(of->cache, at);
    const double distance = sqrt(square);
    if (!state) return;
    if (of->nearest && distance > of->distance) return;
    if (of->nearest && distance == of->distance && !wins_tie(of, at, by_number)) return;
    if (qn_grid_state_flags(state) & QN_GRID_UNSOLVED) return;
    of->nearest = state;
    of->distance = distance;
    of->most_square = square * (1 + 1e-12); /* for distances that are equal when rounded */
}

/* The points around a cell: its corners as shell 0, then those one step around them, and so on. */
static void consider_shell(search *of, const int32_t cell[3], int32_t shell)
{
    const int32_t least[3] = {cell[0] - shell, cell[1] - shell, cell[2] - shell}, width = 1 + 2 * shell;
    int32_t at[3];
    for (at[2] = least[2]; at[2] <= least[2] + width; at[2]++)
        for (at[1] = least[1]; at[1] <= least[1] + width; at[1]++) {
            const bool is_face =
                at[2] == least[2] || at[2] == least[2] + width || at[1] == least[1] || at[1] == least[1] + width;
            for (at[0] = least[0]; at[0] <= least[0] + width; at[0] += is_face ? 1 : width) consider(of, at, true);
        }
}

/* The nearest of the states in the shells around the cell, the last source, the caller's hint and rest. Rest is always
 * there. */
static const qn_grid_state *nearest_state(const qn_feel_options *options, const qn_cache *cache, uint64_t hint,
                                          uint64_t source, const int32_t cell[3], const double place[3])
{
    search of = {.grid = &options->grid, .cache = cache, .place = place};
    int32_t at[3];
    if (source >= FROM_STATE) { /* first, so that it stays the source where another is as near */
        qn_grid_index(of.grid, source - FROM_STATE, at);
        consider(&of, at, false);
    }
    of.last = of.nearest;
    for (int32_t shell = 0; shell <= SHELLS; shell++) {
        const double least = (1 - 1e-9) * shell * of.grid->step; /* of the distances of this shell and all around it */
        if (of.nearest && of.distance < least) return of.nearest;
        consider_shell(&of, cell, shell);
    }
    if (hint < qn_grid_point_count(of.grid)) {
        qn_grid_index(of.grid, hint, at);
        consider(&of, at, false);
    }
    consider(&of, (const int32_t[3]){0, 0, 0}, false);
    return of.nearest;
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
