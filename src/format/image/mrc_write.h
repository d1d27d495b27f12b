/* Writing MRC2014 files, mode 2 or 12, from values in file order; the file is complete under its final name or absent.
 *
 * Life cycle: create → append (any number of times) → finish or discard. Thread rule: one thread at a time.
 */
#ifndef QN_FORMAT_IMAGE_MRC_WRITE_H
#define QN_FORMAT_IMAGE_MRC_WRITE_H

#include "format/image/mrc_header.h"

typedef struct qn_mrc_writer qn_mrc_writer;

/* `half`: values are stored as 2-byte floats, mode 12. QN_NOT_FOUND (no such folder), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_mrc_writer_create(const char *path, bool half, qn_mrc_writer **writer);

/* QN_UNSUPPORTED: a finite value is too large for a 2-byte float. */
QN_MUST_CHECK qn_status qn_mrc_writer_append(qn_mrc_writer *writer, const float *values, size_t count);

/* Write the header, with the statistics of all stored values, and rename the file; the writer is destroyed even if
 * this fails. QN_INVALID_ARGUMENT when the description's counts are not those of the values. */
QN_MUST_CHECK qn_status qn_mrc_writer_finish(qn_mrc_writer **writer, const qn_mrc_description *description);
void qn_mrc_writer_discard(qn_mrc_writer **writer);

#endif
