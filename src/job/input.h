/* Input files by content. */
#ifndef QN_JOB_INPUT_H
#define QN_JOB_INPUT_H

#include <quern/status.h>

/* SHA-256 of the file behind a path that may end in ":chains". Errors: those of qn_file_read. */
QN_MUST_CHECK qn_status qn_input_hash(const char *path, char digest[65]);

#endif
