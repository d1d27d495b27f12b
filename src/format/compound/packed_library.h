/* Packed libraries of small molecules (.qlib): a seventh to a quarter of the SDF text's size, memory-mapped, so that
 * reading is never what a screen waits for. docs/formats/packed_library.md has the layout.
 *
 * Kept: elements, bonds, formal and partial charges, stated hydrogens, atom names and types, names, properties, and the
 * positions of all conformers rounded to 1e-4 Å, which is all that an SDF or MOL2 file holds.
 *
 * A writer: create → append, again and again → finish or discard; one thread at a time, but packing is any thread's.
 * A library: open → use → close; any number of threads.
 *
 *     qn_packed_writer *writer;
 *     QN_TRY(qn_packed_writer_create("library.qlib", &writer));
 *     for (…) status = qn_packed_writer_append(writer, compound);
 *     status == QN_OK ? qn_packed_writer_finish(&writer) : qn_packed_writer_discard(&writer);
 */
#ifndef QN_FORMAT_COMPOUND_PACKED_LIBRARY_H
#define QN_FORMAT_COMPOUND_PACKED_LIBRARY_H

#include <stdint.h>

#include "base/text.h"
#include "format/compound/compound_stream.h"

/* Append a compound's packed bytes, a checksum first. QN_INVALID_ARGUMENT: positions that are not finite or beyond
 * 1e5 Å, an element that is none, no atoms or conformers at all. */
QN_MUST_CHECK qn_status qn_compound_pack(const qn_compound *compound, qn_text *bytes);

/* The compound of a record of packed bytes; messages name the molecule by the record's path and index. */
QN_MUST_CHECK qn_status qn_compound_unpack(const qn_compound_record *record, qn_compound **compound);

typedef struct qn_packed_writer qn_packed_writer;

/* The file is written beside `path` and gets its name when finished: complete or absent. QN_IO_ERROR, QN_NOT_FOUND. */
QN_MUST_CHECK qn_status qn_packed_writer_create(const char *path, qn_packed_writer **writer);
QN_MUST_CHECK qn_status qn_packed_writer_append(qn_packed_writer *writer, const qn_compound *compound);

/* The same of bytes that qn_compound_pack gave. */
QN_MUST_CHECK qn_status qn_packed_writer_append_bytes(qn_packed_writer *writer, const void *bytes, size_t size);
uint64_t qn_packed_writer_count(const qn_packed_writer *writer);

/* Both end the writer. After a failure to finish there is no file. */
QN_MUST_CHECK qn_status qn_packed_writer_finish(qn_packed_writer **writer);
void qn_packed_writer_discard(qn_packed_writer **writer);

typedef struct qn_packed_library qn_packed_library;

/* QN_NOT_FOUND, QN_IO_ERROR; QN_BAD_FORMAT: no packed library, a later version's, cut off, damaged. */
QN_MUST_CHECK qn_status qn_packed_library_open(const char *path, qn_packed_library **library);
void qn_packed_library_close(qn_packed_library **library);
uint64_t qn_packed_library_count(const qn_packed_library *library);
uint64_t qn_packed_library_size(const qn_packed_library *library); /* bytes of the file */

/* The packed bytes of molecule `index`, valid until the library is closed. QN_BAD_FORMAT when the place is damaged. */
QN_MUST_CHECK qn_status qn_packed_library_bytes(const qn_packed_library *library, uint64_t index, const char **bytes,
                                                size_t *size);

/* Molecule `index`. */
QN_MUST_CHECK qn_status qn_packed_library_read(const qn_packed_library *library, uint64_t index,
                                               qn_compound **compound);

/* Whether a file that begins with these bytes is one. */
bool qn_packed_library_recognise(const char *data, size_t size);

#endif
