/* Files that a run which was killed began to write. */
#ifndef QN_JOB_LEFTOVERS_H
#define QN_JOB_LEFTOVERS_H

#include <quern/status.h>

/* Remove files with names such as "a.mrc.partial.1234", and one of these endings before ".partial", from a folder and
 * the folders in it. NULL ends the list of endings. An absent folder is no failure. */
QN_MUST_CHECK qn_status qn_leftovers_remove(const char *folder, const char *const *endings);

#endif
