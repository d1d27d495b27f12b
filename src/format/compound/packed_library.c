#define _POSIX_C_SOURCE 200809L
#include "format/compound/packed_library.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "format/compound/packed_library_layout.h"
#include "format/packed_bytes.h"

struct qn_packed_library {
    char *path;
    const unsigned char *file;
    void *mapped; /* `file` if it must be unmapped, else NULL */
    size_t size;
    const unsigned char *index;
    uint64_t count;
};

bool qn_packed_library_recognise(const char *data, size_t size)
{
    return size >= QN_PACKED_MAGIC_BYTES && memcmp(data, QN_PACKED_MAGIC, QN_PACKED_MAGIC_BYTES) == 0;
}

static qn_status check_size(const qn_packed_library *library)
{
    if (library->size < QN_PACKED_HEADER_BYTES)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %zu bytes; expected a packed library, whose header has %d",
                       library->path, library->size, QN_PACKED_HEADER_BYTES);
    return QN_OK;
}

static qn_status map_open_file(qn_packed_library *library, int descriptor)
{
    struct stat information;
    if (fstat(descriptor, &information) != 0)
        return QN_FAIL(QN_IO_ERROR, "%s: cannot read: %s", library->path, strerror(errno));
    if (!S_ISREG(information.st_mode))
        return QN_FAIL(QN_BAD_FORMAT, "%s: is not a file that can be mapped; expected a packed library", library->path);
    library->size = (size_t)information.st_size;
    QN_TRY(check_size(library));
    void *mapped = mmap(NULL, library->size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) return QN_FAIL(QN_IO_ERROR, "%s: cannot map: %s", library->path, strerror(errno));
    library->file = library->mapped = mapped;
    return QN_OK;
}

static qn_status map_file(qn_packed_library *library)
{
    int descriptor;
    QN_TRY(qn_file_open(library->path, &descriptor));
    qn_status status = map_open_file(library, descriptor);
    close(descriptor);
    return status;
}

static qn_status check_header(qn_packed_library *library)
{
    const unsigned char *header = library->file;
    if (!qn_packed_library_recognise((const char *)header, library->size))
        return QN_FAIL(QN_BAD_FORMAT, "%s: does not begin with %s; expected a packed library", library->path,
                       QN_PACKED_MAGIC);
    if (crc32_z(0, header, QN_PACKED_HEADER_SUM_AT) != qn_packed_little(header + QN_PACKED_HEADER_SUM_AT, 4))
        return QN_FAIL(QN_BAD_FORMAT, "%s: the packed library's header is damaged: its checksum does not match",
                       library->path);
    uint64_t version = qn_packed_little(header + QN_PACKED_VERSION_AT, 4);
    if (version != QN_PACKED_VERSION)
        return QN_FAIL(QN_BAD_FORMAT, "%s: is a packed library of version %llu; expected version %d", library->path,
                       (unsigned long long)version, QN_PACKED_VERSION);
    return QN_OK;
}

static qn_status check_index(qn_packed_library *library)
{
    const unsigned char *header = library->file;
    uint64_t at = qn_packed_little(header + QN_PACKED_INDEX_AT, 8),
             count = qn_packed_little(header + QN_PACKED_COUNT_AT, 8);
    if (count >= UINT64_MAX / 8 - 1 || at > library->size || at < QN_PACKED_HEADER_BYTES ||
        library->size - at != 8 * (count + 1))
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s: has %zu bytes, which are not those of a packed library of %llu molecules; expected a whole file",
            library->path, library->size, (unsigned long long)count);
    library->index = header + at;
    library->count = count;
    if (crc32_z(0, library->index, 8 * (count + 1)) != qn_packed_little(header + QN_PACKED_INDEX_SUM_AT, 4))
        return QN_FAIL(QN_BAD_FORMAT, "%s: the packed library's index is damaged: its checksum does not match",
                       library->path);
    return QN_OK;
}

static qn_status create(const char *path, qn_packed_library **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_packed_library *library = memory;
    qn_status status = qn_text_copy(path, &library->path);
    if (status == QN_OK)
        *out = library;
    else
        qn_packed_library_close(&library);
    return status;
}

static qn_status check(qn_packed_library *library)
{
    QN_TRY(check_header(library));
    return check_index(library);
}

qn_status qn_packed_library_open(const char *path, qn_packed_library **library)
{
    QN_TRY(create(path, library));
    qn_status status = map_file(*library);
    if (status == QN_OK) status = check(*library);
    if (status != QN_OK) qn_packed_library_close(library);
    return status;
}

qn_status qn_packed_library_open_memory(const char *name, const void *data, size_t size, qn_packed_library **library)
{
    QN_TRY(create(name, library));
    (*library)->file = data;
    (*library)->size = size;
    qn_status status = check_size(*library);
    if (status == QN_OK) status = check(*library);
    if (status != QN_OK) qn_packed_library_close(library);
    return status;
}

void qn_packed_library_close(qn_packed_library **library)
{
    qn_packed_library *l = *library;
    if (!l) return;
    if (l->mapped) munmap(l->mapped, l->size);
    qn_release(&l->path);
    qn_release(library);
}

uint64_t qn_packed_library_count(const qn_packed_library *library)
{
    return library->count;
}

uint64_t qn_packed_library_size(const qn_packed_library *library)
{
    return library->size;
}

qn_status qn_packed_library_bytes(const qn_packed_library *library, uint64_t index, const char **bytes, size_t *size)
{
    if (index >= library->count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: there is no molecule %llu; the packed library has %llu", library->path,
                       (unsigned long long)index + 1, (unsigned long long)library->count);
    uint64_t begin = qn_packed_little(library->index + 8 * index, 8);
    uint64_t end = qn_packed_little(library->index + 8 * index + 8, 8);
    if (begin < QN_PACKED_HEADER_BYTES || begin >= end || end > (uint64_t)(library->index - library->file))
        return QN_FAIL(QN_BAD_FORMAT, "%s: the packed library's index is damaged: molecule %llu is outside of the file",
                       library->path, (unsigned long long)index + 1);
    *bytes = (const char *)library->file + begin;
    *size = (size_t)(end - begin);
    return QN_OK;
}

qn_status qn_packed_library_read(const qn_packed_library *library, uint64_t index, qn_compound **compound)
{
    const char *bytes;
    qn_compound_record record = {.format = QN_COMPOUND_PACKED, .index = index, .path = library->path};
    *compound = NULL;
    QN_TRY(qn_packed_library_bytes(library, index, &bytes, &record.size));
    record.text = (char *)bytes; /* record.text is only read */
    return qn_compound_unpack(&record, compound);
}
