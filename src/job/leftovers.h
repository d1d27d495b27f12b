/* Files that a run which was killed began to write, "a.mrc.partial.1234": base/written_file.h names them by the
 * process. Those of other processes that are alive stay. */
#ifndef QN_JOB_LEFTOVERS_H
#define QN_JOB_LEFTOVERS_H

#include <stddef.h>

#include "job/output.h"

/* Remove such files with one of these endings before ".partial" from a folder and the folders in it. NULL ends the list
 * of endings. An absent folder is no failure. */
QN_MUST_CHECK qn_status qn_leftovers_remove(const char *folder, const char *const *endings);

/* Remove those of files that a run lists; `listed` is sorted by strcmp. */
QN_MUST_CHECK qn_status qn_leftovers_remove_listed(const qn_output *output, const char *const *listed, size_t count);

#endif
