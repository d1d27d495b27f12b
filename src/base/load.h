/* Load of the machine while configurations are timed: the share of the processors that other processes use. Other work
 * makes a kernel on the CPU slower, so times that were measured under load give way to times without.
 *
 * Source: /proc/stat counts the time in which each processor was busy, or taken away by the machine's host; the time of
 * this process and of its children is subtracted. Only the processors that this process may use count. Load
 * averages are not used: they contain the work of this process and of a minute ago.
 *
 * QUERN_LOAD, a share from 0 to 1, replaces the measurement: for tests, and for systems that count wrongly.
 *
 *     qn_load load;
 *     qn_load_start(&load);
 *     ...
 *     if (qn_load_is_busy(qn_load_now(&load))) ...
 *
 * Thread rule: one thread at a time. */
#ifndef QN_BASE_LOAD_H
#define QN_BASE_LOAD_H

#include <stdbool.h>
#include <sys/types.h>

/* Share of the processors from which other work counts as load: above what an idle system's services use. */
#define QN_LOAD_BUSY 0.1

typedef struct qn_load {
    double began_s, busy_s, own_s; /* when the present interval began: time, busy time of all, own time */
    double share;                  /* of the last whole interval; NAN: not known yet */
} qn_load;

void qn_load_start(qn_load *load);

/* Share of the processors that other work used in the last half second or more, 0 to 1; NAN: not known. */
double qn_load_now(qn_load *load);

bool qn_load_is_busy(double share);

/* Sum of the busy seconds in a text of the form of /proc/stat over the processors of a list, of which the number
 * `processor` is allowed if allowed[processor] is true; ticks_per_s: of the counts. *processors gets their number. */
double qn_load_busy_seconds(const char *text, const bool *allowed, size_t allowed_count, double ticks_per_s,
                            int *processors);

#endif
