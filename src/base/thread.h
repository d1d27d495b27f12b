/* A thread that runs one function. It inherits the log of the thread that starts it; its status and error trail go to
 * the thread that joins it.
 *
 * Life cycle: start → join. A thread that was never started may be joined too: a zeroed qn_thread gives QN_OK, one
 * whose start failed returns that failure again.
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

/* The struct `thread` must not move until the join. Errors: QN_OUT_OF_MEMORY when the system starts no more threads. */
QN_MUST_CHECK qn_status qn_thread_start(qn_thread *thread, qn_thread_work work, void *user);

/* Wait for the thread and return the status of its work. After a failure the calling thread has its error trail. */
qn_status qn_thread_join(qn_thread *thread);

/* Join all threads; status and trail are those of the first one, in array order, that failed. */
qn_status qn_threads_join(qn_thread *threads, size_t count);

#endif
