/* Raising and passing on errors: the only two control-flow macros of the library. */
#ifndef QN_BASE_ERROR_H
#define QN_BASE_ERROR_H

#include <quern/status.h>

/* Start a new trail on this thread and return `status`. The message is one sentence without a final full stop that
 * names file, line or record, the value, and what was expected. */
#define QN_FAIL(status, ...) qn_error_set((status), __FILE__, __LINE__, __VA_ARGS__)

/* Return the status of `call` when it is not QN_OK. */
#define QN_TRY(call)                                        \
    do {                                                    \
        qn_status qn_try_status_ = (call);                  \
        if (qn_try_status_ != QN_OK) return qn_try_status_; \
    } while (0)

qn_status qn_error_set(qn_status status, const char *file, int line, const char *format, ...) QN_PRINTF_LIKE(4, 5);

/* Put "context: " in front of this thread's message and return `status` unchanged. */
qn_status qn_error_add_context(qn_status status, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* A trail in transit from one thread to another. */
typedef struct qn_error_trail {
    qn_status status;
    char message[1024];
    char origin[96];
    bool reported; /* see qn_error_is_reported */
} qn_error_trail;

/* Mark this thread's failure as reported. Returns `status` unchanged. */
qn_status qn_error_mark_reported(qn_status status);

void qn_error_save(qn_status status, qn_error_trail *trail);
qn_status qn_error_restore(const qn_error_trail *trail);

#endif
