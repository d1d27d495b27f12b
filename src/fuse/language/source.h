/* A text of one of the two languages, and messages that name a place in it. */
#ifndef QN_FUSE_LANGUAGE_SOURCE_H
#define QN_FUSE_LANGUAGE_SOURCE_H

#include <quern/status.h>
#include <stddef.h>

#include "base/error.h"

typedef struct qn_source {
    const char *name; /* of the file */
    const char *text; /* ended by a zero byte */
    size_t length;
    int lines_before; /* lines of the text that the build put in front of the file's own */
} qn_source;

qn_source qn_source_make(const char *name, const char *text, size_t length);

/* Line and column, from 1, of a byte. */
void qn_source_place(const qn_source *source, size_t offset, int *line, int *column);

/* Fail with "file:line:column: " and a sentence in the form "found …; expected …". */
#define QN_SOURCE_FAIL(source, offset, ...) qn_source_fail((source), (offset), __FILE__, __LINE__, __VA_ARGS__)

qn_status qn_source_fail(const qn_source *source, size_t offset, const char *file, int line, const char *format, ...)
    QN_PRINTF_LIKE(5, 6);

#endif
