/* Writing trajectories: XTC (.xtc) or DCD (.dcd), as the path ends. The file appears under its name when it is
 * finished, complete or not at all.
 *
 * Life cycle: create → append, again and again → finish or discard. Thread rule: one thread at a time.
 *
 *     qn_trajectory_writer *writer;
 *     QN_TRY(qn_trajectory_writer_create("part.xtc", atom_count, NULL, &writer));
 *     for (…) status = qn_trajectory_writer_append(writer, &frame);
 *     status == QN_OK ? qn_trajectory_writer_finish(&writer) : qn_trajectory_writer_discard(&writer);
 */
#ifndef QN_FORMAT_TRAJECTORY_TRAJECTORY_WRITE_H
#define QN_FORMAT_TRAJECTORY_TRAJECTORY_WRITE_H

#include <quern/frame.h>
#include <quern/status.h>
#include <stdbool.h>

typedef struct qn_trajectory_writer qn_trajectory_writer;

typedef struct qn_trajectory_write_options {
    double precision; /* of XTC: positions are rounded to multiples of 1/precision nm; 0: 1000 */
    bool large; /* XTC with 64-bit sizes (magic 2023), which old programs do not read, also where it need not be */
} qn_trajectory_write_options;

/* `options` NULL: all 0. QN_INVALID_ARGUMENT, QN_UNSUPPORTED (another ending), QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_trajectory_writer_create(const char *path, size_t atom_count,
                                                    const qn_trajectory_write_options *options,
                                                    qn_trajectory_writer **writer);

/* Positions, box, and step and time where they are known (XTC: else 0; DCD has those of evenly spaced frames, taken
 * from the first two). After a failure nothing more is taken. QN_INVALID_ARGUMENT: positions that the format cannot
 * hold. */
QN_MUST_CHECK qn_status qn_trajectory_writer_append(qn_trajectory_writer *writer, const qn_trajectory_frame *frame);

/* Both end the writer. After a failure to finish there is no file. */
QN_MUST_CHECK qn_status qn_trajectory_writer_finish(qn_trajectory_writer **writer);
void qn_trajectory_writer_discard(qn_trajectory_writer **writer);

#endif
