/* A population of tested points, for the searchers that keep one: each member waits for the result of the child that
 * was made for its place. */
#ifndef QN_TUNE_SEARCHER_POPULATION_H
#define QN_TUNE_SEARCHER_POPULATION_H

#include <quern/tune.h>

#include "tune/searcher/moves.h"

typedef struct qn_population {
    qn_moves moves;
    size_t capacity, count; /* largest number of members; present members */
    qn_point *points;       /* [capacity] */
    double *objectives;     /* [capacity] */
    qn_point *children;     /* [capacity], the latest child for each place */
    bool *awaited;          /* [capacity], the child has no result yet */
    size_t turn;            /* place of the next child */
} qn_population;

QN_MUST_CHECK qn_status qn_population_start(const qn_space *space, uint64_t seed, size_t capacity,
                                            qn_population *population);
void qn_population_clear(qn_population *population);
size_t qn_population_best(const qn_population *population);
/* Store a child for the next place in turn. Returns the place. */
size_t qn_population_await(qn_population *population, qn_point child);
/* Return the place that waits for this point's result; SIZE_MAX: none. The place waits no longer. */
size_t qn_population_awaiting(qn_population *population, qn_point point);
/* Put a result into an empty place, or replace the worst member if the result is better. Returns false if neither. */
bool qn_population_add(qn_population *population, qn_point point, double objective);

#endif
