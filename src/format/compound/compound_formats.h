/* The record formats of small molecules as one table: how content is recognised, where a record ends, which function
 * reads a record.
 *
 * To add a format, add a line in compound_formats.c and a file with these three functions.
 */
#ifndef QN_FORMAT_COMPOUND_COMPOUND_FORMATS_H
#define QN_FORMAT_COMPOUND_COMPOUND_FORMATS_H

#include "format/compound/compound_stream.h"

/* The place of a line in the record that is being cut. */
typedef enum qn_record_cut {
    QN_CUT_INSIDE,
    QN_CUT_LAST, /* the record ends after this line */
    QN_CUT_NEXT, /* the record ended before this line */
    QN_CUT_NONE  /* belongs to no record: skipped where no record has begun yet */
} qn_record_cut;

typedef struct qn_record_cutter {
    bool begun;  /* the record has lines that are not of QN_CUT_NONE */
    int section; /* for the format's own use, 0 where a record begins */
} qn_record_cutter;

typedef struct qn_compound_format_entry {
    const char *name;    /* "SDF", for messages */
    const char *endings; /* of file names: " .sdf .sd " */
    /* `text` is the beginning of the file: 64 KiB, or all of it. NULL: the file name's ending decides. `cut` is NULL
     * for a format that does not consist of lines. */
    bool (*recognise)(const char *text, size_t size);
    qn_record_cut (*cut)(qn_record_cutter *cutter, const char *line, size_t size);
    qn_status (*read)(const qn_compound_record *record, qn_compound **compound);
} qn_compound_format_entry;

const qn_compound_format_entry *qn_compound_format_entry_of(qn_compound_format format);

/* The format of a file by its beginning, else by the ending of its name (without ".gz"). QN_BAD_FORMAT: none. */
QN_MUST_CHECK qn_status qn_compound_format_find(const char *path, const char *text, size_t size,
                                                qn_compound_format *format);

bool qn_sdf_recognise(const char *text, size_t size);
qn_record_cut qn_sdf_cut(qn_record_cutter *cutter, const char *line, size_t size);
QN_MUST_CHECK qn_status qn_sdf_read(const qn_compound_record *record, qn_compound **compound);
bool qn_mol2_recognise(const char *text, size_t size);
qn_record_cut qn_mol2_cut(qn_record_cutter *cutter, const char *line, size_t size);
QN_MUST_CHECK qn_status qn_mol2_read(const qn_compound_record *record, qn_compound **compound);
qn_record_cut qn_pdbqt_cut(qn_record_cutter *cutter, const char *line, size_t size);
QN_MUST_CHECK qn_status qn_pdbqt_read(const qn_compound_record *record, qn_compound **compound);
QN_MUST_CHECK qn_status qn_smiles_read(const qn_compound_record *record, qn_compound **compound);

#endif
