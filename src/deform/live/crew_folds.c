/* The search of a crew for folds between the states that it solves. */
#include <string.h>

#include "deform/live/crew_parts.h"
#include "deform/space/fold.h"

static bool is_solved(const qn_grid_state *state)
{
    return state && !(qn_grid_state_flags(state) & QN_GRID_UNSOLVED);
}

void qn_crew_note_edges(qn_crew *crew, const qn_grid_state *state)
{
    if (!crew->options.checks_folds || !is_solved(state)) return;
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) { /* the state is the upper one, then the lower one */
            qn_edge edge = {.axis = axis};
            const qn_grid_state *states[2];
            memcpy(edge.lower, state->index, sizeof edge.lower);
            edge.lower[axis] -= 1 - side;
            if (crew->edge_count == QN_CREW_EDGES_MAX || !qn_crew_edge_states(crew, &edge, states)) continue;
            if (qn_fold_is_suspected(states[0], states[1], crew->options.grid.step))
                crew->edges[crew->edge_count++] = edge;
        }
}

bool qn_crew_edge_states(const qn_crew *crew, const qn_edge *edge, const qn_grid_state *states[2])
{
    int32_t upper[3];
    memcpy(upper, edge->lower, sizeof upper);
    upper[edge->axis]++;
    states[0] = qn_cache_find(crew->cache, edge->lower);
    states[1] = qn_cache_find(crew->cache, upper);
    return is_solved(states[0]) && is_solved(states[1]);
}

typedef struct second_answer {
    qn_crew *crew;
    int worker;
} second_answer;

static qn_status solve_again(void *user, const int32_t index[3], const qn_grid_state *from, qn_grid_state *state)
{
    const second_answer *const second = user;
    qn_cache_empty_spare(second->crew->cache, state);
    return qn_crew_solve(second->crew, second->worker, index, from, state);
}

qn_status qn_crew_check_edge(qn_crew *crew, int worker, const qn_grid_state *const states[2], bool *is_fold)
{
    second_answer second = {crew, worker};
    return qn_fold_check(states[0], states[1], solve_again, &second, crew->workers[worker].spare, is_fold);
}

void qn_crew_close_edge(qn_crew *crew, const qn_edge *edge, const qn_grid_state *lower)
{
    crew->fold_checks++;
    if (!edge->is_fold) return;
    crew->folds++;
    qn_grid_state_add_flags(lower, qn_fold_flag(edge->axis));
}
