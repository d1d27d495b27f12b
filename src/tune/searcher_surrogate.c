#include "tune/searcher_surrogate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher_moves.h"

enum { REPLACE_TRIES = 8 };

typedef struct surrogate {
    const qn_surrogate_settings *settings;
    qn_moves moves;
    qn_forest *forest;
    qn_point *points; /* tested */
    double *objectives, *targets;
    size_t count, point_capacity, objective_capacity, target_capacity;
    double best, worst;            /* valid objectives */
    double best_target, deviation; /* of the targets */
    bool improved;                 /* since the last build */
    size_t built;                  /* data of the last build; 0: none yet */
    int turn;                      /* tree to regrow next */
    qn_point *pool;
    float *x, *predictions; /* [candidate][parameters], [candidate][trees] */
    double *gains;          /* [candidate] */
    size_t pool_count;
    qn_point *neighbours;
    size_t neighbour_capacity;
    size_t top[QN_SURROGATE_EXPAND], top_count;
    qn_point expanded[QN_SURROGATE_EXPAND];
    size_t expanded_count;
} surrogate;

qn_status qn_surrogate_create(const qn_searcher_problem *problem, const qn_surrogate_settings *settings, void **state)
{
    surrogate *made;
    QN_TRY(qn_allocate(1, sizeof(*made), (void **)&made));
    *state = made;
    made->settings = settings;
    qn_moves_start(&made->moves, problem->space, problem->seed);
    made->best = (double)INFINITY;
    made->worst = -(double)INFINITY;
    made->neighbour_capacity = qn_moves_most_neighbours(&made->moves);
    QN_TRY(qn_allocate(made->neighbour_capacity, sizeof(qn_point), (void **)&made->neighbours));
    QN_TRY(qn_allocate(settings->pool, sizeof(qn_point), (void **)&made->pool));
    QN_TRY(qn_allocate(settings->pool, sizeof(double), (void **)&made->gains));
    QN_TRY(qn_allocate(settings->pool * made->moves.parameters, sizeof(float), (void **)&made->x));
    QN_TRY(qn_allocate(settings->pool * (size_t)settings->forest.trees, sizeof(float), (void **)&made->predictions));
    return qn_forest_create(problem->space, &settings->forest, problem->seed, &made->forest);
}

void qn_surrogate_destroy(void **state)
{
    surrogate *search = *state;
    qn_forest_destroy(&search->forest);
    qn_release(&search->points);
    qn_release(&search->objectives);
    qn_release(&search->targets);
    qn_release(&search->neighbours);
    qn_release(&search->pool);
    qn_release(&search->gains);
    qn_release(&search->x);
    qn_release(&search->predictions);
    qn_release(state);
}

static bool is_among(qn_point point, const qn_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (points[i] == point) return true;
    return false;
}

static float *x_of(const surrogate *search, size_t i)
{
    return search->x + i * search->moves.parameters;
}

static float *predictions_of(const surrogate *search, size_t i)
{
    return search->predictions + i * (size_t)search->settings->forest.trees;
}

/* Into a free place of the pool, else over the least promising of a few candidates. */
static void add_candidate(surrogate *search, qn_point point)
{
    size_t place = search->pool_count;
    if (is_among(point, search->points, search->count) || is_among(point, search->pool, search->pool_count)) return;
    if (place < search->settings->pool) {
        search->pool_count++;
    } else {
        place = qn_moves_below(&search->moves, search->pool_count);
        for (int i = 1; i < REPLACE_TRIES; i++) {
            size_t other = qn_moves_below(&search->moves, search->pool_count);
            if (search->gains[other] < search->gains[place]) place = other;
        }
    }
    search->pool[place] = point;
    search->gains[place] = (double)INFINITY;
    qn_forest_encode(search->forest, point, x_of(search, place));
    for (int t = 0; t < search->settings->forest.trees; t++)
        predictions_of(search, place)[t] = qn_forest_predict(search->forest, t, x_of(search, place));
}

static void drop_candidate(surrogate *search, size_t i)
{
    size_t last = --search->pool_count;
    search->pool[i] = search->pool[last];
    search->gains[i] = search->gains[last];
    memcpy(x_of(search, i), x_of(search, last), search->moves.parameters * sizeof(float));
    memcpy(predictions_of(search, i), predictions_of(search, last),
           (size_t)search->settings->forest.trees * sizeof(float));
}

/* Failed tests count as the worst valid one: a model of its own for them would have too few data. */
static double target_of(const surrogate *search, double objective)
{
    double value = objective < (double)INFINITY ? objective : search->worst, power = search->settings->power;
    return power > 0 ? -pow(search->best / value, power) : log(value);
}

static void set_targets(surrogate *search)
{
    double sum = 0, squares = 0, n = (double)search->count;
    for (size_t i = 0; i < search->count; i++) {
        double target = search->targets[i] = target_of(search, search->objectives[i]);
        sum += target;
        squares += target * target;
    }
    search->best_target = target_of(search, search->best);
    search->deviation = sqrt(fmax(squares / n - sum / n * (sum / n), 0));
}

static void find_top(surrogate *search)
{
    search->top_count = 0;
    for (size_t i = 0; i < search->count; i++) {
        size_t place = search->top_count;
        while (place > 0 && search->objectives[i] < search->objectives[search->top[place - 1]]) place--;
        if (place >= search->settings->expand) continue;
        if (search->top_count < search->settings->expand) search->top_count++;
        for (size_t k = search->top_count - 1; k > place; k--) search->top[k] = search->top[k - 1];
        search->top[place] = i;
    }
}

