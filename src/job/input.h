/* Input files by content. */
#ifndef QN_JOB_INPUT_H
#define QN_JOB_INPUT_H

#include <quern/status.h>
#include <stdint.h>

/* The file behind a path that may end in ":chains"; released with qn_release. */
QN_MUST_CHECK qn_status qn_input_file(const char *path, char **name);

/* SHA-256 of the file behind a path that may end in ":chains". QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_input_hash(const char *path, char digest[65]);

/* Name a file that may be too large to be read for it: its size, and SHA-256 of the 64 KiB at each end. QN_NOT_FOUND.
 */
QN_MUST_CHECK qn_status qn_input_sample(const char *path, uint64_t *bytes, char digest[65]);

#endif
