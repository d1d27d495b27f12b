/* Status codes and the error trail.
 *
 * Every fallible function of the library returns a qn_status that must be checked. The sentence that explains a
 * failure is kept in a trail that belongs to the calling thread; it stays readable until the next failing call or
 * qn_error_clear() on that thread. The library never prints, exits or aborts.
 *
 * Thread rule: the trail is per thread. Work done by the library's thread pool hands its trail to the joining thread.
 *
 *     qn_molecule *molecule;
 *     const qn_status status = qn_molecule_read(NULL, "missing.pdb", NULL, &molecule);
 *     if (status != QN_OK) printf("%s: %s\n", qn_status_name(status), qn_error_message());
 *     qn_error_clear();
 */
#ifndef QUERN_STATUS_H
#define QUERN_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum qn_status {
    QN_OK = 0,
    QN_INVALID_ARGUMENT, /* a caller's value is out of range or contradicts another */
    QN_NOT_FOUND,        /* a file, chain, device, kernel … that was asked for does not exist */
    QN_ALREADY_EXISTS,   /* refusing to overwrite */
    QN_IO_ERROR,         /* the operating system could not read or write */
    QN_BAD_FORMAT,       /* a file's content breaks its format */
    QN_OUT_OF_MEMORY,    /* host or device memory is exhausted or would be */
    QN_UNSUPPORTED,      /* valid, but this build or device cannot do it */
    QN_NO_DEVICE,        /* the requested driver or device is not available */
    QN_DEVICE_LOST,      /* a device stopped working during a run */
    QN_BUILD_FAILED,     /* a kernel did not compile */
    QN_LAUNCH_FAILED,    /* a kernel did not run */
    QN_CHECK_FAILED,     /* the checking driver caught a kernel or queue that breaks its contract */
    QN_CANCELLED,        /* the progress callback or a signal asked to stop */
    QN_INTERNAL          /* a bug in the library */
} qn_status;

#if defined(__GNUC__) || defined(__clang__)
#define QN_MUST_CHECK __attribute__((warn_unused_result))
#define QN_PRINTF_LIKE(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define QN_MUST_CHECK
#define QN_PRINTF_LIKE(format_index, first_index)
#endif

/* Name of a status in lower case words, such as "bad format". Never NULL. */
const char *qn_status_name(qn_status status);

/* The sentence of the last failure on this thread, context added by outer calls first ("a: b: c"); "" when none. */
const char *qn_error_message(void);

/* Where in the library's source the failure began, as "file.c:line"; "" when none. For bug reports. */
const char *qn_error_origin(void);

/* Whether this thread's last failure is reported elsewhere: another process of the run prints it, or the log has
 * it already. Then a program ends without printing it. */
bool qn_error_is_reported(void);

/* Begin a trail on this thread and return `status`: for functions that a program hands to the library, such as those of
 * a query of its own. One sentence without a final full stop that names the value and what was expected. */
qn_status qn_error_raise(qn_status status, const char *format, ...) QN_PRINTF_LIKE(2, 3);

/* Forget the trail of this thread. */
void qn_error_clear(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
