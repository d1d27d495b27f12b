/* Writing trajectories: XTC (.xtc) or DCD (.dcd), by the ending of the path. The file appears under its name when it is
 * finished, so it is complete or absent.
 *
 * Life cycle: create → append (any number of times) → finish or discard. Thread rule: one thread at a time.
 *
 *     qn_trajectory_writer *writer;
 *     QN_TRY(qn_trajectory_writer_create("part.xtc", atom_count, NULL, &writer));
 *     for (…) status = qn_trajectory_writer_append(writer, &frame);
 *     if (status == QN_OK) status = qn_trajectory_writer_finish(&writer);
 *     else qn_trajectory_writer_discard(&writer);
 */
#ifndef QN_FORMAT_TRAJECTORY_TRAJECTORY_WRITE_H
#define QN_FORMAT_TRAJECTORY_TRAJECTORY_WRITE_H

#include <quern/frame.h>
#include <quern/status.h>
#include <stdbool.h>

typedef struct qn_trajectory_writer qn_trajectory_writer;

typedef struct qn_trajectory_write_options {
    double precision; /* for XTC: positions are rounded to multiples of 1/precision nm; 0: 1000 */
    bool large; /* always write XTC with 64-bit sizes (magic 2023), which old programs do not read, even where that is
                   not needed */
} qn_trajectory_write_options;

/* `options` NULL: all 0. QN_INVALID_ARGUMENT, QN_UNSUPPORTED (another ending), QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_trajectory_writer_create(const char *path, size_t atom_count,
                                                    const qn_trajectory_write_options *options,
                                                    qn_trajectory_writer **writer);

/* Append positions and box, and step and time where they are known. XTC stores 0 for unknown ones; DCD stores those of
 * evenly spaced frames, derived from the first two frames. After a failure no more frames are accepted.
 * QN_INVALID_ARGUMENT: positions that the format cannot hold. */
QN_MUST_CHECK qn_status qn_trajectory_writer_append(qn_trajectory_writer *writer, const qn_trajectory_frame *frame);

/* Both functions destroy the writer. After a failed finish there is no file. */
QN_MUST_CHECK qn_status qn_trajectory_writer_finish(qn_trajectory_writer **writer);
void qn_trajectory_writer_discard(qn_trajectory_writer **writer);

#endif
