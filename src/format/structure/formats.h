/* The structure formats that are read, as one table: how content is recognised and which function reads it.
 *
 * To add a format, add a line in format.c and a file with a reader. The reader passes the atoms to a builder in file
 * order.
 */
#ifndef QN_FORMAT_STRUCTURE_FORMATS_H
#define QN_FORMAT_STRUCTURE_FORMATS_H

#include "format/structure/structure_builder.h"

typedef struct qn_structure_reader {
    const char *name; /* "PDB", for messages */
    bool (*recognise)(const char *data, size_t size);
    qn_status (*read)(qn_structure_builder *builder, const char *data, size_t size);
} qn_structure_reader;

/* The first format of the table that recognises `data`. The last one, PDB, accepts all remaining data and reports what
 * it expected. */
const qn_structure_reader *qn_structure_reader_for(const char *data, size_t size);

QN_MUST_CHECK qn_status qn_pdb_read(qn_structure_builder *builder, const char *data, size_t size);
/* The same with AutoDock's types and charges after the B factor (format/structure/autodock_types.h). */
QN_MUST_CHECK qn_status qn_pdbqt_structure_read(qn_structure_builder *builder, const char *data, size_t size);
bool qn_mmcif_recognise(const char *data, size_t size);
QN_MUST_CHECK qn_status qn_mmcif_read(qn_structure_builder *builder, const char *data, size_t size);

#endif
