#include "tune/searcher/surrogate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/searcher/moves.h"

enum { REPLACE_TRIES = 8 };

typedef struct surrogate {
    const qn_surrogate_settings *settings;
    qn_moves moves;
    qn_forest *forest;
    size_t trees, width;
    qn_point *points; /* tested */
    double *objectives, *targets;
    size_t *ranking; /* indices of the tested points, the best first */
    size_t count, point_capacity, objective_capacity, target_capacity, ranking_capacity;
    double deviation; /* standard deviation of the targets */
    size_t built;     /* tested points at the last build of the forest; 0: not built yet */
    size_t turn;      /* tree to regrow next */
    bool whole;       /* the pool began as the whole space and only shrinks */
    qn_point *pool;
    uint8_t *x;             /* [candidate][width] */
    float *predictions;     /* [candidate][trees] */
    double *sums, *squares; /* [candidate], of its predictions */
    double *gains;          /* [candidate] */
    size_t pool_count, pool_capacity;
    qn_point *neighbours;
    size_t neighbour_capacity;
    qn_point expanded[QN_SURROGATE_EXPAND];
    size_t expanded_count;
} surrogate;

static qn_status make_pool(surrogate *made)
{
    made->whole = made->moves.size <= made->settings->whole;
    made->pool_capacity = made->whole ? (size_t)made->moves.size : made->settings->pool;
    QN_TRY(qn_allocate(made->pool_capacity, sizeof(qn_point), (void **)&made->pool));
    QN_TRY(qn_allocate(made->pool_capacity, sizeof(double), (void **)&made->gains));
    QN_TRY(qn_allocate(made->pool_capacity, sizeof(double), (void **)&made->sums));
    QN_TRY(qn_allocate(made->pool_capacity, sizeof(double), (void **)&made->squares));
    QN_TRY(qn_allocate(made->pool_capacity * made->width + 1, 1, (void **)&made->x));
    QN_TRY(qn_allocate(made->pool_capacity * made->trees, sizeof(float), (void **)&made->predictions));
    if (!made->whole) return QN_OK;
    for (size_t i = 0; i < made->pool_capacity; i++) {
        made->pool[i] = i;
        qn_forest_encode(made->forest, i, made->x + i * made->width);
    }
    made->pool_count = made->pool_capacity;
    return QN_OK;
}

qn_status qn_surrogate_create(const qn_searcher_problem *problem, const qn_surrogate_settings *settings, void **state)
{
    surrogate *made;
    QN_TRY(qn_allocate(1, sizeof(*made), (void **)&made));
    *state = made;
    made->settings = settings;
    made->trees = (size_t)settings->forest.trees;
    qn_moves_start(&made->moves, problem->space, problem->seed);
    made->neighbour_capacity = qn_moves_most_neighbours(&made->moves);
    QN_TRY(qn_allocate(made->neighbour_capacity + 1, sizeof(qn_point), (void **)&made->neighbours));
    QN_TRY(qn_forest_create(problem->space, &settings->forest, problem->seed, &made->forest));
    made->width = qn_forest_width(made->forest);
    return make_pool(made);
}

