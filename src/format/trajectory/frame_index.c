#define _XOPEN_SOURCE 700 /* realpath */
#include "format/trajectory/frame_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/packed_bytes.h"

/* Little endian: mark, size and time of the file, count, offsets, CRC-32 of all bytes before it. */
static const char mark[8] = "QNFRAME1";

enum { HEAD_BYTES = 40, SUM_BYTES = 4 };

qn_status qn_frame_index_begin(qn_frame_index *index, const char *path)
{
    struct stat information;
    index->count = 0;
    if (stat(path, &information) != 0)
        return QN_FAIL(errno == ENOENT ? QN_NOT_FOUND : QN_IO_ERROR, "%s: cannot access: %s", path, strerror(errno));
    if (!S_ISREG(information.st_mode)) return QN_FAIL(QN_UNSUPPORTED, "%s: is not a plain file", path);
    index->file_size = (uint64_t)information.st_size;
    index->modified_s = (int64_t)information.st_mtim.tv_sec;
    index->modified_ns = (int64_t)information.st_mtim.tv_nsec;
    return QN_OK;
}

qn_status qn_frame_index_add(qn_frame_index *index, uint64_t offset)
{
    void *memory = index->offsets;
    QN_TRY(qn_grow(&memory, &index->capacity, index->count + 1, sizeof *index->offsets));
    index->offsets = memory;
    index->offsets[index->count++] = offset;
    return QN_OK;
}

size_t qn_frame_index_frames(const qn_frame_index *index)
{
    return index->count > 0 ? index->count - 1 : 0;
}

void qn_frame_index_clear(qn_frame_index *index)
{
    qn_release(&index->offsets);
    *index = (qn_frame_index){0};
}

/* The name of the index beside the file. */
static qn_status name_beside(const char *path, qn_text *name)
{
    const char *file = qn_path_name(path);
    return qn_text_append(name, "%.*s.%s.quern-index", (int)(file - path), path, file);
}

/* The name of the index in the cache folder, made from the file's absolute path. */
static qn_status name_in_cache(const char *path, qn_text *name)
{
    char digest[65], *whole = realpath(path, NULL);
    if (!whole) return QN_FAIL(QN_IO_ERROR, "%s: cannot find its absolute path: %s", path, strerror(errno));
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, whole, strlen(whole));
    qn_hash_finish(&hash, digest);
    free(whole);
    QN_TRY(qn_cache_folder(name));
    QN_TRY(qn_text_append(name, "/frames"));
    QN_TRY(qn_folder_create(name->data));
    return qn_text_append(name, "/%.32s.quern-index", digest);
}

/* Read the offsets if `data` is an index of the file that `index` describes; *found is false otherwise. */
static qn_status read_index(const char *data, size_t size, qn_frame_index *index, bool *found)
{
    const unsigned char *bytes = (const unsigned char *)data;
    *found = false;
    if (size < HEAD_BYTES + SUM_BYTES || memcmp(data, mark, sizeof mark) != 0) return QN_OK;
    if (crc32(0, bytes, (uInt)(size - SUM_BYTES)) != qn_packed_little(bytes + size - SUM_BYTES, SUM_BYTES))
        return QN_OK;
    const uint64_t count = (size - HEAD_BYTES - SUM_BYTES) / 8;
    if (qn_packed_little(bytes + 8, 8) != index->file_size ||
        (int64_t)qn_packed_little(bytes + 16, 8) != index->modified_s ||
        (int64_t)qn_packed_little(bytes + 24, 8) != index->modified_ns || qn_packed_little(bytes + 32, 8) != count ||
        count == 0 || size != HEAD_BYTES + 8 * count + SUM_BYTES)
        return QN_OK;
    uint64_t before = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t offset = qn_packed_little(bytes + HEAD_BYTES + 8 * i, 8);
        if ((i > 0 && offset <= before) || offset > index->file_size) {
            index->count = 0;
            return QN_OK;
        }
        before = offset;
        QN_TRY(qn_frame_index_add(index, offset));
    }
    *found = true;
    return QN_OK;
}

qn_status qn_frame_index_load(qn_frame_index *index, const char *path, bool *found)
{
    qn_status (*const places[])(const char *, qn_text *) = {name_beside, name_in_cache};
    *found = false;
    QN_TRY(qn_frame_index_begin(index, path));
    for (size_t i = 0; i < sizeof places / sizeof *places && !*found; i++) {
        qn_text name = {0};
        char *data = NULL;
        size_t size;
        qn_status status = places[i](path, &name);
        if (status == QN_OK) status = qn_file_read(name.data, &data, &size);
        qn_text_clear(&name);
        if (status == QN_OK) status = read_index(data, size, index, found);
        qn_release(&data);
        if (status == QN_OUT_OF_MEMORY) return status;
    }
    return QN_OK;
}

static qn_status append_index(const qn_frame_index *index, qn_text *data)
{
    QN_TRY(qn_text_append_bytes(data, mark, sizeof mark));
    QN_TRY(qn_packed_put(data, index->file_size, 8));
    QN_TRY(qn_packed_put(data, (uint64_t)index->modified_s, 8));
    QN_TRY(qn_packed_put(data, (uint64_t)index->modified_ns, 8));
    QN_TRY(qn_packed_put(data, index->count, 8));
    for (size_t i = 0; i < index->count; i++) QN_TRY(qn_packed_put(data, index->offsets[i], 8));
    return qn_packed_put(data, crc32(0, (const unsigned char *)data->data, (uInt)data->length), SUM_BYTES);
}

qn_status qn_frame_index_save(const qn_frame_index *index, const char *path)
{
    qn_status (*const places[])(const char *, qn_text *) = {name_beside, name_in_cache};
    qn_text data = {0};
    qn_status status = append_index(index, &data);
    bool saved = status != QN_OK;
    for (size_t i = 0; i < sizeof places / sizeof *places && !saved; i++) {
        qn_text name = {0};
        qn_status written = places[i](path, &name);
        if (written == QN_OK) written = qn_file_write(name.data, data.data, data.length);
        saved = written == QN_OK;
        qn_text_clear(&name);
    }
    qn_text_clear(&data);
    return status;
}
