/* Reading whole files, and writing files that appear under their final name only when they are complete. */
#ifndef QN_BASE_FILE_H
#define QN_BASE_FILE_H

#include <quern/file.h>
#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Read a whole file of at most 4 GiB; `data` gets a zero byte after its `size` bytes and is released with qn_release.
 * Errors: those of qn_file_open; QN_UNSUPPORTED (a larger file). */
QN_MUST_CHECK qn_status qn_file_read(const char *path, char **data, size_t *size);

bool qn_file_exists(const char *path);

/* Write all `size` bytes to an open file; `name` goes into the message. QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_descriptor_write(int descriptor, const char *name, const void *data, size_t size);

/* Open a temporary file without a name in $TMPDIR, else /tmp, for the data of `name`; it disappears when it is closed.
 * QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_nameless_file_open(const char *name, int *descriptor);

/* Create a folder and its missing parents; an existing folder is fine. */
QN_MUST_CHECK qn_status qn_folder_create(const char *path);

/* *empty is true when the folder holds no entry or does not exist. */
QN_MUST_CHECK qn_status qn_folder_is_empty(const char *path, bool *empty);

/* "folder/name"; released with qn_release. */
QN_MUST_CHECK qn_status qn_path_join(const char *folder, const char *name, char **path);

/* Append the path of the cache folder: $XDG_CACHE_HOME/quern or ~/.cache/quern. The folder need not exist. Errors:
 * QN_NOT_FOUND when neither $XDG_CACHE_HOME nor $HOME is an absolute path. */
QN_MUST_CHECK qn_status qn_cache_folder(qn_text *path);

/* The part after the last '/'. */
const char *qn_path_name(const char *path);

#endif
