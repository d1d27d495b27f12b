/* The bytes of a file of any size, gzipped or not, read through one buffer. The source is a path, "-" for standard
 * input, the output of a process, or bytes in memory. A gzip file may have several members.
 *
 * Life cycle: open → peek, line, take, copy, advance → close. Thread rule: one thread at a time.
 */
#ifndef QN_FORMAT_BYTE_SOURCE_H
#define QN_FORMAT_BYTE_SOURCE_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_byte_source qn_byte_source;

/* QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_byte_source_open(const char *path, qn_byte_source **source);

/* Read from an open file descriptor. The source owns the descriptor, which is closed even if the call fails; `name`
 * goes into messages. */
QN_MUST_CHECK qn_status qn_byte_source_wrap(const char *name, int descriptor, qn_byte_source **source);

/* Read `size` bytes in memory, gzipped or not, which must not change until the source is closed. */
QN_MUST_CHECK qn_status qn_byte_source_open_memory(const char *name, const void *data, size_t size,
                                                   qn_byte_source **source);
void qn_byte_source_close(qn_byte_source **source);

/* Show the next bytes without taking them: at least `wanted` bytes (at most 65536), or all that are left. Valid until
 * the next call. Errors of all functions that read: QN_IO_ERROR, QN_BAD_FORMAT (damaged gzip data), once all bytes
 * before the damage are taken. */
QN_MUST_CHECK qn_status qn_byte_source_peek(qn_byte_source *source, size_t wanted, const char **data, size_t *size);

/* Show the next line with its line end, without taking it; `size` is 0 at the end of the file. A line that is longer
 * than the buffer (1 MiB) comes in parts, of which only the last ends in '\n'. */
QN_MUST_CHECK qn_status qn_byte_source_line(qn_byte_source *source, const char **line, size_t *size);

/* Take `size` bytes that were shown. */
void qn_byte_source_take(qn_byte_source *source, size_t size);

/* Copy and take the next `size` bytes. *copied is less than `size` only at the end of the file. */
QN_MUST_CHECK qn_status qn_byte_source_copy(qn_byte_source *source, void *data, size_t size, size_t *copied);

/* Skip `size` bytes, or all up to the end. A plain file is not read for this. */
QN_MUST_CHECK qn_status qn_byte_source_advance(qn_byte_source *source, uint64_t size, uint64_t *advanced);

/* Whether the source is a plain file, neither gzipped nor a pipe; then *size is the number of bytes from here to its
 * current end. */
bool qn_byte_source_remaining(const qn_byte_source *source, uint64_t *size);

/* Number of bytes that are in memory already, so that copying them does not read the file. */
size_t qn_byte_source_held(const qn_byte_source *source);

bool qn_byte_source_is_gzip(const qn_byte_source *source);

/* Bytes of the stored file that were taken so far, and in all; `all_bytes` is 0 when not known. */
void qn_byte_source_progress(const qn_byte_source *source, uint64_t *done_bytes, uint64_t *all_bytes);

#endif
