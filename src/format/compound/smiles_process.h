/* Turning SMILES into molecules with positions, in a separate process of Open Babel's program `obabel`; nothing of Open
 * Babel is linked. The process reads lines and writes SDF records. Every line gets a number as title. The numbers match
 * records with lines and show which lines obabel dropped.
 *
 * Life cycle: start → read the SDF records, taking a line for each → finish → stop (allowed at any time). Thread
 * rule: one thread at a time; the process is fed by a thread of its own.
 */
#ifndef QN_FORMAT_COMPOUND_SMILES_PROCESS_H
#define QN_FORMAT_COMPOUND_SMILES_PROCESS_H

#include "format/byte_source.h"

typedef struct qn_smiles_process qn_smiles_process;

/* `lines` is taken over even if the call fails. `sdf` reads the output of the process; the caller closes it before
 * stopping the process. QN_UNSUPPORTED: obabel is not installed. */
QN_MUST_CHECK qn_status qn_smiles_process_start(const char *path, qn_byte_source *lines, qn_smiles_process **process,
                                                qn_byte_source **sdf);

/* Take the next line that was fed (released with qn_release) and its number in the file; *text is NULL when there is
 * none.
 */
void qn_smiles_process_take(qn_smiles_process *process, char **text, size_t *line);

/* Call after the last record. QN_IO_ERROR when the process failed, with its message, or when the lines could not be
 * read. */
QN_MUST_CHECK qn_status qn_smiles_process_finish(qn_smiles_process *process);
void qn_smiles_process_stop(qn_smiles_process **process);

#endif
