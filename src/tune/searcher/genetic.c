#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/population.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* Steady-state genetic search (Whitley 1989): tournaments select two parents, the child gets every parameter from one
 * of them, is mutated, and replaces the worst member if it is better. */
static qn_status create(const qn_searcher_problem *problem, void **state)
{
    QN_TRY(qn_allocate(1, sizeof(qn_population), state));
    return qn_population_start(problem->space, problem->seed, qn_searcher_settings.genetic.population, *state);
}

static size_t tournament(qn_population *search)
{
    size_t winner = (size_t)qn_moves_below(&search->moves, search->count);
    for (int i = 1; i < qn_searcher_settings.genetic.tournament; i++) {
        size_t rival = (size_t)qn_moves_below(&search->moves, search->count);
        if (search->objectives[rival] < search->objectives[winner]) winner = rival;
    }
    return winner;
}

static qn_status ask(void *state, qn_point *point)
{
    qn_population *search = state;
    qn_moves *moves = &search->moves;
    uint16_t child[QN_SPACE_PARAMETERS_MAX], other[QN_SPACE_PARAMETERS_MAX];
    if (search->count < search->capacity) {
        *point = qn_moves_point(moves);
        return QN_OK;
    }
    qn_point parent = search->points[tournament(search)];
    qn_space_get(moves->space, parent, child);
    qn_space_get(moves->space, search->points[tournament(search)], other);
    for (size_t p = 0; p < moves->parameters; p++)
        if (qn_moves_uniform(moves) < 0.5) child[p] = other[p];
    *point = qn_moves_towards(moves, parent, child);
    /* Change one parameter with the probability 0.63 = 1 - 1/e that independent mutations of rate 1 / parameters change
     * any; always if the child equals its parent. */
    for (double left = qn_searcher_settings.genetic.mutation; left > 0; left--)
        if (qn_moves_uniform(moves) < 0.63 || *point == parent)
            *point = qn_moves_neighbour(moves, *point, QN_MOVES_HAMMING);
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    (void)qn_population_add(state, point, test->objective);
    return QN_OK;
}

static void destroy(void **state)
{
    qn_population_clear(*state);
    qn_release(state);
}

const qn_searcher_class qn_searcher_genetic = {
    .name = "genetic",
    .meaning = "genetic search, the worst replaced",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
