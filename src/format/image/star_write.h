/* Writing STAR tables as RELION 3.1 and later reads them.
 *
 *     qn_star_writer writer = {.path = "movie.star"};
 *     QN_TRY(qn_star_begin_values(&writer, "general"));
 *     QN_TRY(qn_star_put_name(&writer, "rlnImageSizeX"));
 *     QN_TRY(qn_star_put_whole(&writer, 4096));
 *     QN_TRY(qn_star_begin_loop(&writer, "global_shift", columns, 3));
 *     …for each row: qn_star_put_number for each column, qn_star_end_row…
 *     QN_TRY(qn_star_write(&writer));
 *     qn_star_writer_clear(&writer);
 *
 * Thread rule: one thread at a time, whose locale is "C" (base/locale.h).
 */
#ifndef QN_FORMAT_IMAGE_STAR_WRITE_H
#define QN_FORMAT_IMAGE_STAR_WRITE_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

typedef struct qn_star_writer {
    const char *path; /* of the file; also in messages */
    qn_text text;
    bool in_row;   /* a value was put into the current row */
    bool in_block; /* a block was begun, which an empty line ends */
} qn_star_writer;

/* Begin a block of names with one value each: qn_star_put_name, a value, and so on. */
QN_MUST_CHECK qn_status qn_star_begin_values(qn_star_writer *writer, const char *block);
QN_MUST_CHECK qn_status qn_star_put_name(qn_star_writer *writer, const char *name);

/* Begin a block with a table of `count` columns, names without '_'. */
QN_MUST_CHECK qn_status qn_star_begin_loop(qn_star_writer *writer, const char *block, const char *const *columns,
                                           size_t count);
QN_MUST_CHECK qn_status qn_star_end_row(qn_star_writer *writer);

/* Put a value. A text is quoted where it has to be. QN_INVALID_ARGUMENT: a text that STAR cannot hold. */
QN_MUST_CHECK qn_status qn_star_put_text(qn_star_writer *writer, const char *value);
QN_MUST_CHECK qn_status qn_star_put_whole(qn_star_writer *writer, long long value);
/* With six decimals. QN_INVALID_ARGUMENT: not below 9e12. */
QN_MUST_CHECK qn_status qn_star_put_number(qn_star_writer *writer, double value);
/* With so many significant digits. QN_INVALID_ARGUMENT: not finite. */
QN_MUST_CHECK qn_status qn_star_put_exact(qn_star_writer *writer, double value, int digits);

/* End the last block and write the file, which is complete or absent. QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_star_write(qn_star_writer *writer);
void qn_star_writer_clear(qn_star_writer *writer);

#endif
