/* Log messages and progress, handed to the program that uses the library.
 *
 * The library never prints. Warnings and notes go to the log of the context that the call is given, directly or through
 * a device; progress of a long call goes to the callback in that call's options. Callbacks may be called from any
 * thread; those of one context are called one at a time. Functions that take no context log nothing.
 *
 *     qn_context_options options = qn_context_default_options();
 *     qn_context *context;
 *     options.log = print_message; // void print_message(qn_log_level level, const char *message, void *user)
 *     if (qn_context_create(&options, &context) != QN_OK) return 1;
 *     qn_context_destroy(&context);
 */
#ifndef QUERN_LOG_H
#define QUERN_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum qn_log_level { QN_LOG_DEBUG, QN_LOG_NOTE, QN_LOG_WARNING } qn_log_level;

/* `message` is one sentence without a line feed; `user` is the context's log_user. */
typedef void (*qn_log_callback)(qn_log_level level, const char *message, void *user);

/* State of a long call: `done` of `total` `unit`s ("rotations", "frames") after `seconds`. */
typedef struct qn_progress {
    const char *stage;
    const char *unit;
    size_t done;
    size_t total; /* SIZE_MAX: not known; 0: not to be shown */
    double seconds;
    uint64_t bytes; /* read so far; 0: unknown */
    bool estimated; /* the total, from the share of a file that is read */
} qn_progress;

/* Return nonzero to ask the call to stop; it then saves what can be resumed and returns QN_CANCELLED. */
typedef int (*qn_progress_callback)(const qn_progress *progress, void *user);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
