/* A place in the bytes of a mesh file. Text and binary numbers are read through the same functions, as most formats of
 * meshes have both forms with the same order of values. */
#ifndef QN_FORMAT_MESH_MESH_CURSOR_H
#define QN_FORMAT_MESH_MESH_CURSOR_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/record_lines.h"

typedef struct qn_mesh_cursor {
    const char *path;
    const char *begin, *at, *end;
    size_t line;  /* of `at`, from 1 */
    bool binary;  /* numbers are bytes */
    bool swapped; /* their order is not this machine's */
} qn_mesh_cursor;

/* ":12" for text, ": byte 345" for binary numbers, to follow the path in messages. */
typedef struct qn_mesh_place {
    char text[32];
} qn_mesh_place;
qn_mesh_place qn_mesh_cursor_place(const qn_mesh_cursor *cursor);

/* The rest of this line without its end and without blanks around it; false at the end of the file. */
bool qn_mesh_cursor_line(qn_mesh_cursor *cursor, qn_word *line);

/* The next word, on this line or a later one; length 0 at the end of the file. */
qn_word qn_mesh_cursor_word(qn_mesh_cursor *cursor);

/* Look at the next word without taking it. */
qn_word qn_mesh_cursor_peek(const qn_mesh_cursor *cursor);

/* Read the next number; `what` it is goes into messages: "the number of nodes". Whole numbers have `bytes` bytes (1, 2,
 * 4 or 8, with a sign) where they are binary. QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_mesh_cursor_whole(qn_mesh_cursor *cursor, int bytes, const char *what, int64_t *value);
QN_MUST_CHECK qn_status qn_mesh_cursor_real(qn_mesh_cursor *cursor, int bytes, const char *what, double *value);

/* Read a whole number of at least 0 that counts things of at least `least_bytes` bytes each in the rest of the file. */
QN_MUST_CHECK qn_status qn_mesh_cursor_count(qn_mesh_cursor *cursor, int bytes, size_t least_bytes, const char *what,
                                             size_t *count);

/* In text: check that the words since line `first_line` were on one line, and that nothing follows on it. */
QN_MUST_CHECK qn_status qn_mesh_cursor_end_line(const qn_mesh_cursor *cursor, size_t first_line, const char *what);

/* Skip bytes. QN_BAD_FORMAT: the file ends before. */
QN_MUST_CHECK qn_status qn_mesh_cursor_skip(qn_mesh_cursor *cursor, size_t bytes, const char *what);

/* Read a whole number with a sign that fills a word. */
bool qn_mesh_parse_whole(qn_word word, int64_t *value);

#endif
