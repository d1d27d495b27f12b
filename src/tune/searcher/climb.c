#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/moves.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* Greedy iterated local search: take the first neighbour that is better. If none is, walk a few random steps and climb
 * again. After many rounds without a gain, start at a new random point. */
typedef struct climb {
    qn_moves moves;
    bool starting; /* the next result of `start` begins a climb, good or bad */
    qn_point start, current;
    double objective, best; /* of `current`; of all points */
    qn_point *neighbours;   /* of current, in the order in which they are tried */
    size_t count, next, capacity;
    int rounds_without_gain;
} climb;

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    climb *search;
    QN_TRY(qn_allocate(1, sizeof(*search), (void **)&search));
    *state = search;
    qn_moves_start(&search->moves, problem->space, problem->seed);
    search->starting = true;
    search->start = qn_moves_point(&search->moves);
    search->objective = search->best = INFINITY;
    search->capacity = qn_moves_most_neighbours(&search->moves);
    return qn_allocate(search->capacity, sizeof(*search->neighbours), (void **)&search->neighbours);
}

static void list_neighbours(climb *search)
{
    search->count =
        qn_moves_neighbours(&search->moves, search->current, QN_MOVES_HAMMING, search->neighbours, search->capacity);
    search->next = 0;
    for (size_t i = search->count; i > 1; i--) {
        size_t j = qn_moves_below(&search->moves, i);
        qn_point kept = search->neighbours[i - 1];
        search->neighbours[i - 1] = search->neighbours[j];
        search->neighbours[j] = kept;
    }
}

static void perturb(climb *search)
{
    int steps = (int)(qn_searcher_settings.climb.walk * (double)search->moves.parameters);
    search->rounds_without_gain++;
    search->starting = true;
    if (search->rounds_without_gain > qn_searcher_settings.climb.rounds_without_gain) {
        search->start = qn_moves_point(&search->moves);
        search->rounds_without_gain = 0;
        return;
    }
    search->start = search->current;
    for (int i = 0; i < (steps > 1 ? steps : 1); i++)
        search->start = qn_moves_neighbour(&search->moves, search->start, QN_MOVES_HAMMING);
}

static qn_status ask(void *state, qn_point *point)
{
    climb *search = state;
    if (!search->starting && search->next >= search->count) perturb(search);
    *point = search->starting ? search->start : search->neighbours[search->next++];
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    climb *search = state;
    bool begins = search->starting && point == search->start;
    if (test->objective < search->best) {
        search->best = test->objective;
        search->rounds_without_gain = 0;
    }
    if (!begins && !(test->objective < search->objective)) return QN_OK;
    search->starting = false;
    search->current = point;
    search->objective = test->objective;
    list_neighbours(search);
    return QN_OK;
}

static void destroy(void **state)
{
    climb *search = *state;
    qn_release(&search->neighbours);
    qn_release(state);
}

const qn_searcher_class qn_searcher_climb = {
    .name = "climb",
    .meaning = "greedy hill climbing, perturbed and restarted",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
