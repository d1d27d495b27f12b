#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/population.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* Particle swarm (Kennedy and Eberhart 1995) on value numbers; the position of a particle is rounded to a valid point
 * near it.
 */
typedef struct swarm {
    qn_population own;     /* each particle's best */
    double *place, *speed; /* [particle][parameter] */
} swarm;

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    size_t particles = qn_searcher_settings.swarm.particles;
    swarm *search;
    QN_TRY(qn_allocate(1, sizeof(*search), (void **)&search));
    *state = search;
    QN_TRY(qn_population_start(problem->space, problem->seed, particles, &search->own));
    size_t numbers = particles * search->own.moves.parameters;
    QN_TRY(qn_allocate(numbers, sizeof(*search->place), (void **)&search->place));
    return qn_allocate(numbers, sizeof(*search->speed), (void **)&search->speed);
}

/* Move particle i, and write the value numbers nearest to its position. */
static void fly(swarm *search, size_t i, uint16_t *numbers)
{
    qn_moves *moves = &search->own.moves;
    uint16_t own[QN_SPACE_PARAMETERS_MAX], best[QN_SPACE_PARAMETERS_MAX];
    double *place = search->place + i * moves->parameters, *speed = search->speed + i * moves->parameters;
    qn_space_get(moves->space, search->own.points[i], own);
    qn_space_get(moves->space, search->own.points[qn_population_best(&search->own)], best);
    for (size_t p = 0; p < moves->parameters; p++) {
        double top = (double)qn_space_value_count(moves->space, p) - 1;
        speed[p] = qn_searcher_settings.swarm.inertia * speed[p] +
                   qn_searcher_settings.swarm.own * qn_moves_uniform(moves) * (own[p] - place[p]) +
                   qn_searcher_settings.swarm.social * qn_moves_uniform(moves) * (best[p] - place[p]);
        place[p] = fmin(fmax(place[p] + speed[p], 0), top);
        numbers[p] = (uint16_t)floor(place[p] + 0.5);
    }
}

static qn_status ask(void *state, qn_point *point)
{
    swarm *search = state;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    if (search->own.count < search->own.capacity) {
        *point = qn_moves_point(&search->own.moves);
        return QN_OK;
    }
    size_t i = search->own.turn;
    fly(search, i, numbers);
    *point = qn_moves_towards(&search->own.moves, search->own.points[i], numbers);
    /* A particle at rest would ask for a known point. */
    if (*point == search->own.points[i]) *point = qn_moves_neighbour(&search->own.moves, *point, QN_MOVES_HAMMING);
    (void)qn_population_await(&search->own, *point);
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    swarm *search = state;
    qn_population *own = &search->own;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    size_t i = qn_population_awaiting(own, point), before = own->count;
    if (i == SIZE_MAX) {
        if (!qn_population_add(own, point, test->objective) || own->count == before) return QN_OK;
        qn_space_get(own->moves.space, point, numbers);
        for (size_t p = 0; p < own->moves.parameters; p++)
            search->place[before * own->moves.parameters + p] = numbers[p];
    } else if (test->objective <= own->objectives[i]) {
        own->points[i] = point;
        own->objectives[i] = test->objective;
    }
    return QN_OK;
}

static void destroy(void **state)
{
    swarm *search = *state;
    qn_population_clear(&search->own);
    qn_release(&search->place);
    qn_release(&search->speed);
    qn_release(state);
}

const qn_searcher_class qn_searcher_swarm = {
    .name = "swarm",
    .meaning = "particle swarm",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
