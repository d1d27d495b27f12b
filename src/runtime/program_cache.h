/* Compiled programs on disk: one file per program in $XDG_CACHE_HOME/quern (or ~/.cache/quern), named by its key. */
#ifndef QN_RUNTIME_PROGRAM_CACHE_H
#define QN_RUNTIME_PROGRAM_CACHE_H

#include <quern/device.h>

/* Compute a program's key: SHA-256 of everything on which the compiled program depends. */
void qn_program_cache_key(const qn_device_info *device, const char *text, const char *options, char key[65]);

/* Read an entry; the caller releases *binary with qn_release. *binary is NULL if there is no readable entry. Never
 * fails, because the cache may be absent. */
void qn_program_cache_load(const char *key, void **binary, size_t *bytes);

/* Write an entry. A failure to write is ignored. */
void qn_program_cache_store(const char *key, const void *binary, size_t bytes);

#endif
