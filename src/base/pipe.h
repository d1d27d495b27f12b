/* Named pipes as inputs. A pipe can be read once, but a run reads its inputs several times: to recognise their format,
 * to compute their digests, to read them. So a pipe is read to its end at the first opening, into a temporary file
 * without a name, and every opening by the run reads that file. Where no run keeps pipes, an opening reads the pipe
 * itself.
 *
 * The contents belong to the log that the calling thread writes into, and so to a context: runs of other contexts read
 * what is written for them. Thread rule: any thread. */
#ifndef QN_BASE_PIPE_H
#define QN_BASE_PIPE_H

#include <quern/file.h>
#include <stdbool.h>

/* Keep the contents of pipes until the matching qn_pipes_release, which must be called with the same log. Calls may
 * nest. */
void qn_pipes_keep(void);
void qn_pipes_release(void);

/* The number of processes of the run that keeps pipes. Several processes cannot share a pipe, which is then refused. */
void qn_pipes_set_processes(int processes);

/* Open a file for reading; *descriptor is closed by the caller. Waiting for a pipe ends at a signal. Errors:
 * QN_NOT_FOUND, QN_IO_ERROR, QN_CANCELLED (a signal), QN_UNSUPPORTED (a device; a pipe with more
 * than 16 GiB, or of several processes). */
QN_MUST_CHECK qn_status qn_file_open(const char *path, int *descriptor);

/* Whether qn_file_stop_waiting was called. */
bool qn_file_waiting_is_over(void);

#endif
