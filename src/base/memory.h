/* Allocation that returns an error instead of crashing, and growing arrays. */
#ifndef QN_BASE_MEMORY_H
#define QN_BASE_MEMORY_H

#include <quern/status.h>
#include <stddef.h>

/* `count` zeroed elements of `size` bytes, aligned to 64 bytes; *memory is NULL when count is 0. Overflow of
 * count · size and exhaustion give QN_OUT_OF_MEMORY. Release with qn_release. */
QN_MUST_CHECK qn_status qn_allocate(size_t count, size_t size, void **memory);

/* Make room for at least `needed` elements. The capacity grows geometrically, the content is kept, new elements are
 * uninitialised. */
QN_MUST_CHECK qn_status qn_grow(void **memory, size_t *capacity, size_t needed, size_t size);

/* Free memory of qn_allocate or qn_grow and set the pointer to NULL; accepts NULL. */
void qn_release(void *pointer_to_memory);

/* Bytes of main memory that the process has by now: program, libraries and data. 0: not known. */
double qn_memory_resident_bytes(void);

#endif
