/* Workers that solve states into the cache: in real time ahead of a hand, or all that is needed at once.
 *
 * In real time a scheduler looks 100 times a second where the hand will be and replaces the list of wishes; workers
 * take the first that nobody solves yet, from the nearest state. What left the list is not solved any more. For a
 * simulated clock, the states that some points need are solved from their canonical parents, level by level, and enter
 * the cache in a fixed order: neither the states nor what the cache holds depend on the number of workers.
 *
 * Folds are looked for once two neighbours are there: in real time when nobody waits for a state, with a simulated
 * clock before the states are used.
 *
 * Life cycle: create → start → stop → destroy, or create → solve_for → destroy. Thread rule: the functions of the loop
 * are marked; all others take the crew's mutex. */
#ifndef QN_DEFORM_LIVE_CREW_H
#define QN_DEFORM_LIVE_CREW_H

#include <stdatomic.h>

#include "deform/live/cache.h"
#include "deform/live/filter.h"

/* Solve the state at a point. `worker`: 0 … worker_count − 1. `from`: the nearest solved state or the parent; for the
 * point of rest, a state of zeros. The arrays of `state` are allocated and zero, its index is set. Where no balance is
 * found, the state has the flag QN_GRID_UNSOLVED and the status is QN_OK. The flags of `from` may gain folds meanwhile:
 * they are read by qn_grid_state_flags. */
typedef qn_status (*qn_live_solve)(void *user, int worker, const int32_t index[3], const qn_grid_state *from,
                                   qn_grid_state *state);

/* Solve `count` states at once, such as on a device: states[i], whose index is set, from from[i]. `worker`:
 * worker_count … worker_count + batch_worker_count − 1. */
typedef qn_status (*qn_live_solve_batch)(void *user, int worker, size_t count, const qn_grid_state *const *from,
                                         qn_grid_state *const *states);

typedef struct qn_crew_options {
    qn_grid grid;
    size_t freedom_count;
    qn_live_solve solve;
    void *user;
    int worker_count;
    double cache_bytes;
    /* Workers that solve up to batch_size states at once, of those that are wished for when they are free; 0: none. In
     * real time only: with a simulated clock all states come from `solve`. */
    qn_live_solve_batch solve_batch;
    int batch_worker_count;
    size_t batch_size;
    bool is_simulated; /* the clock: states come from their canonical parents */
    bool checks_folds; /* look for folds between neighbours whose forces do not fit each other */
} qn_crew_options;

/* How a state was solved. For a simulated clock, worker and seconds are 0. */
typedef struct qn_solve_record {
    int32_t index[3], from[3];
    uint32_t flags;
    int worker;
    double seconds; /* of a batch, the state's share */
    double residual, least_volume, least_stretch;
    int32_t newton_steps, load_steps;
} qn_solve_record;

typedef struct qn_crew qn_crew;

/* The crew with its state of rest. QN_INVALID_ARGUMENT: the cache is too small. QN_BAD_FORMAT: no balance at rest.
 * Errors of `solve`. */
QN_MUST_CHECK qn_status qn_crew_create(const qn_crew_options *options, qn_crew **crew);
void qn_crew_destroy(qn_crew **crew);

/* Start the scheduler and the workers. They follow what qn_crew_tell_hand tells. */
QN_MUST_CHECK qn_status qn_crew_start(qn_crew *crew);

/* Wait until the states around a place, where the hand is now, are there. Returns early where the crew fails or
 * `is_stopping` becomes true. */
void qn_crew_wait(qn_crew *crew, const double place[3], atomic_bool *is_stopping);

/* Stop them. Returns the first failure of a worker. */
QN_MUST_CHECK qn_status qn_crew_stop(qn_crew *crew);

/* Functions of the loop: no lock, no allocation. */
qn_cache *qn_crew_cache(const qn_crew *crew);
void qn_crew_tell_hand(qn_crew *crew, const qn_hand_filter *hand);
bool qn_crew_has_failed(const qn_crew *crew);
/* Number of the point whose state is nearest to the hand, as the scheduler saw it last. */
uint64_t qn_crew_nearest(const qn_crew *crew);

/* Simulated clock: solve all that the cells of the first of `count` places need, as many places as the cache has room
 * for; *ready is their number, at least 1. Until the next call no state of these cells is removed. */
QN_MUST_CHECK qn_status qn_crew_solve_for(qn_crew *crew, const double (*places)[3], size_t count, size_t *ready);

/* x at a place: interpolated in the cell if it is whole, else from the nearest state. `x` has freedom_count numbers. */
void qn_crew_shape(qn_crew *crew, const double place[3], float *x);

/* The records so far, in the order of their ends. Valid until the next solution; call it after qn_crew_stop. */
const qn_solve_record *qn_crew_records(const qn_crew *crew, size_t *count);

typedef struct qn_crew_facts {
    qn_cache_facts cache;
    size_t fold_checks, folds; /* pairs of neighbours that were solved from each other, and those with a fold */
} qn_crew_facts;
qn_crew_facts qn_crew_facts_of(qn_crew *crew);

#endif
