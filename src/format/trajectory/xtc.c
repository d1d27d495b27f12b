/* XTC of GROMACS: positions rounded to a precision and compressed; a frame begins with its size. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "format/trajectory/measured_frames.h"
#include "format/trajectory/trajectory_format.h"
#include "format/trajectory/xdr.h"
#include "format/trajectory/xtc_decode.h"
#include "format/trajectory/xtc_layout.h"

static bool recognise(const char *path, const char *head, size_t size)
{
    (void)path;
    return size >= 4 && (qn_xdr_int(head) == QN_XTC_MAGIC || qn_xdr_int(head) == QN_XTC_LARGE_MAGIC);
}

static bool is_large(const char *head)
{
    return qn_xdr_int(head) == QN_XTC_LARGE_MAGIC;
}

/* Bytes before the bit stream. */
static size_t head_bytes(const char *head)
{
    return is_large(head) ? QN_XTC_LARGE_STREAM : QN_XTC_STREAM;
}

static uint64_t stream_bytes(const char *head)
{
    return is_large(head) ? qn_xdr_unsigned64(head + QN_XTC_STREAM_BYTES) : qn_xdr_unsigned(head + QN_XTC_STREAM_BYTES);
}

static qn_status check_atoms(const qn_trajectory_stream *stream, uint64_t number, uint64_t offset, const char *head)
{
    const int32_t atoms = qn_xdr_int(head + QN_XTC_ATOMS), again = qn_xdr_int(head + QN_XTC_ATOMS_AGAIN);
    if (atoms <= 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu says that it has %d atoms", stream->path,
                       (unsigned long long)number, (unsigned long long)offset, (int)atoms);
    if (again != atoms)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu says that it has %d atoms, and %d positions",
                       stream->path, (unsigned long long)number, (unsigned long long)offset, (int)atoms, (int)again);
    if (stream->atom_count > 0 && (size_t)atoms != stream->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu has %s; expected %zu", stream->path,
                       (unsigned long long)number, (unsigned long long)offset,
                       qn_count_of((unsigned long long)atoms, "atom").text, stream->atom_count);
    return QN_OK;
}

static qn_status measure(const qn_trajectory_stream *stream, uint64_t number, uint64_t offset, const char *head,
                         size_t size, qn_measured_frame *frame)
{
    *frame = (qn_measured_frame){.positions = true};
    if (size >= 4 && !recognise(stream->path, head, size))
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu begins with %d; expected %d or %d", stream->path,
                       (unsigned long long)number, (unsigned long long)offset, (int)qn_xdr_int(head), (int)QN_XTC_MAGIC,
                       (int)QN_XTC_LARGE_MAGIC);
    if (size < QN_XTC_RAW) return QN_OK;
    QN_TRY(check_atoms(stream, number, offset, head));
    const uint64_t atoms = (uint64_t)qn_xdr_int(head + QN_XTC_ATOMS);
    if (atoms <= QN_XTC_RAW_ATOMS_MAX) {
        frame->bytes = QN_XTC_RAW + 12 * atoms;
        return QN_OK;
    }
    if (size < head_bytes(head)) return QN_OK;
    const uint64_t packed = stream_bytes(head), most = QN_XTC_ATOM_BYTES_MAX * atoms + 16;
    if (packed == 0 || packed > most)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: frame %llu at byte %llu says that its %llu atoms take %llu bytes; expected 1 to %llu",
                       stream->path, (unsigned long long)number, (unsigned long long)offset, (unsigned long long)atoms,
                       (unsigned long long)packed, (unsigned long long)most);
    frame->bytes = head_bytes(head) + (packed + 3) / 4 * 4;
    return QN_OK;
}

/* Take the number of atoms from the first frame. */
static qn_status open_stream(qn_trajectory_stream *stream)
{
    const char *head;
    size_t size;
    qn_measured_frame frame;
    QN_TRY(qn_byte_source_peek(stream->source, QN_FRAME_HEAD_BYTES, &head, &size));
    QN_TRY(measure(stream, 0, 0, head, size, &frame));
    if (size < QN_XTC_RAW)
        return QN_FAIL(QN_BAD_FORMAT, "%s: ends after %zu bytes, inside the head of its first frame", stream->path,
                       size);
    stream->atom_count = (size_t)qn_xdr_int(head + QN_XTC_ATOMS);
    return QN_OK;
}

static qn_status read_frame(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    QN_TRY(qn_measured_frame_read(stream, measure, bytes, end));
    if (*end) return QN_OK;
    bytes->step = qn_xdr_int(bytes->data + QN_XTC_STEP);
    bytes->time_ps = (double)qn_xdr_float(bytes->data + QN_XTC_TIME);
    return QN_OK;
}

static qn_status skip_frame(qn_trajectory_stream *stream, bool *end)
{
    return qn_measured_frame_skip(stream, measure, end);
}

static qn_status jump(qn_trajectory_stream *stream, uint64_t count, uint64_t *jumped)
{
    qn_frame_offsets *offsets = stream->state;
    qn_status status = qn_measured_frame_jump(stream, measure, count, &offsets, jumped);
    stream->state = offsets;
    return status;
}

static void close_stream(qn_trajectory_stream *stream)
{
    qn_frame_offsets *offsets = stream->state;
    qn_frame_offsets_destroy(&offsets);
}

static qn_status unpack(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, float *positions_nm)
{
    const char *head = bytes->data;
    const size_t at = head_bytes(head);
    qn_xtc_packed packed = {.data = (const unsigned char *)head + at,
                            .size = (size_t)stream_bytes(head),
                            .atom_count = stream->atom_count,
                            .precision = qn_xdr_float(head + QN_XTC_PRECISION),
                            .small = qn_xdr_int(head + QN_XTC_SMALL)};
    for (int k = 0; k < 3; k++) {
        packed.least[k] = qn_xdr_int(head + QN_XTC_LEAST + 4 * k);
        packed.most[k] = qn_xdr_int(head + QN_XTC_MAX + 4 * k);
    }
    /* A position is a 32-bit integer divided by the precision; with at least this precision it is always finite. */
    if (!(packed.precision >= 1e-20f) || !isfinite(packed.precision))
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu has the precision %g; expected a number above 0",
                       stream->path, (unsigned long long)bytes->number, (unsigned long long)bytes->offset,
                       (double)packed.precision);
    size_t byte;
    const char *wrong = qn_xtc_unpack(&packed, positions_nm, &byte);
    if (wrong)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu is damaged: its compressed data %s (byte %llu)", stream->path,
                       (unsigned long long)bytes->number, wrong, (unsigned long long)(bytes->offset + at + byte));
    return QN_OK;
}

static qn_status decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame)
{
    for (int k = 0; k < 9; k++) frame->box_nm[k] = (double)qn_xdr_float(bytes->data + QN_XTC_BOX + 4 * k);
    if (stream->atom_count > QN_XTC_RAW_ATOMS_MAX) return unpack(stream, bytes, frame->positions_nm);
    for (size_t i = 0; i < 3 * stream->atom_count; i++)
        frame->positions_nm[i] = qn_xdr_float(bytes->data + QN_XTC_RAW + 4 * i);
    return qn_trajectory_check_finite(stream, bytes, frame);
}

const qn_trajectory_format qn_trajectory_xtc = {.name = "XTC",
                                                .recognise = recognise,
                                                .open = open_stream,
                                                .read = read_frame,
                                                .decode = decode,
                                                .skip = skip_frame,
                                                .jump = jump,
                                                .close = close_stream};
