/* Parts of searchers: a stream of random numbers, and moves between valid points of a space. Every draw is a pure
 * function of the seed and of the number of earlier draws. */
#ifndef QN_TUNE_SEARCHER_MOVES_H
#define QN_TUNE_SEARCHER_MOVES_H

#include <quern/space.h>

typedef struct qn_moves {
    const qn_space *space;
    uint64_t size; /* points */
    size_t parameters;
    uint64_t seed, draws;
} qn_moves;

/* Hamming: one parameter takes any other value; adjacent: one parameter takes the next value up or down. */
typedef enum qn_moves_kind { QN_MOVES_HAMMING, QN_MOVES_ADJACENT } qn_moves_kind;

void qn_moves_start(qn_moves *moves, const qn_space *space, uint64_t seed);

double qn_moves_uniform(qn_moves *moves);                 /* in [0, 1) */
double qn_moves_normal(qn_moves *moves);                  /* mean 0, variance 1 */
uint64_t qn_moves_below(qn_moves *moves, uint64_t count); /* in 0 … count - 1 */
void qn_moves_shuffle(qn_moves *moves, size_t *items, size_t count);

qn_point qn_moves_point(qn_moves *moves); /* uniform over the space */

/* Draw a valid neighbour, all with equal probability; `point` itself if it has none. */
qn_point qn_moves_neighbour(qn_moves *moves, qn_point point, qn_moves_kind kind);
/* List the valid neighbours in a fixed order, at most `capacity`. Returns their number. */
size_t qn_moves_neighbours(const qn_moves *moves, qn_point point, qn_moves_kind kind, qn_point *neighbours,
                           size_t capacity);
/* Largest number of Hamming neighbours that a point can have. */
size_t qn_moves_most_neighbours(const qn_moves *moves);

/* Go from a valid point towards value numbers that need not be valid together. Parameters change one by one in a random
 * order; a change is made only if the result is valid. Ends when no more changes are possible. */
qn_point qn_moves_towards(qn_moves *moves, qn_point from, const uint16_t *numbers);

#endif
