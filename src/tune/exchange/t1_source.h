/* The text of a user's kernel. */
#ifndef QN_TUNE_EXCHANGE_T1_SOURCE_H
#define QN_TUNE_EXCHANGE_T1_SOURCE_H

#include <quern/status.h>

/* Read a kernel's file, with each line #include "NAME" replaced by the file NAME beside the including file. Where there
 * is no such file the line stays, for the compiler, which may skip it or know another place. The caller releases the
 * text with qn_release. */
QN_MUST_CHECK qn_status qn_t1_source_read(const char *path, char **source);

/* "folder of `path`/name"; `name` itself if it is absolute. Released with qn_release. */
QN_MUST_CHECK qn_status qn_t1_path_beside(const char *path, const char *name, char **beside);

#endif
