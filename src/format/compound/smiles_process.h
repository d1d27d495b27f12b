/* SMILES become molecules with positions in a process of Open Babel's program `obabel`, of which nothing is linked:
 * lines go in, SDF records come out. Every line is given a number for a title, by which records and lines are matched
 * and the lines that it drops are known.
 *
 * Life cycle: start → read the SDF records, taking a line for each → finish → stop, which may also come early. Thread
 * rule: one thread at a time; a thread of its own feeds the process.
 */
#ifndef QN_FORMAT_COMPOUND_SMILES_PROCESS_H
#define QN_FORMAT_COMPOUND_SMILES_PROCESS_H

#include "format/byte_source.h"

typedef struct qn_smiles_process qn_smiles_process;

/* `lines` is taken over, also where this fails; `sdf`, which the caller closes before it stops the process, gives what
 * comes out. QN_UNSUPPORTED: obabel is not installed. */
QN_MUST_CHECK qn_status qn_smiles_process_start(const char *path, qn_byte_source *lines, qn_smiles_process **process,
                                                qn_byte_source **sdf);

/* The next line that was fed, released with qn_release, and its number in the file; *text is NULL when there is none.
 */
void qn_smiles_process_take(qn_smiles_process *process, char **text, size_t *line);

/* Behind the last record: QN_IO_ERROR when the process failed, with what it said, or the lines could not be read. */
QN_MUST_CHECK qn_status qn_smiles_process_finish(qn_smiles_process *process);
void qn_smiles_process_stop(qn_smiles_process **process);

#endif
