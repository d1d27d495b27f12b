/* GROMACS index files: named groups of atoms. */
#ifndef QN_SELECTION_INDEX_FILE_H
#define QN_SELECTION_INDEX_FILE_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_index_group {
    char *name;      /* text between the brackets, without blanks at its ends; need not be unique */
    size_t line;     /* of its name */
    uint32_t *atoms; /* from 0 (from 1 in the file), in the file's order */
    size_t count, capacity;
} qn_index_group;

typedef struct qn_index_file {
    char *path;
    qn_index_group *groups;
    size_t count, capacity;
} qn_index_file;

/* Read a file whose atom numbers are 1 … atom_count. Text after a ';' is a comment. QN_NOT_FOUND, QN_IO_ERROR,
 * QN_BAD_FORMAT naming file, line, value and what was expected. */
QN_MUST_CHECK qn_status qn_index_file_read(const char *path, size_t atom_count, qn_index_file **file);
void qn_index_file_destroy(qn_index_file **file);

#endif
