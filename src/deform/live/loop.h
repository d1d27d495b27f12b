/* The loop: a force for the hand at every tick.
 *
 * In real time the loop has a thread of its own that sleeps until fixed moments of the monotonic clock, or until there
 * is news of the hand, so that what the hand says is answered at once. It asks for the
 * processor before all other work (SCHED_FIFO) and for memory that stays (mlockall), and warns where it does not get
 * them. A tick takes no lock and allocates nothing. With a simulated clock nothing sleeps: each tick has the states
 * that it needs, so the forces depend on hand, grid and states alone.
 *
 * Life cycle: create → run → ticks, facts, records → destroy. Thread rule: one thread, but qn_loop_stop and
 * qn_loop_shape may be called from any thread. */
#ifndef QN_DEFORM_LIVE_LOOP_H
#define QN_DEFORM_LIVE_LOOP_H

#include "deform/live/crew.h"
#include "deform/live/feel.h"

/* The hand at a tick. */
typedef struct qn_hand_sample {
    double place[3];   /* m, finite */
    bool is_there;     /* there is a hand: else the tick is not recorded */
    bool is_held;      /* it holds the tool and speaks: else the force falls to 0 */
    uint64_t sequence; /* passed to the output */
    double age_s;      /* of the place */
} qn_hand_sample;

typedef struct qn_tick {
    double time_s;             /* when the tick was planned, or when there was news, since the loop began */
    double place[3], force[3]; /* m; N, of the body on the tool: what the hand feels */
    uint32_t flags;            /* qn_tick_flag */
    int32_t cell[3];
    float work_us, lateness_us; /* of the tick, and of its begin (NaN: for news); 0 with a simulated clock */
} qn_tick;

typedef struct qn_loop_options {
    qn_crew_options crew; /* with grid, solver, workers, clock */
    qn_interpolation way;
    double rate_hz, force_limit, slew_limit; /* 1/s, N, N/s */
    double duration_s;                       /* infinite: until qn_loop_stop; finite with a simulated clock */
    size_t tick_capacity;                    /* ticks that are kept, the last ones; 0: all of the duration */
    /* Where the hand is. Called in the loop at every tick; with a simulated clock some ticks ahead, in their order.
     * In real time it is called once before, for time 0: the loop begins when the states around that place are there.
     */
    void (*input)(void *user, double time_s, qn_hand_sample *sample);
    void (*output)(void *user, const qn_tick *tick, const qn_hand_sample *sample); /* may be NULL */
    /* Real time; NULL: ticks come by the clock alone. Sleep until there is news of the hand, or until a moment of
     * qn_pace_now_ns; returns whether there is news, for which there is a tick at once (qn_pace_follow). */
    bool (*wait)(void *user, int64_t moment_ns);
    void *user;
} qn_loop_options;

typedef struct qn_loop_facts {
    uint64_t ticks, late, extrapolated, fold, limited, clamped, blended, free; /* recorded, and with each flag */
    uint64_t missed; /* moments without a tick, since the tick before took too long */
    bool has_priority, has_locked_memory;
    qn_crew_facts crew;
} qn_loop_facts;

typedef struct qn_loop qn_loop;

/* QN_INVALID_ARGUMENT: an option. Errors of qn_crew_create. */
QN_MUST_CHECK qn_status qn_loop_create(const qn_loop_options *options, qn_loop **loop);
void qn_loop_destroy(qn_loop **loop);

/* Run until the duration is over or the loop is stopped. Once. */
QN_MUST_CHECK qn_status qn_loop_run(qn_loop *loop);

/* Also from a signal handler. */
void qn_loop_stop(qn_loop *loop);

/* The shape at the hand's last place, that of rest while it holds nothing: freedom_count numbers. */
void qn_loop_shape(qn_loop *loop, float *x);

/* Recorded tick number `index` of those that are kept, the oldest first; their number is the lesser of facts.ticks and
 * the capacity. After the run. */
const qn_tick *qn_loop_tick(const qn_loop *loop, size_t index);
size_t qn_loop_tick_count(const qn_loop *loop);

/* After the run. */
qn_loop_facts qn_loop_facts_of(qn_loop *loop);
const qn_solve_record *qn_loop_solves(const qn_loop *loop, size_t *count);

/* How late an empty loop of this rate begins its ticks on this machine, so that a loop's lateness can be compared: one
 * lateness (µs) a tick, `count` of them. Takes count / rate seconds. */
QN_MUST_CHECK qn_status qn_loop_measure_machine(double rate_hz, size_t count, float *lateness_us);

#endif
