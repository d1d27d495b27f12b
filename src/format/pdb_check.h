/* A look at the columns of a PDB file before gemmi reads it, which turns junk in numbers into 0. */
#ifndef QN_FORMAT_PDB_CHECK_H
#define QN_FORMAT_PDB_CHECK_H

#include <quern/status.h>
#include <stddef.h>

/* Errors: QN_BAD_FORMAT naming line, columns and text of the first ATOM or HETATM record that is broken, or that the
 * file has no such record. */
QN_MUST_CHECK qn_status qn_pdb_check(const char *name, const char *data, size_t size);

/* Files older than 1996 have the entry's name and a line number in columns 73-80, where element and charge stand now:
 * blank those columns of atoms whose charge columns hold neither blanks nor a charge such as "2+". */
void qn_pdb_clear_old_columns(char *data, size_t size);

#endif
