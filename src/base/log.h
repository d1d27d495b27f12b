/* Sending messages to the log of the context that a thread works for.
 *
 * A thread logs into one log, or into none: then its messages are dropped. Public functions that may log enter the log
 * of their context (qn_context_enter_log) and leave it before they return:
 *
 *     const qn_log_scope outer = qn_context_enter_log(context);
 *     …
 *     qn_log_return(outer);
 *
 * Tasks of a pool and threads of base/thread.h inherit the log of the thread that started them.
 */
#ifndef QN_BASE_LOG_H
#define QN_BASE_LOG_H

#include <pthread.h>
#include <quern/log.h>
#include <quern/status.h>
#include <stdbool.h>

#include "base/locale.h"

typedef struct qn_log_target {
    qn_log_callback callback; /* NULL: messages are dropped */
    void *user;
    pthread_mutex_t mutex; /* held during a call */
} qn_log_target;

/* The log of a thread. */
typedef struct qn_log_scope {
    qn_log_target *target; /* NULL: messages are dropped */
    bool off;
    qn_locale locale; /* that qn_log_return restores; 0: none */
} qn_log_scope;

/* Messages longer than 4095 bytes are cut. */
void qn_log(qn_log_level level, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Make the calling thread log into `target`, with logging on. If the thread logs into `target` already, nothing
 * changes: logging that is off stays off. Returns the scope that was in effect before. */
qn_log_scope qn_log_enter(qn_log_target *target);

/* Turn logging off for the calling thread and for the tasks and threads that it starts. Returns the scope that was in
 * effect before. */
qn_log_scope qn_log_turn_off(void);

qn_log_scope qn_log_current(void);

/* Restore a scope that was in effect before, or take over that of another thread. */
void qn_log_return(qn_log_scope scope);

#endif
