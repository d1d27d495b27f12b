/* MRC files put together byte by byte according to the published layout, independently of the code under test. */
#ifndef QN_FORMAT_TESTS_MRC_FILES_H
#define QN_FORMAT_TESTS_MRC_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "check.h"

typedef struct mrc_bytes {
    unsigned char *data;
    size_t size;
    bool big_endian;
} mrc_bytes;

static void mrc_put(mrc_bytes *file, size_t at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        const int shift = 8 * (file->big_endian ? bytes - 1 - i : i);
        file->data[at + (size_t)i] = (unsigned char)(value >> shift);
    }
}

static void mrc_put_float(mrc_bytes *file, size_t at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    mrc_put(file, at, bits, 4);
}

/* A header with stamps and a voxel size of 2 Å, then `extended` bytes of 0xee, then `data_bytes` zeros. */
static mrc_bytes mrc_make(bool big_endian, int mode, const int counts[3], size_t extended, size_t data_bytes)
{
    mrc_bytes file = {malloc(1024 + extended + data_bytes), 1024 + extended + data_bytes, big_endian};
    memset(file.data, 0, file.size);
    memset(file.data + 1024, 0xee, extended);
    for (int k = 0; k < 3; k++) {
        mrc_put(&file, 4 * (size_t)k, (uint32_t)counts[k], 4);
        mrc_put(&file, 28 + 4 * (size_t)k, (uint32_t)counts[k], 4);
        mrc_put_float(&file, 40 + 4 * (size_t)k, 2.0f * (float)counts[k]);
        mrc_put_float(&file, 52 + 4 * (size_t)k, 90);
        mrc_put(&file, 64 + 4 * (size_t)k, (uint32_t)k + 1, 4);
    }
    mrc_put(&file, 12, (uint32_t)mode, 4);
    mrc_put(&file, 88, 1, 4);
    mrc_put(&file, 92, (uint32_t)extended, 4);
    memcpy(file.data + 208, "MAP ", 4);
    memset(file.data + 212, big_endian ? 0x11 : 0x44, 2);
    return file;
}

/* Write the file to the scratch folder; returns a static buffer. */
static const char *mrc_save(const mrc_bytes *file, const char *name)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, file->data, file->size));
    return path;
}

static void mrc_free(mrc_bytes *file)
{
    free(file->data);
    file->data = NULL;
}

/* Whether no file in the scratch folder has a name that contains `part`. */
static inline bool leaves_nothing(const char *part)
{
    char command[900];
    snprintf(command, sizeof command, "test -z \"$(find '%s' -name '*%s*')\"", check_scratch_folder(), part);
    return system(command) == 0;
}

#endif
