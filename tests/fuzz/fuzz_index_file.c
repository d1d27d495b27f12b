/* Any bytes as an index file of a thousand atoms. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "selection/index_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int memory = -1;
    static char path[64];
    qn_index_file *file;
    if (memory < 0) memory = memfd_create("groups.ndx", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    if (ftruncate(memory, 0) || pwrite(memory, data, size, 0) != (ssize_t)size) return 0;
    if (qn_index_file_read(path, 1000, &file) != QN_OK) return 0;
    if (file->count == 0) abort();
    for (size_t i = 0; i < file->count; i++) {
        const qn_index_group *group = &file->groups[i];
        if (!group->name[0] || group->line == 0) abort();
        for (size_t k = 0; k < group->count; k++)
            if (group->atoms[k] >= 1000) abort();
    }
    qn_index_file_destroy(&file);
    return 0;
}
