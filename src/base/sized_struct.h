/* Structs of options that grow from version to version. Each begins with `size_t size`, the size in bytes with which
 * the caller was compiled. The library copies the caller's members into a struct of its own, so it never reads beyond
 * the caller's memory.
 *
 *     qn_context_options own = qn_context_default_options();
 *     QN_TRY(qn_sized_struct_copy(&own, sizeof own, given, "context"));
 */
#ifndef QN_BASE_SIZED_STRUCT_H
#define QN_BASE_SIZED_STRUCT_H

#include <quern/status.h>
#include <stddef.h>

/* Copy the members of `given` into `own`, a struct of `own_size` bytes that holds defaults; own's size stays
 * `own_size`. `given` NULL: nothing is copied. `name` names the options in messages: "dock". QN_INVALID_ARGUMENT for a
 * size that no version has (smaller than two words, not a multiple of a word, or more than 64 KiB larger than
 * `own_size`), and for a longer struct with a byte beyond `own_size` that is not 0. */
QN_MUST_CHECK qn_status qn_sized_struct_copy(void *own, size_t own_size, const void *given, const char *name);

/* The same for an element of an array; `size` is the member of the array's first element. */
QN_MUST_CHECK qn_status qn_sized_struct_copy_element(void *own, size_t own_size, const void *given, size_t size,
                                                     const char *name);

#endif
