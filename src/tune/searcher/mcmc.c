#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/moves.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* KTT's Markov chain: some random tests, then steps of one or two parameters from the best of them; a better point is
 * always accepted, a worse one with a small probability. */
typedef struct mcmc {
    qn_moves moves;
    int boot;
    qn_point origin;
    double objective;
} mcmc;

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    mcmc *search;
    QN_TRY(qn_allocate(1, sizeof(*search), (void **)&search));
    qn_moves_start(&search->moves, problem->space, problem->seed);
    search->boot = qn_searcher_settings.mcmc.boot;
    search->objective = INFINITY;
    *state = search;
    return QN_OK;
}

static qn_status ask(void *state, qn_point *point)
{
    mcmc *search = state;
    if (search->boot > 0 || !(search->objective < INFINITY)) {
        *point = qn_moves_point(&search->moves);
        return QN_OK;
    }
    uint64_t steps = 1 + qn_moves_below(&search->moves, (uint64_t)qn_searcher_settings.mcmc.differences);
    *point = search->origin;
    while (steps-- > 0) *point = qn_moves_neighbour(&search->moves, *point, QN_MOVES_HAMMING);
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    mcmc *search = state;
    bool escapes = search->boot <= 0 && qn_moves_uniform(&search->moves) < qn_searcher_settings.mcmc.escape;
    if (search->boot > 0) search->boot--;
    if (test->objective <= search->objective || escapes) {
        search->origin = point;
        search->objective = test->objective;
    }
    return QN_OK;
}

static void destroy(void **state)
{
    qn_release(state);
}

const qn_searcher_class qn_searcher_mcmc = {
    .name = "mcmc",
    .meaning = "Markov chain that seldom accepts a worse point (as KTT)",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
