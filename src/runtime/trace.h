/* A developer's trace: how often the commands of a context ran, their seconds, and their share of the device's limit.
 *
 * The setting QUERN_TRACE=1 turns it on when a context is created; a device is traced once its rates are known; the
 * table is logged when the context is destroyed.
 * A traced command waits for those before it and is waited for, so commands do not overlap, and the times include a few
 * microseconds for a launch. Commands of several queues at once disturb each other's times.
 *
 *     qn_trace_mark mark;
 *     QN_TRY(qn_trace_begin(queue, &mark));
 *     … queue the command …
 *     return qn_trace_end(queue, &mark, "copy", &work);
 *
 * Thread rule: any thread. */
#ifndef QN_RUNTIME_TRACE_H
#define QN_RUNTIME_TRACE_H

#include <quern/family.h>
#include <stdbool.h>

typedef struct qn_trace qn_trace;

/* *trace is NULL if the setting is off. */
QN_MUST_CHECK qn_status qn_trace_create(qn_trace **trace);

/* Log the table into the calling thread's log, and free it. Accepts NULL. */
void qn_trace_destroy(qn_trace **trace);

/* Whether a device should be measured and added, once. */
bool qn_trace_wants_device(const qn_device *device);
QN_MUST_CHECK qn_status qn_trace_add_device(qn_device *device, const qn_device_rates *rates);

typedef struct qn_trace_mark {
    double since_s; /* 0: not traced */
} qn_trace_mark;

/* Both do nothing for a device that is not traced. */
QN_MUST_CHECK qn_status qn_trace_begin(qn_queue *queue, qn_trace_mark *mark);
QN_MUST_CHECK qn_status qn_trace_end(qn_queue *queue, const qn_trace_mark *mark, const char *name, const qn_work *work);

/* Count a wait for a queue. */
void qn_trace_count_wait(qn_queue *queue);

#endif
