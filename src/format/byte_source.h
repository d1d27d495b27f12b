/* The bytes of a file of any size, gzipped or not, a piece at a time: a path, "-" for standard input, or the output of
 * a process. Members of a gzip file follow each other; nothing is held but one buffer.
 *
 * Life cycle: open → piece, again and again → close. Thread rule: one thread at a time.
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

/* Of an open file descriptor, which is taken over also where this fails; `name` goes into messages. */
QN_MUST_CHECK qn_status qn_byte_source_wrap(const char *name, int descriptor, qn_byte_source **source);
void qn_byte_source_close(qn_byte_source **source);

/* What comes next, without taking it: at least `wanted` bytes (at most 65536) or all there are. Valid until the next
 * call. Errors of all that read: QN_IO_ERROR, QN_BAD_FORMAT (damaged gzip data), once what comes before is taken. */
QN_MUST_CHECK qn_status qn_byte_source_peek(qn_byte_source *source, size_t wanted, const char **data, size_t *size);

/* The next line with its end, without taking it; `size` 0 at the end of the file. A line that is too long for the
 * buffer (a MiB) comes in pieces, those but the last without '\n'. */
QN_MUST_CHECK qn_status qn_byte_source_line(qn_byte_source *source, const char **line, size_t *size);

/* Get past `size` bytes that were shown. */
void qn_byte_source_take(qn_byte_source *source, size_t size);

/* Copy the next `size` bytes and take them, or as many as there are: *copied is less only at the end of the file. */
QN_MUST_CHECK qn_status qn_byte_source_copy(qn_byte_source *source, void *data, size_t size, size_t *copied);

/* Get past `size` bytes, or to the end, without looking at them; of a plain file without reading them. */
QN_MUST_CHECK qn_status qn_byte_source_advance(qn_byte_source *source, uint64_t size, uint64_t *advanced);

/* Whether it is a plain file, not gzipped and no pipe: then the bytes from here to its end as it is now, else false. */
bool qn_byte_source_remaining(const qn_byte_source *source, uint64_t *size);

bool qn_byte_source_is_gzip(const qn_byte_source *source);

/* Of the file as it is stored, up to what was taken; `all_bytes` 0 when not known. */
void qn_byte_source_progress(const qn_byte_source *source, uint64_t *done_bytes, uint64_t *all_bytes);

#endif
