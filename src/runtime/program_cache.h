/* Compiled programs on disk: $XDG_CACHE_HOME/quern (or ~/.cache/quern), one file a program named by its key. */
#ifndef QN_RUNTIME_PROGRAM_CACHE_H
#define QN_RUNTIME_PROGRAM_CACHE_H

#include <quern/device.h>

/* SHA-256 of all that decides a compiled program. */
void qn_program_cache_key(const qn_device_info *device, const char *text, const char *options, char key[65]);

/* *binary is NULL when there is no readable entry; released with qn_release. Never fails: a cache may be absent. */
void qn_program_cache_load(const char *key, void **binary, size_t *bytes);

/* Store, or leave things as they are when the disk does not let us. */
void qn_program_cache_store(const char *key, const void *binary, size_t bytes);

#endif