static qn_status build(surrogate *search)
{
    int trees = search->settings->forest.trees, renew = trees;
    size_t full = search->settings->rebuild_tests;
    if (search->built && search->count > full && !search->improved) {
        renew = (int)(((size_t)trees * full + search->count - 1) / search->count);
        if (renew < 2) renew = 2;
    }
    for (; renew > 0; renew--) {
        QN_TRY(qn_forest_build(search->forest, search->points, search->targets, search->count, search->turn, 1));
        for (size_t i = 0; i < search->pool_count; i++)
            predictions_of(search, i)[search->turn] = qn_forest_predict(search->forest, search->turn, x_of(search, i));
        search->turn = (search->turn + 1) % trees;
    }
    search->built = search->count;
    search->improved = false;
    return QN_OK;
}

static void fill_pool(surrogate *search)
{
    size_t want = search->settings->pool;
    if (search->moves.size <= want) {
        for (qn_point point = 0; !search->expanded_count && point < search->moves.size; point++)
            add_candidate(search, point);
    } else {
        size_t missing = want - search->pool_count;
        for (size_t i = 0; i < missing + search->settings->fresh; i++)
            add_candidate(search, qn_moves_point(&search->moves));
    }
    for (size_t k = 0; k < search->top_count; k++) {
        qn_point point = search->points[search->top[k]];
        if (is_among(point, search->expanded, search->expanded_count)) continue;
        size_t count = qn_moves_neighbours(&search->moves, point, QN_MOVES_HAMMING, search->neighbours,
                                           search->neighbour_capacity);
        for (size_t i = 0; i < count; i++) add_candidate(search, search->neighbours[i]);
    }
    for (size_t k = 0; k < search->top_count; k++) search->expanded[k] = search->points[search->top[k]];
    search->expanded_count = search->top_count;
}

/* Expected improvement on the best (Mockus 1975; Jones, Schonlau, Welch 1998), the trees' predictions taken as normal.
 */
static double expected_gain(const surrogate *search, const float *predictions)
{
    int trees = search->settings->forest.trees;
    double sum = 0, squares = 0, least = search->settings->doubt * search->deviation;
    for (int t = 0; t < trees; t++) {
        double below = search->best_target - (double)predictions[t];
        sum += below;
        squares += below * below;
    }
    double mean = sum / trees, deviation = sqrt(fmax(squares / trees - mean * mean, 0) + least * least);
    if (!(deviation > 0)) return mean;
    double z = mean / deviation;
    double gain = mean * 0.5 * erfc(-z * 0.70710678118654752) + deviation * 0.3989422804014327 * exp(-0.5 * z * z);
    /* Far below what is known the formula ends in nothing: there the nearest counts. */
    return gain > 1e-12 ? gain : mean;
}

/* The untested neighbour of the best point that the model likes most; false when there is none. */
static bool best_neighbour(surrogate *search, qn_point *point)
{
    float x[QN_SPACE_PARAMETERS];
    double lowest = (double)INFINITY;
    size_t count = qn_moves_neighbours(&search->moves, search->points[search->top[0]], QN_MOVES_HAMMING,
                                       search->neighbours, search->neighbour_capacity);
    for (size_t i = 0; i < count; i++) {
        if (is_among(search->neighbours[i], search->points, search->count)) continue;
        qn_forest_encode(search->forest, search->neighbours[i], x);
        /* Many neighbours share the leaves of the best: chance decides between those. */
        double mean = 1e-3 * search->deviation * qn_moves_uniform(&search->moves);
        for (int t = 0; t < search->settings->forest.trees; t++)
            mean += (double)qn_forest_predict(search->forest, t, x) / search->settings->forest.trees;
        if (mean < lowest) {
            lowest = mean;
            *point = search->neighbours[i];
        }
    }
    return lowest < (double)INFINITY;
}

qn_status qn_surrogate_ask(void *state, qn_point *point)
{
    surrogate *search = state;
    *point = qn_moves_point(&search->moves);
    if (search->count < search->settings->first || !(search->best < (double)INFINITY)) return QN_OK;
    if (qn_moves_uniform(&search->moves) < search->settings->explore) return QN_OK;
    if (search->built != search->count) {
        set_targets(search);
        find_top(search);
        QN_TRY(build(search));
    }
    fill_pool(search);
    if (qn_moves_uniform(&search->moves) < search->settings->local && best_neighbour(search, point)) return QN_OK;
    double largest = -(double)INFINITY;
    size_t chosen = SIZE_MAX;
    for (size_t i = 0; i < search->pool_count; i++) {
        search->gains[i] = expected_gain(search, predictions_of(search, i));
        if (search->gains[i] > largest) {
            largest = search->gains[i];
            chosen = i;
        }
    }
    if (chosen == SIZE_MAX) return QN_OK;
    *point = search->pool[chosen];
    /* Out of the pool at once, so that a batch asked for ahead of its results differs. */
    drop_candidate(search, chosen);
    return QN_OK;
}

qn_status qn_surrogate_tell(void *state, qn_point point, const qn_test *test)
{
    surrogate *search = state;
    if (is_among(point, search->points, search->count)) return QN_OK;
    QN_TRY(qn_grow((void **)&search->points, &search->point_capacity, search->count + 1, sizeof(qn_point)));
    QN_TRY(qn_grow((void **)&search->objectives, &search->objective_capacity, search->count + 1, sizeof(double)));
    QN_TRY(qn_grow((void **)&search->targets, &search->target_capacity, search->count + 1, sizeof(double)));
    search->points[search->count] = point;
    search->objectives[search->count++] = test->objective;
    if (test->objective < search->best) {
        search->best = test->objective;
        search->improved = true;
    }
    if (test->objective < (double)INFINITY && test->objective > search->worst) search->worst = test->objective;
    for (size_t i = 0; i < search->pool_count; i++)
        if (search->pool[i] == point) drop_candidate(search, i);
    return QN_OK;
}
