#define _POSIX_C_SOURCE 200809L
#include "format/trajectory/measured_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "format/trajectory/frame_index.h"

/* For jumps over fewer frames it does not pay to read all frame heads of a file. */
enum { FRAMES_WORTH_AN_INDEX = 64 };

struct qn_frame_offsets {
    qn_frame_index index;
    bool looked; /* a saved index was searched */
};

/* Find the next frame that has positions; *end where there is none. */
static qn_status find_next(qn_trajectory_stream *stream, qn_measure_frame measure, qn_measured_frame *frame, bool *end)
{
    for (;;) {
        const char *head;
        size_t size;
        uint64_t remaining, advanced;
        QN_TRY(qn_byte_source_peek(stream->source, QN_FRAME_HEAD_BYTES, &head, &size));
        *end = size == 0;
        if (*end) return QN_OK;
        QN_TRY(measure(stream, stream->next, stream->offset, head, size, frame));
        bool known = qn_byte_source_remaining(stream->source, &remaining);
        *end = frame->bytes == 0 || (known && frame->bytes > remaining);
        if (*end) qn_trajectory_stream_cut(stream, known ? remaining : size, "bytes");
        if (*end || frame->positions) return QN_OK;
        QN_TRY(qn_byte_source_advance(stream->source, frame->bytes, &advanced));
        stream->offset += advanced;
        *end = advanced < frame->bytes;
        if (*end) qn_trajectory_stream_cut(stream, advanced, "bytes");
        if (*end) return QN_OK;
        stream->left_out++;
    }
}

qn_status qn_measured_frame_read(qn_trajectory_stream *stream, qn_measure_frame measure, qn_frame_bytes *bytes,
                                 bool *end)
{
    bool complete;
    qn_measured_frame frame;
    QN_TRY(find_next(stream, measure, &frame, end));
    if (*end) return QN_OK;
    bytes->offset = stream->offset;
    QN_TRY(qn_frame_bytes_fill(stream, frame.bytes, bytes, &complete));
    *end = !complete;
    if (*end) qn_trajectory_stream_cut(stream, bytes->size, "bytes");
    return QN_OK;
}

qn_status qn_measured_frame_skip(qn_trajectory_stream *stream, qn_measure_frame measure, bool *end)
{
    uint64_t advanced;
    qn_measured_frame frame;
    QN_TRY(find_next(stream, measure, &frame, end));
    if (*end) return QN_OK;
    QN_TRY(qn_byte_source_advance(stream->source, frame.bytes, &advanced));
    stream->offset += advanced;
    *end = advanced < frame.bytes;
    if (*end) qn_trajectory_stream_cut(stream, advanced, "bytes");
    return QN_OK;
}

void qn_frame_offsets_destroy(qn_frame_offsets **offsets)
{
    if (*offsets) qn_frame_index_clear(&(*offsets)->index);
    qn_release(offsets);
}

/* Read up to QN_FRAME_HEAD_BYTES at `offset`. */
static qn_status read_head(int descriptor, const char *path, uint64_t offset, char *head, size_t *size)
{
    *size = 0;
    while (*size < QN_FRAME_HEAD_BYTES) {
        const ssize_t got =
            pread(descriptor, head + *size, QN_FRAME_HEAD_BYTES - *size, (off_t)(offset + (uint64_t)*size));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return QN_FAIL(QN_IO_ERROR, "%s: cannot read: %s", path, strerror(errno));
        if (got == 0) break;
        *size += (size_t)got;
    }
    return QN_OK;
}

/* Index all frames up to the end, or to damage or a cut, which is reported when it is read. */
static qn_status scan(const qn_trajectory_stream *stream, qn_measure_frame measure, int descriptor,
                      qn_frame_index *index)
{
    char head[QN_FRAME_HEAD_BYTES];
    uint64_t offset = 0, end = 0;
    while (offset < index->file_size) {
        size_t size;
        qn_measured_frame frame;
        QN_TRY(read_head(descriptor, stream->path, offset, head, &size));
        if (measure(stream, index->count, offset, head, size, &frame) != QN_OK) break;
        if (frame.bytes == 0 || frame.bytes > index->file_size - offset) break;
        if (frame.positions) {
            QN_TRY(qn_frame_index_add(index, offset));
            end = offset + frame.bytes;
        }
        offset += frame.bytes;
    }
    return qn_frame_index_add(index, end);
}

static qn_status make_index(const qn_trajectory_stream *stream, qn_measure_frame measure, qn_frame_index *index)
{
    QN_TRY(qn_frame_index_begin(index, stream->path));
    int descriptor;
    QN_TRY(qn_file_open(stream->path, &descriptor));
    qn_status status = scan(stream, measure, descriptor, index);
    close(descriptor);
    QN_TRY(status);
    return qn_frame_index_save(index, stream->path);
}

static qn_status have_index(const qn_trajectory_stream *stream, qn_measure_frame measure, uint64_t count,
                            qn_frame_offsets **offsets, const qn_frame_index **index)
{
    bool found = true;
    if (!*offsets) {
        void *memory;
        QN_TRY(qn_allocate(1, sizeof **offsets, &memory));
        *offsets = memory;
    }
    qn_frame_index *own = &(*offsets)->index;
    if (!(*offsets)->looked) QN_TRY(qn_frame_index_load(own, stream->path, &found));
    (*offsets)->looked = true;
    if (own->count == 0 && count >= FRAMES_WORTH_AN_INDEX) QN_TRY(make_index(stream, measure, own));
    *index = own;
    return QN_OK;
}

qn_status qn_measured_frame_jump(qn_trajectory_stream *stream, qn_measure_frame measure, uint64_t count,
                                 qn_frame_offsets **offsets, uint64_t *jumped)
{
    uint64_t remaining, advanced;
    const qn_frame_index *index;
    *jumped = 0;
    if (strcmp(stream->path, "-") == 0 || !qn_byte_source_remaining(stream->source, &remaining)) return QN_OK;
    QN_TRY(have_index(stream, measure, count, offsets, &index));
    const uint64_t frames = qn_frame_index_frames(index);
    if (stream->next >= frames) return QN_OK;
    const uint64_t target = count < frames - stream->next ? stream->next + count : frames;
    if (index->offsets[target] < stream->offset) return QN_OK; /* the file was rewritten meanwhile */
    QN_TRY(qn_byte_source_advance(stream->source, index->offsets[target] - stream->offset, &advanced));
    stream->offset += advanced;
    if (stream->offset == index->offsets[target]) *jumped = target - stream->next;
    return QN_OK;
}
