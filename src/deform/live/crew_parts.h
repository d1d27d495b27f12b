/* The parts of a crew, for the files that make it up. */
#ifndef QN_DEFORM_LIVE_CREW_PARTS_H
#define QN_DEFORM_LIVE_CREW_PARTS_H

#include <pthread.h>

#include "base/thread.h"
#include "base/thread_pool.h"
#include "deform/live/crew.h"
#include "deform/live/relay.h"
#include "deform/live/schedule.h"

enum { QN_CREW_TIMES = 64, QN_CREW_EDGES_MAX = 4096 };

typedef struct qn_worker {
    qn_crew *crew;
    int number;
    bool is_batch;
    qn_thread thread;
    size_t capacity, count; /* of the states that it solves at once */
    int32_t (*indices)[3];
    const qn_grid_state **from;
    qn_grid_state **states;
    qn_grid_state *spare; /* for a second answer; NULL: of batches */
} qn_worker;

/* Two neighbours whose forces do not fit each other. */
typedef struct qn_edge {
    int32_t lower[3];
    int axis;
    bool is_fold;
} qn_edge;

struct qn_crew {
    qn_crew_options options;
    qn_cache *cache;
    qn_relay hand;
    atomic_uint_least64_t nearest;
    atomic_bool has_failed;

    pthread_mutex_t mutex;
    pthread_cond_t changed; /* wishes, room, stopping */
    bool is_stopping, is_running;
    qn_worker *workers; /* then those of batches */
    int worker_count;   /* all of them */
    bool *is_marked;    /* by number of the point. In real time: is being solved; simulated: counted for this call */
    qn_thread scheduler;
    qn_wish wishes[QN_WISHES_MAX];
    size_t wish_count;
    double times_s[QN_CREW_TIMES]; /* of the last solutions */
    size_t time_count;
    qn_solve_record *records;
    size_t record_count, record_capacity;
    qn_edge edges[QN_CREW_EDGES_MAX]; /* to be checked for folds */
    size_t edge_count, fold_checks, folds;

    /* Simulated clock. */
    qn_pool *pool;
    uint64_t *needed; /* numbers of the points to solve */
    uint64_t *marked; /* numbers of the marked points */
    qn_grid_state **states;
    const qn_grid_state **parents;
    size_t needed_count, marked_count, level_begin;
};

/* Check what a solver has returned for a point, and set its index. */
QN_MUST_CHECK qn_status qn_crew_check_state(const int32_t index[3], qn_grid_state *state);

/* Call the solver, and check what it returns. */
QN_MUST_CHECK qn_status qn_crew_solve(qn_crew *crew, int worker, const int32_t index[3], const qn_grid_state *from,
                                      qn_grid_state *state);
QN_MUST_CHECK qn_status qn_crew_note_record(qn_crew *crew, const qn_grid_state *state, const qn_grid_state *from,
                                            int worker, double seconds);

/* Note the edges of a new state that has entered the cache, if the crew looks for folds. Edges beyond the room of the
 * list are not noted. */
void qn_crew_note_edges(qn_crew *crew, const qn_grid_state *state);

/* The states of an edge; false where one is not in the cache any more. */
bool qn_crew_edge_states(const qn_crew *crew, const qn_edge *edge, const qn_grid_state *states[2]);

/* Check an edge with a worker's spare state. The mutex is not needed, but the states must stay. */
QN_MUST_CHECK qn_status qn_crew_check_edge(qn_crew *crew, int worker, const qn_grid_state *const states[2],
                                           bool *is_fold);

/* Count a checked edge, and flag its fold. */
void qn_crew_close_edge(qn_crew *crew, const qn_edge *edge, const qn_grid_state *lower);

#endif
