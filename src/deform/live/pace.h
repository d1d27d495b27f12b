/* A thread that acts at fixed moments of the monotonic clock, before all other work of the machine where that is
 * allowed. */
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

int64_t qn_pace_now_ns(void);

/* Call `tick` at times 0, 1 / rate, 2 / rate … until it returns false or the end's number is reached. `time_s` is the
 * moment planned, `lateness_us` how much later the thread woke. Moments that pass during a tick are skipped; returns
 * their number. */
uint64_t qn_pace_run(double rate_hz, uint64_t end, bool (*tick)(void *user, double time_s, double lateness_us),
                     void *user);

#endif
