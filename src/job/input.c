#define _POSIX_C_SOURCE 200809L
#include "job/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"

enum { BLOCK_BYTES = 1 << 18, SAMPLE_BYTES = 1 << 16 };

static qn_status cannot(const char *path, const char *what)
{
    const int reason = errno;
    return QN_FAIL(reason == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot %s: %s", path, what, strerror(reason));
}

static qn_status open_stream(const char *path, FILE **file)
{
    int descriptor;
    QN_TRY(qn_file_open(path, &descriptor));
    *file = fdopen(descriptor, "rb");
    if (*file) return QN_OK;
    const qn_status status = cannot(path, "open");
    close(descriptor);
    return status;
}

/* The file is read in blocks, because a library may be larger than memory. */
static qn_status hash_file(const char *path, char digest[65])
{
    qn_hash hash;
    void *block;
    FILE *file;
    QN_TRY(open_stream(path, &file));
    qn_status status = qn_allocate(BLOCK_BYTES, 1, &block);
    qn_hash_start(&hash);
    for (size_t got; status == QN_OK && (got = fread(block, 1, BLOCK_BYTES, file)) > 0;) qn_hash_add(&hash, block, got);
    if (status == QN_OK && ferror(file)) status = cannot(path, "read");
    qn_hash_finish(&hash, digest);
    fclose(file);
    qn_release(&block);
    return status;
}

qn_status qn_input_file(const char *path, char **name)
{
    QN_TRY(qn_text_copy(path, name));
    char *colon = qn_file_exists(*name) ? NULL : strrchr(*name, ':');
    if (colon) *colon = '\0';
    return QN_OK;
}

qn_status qn_input_hash(const char *path, char digest[65])
{
    char *name;
    QN_TRY(qn_input_file(path, &name));
    qn_status status = hash_file(name, digest);
    qn_release(&name);
    return status;
}

qn_status qn_input_sample(const char *path, uint64_t *bytes, char digest[65])
{
    char block[4096];
    qn_hash hash;
    FILE *file;
    QN_TRY(open_stream(path, &file));
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    qn_hash_start(&hash);
    for (int end = 0; end < 2; end++) {
        const long start = end == 0 || size < SAMPLE_BYTES ? 0 : size - SAMPLE_BYTES;
        size_t got, sum = 0;
        if (fseek(file, start, SEEK_SET) != 0) break;
        while (sum < SAMPLE_BYTES && (got = fread(block, 1, sizeof block, file)) > 0) {
            qn_hash_add(&hash, block, got);
            sum += got;
        }
    }
    fclose(file);
    qn_hash_finish(&hash, digest);
    *bytes = size > 0 ? (uint64_t)size : 0;
    return QN_OK;
}

qn_status qn_input_check_one(const char *path_option, const char *path, const char *memory_option, const void *memory)
{
    if (path && memory)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s and %s are both given; expected one of the two", path_option,
                       memory_option);
    if (!path && !memory)
        return QN_FAIL(QN_INVALID_ARGUMENT, "neither %s nor %s is given; expected one of the two", path_option,
                       memory_option);
    return QN_OK;
}
