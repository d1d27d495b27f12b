#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/moves.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983) over Hamming neighbours; differences are relative to the
 * current objective, so that temperatures need no unit. When it has cooled down, it starts again from the best
 * point. */
typedef struct anneal {
    qn_moves moves;
    qn_point current, best_point;
    double objective, best, temperature, cooling;
} anneal;

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    anneal *search;
    QN_TRY(qn_allocate(1, sizeof(*search), (void **)&search));
    qn_moves_start(&search->moves, problem->space, problem->seed);
    search->objective = search->best = INFINITY;
    search->temperature = qn_searcher_settings.anneal.start;
    search->cooling = qn_searcher_settings.anneal.cooling;
    if (problem->expected_tests)
        search->cooling = pow(qn_searcher_settings.anneal.end / qn_searcher_settings.anneal.start,
                              1.0 / (double)problem->expected_tests);
    *state = search;
    return QN_OK;
}

static qn_status ask(void *state, qn_point *point)
{
    anneal *search = state;
    *point = search->objective < INFINITY ? qn_moves_neighbour(&search->moves, search->current, QN_MOVES_HAMMING)
                                          : qn_moves_point(&search->moves);
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    anneal *search = state;
    double worse = (test->objective - search->objective) / search->objective;
    if (test->objective < search->best) {
        search->best = test->objective;
        search->best_point = point;
    }
    if (test->objective < search->objective || qn_moves_uniform(&search->moves) < exp(-worse / search->temperature)) {
        search->current = point;
        search->objective = test->objective;
    }
    search->temperature *= search->cooling;
    if (search->temperature < qn_searcher_settings.anneal.end) {
        search->temperature = qn_searcher_settings.anneal.start;
        search->current = search->best_point;
        search->objective = search->best;
    }
    return QN_OK;
}

static void destroy(void **state)
{
    qn_release(state);
}

const qn_searcher_class qn_searcher_anneal = {
    .name = "anneal",
    .meaning = "simulated annealing",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
