/* Packed libraries of small molecules (.qlib): a seventh to a quarter of the SDF text's size, memory-mapped, so that a
 * screen never waits for reading. docs/formats/packed_library.md has the layout.
 *
 * A library keeps elements, bonds, formal and partial charges, stated hydrogens, atom names and types, names,
 * properties, and the positions of all conformers rounded to 1e-4 Å, the precision of SDF and MOL2 files.
 *
 * Life cycle of a writer: create → append (any number of times) → finish or discard; one thread at a time, but
 * any thread may pack. Life cycle of a library: open → use → close; any number of threads.
 *
 *     qn_packed_writer *writer;
 *     QN_TRY(qn_packed_writer_create("library.qlib", &writer));
 *     for (…) status = qn_packed_writer_append(writer, compound);
 *     if (status == QN_OK) status = qn_packed_writer_finish(&writer);
 *     else qn_packed_writer_discard(&writer);
 */
#ifndef QN_FORMAT_COMPOUND_PACKED_LIBRARY_H
#define QN_FORMAT_COMPOUND_PACKED_LIBRARY_H

#include <stdint.h>

#include "base/text.h"
#include "format/compound/compound_stream.h"

/* Append a compound's packed bytes, a checksum first. QN_INVALID_ARGUMENT: positions that are not finite or beyond 1e5
 * Å, an unknown element, no atoms or no conformers. QN_UNSUPPORTED: too much text or too many properties. */
QN_MUST_CHECK qn_status qn_compound_pack(const qn_compound *compound, qn_text *bytes);

/* Unpack the compound of a record of packed bytes; messages name the molecule by the record's path and index. */
QN_MUST_CHECK qn_status qn_compound_unpack(const qn_compound_record *record, qn_compound **compound);

typedef struct qn_packed_writer qn_packed_writer;

/* The file is written under a temporary name beside `path` and renamed when finished, so it is complete or absent.
 * `path` NULL: the library is kept in memory. QN_IO_ERROR, QN_NOT_FOUND. */
QN_MUST_CHECK qn_status qn_packed_writer_create(const char *path, qn_packed_writer **writer);
QN_MUST_CHECK qn_status qn_packed_writer_append(qn_packed_writer *writer, const qn_compound *compound);

/* Append bytes that qn_compound_pack returned. */
QN_MUST_CHECK qn_status qn_packed_writer_append_bytes(qn_packed_writer *writer, const void *bytes, size_t size);
uint64_t qn_packed_writer_count(const qn_packed_writer *writer);

/* All three functions destroy the writer. After a failed finish there is no file. `bytes`, which must be empty, gets
 * the bytes of a library in memory. */
QN_MUST_CHECK qn_status qn_packed_writer_finish(qn_packed_writer **writer);
QN_MUST_CHECK qn_status qn_packed_writer_finish_memory(qn_packed_writer **writer, qn_text *bytes);
void qn_packed_writer_discard(qn_packed_writer **writer);

typedef struct qn_packed_library qn_packed_library;

/* QN_NOT_FOUND, QN_IO_ERROR; QN_BAD_FORMAT: not a packed library, a later version, cut off, or damaged. */
QN_MUST_CHECK qn_status qn_packed_library_open(const char *path, qn_packed_library **library);

/* The same for a packed library in memory, which must not change until the library is closed; `name` goes into
 * messages. */
QN_MUST_CHECK qn_status qn_packed_library_open_memory(const char *name, const void *data, size_t size,
                                                      qn_packed_library **library);
void qn_packed_library_close(qn_packed_library **library);
uint64_t qn_packed_library_count(const qn_packed_library *library);
uint64_t qn_packed_library_size(const qn_packed_library *library); /* bytes of the file */

/* The packed bytes of molecule `index`, valid until the library is closed. QN_BAD_FORMAT when the index is damaged
 * there. */
QN_MUST_CHECK qn_status qn_packed_library_bytes(const qn_packed_library *library, uint64_t index, const char **bytes,
                                                size_t *size);

/* Molecule `index`. */
QN_MUST_CHECK qn_status qn_packed_library_read(const qn_packed_library *library, uint64_t index,
                                               qn_compound **compound);

/* Whether a file that begins with these bytes is a packed library. */
bool qn_packed_library_recognise(const char *data, size_t size);

#endif
