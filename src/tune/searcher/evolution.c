#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/population.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* Differential evolution, best/1/bin (Storn and Price 1997), on value numbers: trial = best + weight · (a - b),
 * rounded, crossed with the member whose place it may take. */
static qn_status create(const qn_searcher_problem *problem, void **state)
{
    QN_TRY(qn_allocate(1, sizeof(qn_population), state));
    return qn_population_start(problem->space, problem->seed, qn_searcher_settings.evolution.population, *state);
}

static uint16_t clamped(double number, size_t count)
{
    return (uint16_t)fmin(fmax(floor(number + 0.5), 0), (double)count - 1);
}

static qn_status ask(void *state, qn_point *point)
{
    qn_population *search = state;
    qn_moves *moves = &search->moves;
    uint16_t trial[QN_SPACE_PARAMETERS_MAX], best[QN_SPACE_PARAMETERS_MAX], a[QN_SPACE_PARAMETERS_MAX],
        b[QN_SPACE_PARAMETERS_MAX];
    if (search->count < search->capacity) {
        *point = qn_moves_point(moves);
        return QN_OK;
    }
    qn_point target = search->points[search->turn];
    size_t forced = (size_t)qn_moves_below(moves, moves->parameters);
    qn_space_get(moves->space, target, trial);
    qn_space_get(moves->space, search->points[qn_population_best(search)], best);
    qn_space_get(moves->space, search->points[qn_moves_below(moves, search->count)], a);
    qn_space_get(moves->space, search->points[qn_moves_below(moves, search->count)], b);
    for (size_t p = 0; p < moves->parameters; p++)
        if (p == forced || qn_moves_uniform(moves) < qn_searcher_settings.evolution.crossover)
            trial[p] = clamped(best[p] + qn_searcher_settings.evolution.weight * (a[p] - b[p]),
                               qn_space_value_count(moves->space, p));
    *point = qn_moves_towards(moves, target, trial);
    /* Rounding often gives the member itself. */
    if (*point == target) *point = qn_moves_neighbour(moves, target, QN_MOVES_HAMMING);
    (void)qn_population_await(search, *point);
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    qn_population *search = state;
    size_t place = qn_population_awaiting(search, point);
    if (place == SIZE_MAX) {
        (void)qn_population_add(search, point, test->objective);
    } else if (test->objective <= search->objectives[place]) {
        search->points[place] = point;
        search->objectives[place] = test->objective;
    }
    return QN_OK;
}

static void destroy(void **state)
{
    qn_population_clear(*state);
    qn_release(state);
}

const qn_searcher_class qn_searcher_evolution = {
    .name = "evolution",
    .meaning = "differential evolution",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
