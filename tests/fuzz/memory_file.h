/* A file in memory with given bytes, for readers that take paths. */
#ifndef QN_FUZZ_MEMORY_FILE_H
#define QN_FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void demand(int holds)
{
    if (!holds) abort();
}

static int open_bytes(const uint8_t *data, size_t size, char path[64])
{
    int descriptor = memfd_create("bytes", 0);
    demand(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

#endif
