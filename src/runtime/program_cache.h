/* Compiled programs on disk: one file per program in $XDG_CACHE_HOME/quern (or ~/.cache/quern), named by its key. */
#ifndef QN_RUNTIME_PROGRAM_CACHE_H
#define QN_RUNTIME_PROGRAM_CACHE_H

#include "runtime/objects.h"

/* Compute a program's key: SHA-256 of everything on which the compiled program depends. */
void qn_program_cache_key(const qn_device_info *device, const char *text, const char *options, char key[65]);

/* Read an entry; the caller releases *binary with qn_release. *binary is NULL if there is no readable entry. Never
 * fails, because the cache may be absent. */
void qn_program_cache_load(const char *key, void **binary, size_t *bytes);

/* Write an entry. A failure to write is ignored. */
void qn_program_cache_store(const char *key, const void *binary, size_t bytes);

/* Devices of one model want the same programs at the same time. The first one compiles, and the others wait, because
 * compilers take turns anyhow and the disk cache then has the program. */
void qn_program_build_begin(qn_context *context, qn_program_build *own);
void qn_program_build_end(qn_context *context, const qn_program_build *own);

/* Compile a program that the runtime's drivers do not build; qn_release frees *binary. */
typedef qn_status (*qn_program_compiler)(void *user, void **binary, size_t *bytes);

/* Return the binary of such a program: from the cache, or from the compiler, and then it is stored. */
QN_MUST_CHECK qn_status qn_program_cache_compile(qn_device *device, const char *text, const char *options,
                                                 qn_program_compiler compile, void *user, void **binary, size_t *bytes);

#endif
