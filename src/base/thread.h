/* A thread that does one piece of work. It logs where the thread logs that started it, and how its work went is told to
 * the thread that joins it, with the error trail.
 *
 * Life cycle: start → join. What was not started may be joined too: all zero it gives QN_OK, after a start that failed
 * that failure again.
 */
#ifndef QN_BASE_THREAD_H
#define QN_BASE_THREAD_H

#include <pthread.h>
#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/log.h"

typedef qn_status (*qn_thread_work)(void *user);

typedef struct qn_thread {
    pthread_t handle;
    bool started;
    qn_thread_work work;
    void *user;
    qn_log_scope log;
    qn_error_trail trail; /* of the work, when it is done */
} qn_thread;

/* `thread` stays where it is until the join. Errors: QN_OUT_OF_MEMORY when the system starts no more threads. */
QN_MUST_CHECK qn_status qn_thread_start(qn_thread *thread, qn_thread_work work, void *user);

/* Wait for the work and return its status, with its trail on the calling thread where it failed. */
qn_status qn_thread_join(qn_thread *thread);

/* Wait for all; the first in their order that failed gives status and trail. */
qn_status qn_threads_join(qn_thread *threads, size_t count);

#endif
