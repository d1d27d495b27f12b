/* A file that is being written. Its name decides how:
 *
 *   nothing, a regular file    written beside it, and renamed over it at the end; a symbolic link stays, and its target
 *                              is replaced
 *   a pipe or a device         written into it; where the writer goes back in the file, a temporary file is filled
 *                              first and copied at the end
 *   -, /dev/stdout, /dev/fd/N  written into this descriptor at its present place, likewise
 *
 * Life cycle: open → write, go_to, write_at, push → finish or discard. Thread rule: one thread at a time; any thread
 * may call write_at and push. */
#ifndef QN_BASE_WRITTEN_FILE_H
#define QN_BASE_WRITTEN_FILE_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

typedef struct qn_written_file {
    int descriptor; /* -1: not open */
    int target;     /* the pipe that a temporary file is copied into; -1: none */
    qn_text path;   /* of the file to replace, links followed */
    qn_text temporary;
    qn_text name; /* as the user gave it, for messages */
} qn_written_file;

/* Begin. `goes_back`: the writer calls qn_written_file_go_to. QN_NOT_FOUND (the folder does not exist), QN_IO_ERROR
 * (also for a folder). */
QN_MUST_CHECK qn_status qn_written_file_open(const char *path, bool goes_back, qn_written_file *file);

QN_MUST_CHECK qn_status qn_written_file_write(qn_written_file *file, const void *data, size_t size);

/* The next bytes go to `offset`. */
QN_MUST_CHECK qn_status qn_written_file_go_to(qn_written_file *file, uint64_t offset);

/* Write at `offset`, wherever other writes are. The file must have been opened with goes_back. */
QN_MUST_CHECK qn_status qn_written_file_write_at(const qn_written_file *file, uint64_t offset, const void *data,
                                                 size_t size);

/* Let the system begin to bring what is written to the disk, so that finishing waits less. */
void qn_written_file_push(const qn_written_file *file);

/* Put the file in place. After a failure nothing of it is left. */
QN_MUST_CHECK qn_status qn_written_file_finish(qn_written_file *file);

/* Remove what was written; for a file that is finished, or was never opened, nothing is done. */
void qn_written_file_discard(qn_written_file *file);

#endif
