/* The folder that a run's files go into: looked at before the run, so that hours are not spent on what cannot be
 * written, and taken away again where a run that failed made it for nothing. */
#ifndef QN_RECONSTRUCT_OUTPUT_FOLDER_H
#define QN_RECONSTRUCT_OUTPUT_FOLDER_H

#include <quern/status.h>

/* Whether a file `path` can be written: into its folder, or where that is absent into the next one above it that is
 * there, a file is put and taken away again. *absent is the topmost folder that would have to be made, NULL where all
 * are there; released with qn_release. QN_IO_ERROR, QN_INVALID_ARGUMENT (`path` is a folder, or below a file). */
QN_MUST_CHECK qn_status qn_output_folder_check(const char *path, char **absent);

/* Remove the folder of `path` and those above it up to `absent`, as far as they are empty. */
void qn_output_folder_tidy(const char *path, const char *absent);

#endif
