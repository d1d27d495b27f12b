#include "format/measured_frames.h"

#include "base/error.h"

/* The next frame that has positions; *end where there is none. */
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
