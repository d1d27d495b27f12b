/* Reading a record line by line, with the line number for messages, and functions that the readers of all record
 * formats share. */
#ifndef QN_FORMAT_RECORD_LINES_H
#define QN_FORMAT_RECORD_LINES_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/number.h"

/* Begin before the first line: {.path, .number = that line's number − step, .step, .next, .end}. */
typedef struct qn_record_lines {
    const char *path;
    size_t number; /* of the current line in its file */
    size_t step;   /* 0 where the whole record stands for one line of its file */
    const char *next, *end;
    const char *text; /* the current line without its end */
    size_t length;
} qn_record_lines;

/* A word of a line. */
typedef struct qn_word {
    const char *text;
    size_t length;
} qn_word;

/* Go to the next line. False at the end; then the current line is empty and has the number after that of the last
 * line. */
bool qn_record_lines_next(qn_record_lines *lines);

/* Columns `first` … `last`, from 1, as far as the line has them. */
qn_word qn_record_columns(const qn_record_lines *lines, size_t first, size_t last);

/* The next word of the line from offset *at, which is moved to the end of the word; length 0 when there is none. */
qn_word qn_record_word(const qn_record_lines *lines, size_t *at);

bool qn_word_is(qn_word word, const char *text);
bool qn_word_is_blank(qn_word word);

/* Whether the line, or its rest, begins with `text`. */
bool qn_line_begins(const qn_record_lines *lines, const char *text);

/* Read one of x, y, z: a number of at most 1e5 Å. `axis`: 0, 1, 2. */
QN_MUST_CHECK qn_status qn_record_coordinate(const qn_record_lines *lines, int axis, qn_word word, double *value);

/* Read a symbol as an element, in upper case. Symbols of no atom or of several ("*", "R#", "Du" …) are refused with
 * `atom`, the atom's number from 1. */
QN_MUST_CHECK qn_status qn_record_element(const qn_record_lines *lines, size_t atom, qn_word symbol, char element[4]);

/* Check that `first` and `second` (from 1, as in the file) are two different atoms of `atom_count`. */
QN_MUST_CHECK qn_status qn_record_check_bond(const qn_record_lines *lines, int first, int second, size_t atom_count);

#endif
