#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/written_file.h"
#include "format/compound/packed_library.h"
#include "format/compound/packed_library_layout.h"
#include "format/packed_bytes.h"

struct qn_packed_writer {
    char *path; /* NULL: the library is in memory, and all bytes stay pending */
    qn_written_file file;
    qn_text pending;  /* not yet written */
    qn_text index;    /* offsets, as the file has them */
    uint64_t written; /* bytes of the file, including pending ones */
    uint64_t count;
    bool failed;
};

static const size_t most_pending = (size_t)1 << 20;

static qn_status write_pending(qn_packed_writer *writer)
{
    QN_TRY(qn_written_file_write(&writer->file, writer->pending.data, writer->pending.length));
    writer->pending.length = 0;
    return QN_OK;
}

static qn_status start(qn_packed_writer *writer, const char *path)
{
    QN_TRY(qn_text_copy(path, &writer->path));
    return qn_written_file_open(path, true, &writer->file);
}

/* Leave room for the header, which is written last. */
static qn_status leave_room(qn_packed_writer *writer)
{
    static const char room[QN_PACKED_HEADER_BYTES];
    writer->written = sizeof room;
    return qn_text_append_bytes(&writer->pending, room, sizeof room);
}

qn_status qn_packed_writer_create(const char *path, qn_packed_writer **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_packed_writer *writer = memory;
    qn_status status = path ? start(writer, path) : QN_OK;
    if (status == QN_OK) status = leave_room(writer);
    if (status != QN_OK)
        qn_packed_writer_discard(&writer);
    else
        *out = writer;
    return status;
}

/* Enter the molecule that was appended to `pending` into the index. */
static qn_status count_in(qn_packed_writer *writer, size_t size)
{
    QN_TRY(qn_packed_put(&writer->index, writer->written, 8));
    writer->written += size;
    writer->count++;
    return writer->pending.length < most_pending || !writer->path ? QN_OK : write_pending(writer);
}

qn_status qn_packed_writer_append(qn_packed_writer *writer, const qn_compound *compound)
{
    size_t before = writer->pending.length;
    QN_TRY(qn_compound_pack(compound, &writer->pending));
    qn_status status = count_in(writer, writer->pending.length - before);
    writer->failed = writer->failed || status != QN_OK;
    return status;
}

qn_status qn_packed_writer_append_bytes(qn_packed_writer *writer, const void *bytes, size_t size)
{
    qn_status status = qn_text_append_bytes(&writer->pending, bytes, size);
    if (status == QN_OK) status = count_in(writer, size);
    writer->failed = writer->failed || status != QN_OK;
    return status;
}

uint64_t qn_packed_writer_count(const qn_packed_writer *writer)
{
    return writer->count;
}

static void make_header(const qn_packed_writer *writer, unsigned char header[QN_PACKED_HEADER_BYTES])
{
    uint32_t sum = (uint32_t)crc32_z(0, (const Bytef *)writer->index.data, writer->index.length);
    qn_packed_store(QN_PACKED_VERSION, 4, header + QN_PACKED_VERSION_AT);
    qn_packed_store(sum, 4, header + QN_PACKED_INDEX_SUM_AT);
    qn_packed_store(writer->count, 8, header + QN_PACKED_COUNT_AT);
    qn_packed_store(writer->written, 8, header + QN_PACKED_INDEX_AT);
    qn_packed_store(crc32_z(0, header, QN_PACKED_HEADER_SUM_AT), 4, header + QN_PACKED_HEADER_SUM_AT);
}

static qn_status write_header(qn_packed_writer *writer)
{
    unsigned char header[QN_PACKED_HEADER_BYTES] = QN_PACKED_MAGIC;
    make_header(writer, header);
    QN_TRY(qn_written_file_go_to(&writer->file, 0));
    return qn_written_file_write(&writer->file, header, sizeof header);
}

static qn_status end_index(qn_packed_writer *writer)
{
    if (writer->failed)
        return QN_FAIL(QN_IO_ERROR, "%s: an earlier molecule could not be written",
                       writer->path ? writer->path : "memory");
    return qn_packed_put(&writer->index, writer->written, 8);
}

static qn_status finish(qn_packed_writer *writer)
{
    QN_TRY(end_index(writer));
    QN_TRY(write_pending(writer));
    QN_TRY(qn_written_file_write(&writer->file, writer->index.data, writer->index.length));
    QN_TRY(write_header(writer));
    return qn_written_file_finish(&writer->file);
}

qn_status qn_packed_writer_finish(qn_packed_writer **writer)
{
    qn_status status = finish(*writer);
    qn_packed_writer_discard(writer);
    return status;
}

static qn_status finish_memory(qn_packed_writer *writer, qn_text *bytes)
{
    unsigned char header[QN_PACKED_HEADER_BYTES] = QN_PACKED_MAGIC;
    QN_TRY(end_index(writer));
    QN_TRY(qn_text_append_bytes(&writer->pending, writer->index.data, writer->index.length));
    make_header(writer, header);
    memcpy(writer->pending.data, header, sizeof header);
    *bytes = writer->pending;
    writer->pending = (qn_text){0};
    return QN_OK;
}

qn_status qn_packed_writer_finish_memory(qn_packed_writer **writer, qn_text *bytes)
{
    qn_status status = finish_memory(*writer, bytes);
    qn_packed_writer_discard(writer);
    return status;
}

void qn_packed_writer_discard(qn_packed_writer **writer)
{
    qn_packed_writer *w = *writer;
    if (!w) return;
    qn_written_file_discard(&w->file);
    qn_text_clear(&w->pending);
    qn_text_clear(&w->index);
    qn_release(&w->path);
    qn_release(writer);
}
