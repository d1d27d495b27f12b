/* A crew with a simulated clock: all states that some places need, level by level from their canonical parents. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "deform/live/crew_parts.h"

/* Count a point for the places of this call; false where it was counted before. */
static bool mark(qn_crew *crew, const int32_t index[3], bool is_needed)
{
    const uint64_t number = qn_grid_number(&crew->options.grid, index);
    if (crew->is_marked[number]) return false;
    crew->is_marked[number] = true;
    crew->marked[crew->marked_count++] = number;
    if (is_needed) crew->needed[crew->needed_count++] = number;
    return true;
}

/* Mark a point and, where its state is missing, its parents up to one that is there and solved. Returns false where
 * more than `most` points would be marked. */
static bool mark_chain(qn_crew *crew, const int32_t index[3], size_t most)
{
    int32_t at[3], parent[3];
    memcpy(at, index, sizeof at);
    for (bool is_asked = true;; is_asked = false) {
        const qn_grid_state *const state = qn_cache_find(crew->cache, at);
        if (crew->marked_count == most) return false;
        const bool is_new = mark(crew, at, state == NULL);
        const bool is_end = state && (is_asked || !(qn_grid_state_flags(state) & QN_GRID_UNSOLVED));
        if (is_end || (!is_new && !state) || !qn_grid_parent(at, parent)) return true;
        memcpy(at, parent, sizeof at);
    }
}

/* Forget the points that were marked after the first `marked` ones. */
static void unmark(qn_crew *crew, size_t marked, size_t needed)
{
    while (crew->marked_count > marked) crew->is_marked[crew->marked[--crew->marked_count]] = false;
    crew->needed_count = needed;
}

static bool mark_cell(qn_crew *crew, const double where[3], size_t most)
{
    const size_t marked = crew->marked_count, needed = crew->needed_count;
    double place[3];
    int32_t cell[3];
    memcpy(place, where, sizeof place);
    qn_grid_cell(&crew->options.grid, place, cell);
    for (int corner = 0; corner < 8; corner++) {
        const int32_t at[3] = {cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2)};
        if (!qn_grid_has(&crew->options.grid, at) || mark_chain(crew, at, most)) continue;
        unmark(crew, marked, needed);
        return false;
    }
    return true;
}

static int by_depth(const void *a, const void *b)
{
    const qn_grid_state *const left = *(qn_grid_state *const *)a, *const right = *(qn_grid_state *const *)b;
    const int difference = qn_grid_depth(left->index) - qn_grid_depth(right->index);
    if (difference != 0) return difference;
    for (int axis = 2; axis >= 0; axis--)
        if (left->index[axis] != right->index[axis]) return left->index[axis] < right->index[axis] ? -1 : 1;
    return 0;
}

static qn_status solve_task(size_t index, int number, void *user)
{
    qn_crew *const crew = user;
    qn_grid_state *const state = crew->states[crew->level_begin + index];
    int32_t at[3];
    memcpy(at, state->index, sizeof at);
    return qn_crew_solve(crew, number, at, crew->parents[crew->level_begin + index], state);
}

/* The canonical parent's state, or that of its first ancestor that is solved. */
static const qn_grid_state *solved_parent(const qn_crew *crew, const int32_t index[3])
{
    const qn_grid_state *state = NULL;
    int32_t at[3], parent[3];
    memcpy(at, index, sizeof at);
    while ((!state || qn_grid_state_flags(state) & QN_GRID_UNSOLVED) && qn_grid_parent(at, parent)) {
        memcpy(at, parent, sizeof at);
        state = qn_cache_find(crew->cache, at);
    }
    return state;
}

static qn_status edge_task(size_t index, int number, void *user)
{
    qn_crew *const crew = user;
    const qn_grid_state *states[2];
    qn_edge *const edge = &crew->edges[index];
    if (!qn_crew_edge_states(crew, edge, states)) return QN_FAIL(QN_INTERNAL, "a state of a new edge is missing");
    return qn_crew_check_edge(crew, number, states, &edge->is_fold);
}

/* Check the edges that were noted, and flag their folds in the order of the list. */
static qn_status check_edges(qn_crew *crew)
{
    QN_TRY(qn_pool_run(crew->pool, crew->edge_count, edge_task, crew));
    for (size_t i = 0; i < crew->edge_count; i++)
        qn_crew_close_edge(crew, &crew->edges[i], qn_cache_find(crew->cache, crew->edges[i].lower));
    crew->edge_count = 0;
    return QN_OK;
}

static qn_status solve_level(qn_crew *crew, size_t begin, size_t end)
{
    crew->level_begin = begin;
    for (size_t i = begin; i < end; i++) crew->parents[i] = solved_parent(crew, crew->states[i]->index);
    QN_TRY(qn_pool_run(crew->pool, end - begin, solve_task, crew));
    for (size_t i = begin; i < end; i++) {
        QN_TRY(qn_crew_note_record(crew, crew->states[i], crew->parents[i], 0, 0));
        qn_cache_put(crew->cache, crew->states[i]);
        qn_crew_note_edges(crew, crew->states[i]);
        if (crew->edge_count + 6 > QN_CREW_EDGES_MAX) QN_TRY(check_edges(crew));
    }
    return check_edges(crew);
}

static qn_status solve_needed(qn_crew *crew)
{
    for (size_t i = 0; i < crew->needed_count; i++) {
        QN_TRY(qn_cache_take(crew->cache, &crew->states[i]));
        if (!crew->states[i])
            return QN_FAIL(QN_INTERNAL, "the cache has no room for state %zu of %zu", i + 1, crew->needed_count);
        qn_grid_index(&crew->options.grid, crew->needed[i], crew->states[i]->index);
    }
    qsort(crew->states, crew->needed_count, sizeof *crew->states, by_depth);
    for (size_t begin = 0, end; begin < crew->needed_count; begin = end) {
        const int depth = qn_grid_depth(crew->states[begin]->index);
        for (end = begin; end < crew->needed_count && qn_grid_depth(crew->states[end]->index) == depth;) end++;
        QN_TRY(solve_level(crew, begin, end));
    }
    return QN_OK;
}

qn_status qn_crew_solve_for(qn_crew *crew, const double (*places)[3], size_t count, size_t *ready)
{
    const size_t most = qn_cache_facts_of(crew->cache).capacity - 2; /* one may be unused, and one is rest */
    *ready = 0;
    unmark(crew, 0, 0);
    while (*ready < count && mark_cell(crew, places[*ready], most)) ++*ready;
    if (*ready == 0) return QN_FAIL(QN_INTERNAL, "the cache has no room for one cell");
    /* Two passes: what the call before touched may be removed. */
    qn_cache_begin_pass(crew->cache, places[0]);
    qn_cache_begin_pass(crew->cache, places[0]);
    for (size_t i = 0; i < crew->marked_count; i++) {
        int32_t index[3];
        qn_grid_index(&crew->options.grid, crew->marked[i], index);
        qn_cache_touch(crew->cache, index);
    }
    return solve_needed(crew);
}
