#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21 };

/* Use huge pages for large blocks where the system has them: page faults of 4 KiB pages take longer than the work on
 * the memory. */
static void *aligned(size_t bytes)
{
    const size_t alignment = bytes < 2 * (size_t)HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
    if (bytes > SIZE_MAX - alignment) return NULL;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, rounded);
#ifdef MADV_HUGEPAGE
    if (memory && alignment == HUGE_PAGE) (void)madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    return memory;
}

/* A size that overflows is said as well. */
static qn_status refuse(size_t count, size_t size)
{
    return QN_FAIL(QN_OUT_OF_MEMORY, "out of memory: %.3g MiB more cannot be allocated",
                   (double)count * (double)size / (1024 * 1024));
}

qn_status qn_allocate(size_t count, size_t size, void **memory)
{
    *memory = NULL;
    if (count == 0 || size == 0) return QN_OK;
    if (count > SIZE_MAX / size || !(*memory = aligned(count * size))) return refuse(count, size);
    memset(*memory, 0, count * size);
    return QN_OK;
}

qn_status qn_grow(void **memory, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) return QN_OK;
    size_t grown = *capacity + *capacity / 2 + 16;
    if (grown < needed) grown = needed;
    void *larger = grown > SIZE_MAX / size ? NULL : aligned(grown * size);
    if (!larger) return refuse(grown, size);
    if (*memory) memcpy(larger, *memory, *capacity * size);
    free(*memory);
    *memory = larger;
    *capacity = grown;
    return QN_OK;
}

void qn_release(void *pointer_to_memory)
{
    void **memory = pointer_to_memory;
    free(*memory);
    *memory = NULL;
}

double qn_memory_resident_bytes(void)
{
    double pages = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    if (!stream) return 0;
    if (fscanf(stream, "%*s %lf", &pages) != 1) pages = 0;
    fclose(stream);
    return pages * (double)sysconf(_SC_PAGESIZE);
}
