/* Writing MRC2014 files, mode 2, from values in the order of the file: complete under the final name or not at all.
 *
 * Life cycle: create → append, again and again → finish or discard. Thread rule: one thread at a time.
 */
#ifndef QN_FORMAT_IMAGE_MRC_WRITE_H
#define QN_FORMAT_IMAGE_MRC_WRITE_H

#include "format/image/mrc_header.h"

typedef struct qn_mrc_writer qn_mrc_writer;

/* QN_NOT_FOUND (no such folder), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_mrc_writer_create(const char *path, qn_mrc_writer **writer);
QN_MUST_CHECK qn_status qn_mrc_writer_append(qn_mrc_writer *writer, const float *values, size_t count);

/* The header, with the statistics of all that was appended, and the final name; the writer is gone also when this
 * fails. QN_INVALID_ARGUMENT when the description's counts are not those of the values. */
QN_MUST_CHECK qn_status qn_mrc_writer_finish(qn_mrc_writer **writer, const qn_mrc_description *description);
void qn_mrc_writer_discard(qn_mrc_writer **writer);

#endif
