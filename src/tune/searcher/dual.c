#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/moves.h"
#include "tune/searcher/searcher.h"
#include "tune/searcher/table.h"

/* Dual annealing (Xiang, Sun, Fan, Gong 1997): jumps with the heavy tails of generalised annealing, which shrink as it
 * cools. A descent follows each new best point. */
typedef struct dual {
    qn_moves moves;
    qn_point current;
    double objective, best;
    uint64_t steps; /* since the last start */
    qn_point *neighbours;
    size_t count, next, capacity; /* neighbours of the best point, for the descent */
} dual;

static qn_status create(const qn_searcher_problem *problem, void **state)
{
    dual *search;
    QN_TRY(qn_allocate(1, sizeof(*search), (void **)&search));
    *state = search;
    qn_moves_start(&search->moves, problem->space, problem->seed);
    search->objective = search->best = (double)INFINITY;
    search->capacity = 2 * search->moves.parameters;
    return qn_allocate(search->capacity, sizeof(*search->neighbours), (void **)&search->neighbours);
}

/* T(t) = T0 (2^(q-1) - 1) / ((1 + t)^(q-1) - 1), from 1 down. */
static double cooled(const dual *search)
{
    double power = qn_searcher_settings.dual.visiting - 1, t = (double)search->steps + 1;
    return (pow(2, power) - 1) / (pow(1 + t, power) - 1);
}

/* Draw a jump from the visiting distribution: a Student variable with (3 - q) / (q - 1) degrees of freedom, whose
 * density falls with |x|^(-2 / (q - 1)), times the root of the temperature, in units of a parameter's range. */
static double jump(dual *search)
{
    double degrees = (3 - qn_searcher_settings.dual.visiting) / (qn_searcher_settings.dual.visiting - 1);
    double u = 1 - qn_moves_uniform(&search->moves);
    /* Bailey's polar method. */
    double radius = sqrt(degrees * (pow(u, -2 / degrees) - 1));
    return radius * cos(6.283185307179586 * qn_moves_uniform(&search->moves)) * sqrt(cooled(search));
}

static qn_status ask(void *state, qn_point *point)
{
    dual *search = state;
    qn_moves *moves = &search->moves;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    *point = qn_moves_point(moves);
    if (!(search->objective < (double)INFINITY)) return QN_OK;
    if (search->next < search->count) {
        *point = search->neighbours[search->next++];
        return QN_OK;
    }
    if (cooled(search) < qn_searcher_settings.dual.restart) search->steps = 0;
    qn_space_get(moves->space, search->current, numbers);
    for (size_t p = 0; p < moves->parameters; p++) {
        double range = (double)qn_space_value_count(moves->space, p);
        double place = fmod(numbers[p] + fmin(fmax(jump(search), -1e3), 1e3) * range, range);
        numbers[p] = (uint16_t)fmin(place < 0 ? place + range : place, range - 1);
    }
    *point = qn_moves_towards(moves, search->current, numbers);
    if (*point == search->current) *point = qn_moves_neighbour(moves, search->current, QN_MOVES_HAMMING);
    return QN_OK;
}

static qn_status tell(void *state, qn_point point, const qn_test *test)
{
    dual *search = state;
    double worse = (test->objective - search->objective) / search->objective;
    /* Generalised acceptance with q_a < 1: (1 - (1 - q_a) ΔE / T)^(1 / (1 - q_a)), 0 where the base is negative. */
    double q = qn_searcher_settings.dual.acceptance,
           base = 1 - (1 - q) * worse * (double)(search->steps + 1) / cooled(search);
    search->steps++;
    if (test->objective < search->best) {
        search->best = test->objective;
        search->count =
            qn_moves_neighbours(&search->moves, point, QN_MOVES_ADJACENT, search->neighbours, search->capacity);
        search->next = 0;
    }
    if (test->objective < search->objective ||
        (base > 0 && qn_moves_uniform(&search->moves) < pow(base, 1 / (1 - q)))) {
        search->current = point;
        search->objective = test->objective;
    }
    return QN_OK;
}

static void destroy(void **state)
{
    dual *search = *state;
    qn_release(&search->neighbours);
    qn_release(state);
}

const qn_searcher_class qn_searcher_dual = {
    .name = "dual",
    .meaning = "dual annealing",
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
};
