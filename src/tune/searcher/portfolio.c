#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/moves.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* A bandit over searchers: all get every result, and a searcher that recently improved on the best asks more often
 * (discounted upper confidence bound, Garivier and Moulines 2011). */
static const char *const members[] = {"climb", "mcmc", "genetic", "evolution", "swarm", "bayes"};
enum { MEMBERS = sizeof(members) / sizeof(members[0]), AWAITED = 64 };

typedef struct portfolio {
    const qn_searcher_class *classes[MEMBERS];
    void *states[MEMBERS];
    double gains[MEMBERS], turns[MEMBERS]; /* discounted */
    double best;
    qn_point awaited[AWAITED]; /* the last points asked for, and the members that asked */
    size_t owner[AWAITED], next;
} portfolio;

static void destroy(void **state)
{
    portfolio *search = *state;
    for (size_t i = 0; i < MEMBERS; i++)
        if (search->states[i]) search->classes[i]->destroy(&search->states[i]);
    qn_release(state);
}

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    portfolio *search;
    QN_TRY(qn_allocate(1, sizeof(*search), (void **)&search));
    *state = search;
    search->best = (double)INFINITY;
    for (size_t i = 0; i < AWAITED; i++) search->owner[i] = MEMBERS;
    for (size_t i = 0; i < MEMBERS; i++) {
        qn_searcher_problem own = *problem;
        own.seed += i;
        for (size_t k = 0; qn_searcher_classes[k]; k++)
            if (strcmp(qn_searcher_classes[k]->name, members[i]) == 0) search->classes[i] = qn_searcher_classes[k];
        QN_TRY(search->classes[i]->create(&own, &search->states[i]));
    }
    return QN_OK;
}

static size_t choose(const portfolio *search)
{
    double all = 0, highest = -1;
    size_t chosen = 0;
    for (size_t i = 0; i < MEMBERS; i++) all += search->turns[i];
    for (size_t i = 0; i < MEMBERS; i++) {
        if (search->turns[i] < 1e-3) return i;
        double bound = search->gains[i] / search->turns[i] +
                       qn_searcher_settings.portfolio.explore * sqrt(log(1 + all) / search->turns[i]);
        if (bound > highest) {
            highest = bound;
            chosen = i;
        }
    }
    return chosen;
}

static qn_status ask(void *state, qn_point *point)
{
    portfolio *search = state;
    size_t chosen = choose(search);
    QN_TRY(search->classes[chosen]->ask(search->states[chosen], point));
    for (size_t i = 0; i < MEMBERS; i++) {
        search->turns[i] *= qn_searcher_settings.portfolio.forget;
        search->gains[i] *= qn_searcher_settings.portfolio.forget;
    }
    search->turns[chosen] += 1;
    search->awaited[search->next] = *point;
    search->owner[search->next] = chosen;
    search->next = (search->next + 1) % AWAITED;
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    portfolio *search = state;
    if (test->objective < search->best) {
        search->best = test->objective;
        for (size_t k = 0; k < AWAITED; k++)
            if (search->owner[k] < MEMBERS && search->awaited[k] == point) search->gains[search->owner[k]] += 1;
    }
    for (size_t i = 0; i < MEMBERS; i++) QN_TRY(search->classes[i]->tell(search->states[i], point, test));
    return QN_OK;
}

const qn_searcher_class qn_searcher_portfolio = {
    .name = "portfolio",
    .meaning = "bandit over the others: searchers with recent gains ask more often",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