void qn_surrogate_destroy(void **state)
{
    surrogate *search = *state;
    qn_forest_destroy(&search->forest);
    qn_release(&search->points);
    qn_release(&search->objectives);
    qn_release(&search->targets);
    qn_release(&search->ranking);
    qn_release(&search->neighbours);
    qn_release(&search->pool);
    qn_release(&search->gains);
    qn_release(&search->sums);
    qn_release(&search->squares);
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

static void predict(surrogate *search, size_t candidate, size_t tree)
{
    float *at = &search->predictions[candidate * search->trees + tree];
    double old = (double)*at;
    *at = qn_forest_predict(search->forest, (int)tree, search->x + candidate * search->width);
    search->sums[candidate] += (double)*at - old;
    search->squares[candidate] += (double)*at * (double)*at - old * old;
}

/* Put a point into a free place of the pool; without one it replaces the least promising of a few candidates. */
static void add_candidate(surrogate *search, qn_point point)
{
    size_t place = search->pool_count;
    if (is_among(point, search->points, search->count) || is_among(point, search->pool, search->pool_count)) return;
    if (place < search->pool_capacity) {
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
    qn_forest_encode(search->forest, point, search->x + place * search->width);
    for (size_t t = 0; t < search->trees; t++) predict(search, place, t);
}

static void drop_candidate(surrogate *search, size_t i)
{
    size_t last = --search->pool_count;
    search->pool[i] = search->pool[last];
    search->gains[i] = search->gains[last];
    search->sums[i] = search->sums[last];
    search->squares[i] = search->squares[last];
    memmove(search->x + i * search->width, search->x + last * search->width, search->width);
    memmove(search->predictions + i * search->trees, search->predictions + last * search->trees,
            search->trees * sizeof(float));
}

static void add_neighbours(surrogate *search, qn_point point)
{
    size_t count =
        qn_moves_neighbours(&search->moves, point, QN_MOVES_HAMMING, search->neighbours, search->neighbour_capacity);
    for (size_t i = 0; i < count; i++) add_candidate(search, search->neighbours[i]);
}

/* Set the targets: ranks among the tested points, scaled to (0, 1); equal objectives share a rank. */
static void set_targets(surrogate *search)
{
    double sum = 0, squares = 0, n = (double)search->count;
    for (size_t first = 0, end; first < search->count; first = end) {
        double objective = search->objectives[search->ranking[first]];
        for (end = first + 1; end < search->count && search->objectives[search->ranking[end]] == objective;) end++;
        double target = 0.5 * (double)(first + end) / n;
        for (size_t i = first; i < end; i++) search->targets[search->ranking[i]] = target;
        sum += target * (double)(end - first);
        squares += target * target * (double)(end - first);
    }
    search->deviation = sqrt(fmax(squares / n - sum / n * (sum / n), 0));
}

static qn_status build(surrogate *search)
{
    size_t renew = search->trees, full = search->settings->rebuild_tests;
    if (search->built && search->count > full) {
        /* The cost of a tree is its growth and a prediction for each candidate. */
        size_t most = search->settings->predictions / search->pool_capacity + 1;
        renew = (search->trees * full + search->count - 1) / search->count;
        if (renew > most) renew = most;
    }
    set_targets(search);
    for (; renew > 0; renew--) {
        QN_TRY(qn_forest_build(search->forest, search->points, search->targets, search->count, (int)search->turn));
        for (size_t i = 0; i < search->pool_count; i++) predict(search, i, search->turn);
        search->turn = (search->turn + 1) % search->trees;
    }
    search->built = search->count;
    return QN_OK;
}

static void fill_pool(surrogate *search)
{
    size_t missing = search->pool_capacity - search->pool_count, best_count = search->settings->expand;
    if (best_count > search->count) best_count = search->count;
    for (size_t i = 0; i < missing + search->settings->fresh; i++)
        add_candidate(search, qn_moves_point(&search->moves));
    for (size_t k = 0; k < best_count; k++) {
        qn_point point = search->points[search->ranking[k]];
        if (!is_among(point, search->expanded, search->expanded_count)) add_neighbours(search, point);
    }
    for (size_t k = 0; k < best_count; k++) search->expanded[k] = search->points[search->ranking[k]];
    search->expanded_count = best_count;
}

/* Expected improvement on the best (Mockus 1975; Jones, Schonlau, Welch 1998), with the trees' predictions as a normal
 * distribution. For candidates far worse than the best the formula underflows to 0; there the candidate nearest to the
 * best has the largest value. `enough`: an improvement that is no larger may be returned as any number that is no
 * larger. */
static double expected_gain(const surrogate *search, size_t candidate, double enough)
{
    double least = search->settings->doubt * search->deviation, trees = (double)search->trees;
    double mean = search->sums[candidate] / trees;
    double deviation = sqrt(fmax(search->squares[candidate] / trees - mean * mean, 0) + least * least);
    mean = search->targets[search->ranking[0]] - mean;
    if (!(deviation > 0)) return mean;
    double z = mean / deviation, most = deviation * 0.3989422804014327 + fmax(mean, 0);
    if (most <= enough) return most;
    double gain = mean * 0.5 * erfc(-z * 0.70710678118654752) + deviation * 0.3989422804014327 * exp(-0.5 * z * z);
    return gain > 1e-12 ? gain : mean;
}

/* Return the candidate with the largest expected improvement; SIZE_MAX: there is no candidate. */
static size_t most_promising(surrogate *search)
{
    double largest = -(double)INFINITY;
    size_t chosen = SIZE_MAX;
    for (size_t i = 0; i < search->pool_count; i++) {
        search->gains[i] = expected_gain(search, i, largest);
        if (search->gains[i] > largest) {
            largest = search->gains[i];
            chosen = i;
        }
    }
    return chosen;
}

/* Find the untested neighbour of the best point with the best prediction. Returns false if there is none. */
static bool best_neighbour(surrogate *search, qn_point *point)
{
    uint8_t x[QN_SPACE_PARAMETERS_MAX];
    double lowest = (double)INFINITY;
    size_t count = qn_moves_neighbours(&search->moves, search->points[search->ranking[0]], QN_MOVES_HAMMING,
                                       search->neighbours, search->neighbour_capacity);
    for (size_t i = 0; i < count; i++) {
        if (is_among(search->neighbours[i], search->points, search->count)) continue;
        qn_forest_encode(search->forest, search->neighbours[i], x);
        /* Many neighbours share leaves with the best neighbour and so have its prediction; a random number breaks the
         * tie. */
        double mean = 1e-3 * search->deviation * qn_moves_uniform(&search->moves);
        for (size_t t = 0; t < search->trees; t++)
            mean += (double)qn_forest_predict(search->forest, (int)t, x) / (double)search->trees;
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
    if (search->count < search->settings->first || !(search->objectives[search->ranking[0]] < (double)INFINITY))
        return QN_OK;
    if (qn_moves_uniform(&search->moves) < search->settings->explore) return QN_OK;
    if (search->built != search->count) QN_TRY(build(search));
    if (!search->whole) fill_pool(search);
    if (qn_moves_uniform(&search->moves) < search->settings->local && best_neighbour(search, point)) return QN_OK;
    size_t chosen = most_promising(search);
    for (size_t i = 0; i < search->settings->climbs && !search->whole && chosen != SIZE_MAX; i++) {
        add_neighbours(search, search->pool[chosen]);
        chosen = most_promising(search);
    }
    if (chosen == SIZE_MAX) return QN_OK;
    *point = search->pool[chosen];
    /* Remove it from the pool at once, so that the points of a batch differ although their results are not known. */
    drop_candidate(search, chosen);
    return QN_OK;
}

qn_status qn_surrogate_tell(void *state, qn_point point, const qn_test *test)
{
    surrogate *search = state;
    size_t place = search->count;
    if (is_among(point, search->points, search->count)) return QN_OK;
    QN_TRY(qn_grow((void **)&search->points, &search->point_capacity, search->count + 1, sizeof(qn_point)));
    QN_TRY(qn_grow((void **)&search->objectives, &search->objective_capacity, search->count + 1, sizeof(double)));
    QN_TRY(qn_grow((void **)&search->targets, &search->target_capacity, search->count + 1, sizeof(double)));
    QN_TRY(qn_grow((void **)&search->ranking, &search->ranking_capacity, search->count + 1, sizeof(size_t)));
    for (; place > 0 && test->objective < search->objectives[search->ranking[place - 1]]; place--)
        search->ranking[place] = search->ranking[place - 1];
    search->ranking[place] = search->count;
    search->points[search->count] = point;
    search->targets[search->count] = 1;
    search->objectives[search->count++] = test->objective;
    for (size_t i = 0; i < search->pool_count; i++)
        if (search->pool[i] == point) {
            drop_candidate(search, i);
            break;
        }
    return QN_OK;
}
