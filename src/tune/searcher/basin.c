#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/moves.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* Basin hopping (Wales and Doye 1997): hop by some random steps, descend over adjacent values to the bottom of the
 * basin, and accept or reject the new bottom by the relative difference of the two bottoms. */
typedef struct basin {
    qn_moves moves;
    bool hopping; /* the next result of `hop` begins a descent */
    qn_point hop, current, bottom;
    double objective, bottom_objective;
    qn_point *neighbours;
    size_t count, next, capacity;
} basin;

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    basin *search;
    QN_TRY(qn_allocate(1, sizeof(*search), (void **)&search));
    *state = search;
    qn_moves_start(&search->moves, problem->space, problem->seed);
    search->hopping = true;
    search->hop = qn_moves_point(&search->moves);
    search->objective = search->bottom_objective = (double)INFINITY;
    search->capacity = 2 * search->moves.parameters;
    return qn_allocate(search->capacity, sizeof(*search->neighbours), (void **)&search->neighbours);
}

/* The descent has ended at `current`. */
static void leave(basin *search)
{
    double worse = (search->objective - search->bottom_objective) / search->bottom_objective;
    if (!(search->objective >= search->bottom_objective) ||
        qn_moves_uniform(&search->moves) < exp(-worse / qn_searcher_settings.basin.temperature)) {
        search->bottom = search->current;
        search->bottom_objective = search->objective;
    }
    search->hopping = true;
    search->hop = search->bottom;
    for (int i = 0; i < qn_searcher_settings.basin.hop; i++)
        search->hop = qn_moves_neighbour(&search->moves, search->hop, QN_MOVES_HAMMING);
    if (!(search->bottom_objective < (double)INFINITY)) search->hop = qn_moves_point(&search->moves);
}

static qn_status ask(void *state, qn_point *point)
{
    basin *search = state;
    if (!search->hopping && search->next >= search->count) leave(search);
    *point = search->hopping ? search->hop : search->neighbours[search->next++];
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    basin *search = state;
    bool begins = search->hopping && point == search->hop;
    if (!begins && !(test->objective < search->objective)) return QN_OK;
    search->hopping = false;
    search->current = point;
    search->objective = test->objective;
    search->count = qn_moves_neighbours(&search->moves, point, QN_MOVES_ADJACENT, search->neighbours, search->capacity);
    search->next = 0;
    return QN_OK;
}

static void destroy(void **state)
{
    basin *search = *state;
    qn_release(&search->neighbours);
    qn_release(state);
}

const qn_searcher_class qn_searcher_basin = {
    .name = "basin",
    .meaning = "basin hopping",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
