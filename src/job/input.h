/* Inputs of a run: digests of files, and the choice between a file and an object in memory. */
#ifndef QN_JOB_INPUT_H
#define QN_JOB_INPUT_H

#include <quern/status.h>
#include <stdint.h>

/* Name of the file of a path that may end in ":chains"; released with qn_release. */
QN_MUST_CHECK qn_status qn_input_file(const char *path, char **name);

/* SHA-256 of the file of a path that may end in ":chains". QN_NOT_FOUND, QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_input_hash(const char *path, char digest[65]);

/* Size of a file, and SHA-256 of the 64 KiB at each end, for files that may be too large to be read as a whole.
 * QN_NOT_FOUND. */
QN_MUST_CHECK qn_status qn_input_sample(const char *path, uint64_t *bytes, char digest[65]);

/* Check that an input is given by exactly one of two options: a path, or a pointer to an object in memory. The message
 * names both options. QN_INVALID_ARGUMENT: both or neither are given. */
QN_MUST_CHECK qn_status qn_input_check_one(const char *path_option, const char *path, const char *memory_option,
                                           const void *memory);

#endif
