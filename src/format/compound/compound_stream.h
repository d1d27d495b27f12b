/* Libraries of small molecules, read record by record: SDF (V2000, V3000), MOL2 (many molecules, @<BUDE>CONF blocks),
 * PDBQT, packed libraries (.qlib), and SMILES through Open Babel where it is installed; gzipped or not; "-" is standard
 * input. Only the current record is in memory.
 *
 * Cutting the stream into records is cheap and serial. Reading a record takes longer, and any thread may do it:
 *
 *     qn_compound_stream *stream;
 *     qn_compound_record record = {0};
 *     QN_TRY(qn_compound_stream_open("library.sdf.gz", &stream));
 *     while ((status = qn_compound_stream_next(stream, &record)) == QN_OK && record.size > 0) {
 *         qn_compound *compound;
 *         if (qn_compound_read(&record, &compound) != QN_OK) …reject, and go on…
 *     }
 *     qn_compound_record_clear(&record);
 *     qn_compound_stream_close(&stream);
 */
#ifndef QN_FORMAT_COMPOUND_COMPOUND_STREAM_H
#define QN_FORMAT_COMPOUND_COMPOUND_STREAM_H

#include <quern/molecule.h>
#include <stdint.h>

#include "base/text.h"
#include "model/compound.h"

typedef enum qn_compound_format {
    QN_COMPOUND_SDF,
    QN_COMPOUND_MOL2,
    QN_COMPOUND_PDBQT,
    QN_COMPOUND_PACKED,
    QN_COMPOUND_SMILES /* the SDF record that Open Babel made from a line, or the line itself when it made none */
} qn_compound_format;

/* The text of one molecule, as in its file. */
typedef struct qn_compound_record {
    qn_compound_format format;
    uint64_t index;   /* number of the molecule in its file, from 0 */
    size_t line;      /* first line of the record, or the line of a SMILES, from 1; 0 in a packed library */
    const char *path; /* path of the stream, valid until the stream is closed; used in messages */
    char *text;       /* owned; ends in a zero byte that `size` does not count */
    size_t size, capacity;
    bool too_large; /* over 64 MiB: `text` is incomplete, and qn_compound_read fails */
} qn_compound_record;

typedef struct qn_compound_stream qn_compound_stream;

/* Open a library. The format is detected by content; SMILES by the name's ending (.smi, .smiles, .ism). Errors:
 * QN_NOT_FOUND, QN_BAD_FORMAT (no known format), QN_UNSUPPORTED (SMILES without Open Babel), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_compound_stream_open(const char *path, qn_compound_stream **stream);

/* Open `size` bytes in memory, which are the content of a library file; they must stay unchanged until the stream is
 * closed. `name` replaces the path in messages, and its ending identifies SMILES. A packed library is read in place as
 * well. */
QN_MUST_CHECK qn_status qn_compound_stream_open_memory(const char *name, const void *data, size_t size,
                                                       qn_compound_stream **stream);
void qn_compound_stream_close(qn_compound_stream **stream);

/* Read the next record into `record`, whose memory is reused; size 0 at the end. Errors end the stream: QN_IO_ERROR,
 * QN_BAD_FORMAT (a damaged gzip file). */
QN_MUST_CHECK qn_status qn_compound_stream_next(qn_compound_stream *stream, qn_compound_record *record);

/* The same without the text (record->text empty, size set), to skip records that other ranks read. */
QN_MUST_CHECK qn_status qn_compound_stream_skip(qn_compound_stream *stream, qn_compound_record *record);

/* Get the bytes read so far and the bytes of the whole file (0: not known), for progress. */
void qn_compound_stream_progress(const qn_compound_stream *stream, uint64_t *done_bytes, uint64_t *all_bytes);

void qn_compound_record_clear(qn_compound_record *record);

/* Read the molecule of a record. QN_BAD_FORMAT with one sentence that names file, line, value and what was expected.
 * Any thread. */
QN_MUST_CHECK qn_status qn_compound_read(const qn_compound_record *record, qn_compound **compound);

/* Read every molecule of a file at once, e.g. a reference ligand; fails at the first molecule that cannot be read. The
 * caller destroys each compound and releases `compounds` with qn_release. */
QN_MUST_CHECK qn_status qn_compound_read_file(const char *path, qn_compound ***compounds, size_t *count);

/* The same for `size` bytes in memory; `name` as in qn_compound_stream_open_memory. */
QN_MUST_CHECK qn_status qn_compound_read_memory(const char *name, const void *data, size_t size,
                                                qn_compound ***compounds, size_t *count);

/* Append one conformer as an SDF record: V2000, or V3000 when there are over 999 atoms or bonds, or when a
 * position needs more than ten columns; properties as data items. `positions` (atom_count × 3, Å) replace the
 * compound's own; NULL: positions of conformer 0. */
QN_MUST_CHECK qn_status qn_compound_write_sdf(const qn_compound *compound, const double *positions, qn_text *text);

/* Append one conformer as a PDBQT from ROOT to TORSDOF, with the compound's pieces and types; without a tree all atoms
 * are the root. Where an atom has no type, its element stands for it. Atoms of type H, hydrogens that AutoDock merges
 * into carbons, are left out. `positions` as above; `residue`: up to three letters. QN_INVALID_ARGUMENT: a coordinate
 * that does not fit into its columns. */
QN_MUST_CHECK qn_status qn_compound_write_pdbqt(const qn_compound *compound, const double *positions,
                                                const char *residue, qn_text *text);

/* The same for a side chain of a receptor, from BEGIN_RES to END_RES. */
QN_MUST_CHECK qn_status qn_compound_write_pdbqt_side(const qn_compound *compound, const double *positions,
                                                     const qn_residue *residue, qn_text *text);

#endif
