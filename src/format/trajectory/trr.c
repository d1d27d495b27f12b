/* TRR of GROMACS: uncompressed positions, velocities and forces, in single or double precision; a frame may lack any of
 * them. Only positions are returned; frames without positions are skipped. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "format/number.h"
#include "format/trajectory/measured_frames.h"
#include "format/trajectory/trajectory_format.h"
#include "format/trajectory/xdr.h"

enum {
    TRR_MAGIC = 1993,
    NAME_BYTES = 12, /* of the mark, without the zero byte that its first length includes */
    NAME_AT = 12,
    BLOCKS_AT = NAME_AT + NAME_BYTES, /* ten sizes in bytes, then atoms, step and nre */
    ATOMS_AT = BLOCKS_AT + 40,
    STEP_AT = BLOCKS_AT + 44,
    TIME_AT = BLOCKS_AT + 52
};

static const char name[] = "GMX_trn_file";

/* The head of a frame: the size of each kind of block, 0 where it is absent. */
typedef struct trr_head {
    uint64_t box, before_positions, positions, data; /* bytes: before_positions with the box, data of all blocks */
    uint64_t atoms;
    int64_t step;
    double time_ps;
    size_t real_bytes; /* 4 or 8 */
    size_t bytes;      /* of the head itself */
} trr_head;

enum { BLOCK_BOX = 2, BLOCK_POSITIONS = 7, BLOCK_COUNT = 10 };

static bool recognise(const char *path, const char *head, size_t size)
{
    (void)path;
    return size >= 4 && qn_xdr_int(head) == TRR_MAGIC &&
           (size < NAME_AT + NAME_BYTES || memcmp(head + NAME_AT, name, NAME_BYTES) == 0);
}

/* Bytes of a number (4 or 8), from the sizes of the blocks; 0: the sizes contradict each other. Blocks before the box
 * (of run parameters) were never used; box, virial and pressure are tensors, and positions, velocities and forces have
 * one vector for each atom.
 */
static size_t real_bytes(const int32_t blocks[BLOCK_COUNT], uint64_t atoms)
{
    const uint64_t reals[BLOCK_COUNT] = {0, 0, 9, 9, 9, 0, 0, 3 * atoms, 3 * atoms, 3 * atoms};
    size_t bytes = 0;
    for (int b = 0; b < BLOCK_COUNT; b++) {
        if (blocks[b] == 0) continue;
        if (reals[b] == 0) continue;
        const uint64_t each = (uint64_t)(uint32_t)blocks[b] / reals[b];
        if (each * reals[b] != (uint32_t)blocks[b] || (each != 4 && each != 8) || (bytes > 0 && each != bytes))
            return 0;
        bytes = (size_t)each;
    }
    return bytes > 0 ? bytes : 4;
}

/* Parse the head in `data`; returns NULL or a description of the error. */
static const char *read_head(const char *data, trr_head *head)
{
    int32_t blocks[BLOCK_COUNT];
    const int32_t atoms = qn_xdr_int(data + ATOMS_AT);
    *head = (trr_head){.step = qn_xdr_int(data + STEP_AT)};
    for (int b = 0; b < BLOCK_COUNT; b++) {
        blocks[b] = qn_xdr_int(data + BLOCKS_AT + 4 * b);
        if (blocks[b] < 0) return "has a block of a negative size";
        if (b < BLOCK_POSITIONS) head->before_positions += (uint64_t)blocks[b];
        head->data += (uint64_t)blocks[b];
    }
    if (atoms <= 0) return "has no atoms";
    head->box = (uint64_t)blocks[BLOCK_BOX];
    if (head->box > 0 && (blocks[0] > 0 || blocks[1] > 0)) return "has blocks in front of its box";
    head->positions = (uint64_t)blocks[BLOCK_POSITIONS];
    head->atoms = (uint64_t)atoms;
    head->real_bytes = real_bytes(blocks, head->atoms);
    if (head->real_bytes == 0) return "has blocks whose sizes fit neither single nor double precision";
    head->bytes = TIME_AT + 2 * head->real_bytes;
    return NULL;
}

