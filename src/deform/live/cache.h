/* Solved states by the point of the grid, within a limit of memory.
 *
 * A table has an atomic pointer for each point of the grid, so that the loop finds a state without a lock. A state that
 * the table has is complete and never changes. To make room, the state that is farthest from the hand leaves the table,
 * and its memory is used again after the tick that may still read it: the loop counts a phase, odd inside of a tick,
 * and every tick that begins later no longer finds the state.
 *
 * Never removed: the point of rest, states that are held, states that were touched in this pass or the one before.
 *
 * Life cycle: create → take, put, find, touch, hold → destroy. Thread rule: one thread at a time, by the caller's
 * mutex, except for qn_cache_find, qn_cache_begin_tick and qn_cache_end_tick of the one thread that is the loop. */
#ifndef QN_DEFORM_LIVE_CACHE_H
#define QN_DEFORM_LIVE_CACHE_H

#include "deform/space/cell.h"

typedef struct qn_cache qn_cache;

/* Most points of a grid with a table: 32 MiB of pointers. */
enum { QN_CACHE_POINTS_MAX = 4194304 };

/* QN_INVALID_ARGUMENT: the grid has too many points, or fewer than `least_states` states fit into the limit. */
QN_MUST_CHECK qn_status qn_cache_create(const qn_grid *grid, size_t freedom_count, double limit_bytes,
                                        size_t least_states, qn_cache **cache);
void qn_cache_destroy(qn_cache **cache);

/* Bytes of a state in the cache. */
size_t qn_cache_state_bytes(size_t freedom_count);

/* The state at a point; NULL: not there, or the point is outside of the grid. */
const qn_grid_state *qn_cache_find(const qn_cache *cache, const int32_t index[3]);

/* The cell with this lowest corner, with the corners that are there. */
void qn_cache_cell(const qn_cache *cache, const int32_t index[3], qn_cell *cell);

/* The solved state that is nearest to a point, the first by number of equals; never NULL once rest is there. */
const qn_grid_state *qn_cache_nearest(const qn_cache *cache, const int32_t index[3]);

/* The loop may read states between these two. */
void qn_cache_begin_tick(qn_cache *cache);
void qn_cache_end_tick(qn_cache *cache);

/* An empty state with its arrays, for a point that is not there. *state is NULL where no room can be made now. */
QN_MUST_CHECK qn_status qn_cache_take(qn_cache *cache, qn_grid_state **state);

/* Publish a state that was taken, at state->index; or give it back unused. */
void qn_cache_put(qn_cache *cache, qn_grid_state *state);
void qn_cache_give_back(qn_cache *cache, qn_grid_state *state);

/* A state with arrays that belongs to the caller, released with qn_release; and zeros in all of it. */
QN_MUST_CHECK qn_status qn_cache_make_spare(const qn_cache *cache, qn_grid_state **spare);
void qn_cache_empty_spare(const qn_cache *cache, qn_grid_state *spare);

/* Begin a pass with the hand at a place, in m; say that a point's state is used. */
void qn_cache_begin_pass(qn_cache *cache, const double hand_m[3]);
void qn_cache_touch(qn_cache *cache, const int32_t index[3]);

/* How far from the hand the state is that would be removed next, in m; 0: none may be removed. */
double qn_cache_farthest_m(const qn_cache *cache);

/* A held state is not removed until it is released as often. */
void qn_cache_hold(const qn_grid_state *state);
void qn_cache_release(const qn_grid_state *state);

/* States that are there, states that the limit allows, and how often one was removed. */
typedef struct qn_cache_facts {
    size_t count, capacity, removed;
} qn_cache_facts;
qn_cache_facts qn_cache_facts_of(const qn_cache *cache);

#endif
