/* Points that a searcher chooses from: neighbours of one point, and strangers (points drawn from the whole space). None
 * of them was seen before. Every draw is a pure function of the seed and of the number of draws before. */
#ifndef QN_TUNE_SEARCHER_CANDIDATES_H
#define QN_TUNE_SEARCHER_CANDIDATES_H

#include <quern/space.h>

enum { QN_CANDIDATES = 128 };

typedef struct qn_candidates {
    const qn_space *space;
    uint64_t seed, draws;
    qn_point *seen; /* open addressing, a power of two, at most half full */
    size_t slots, used;
    qn_point points[QN_CANDIDATES];
    size_t count; /* set to 0 to remove all points */
} qn_candidates;

QN_MUST_CHECK qn_status qn_candidates_start(qn_candidates *candidates, const qn_space *space, uint64_t seed);
void qn_candidates_clear(qn_candidates *candidates);

double qn_candidates_uniform(qn_candidates *candidates);                 /* in [0, 1) */
uint64_t qn_candidates_below(qn_candidates *candidates, uint64_t count); /* in 0 … count - 1 */

QN_MUST_CHECK qn_status qn_candidates_see(qn_candidates *candidates, qn_point point);
bool qn_candidates_seen(const qn_candidates *candidates, qn_point point);

/* Add up to `most` points that differ from `centre` in one or two parameters. All such points have the same
 * probability. Fewer points are added if few are left or if they are hard to find. Returns the number added. */
size_t qn_candidates_neighbours(qn_candidates *candidates, qn_point centre, size_t most);

/* Add up to `most` points drawn from the whole space. If few points are left, all draws may miss them. If there is then
 * no candidate at all, the next unseen point in order is added. Returns the number added. */
size_t qn_candidates_strangers(qn_candidates *candidates, size_t most);

#endif
