/* Any bytes as a file of a configuration space. Checksums are made right first, where the sizes allow it, so that what
 * they guard is reached. */
#define _GNU_SOURCE
#include <string.h>
#include <zlib.h>

#include "deform/space/space_file.h"
#include "memory_file.h"

enum { HEAD_BYTES = 128 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend(uint8_t *bytes, size_t size)
{
    uint64_t key_length, state_count;
    if (size < HEAD_BYTES) return;
    memcpy(&key_length, bytes + 8, 8);
    memcpy(&state_count, bytes + 16, 8);
    if (key_length > size - HEAD_BYTES) return;
    uint32_t sum = (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes + 8, (size_t)(HEAD_BYTES - 8 + key_length));
    memcpy(bytes + 4, &sum, 4);
    size_t at = (size_t)((HEAD_BYTES + key_length + 63) / 64 * 64);
    for (uint64_t i = 0; i < state_count && at + sizeof(qn_space_facts) <= size; i++, at += sizeof(qn_space_facts)) {
        const size_t guarded = offsetof(qn_space_facts, checksum);
        sum = (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes + at, guarded);
        memcpy(bytes + at + guarded, &sum, 4);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    char path[64];
    qn_space_file *file = NULL;
    volatile float sum = 0;
    memcpy(bytes, data, size);
    mend(bytes, size);
    const int descriptor = open_bytes(bytes, size, path);
    if (qn_space_file_open(path, &file) == QN_OK) {
        for (size_t i = 0; i < file->state_count; i++) {
            if (qn_space_file_check(file, i) != QN_OK) sum += 1;
            sum += file->states[i].x[0] + file->states[i].change[3 * file->header.freedom_count - 1];
        }
    } else {
        demand(*qn_error_message() != '\0');
    }
    qn_space_file_close(&file);
    close(descriptor);
    free(bytes);
    return 0;
}
