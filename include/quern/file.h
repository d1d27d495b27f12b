/* Files that appear under their name only when they are complete.
 *
 * Thread rule: any thread.
 *
 *     const char text[] = "x,y\n1,2\n";
 *     if (qn_file_write("table.csv", text, sizeof text - 1) != QN_OK) return 1;
 *     printf("the same file: %d\n", qn_file_is_same("table.csv", "./table.csv"));
 */
#ifndef QUERN_FILE_H
#define QUERN_FILE_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Write `size` bytes to a file, which is untouched or complete after a crash, a full disk or a failure: a temporary
 * file in the same folder is flushed to disk and renamed to `path`. A symbolic link stays, and its target is replaced.
 * A pipe or a device is written into, and so is the open descriptor that /dev/stdout, /dev/fd/N or - names. Errors:
 * QN_NOT_FOUND (no such folder), QN_IO_ERROR (also for a folder). */
QN_MUST_CHECK qn_status qn_file_write(const char *path, const void *data, size_t size);

/* Whether two paths lead to the same existing file. */
bool qn_file_is_same(const char *path, const char *other);

/* End waits for pipes and for simulations that do not answer yet, the present ones and all later ones, in every thread:
 * they fail with QN_CANCELLED. For handlers of signals, in which this function is safe: a signal by itself ends a wait
 * only if it arrives during the wait, in the thread that waits. */
void qn_file_stop_waiting(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