static double read_real(const char *bytes, size_t real_bytes)
{
    return real_bytes == 8 ? qn_xdr_double(bytes) : (double)qn_xdr_float(bytes);
}

static qn_status measure(const qn_trajectory_stream *stream, uint64_t number, uint64_t offset, const char *data,
                         size_t size, qn_measured_frame *frame)
{
    trr_head head;
    *frame = (qn_measured_frame){0};
    if (size >= 4 && !recognise(stream->path, data, size))
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu begins with %d \"%s\"; expected %d \"%s\"",
                       stream->path, (unsigned long long)number, (unsigned long long)offset, (int)qn_xdr_int(data),
                       size >= BLOCKS_AT ? qn_quote(data + NAME_AT, NAME_BYTES).text : "", (int)TRR_MAGIC, name);
    if (size < TIME_AT) return QN_OK;
    const char *wrong = read_head(data, &head);
    if (wrong)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu %s", stream->path, (unsigned long long)number,
                       (unsigned long long)offset, wrong);
    if (stream->atom_count > 0 && head.atoms != stream->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu has %s; expected %zu", stream->path,
                       (unsigned long long)number, (unsigned long long)offset, qn_count_of(head.atoms, "atom").text,
                       stream->atom_count);
    frame->bytes = head.bytes + head.data;
    frame->positions = head.positions > 0;
    return QN_OK;
}

static qn_status open_stream(qn_trajectory_stream *stream)
{
    const char *data;
    size_t size;
    qn_measured_frame frame;
    QN_TRY(qn_byte_source_peek(stream->source, QN_FRAME_HEAD_BYTES, &data, &size));
    QN_TRY(measure(stream, 0, 0, data, size, &frame));
    if (size < TIME_AT)
        return QN_FAIL(QN_BAD_FORMAT, "%s: ends after %zu bytes, inside the head of its first frame", stream->path,
                       size);
    stream->atom_count = (size_t)qn_xdr_int(data + ATOMS_AT);
    return QN_OK;
}

static qn_status read_frame(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    trr_head head;
    QN_TRY(qn_measured_frame_read(stream, measure, bytes, end));
    if (*end) return QN_OK;
    const char *wrong = read_head(bytes->data, &head);
    if (wrong) return QN_FAIL(QN_INTERNAL, "%s: frame %llu %s", stream->path, (unsigned long long)bytes->number, wrong);
    bytes->step = head.step;
    bytes->time_ps = read_real(bytes->data + TIME_AT, head.real_bytes);
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

static qn_status decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame)
{
    trr_head head;
    const char *wrong = read_head(bytes->data, &head), *data = bytes->data;
    if (wrong || head.bytes + head.data > bytes->size)
        return QN_FAIL(QN_INTERNAL, "%s: frame %llu was not measured", stream->path, (unsigned long long)bytes->number);
    data += head.bytes;
    for (size_t k = 0; head.box > 0 && k < 9; k++)
        frame->box_nm[k] = read_real(data + k * head.real_bytes, head.real_bytes);
    data += head.before_positions;
    const size_t count = 3 * stream->atom_count;
    if (head.real_bytes == 8) {
        for (size_t i = 0; i < count; i++) frame->positions_nm[i] = (float)qn_xdr_double(data + 8 * i);
    } else {
        for (size_t i = 0; i < count; i++) frame->positions_nm[i] = qn_xdr_float(data + 4 * i);
    }
    return qn_trajectory_check_finite(stream, bytes, frame);
}

const qn_trajectory_format qn_trajectory_trr = {.name = "TRR",
                                                .recognise = recognise,
                                                .open = open_stream,
                                                .read = read_frame,
                                                .decode = decode,
                                                .skip = skip_frame,
                                                .jump = jump,
                                                .close = close_stream};
