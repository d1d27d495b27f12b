/* A thread that acts at fixed moments of the monotonic clock, or at once when there is news, before all other work of
 * the machine where that is allowed. */
#ifndef QN_DEFORM_LIVE_PACE_H
#define QN_DEFORM_LIVE_PACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct qn_pace_rights {
    bool has_priority;      /* SCHED_FIFO */
    bool has_locked_memory; /* pages that are in memory stay there */
} qn_pace_rights;

/* Ask for both for the calling thread, and warn where they are refused. */
qn_pace_rights qn_pace_enter(void);
void qn_pace_leave(qn_pace_rights rights);

/* Keep idle processors from sleeping, so that a thread that becomes ready runs at once. Returns a descriptor that
 * qn_pace_let_sleep closes; −1 where this is refused or unknown. */
int qn_pace_keep_awake(void);
void qn_pace_let_sleep(int descriptor);

int64_t qn_pace_now_ns(void);
void qn_pace_sleep_until(int64_t moment_ns);

/* A tick of the thread. */
typedef struct qn_pace_moment {
    double time_s; /* since the beginning: when it was planned, or when there was news */
    double step_s; /* since the tick before; a period at the first one */
    double
        lateness_us; /* how much later than planned the thread woke; NaN: there was news, and none knows since when */
} qn_pace_moment;

typedef bool (*qn_pace_tick)(void *user, const qn_pace_moment *moment);

/* Call `tick` at times 0, 1 / rate, 2 / rate … until it returns false or the end's number is reached. Moments that pass
 * during a tick are skipped; returns their number. */
uint64_t qn_pace_run(double rate_hz, uint64_t end, qn_pace_tick tick, void *user);

/* Call `tick` whenever there is news: at once, but at most four times a period over time; eight may follow each other
 * sooner. Without news it is called two periods after the last news, since the next may be late, and then every period.
 * `wait` sleeps until there is news, or until the moment; it returns whether there is. Ends when `tick` returns false
 * or the time is beyond the duration, which may be infinite. Returns the number of planned moments that passed during
 * ticks. */
uint64_t qn_pace_follow(double rate_hz, double duration_s, bool (*wait)(void *user, int64_t moment_ns),
                        qn_pace_tick tick, void *user);

#endif
