/* Tables of STAR files as RELION and Xmipp write them, in one pass: a row is a line, an empty line ends a table, and
 * only the current line is in memory. (A CIF parser does not fit: files have a million rows, loops may be empty, and
 * messages must name the row's line.)
 *
 *     while (qn_star_next_table(reader, &table) == QN_OK && table)
 *         while (qn_star_next_row(reader, &values) == QN_OK && values)
 *             use(values[qn_star_column(table, "rlnImageName")]);
 *
 * Life cycle: open → tables and their rows, in the file's order → close. Thread rule: one thread at a time for each
 * reader.
 */
#ifndef QN_FORMAT_IMAGE_STAR_H
#define QN_FORMAT_IMAGE_STAR_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QN_STAR_COLUMNS_MAX = 1024 };

typedef struct qn_star_reader qn_star_reader;

/* A value without its quotes; not zero-terminated. */
typedef struct qn_star_value {
    const char *text;
    size_t length;
} qn_star_value;

/* A loop, or single values as a table of one row. */
typedef struct qn_star_table {
    const char *block;    /* name of its block, without "data_" */
    const char **columns; /* names without '_' */
    size_t column_count;
    uint64_t line; /* line on which it begins, from 1 */
} qn_star_table;

/* "-" for standard input; gzipped or not. QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_star_open(const char *path, qn_star_reader **reader);
void qn_star_close(qn_star_reader **reader);

/* Go to the next table, skipping the rest of the current one. *table is NULL at the end of the file, else valid until
 * the next call. QN_BAD_FORMAT naming line and value: not STAR, a column twice, rows after the empty line that ended
 * their table. */
QN_MUST_CHECK qn_status qn_star_next_table(qn_star_reader *reader, const qn_star_table **table);

/* Read the next row: as many values as the table has columns, valid until the next call; *values is NULL after the last
 * row. QN_BAD_FORMAT: too few or too many values, an open quote, a line longer than 1 MiB. */
QN_MUST_CHECK qn_status qn_star_next_row(qn_star_reader *reader, const qn_star_value **values);

/* Read lines of the current loop ahead, about `bytes`, and divide them among `count` readers of their rows, which any
 * threads may read at the same time, by qn_star_next_row alone. Parts that are NULL are made; the caller closes all.
 * Their rows and lines are counted from 1. *end: the loop has no more lines, and the parts are as before. Then pass all
 * parts in order; a part must have been read to its end or to the end of the loop. */
QN_MUST_CHECK qn_status qn_star_divide(qn_star_reader *reader, size_t bytes, size_t count, qn_star_reader **parts,
                                       bool *end);

/* Go to the part's first line, with rows and lines counted from those that were passed, as messages need them. */
void qn_star_restart(const qn_star_reader *reader, qn_star_reader *part);

/* Go on behind the next part. *ended: the loop ended inside it, and the reader is behind the loop. */
void qn_star_pass(qn_star_reader *reader, const qn_star_reader *part, bool *ended);

/* Number of the latest row and its line, both from 1. */
uint64_t qn_star_row(const qn_star_reader *reader);
uint64_t qn_star_line(const qn_star_reader *reader);
const char *qn_star_name(const qn_star_reader *reader);

/* Number of lines that were shown so far. */
uint64_t qn_star_lines(const qn_star_reader *reader);

/* Share of the file that was read so far; 0: not known. */
double qn_star_share(const qn_star_reader *reader);

/* Index of the column of this name, or −1. */
int qn_star_column(const qn_star_table *table, const char *name);

#endif
