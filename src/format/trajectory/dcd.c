/* DCD of CHARMM, NAMD, X-PLOR, LAMMPS: Fortran records of either endianness with 32-bit or 64-bit lengths, with or
 * without cell and fixed atoms. Lengths in Å. The frame count in the head is often wrong: frames continue to the end of
 * the file, and a remark says where the head promises more of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/number.h"
#include "format/trajectory/dcd_layout.h"
#include "format/trajectory/trajectory_format.h"
#include "format/trajectory/xdr.h"
#include "model/box.h"

typedef struct dcd {
    bool big_endian, has_cell, has_fourth;
    size_t marker;        /* bytes of a record's length */
    size_t free_atoms;    /* number of atoms in frames after the first one */
    uint32_t *free_atom;  /* their indices; NULL: all atoms are free */
    float *reference_nm;  /* of the first frame, where some atoms are fixed */
    qn_frame_bytes first; /* of a file with fixed atoms; it is read with the head */
    bool first_is_next;
    uint32_t promised_frames; /* in the head */
    int64_t first_step, steps_a_frame;
    double time_step_ps;
} dcd;

static uint32_t load32(const dcd *d, const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return d->big_endian ? qn_xdr_unsigned(bytes)
                         : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static uint64_t load64(const dcd *d, const char *bytes)
{
    const uint64_t first = load32(d, bytes), second = load32(d, bytes + 4);
    return d->big_endian ? first << 32 | second : second << 32 | first;
}

static float load_float(const dcd *d, const char *bytes)
{
    const uint32_t bits = load32(d, bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double load_double(const dcd *d, const char *bytes)
{
    const uint64_t bits = load64(d, bytes);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t load_marker(const dcd *d, const char *bytes)
{
    return d->marker == 8 ? load64(d, bytes) : load32(d, bytes);
}

/* Recognise the variant by the length of the first record and its first bytes. */
static bool find_variant(const char *head, size_t size, dcd *d)
{
    for (size_t marker = 4; marker <= 8; marker += 4) {
        for (int big = 0; big < 2; big++) {
            *d = (dcd){.big_endian = big, .marker = marker};
            if (size < marker + 4 || load_marker(d, head) != QN_DCD_HEAD_BYTES) continue;
            if (memcmp(head + marker, "CORD", 4) == 0 || memcmp(head + marker, "VELD", 4) == 0) return true;
        }
    }
    return false;
}

static bool recognise(const char *path, const char *head, size_t size)
{
    dcd d;
    (void)path;
    return find_variant(head, size, &d);
}

/* Read the next record, of `least` to `most` bytes, into `record`, without its length fields. */
static qn_status read_record(qn_trajectory_stream *stream, const dcd *d, const char *what, uint64_t least,
                             uint64_t most, qn_frame_bytes *record)
{
    bool complete;
    const uint64_t at = stream->offset;
    record->size = 0;
    QN_TRY(qn_frame_bytes_fill(stream, d->marker, record, &complete));
    const uint64_t size = complete ? load_marker(d, record->data) : 0;
    if (complete && (size < least || size > most))
        return QN_FAIL(QN_BAD_FORMAT, "%s: the record of %s at byte %llu has %llu bytes; expected %llu to %llu",
                       stream->path, what, (unsigned long long)at, (unsigned long long)size, (unsigned long long)least,
                       (unsigned long long)most);
    if (complete) QN_TRY(qn_frame_bytes_fill(stream, size + d->marker, record, &complete));
    if (!complete)
        return QN_FAIL(QN_BAD_FORMAT, "%s: ends inside the record of %s (after %llu bytes)", stream->path, what,
                       (unsigned long long)stream->offset);
    if (load_marker(d, record->data + d->marker + size) != size)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the record of %s at byte %llu has %llu bytes, and %llu at its end",
                       stream->path, what, (unsigned long long)at, (unsigned long long)size,
                       (unsigned long long)load_marker(d, record->data + d->marker + size));
    memmove(record->data, record->data + d->marker, size);
    record->size = size;
    return QN_OK;
}

static qn_status read_head(qn_trajectory_stream *stream, dcd *d, qn_frame_bytes *record, uint64_t *fixed)
{
    QN_TRY(read_record(stream, d, "its head", QN_DCD_HEAD_BYTES, QN_DCD_HEAD_BYTES, record));
    const char *head = record->data;
    if (memcmp(head, "VELD", 4) == 0)
        return QN_FAIL(QN_UNSUPPORTED, "%s: holds velocities (\"VELD\"); expected positions (\"CORD\")", stream->path);
    const bool charmm = load32(d, head + QN_DCD_VERSION) != 0;
    d->has_cell = charmm && load32(d, head + QN_DCD_HAS_CELL) != 0;
    d->has_fourth = charmm && load32(d, head + QN_DCD_HAS_FOURTH) != 0;
    d->promised_frames = load32(d, head + QN_DCD_FRAMES);
    d->first_step = (int32_t)load32(d, head + QN_DCD_FIRST_STEP);
    d->steps_a_frame = (int32_t)load32(d, head + QN_DCD_STEPS_A_FRAME);
    d->time_step_ps = QN_DCD_TIME_UNIT_PS * (charmm ? (double)load_float(d, head + QN_DCD_TIME_STEP)
                                                    : load_double(d, head + QN_DCD_TIME_STEP));
    *fixed = load32(d, head + QN_DCD_FIXED_ATOMS);
    return QN_OK;
}

static qn_status read_atom_count(qn_trajectory_stream *stream, const dcd *d, qn_frame_bytes *record)
{
    QN_TRY(read_record(stream, d, "the number of atoms", 4, 4, record));
    const uint32_t atoms = load32(d, record->data);
    if (atoms == 0 || atoms > INT32_MAX / 4)
        return QN_FAIL(QN_BAD_FORMAT, "%s: says that it has %lu atoms", stream->path, (unsigned long)atoms);
    if (stream->atom_count > 0 && atoms != stream->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %s; expected %zu", stream->path, qn_count_of(atoms, "atom").text,
                       stream->atom_count);
    stream->atom_count = atoms;
    return QN_OK;
}

static qn_status read_free_atoms(qn_trajectory_stream *stream, dcd *d, qn_frame_bytes *record, uint64_t fixed)
{
    d->free_atoms = stream->atom_count;
    if (fixed == 0) return QN_OK;
    if (fixed >= stream->atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: says that %llu of its %s are fixed", stream->path, (unsigned long long)fixed,
                       qn_count_of(stream->atom_count, "atom").text);
    void *memory;
    d->free_atoms -= (size_t)fixed;
    QN_TRY(read_record(stream, d, "free atoms", 4 * d->free_atoms, 4 * d->free_atoms, record));
    QN_TRY(qn_allocate(d->free_atoms, sizeof *d->free_atom, &memory));
    d->free_atom = memory;
    for (size_t i = 0; i < d->free_atoms; i++) {
        const uint32_t atom = load32(d, record->data + 4 * i);
        if (atom < 1 || atom > stream->atom_count)
            return QN_FAIL(QN_BAD_FORMAT, "%s: lists atom %lu as free; expected 1 to %zu", stream->path,
                           (unsigned long)atom, stream->atom_count);
        d->free_atom[i] = atom - 1;
    }
    return QN_OK;
}

/* Atoms in a frame's records. */
static size_t stored_atoms(const qn_trajectory_stream *stream, uint64_t number)
{
    const dcd *d = stream->state;
    return number == 0 ? stream->atom_count : d->free_atoms;
}

static size_t record_count(const dcd *d)
{
    return 3 + (d->has_cell ? 1 : 0) + (d->has_fourth ? 1 : 0);
}

static uint64_t frame_bytes(const qn_trajectory_stream *stream, uint64_t number)
{
    const dcd *d = stream->state;
    const uint64_t numbers = 4 * (uint64_t)stored_atoms(stream, number);
    return 2 * d->marker * record_count(d) + numbers * (d->has_fourth ? 4 : 3) + (d->has_cell ? QN_DCD_CELL_BYTES : 0);
}

/* Check the length fields before and after each record of a frame. */
static qn_status check_records(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes)
{
    const dcd *d = stream->state;
    const uint64_t numbers = 4 * (uint64_t)stored_atoms(stream, bytes->number);
    uint64_t at = 0;
    for (size_t r = 0; r < record_count(d); r++) {
        const uint64_t expected = r == 0 && d->has_cell ? QN_DCD_CELL_BYTES : numbers;
        for (int behind = 0; behind < 2; behind++) {
            const uint64_t told = load_marker(d, bytes->data + at);
            if (told != expected)
                return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu has a record of %llu bytes at byte %llu; expected %llu",
                               stream->path, (unsigned long long)bytes->number, (unsigned long long)told,
                               (unsigned long long)(bytes->offset + at), (unsigned long long)expected);
            at += d->marker + (behind ? 0 : expected);
        }
    }
    return QN_OK;
}

/* Decode lengths and angles, or cosines of the angles (NAMD), or the lower triangle of a symmetric matrix (CHARMM from
 * version 22 on). Values that cannot be angles indicate the latter two. For orthorhombic cells, cosines and matrix are
 * the same numbers. */
static qn_status decode_cell(const double cell[6], double box_nm[9])
{
    const double smallest_angle = 40; /* no cell of a simulation has three smaller ones */
    const double lengths_nm[3] = {cell[0] / 10, cell[2] / 10, cell[5] / 10};
    double angles[3] = {cell[4], cell[3], cell[1]};
    bool cosines = true, degrees = true;
    for (int k = 0; k < 3; k++) {
        cosines = cosines && fabs(angles[k]) <= 1;
        degrees = degrees && angles[k] > smallest_angle && angles[k] < 180;
    }
    memset(box_nm, 0, 9 * sizeof *box_nm);
    if (cell[0] == 0 && cell[2] == 0 && cell[5] == 0) return QN_OK;
    if (!cosines && !degrees) {
        static const int place[9] = {0, 1, 3, 1, 2, 4, 3, 4, 5};
        for (int k = 0; k < 9; k++) box_nm[k] = cell[place[k]] / 10;
        return QN_OK;
    }
    const double degrees_a_radian = 57.295779513082320877;
    for (int k = 0; k < 3 && cosines; k++) angles[k] = angles[k] == 0 ? 90 : degrees_a_radian * acos(angles[k]);
    return qn_box_from_angles(lengths_nm, angles, box_nm);
}

/* Write the positions of the records into `positions_nm` of all atoms. */
static void decode_positions(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, float *positions_nm)
{
    const dcd *d = stream->state;
    const size_t count = stored_atoms(stream, bytes->number);
    const uint32_t *atom = bytes->number == 0 ? NULL : d->free_atom;
    const char *data = bytes->data + (d->has_cell ? QN_DCD_CELL_BYTES + 2 * d->marker : 0);
    if (atom) memcpy(positions_nm, d->reference_nm, 3 * stream->atom_count * sizeof(float));
    for (int k = 0; k < 3; k++) {
        data += d->marker;
        for (size_t i = 0; i < count; i++)
            positions_nm[3 * (atom ? atom[i] : i) + (size_t)k] = load_float(d, data + 4 * i) / 10.0f;
        data += 4 * count + d->marker;
    }
}

static qn_status decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame)
{
    const dcd *d = stream->state;
    if (d->has_cell) {
        double cell[6];
        for (size_t k = 0; k < 6; k++) cell[k] = load_double(d, bytes->data + d->marker + 8 * k);
        qn_status status = decode_cell(cell, frame->box_nm);
        if (status != QN_OK)
            return qn_error_add_context(status, "%s: frame %llu at byte %llu", stream->path,
                                        (unsigned long long)bytes->number, (unsigned long long)bytes->offset);
    }
    decode_positions(stream, bytes, frame->positions_nm);
    return qn_trajectory_check_finite(stream, bytes, frame);
}

static qn_status read_stored(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    bool complete;
    uint64_t remaining;
    const uint64_t size = frame_bytes(stream, bytes->number);
    *end = true;
    /* The size of the file is asked for only where a frame is not in memory, because the system call takes longer than
     * to copy a small frame. */
    if (qn_byte_source_held(stream->source) < size && qn_byte_source_remaining(stream->source, &remaining) &&
        remaining < size) {
        if (remaining > 0) qn_trajectory_stream_cut(stream, remaining, "bytes");
        return QN_OK;
    }
    QN_TRY(qn_frame_bytes_fill(stream, size, bytes, &complete));
    if (!complete && bytes->size > 0) qn_trajectory_stream_cut(stream, bytes->size, "bytes");
    *end = !complete;
    return complete ? check_records(stream, bytes) : QN_OK;
}

static qn_status fill_frame(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    const dcd *d = stream->state;
    QN_TRY(read_stored(stream, bytes, end));
    if (*end && d->promised_frames <= INT32_MAX && stream->next < d->promised_frames)
        snprintf(stream->remark, sizeof stream->remark, "%s: its head promises %s, but only %llu %s there",
                 stream->path, qn_count_of(d->promised_frames, "frame").text, (unsigned long long)stream->next,
                 stream->next == 1 ? "is" : "are");
    return QN_OK;
}

/* Keep the first frame for the later ones, because it alone holds all atoms. */
static qn_status read_reference(qn_trajectory_stream *stream, dcd *d)
{
    bool end;
    void *memory;
    d->first.offset = stream->offset;
    QN_TRY(fill_frame(stream, &d->first, &end));
    stream->ended = end;
    if (end) return QN_OK;
    QN_TRY(qn_allocate(3 * stream->atom_count, sizeof(float), &memory));
    d->reference_nm = memory;
    d->first_is_next = true;
    decode_positions(stream, &d->first, d->reference_nm);
    return QN_OK;
}

static qn_status read_front(qn_trajectory_stream *stream, dcd *d, qn_frame_bytes *record)
{
    uint64_t fixed = 0;
    QN_TRY(read_head(stream, d, record, &fixed));
    QN_TRY(read_record(stream, d, "titles", 0, (uint64_t)1 << 24, record));
    QN_TRY(read_atom_count(stream, d, record));
    QN_TRY(read_free_atoms(stream, d, record, fixed));
    return d->free_atom ? read_reference(stream, d) : QN_OK;
}

static qn_status open_stream(qn_trajectory_stream *stream)
{
    const char *head;
    size_t size;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(dcd), &memory));
    dcd *d = stream->state = memory;
    QN_TRY(qn_byte_source_peek(stream->source, QN_DCD_HEAD_BYTES, &head, &size));
    if (!find_variant(head, size, d)) return QN_FAIL(QN_INTERNAL, "%s: is not a DCD file", stream->path);
    qn_frame_bytes record = {0};
    qn_status status = read_front(stream, d, &record);
    qn_frame_bytes_clear(&record);
    return status;
}

static void close_stream(qn_trajectory_stream *stream)
{
    dcd *d = stream->state;
    if (!d) return;
    qn_frame_bytes_clear(&d->first);
    qn_release(&d->free_atom);
    qn_release(&d->reference_nm);
    qn_release(&stream->state);
}

static qn_status read_frame(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    dcd *d = stream->state;
    if (d->first_is_next) {
        *end = d->first_is_next = false;
        QN_TRY(qn_frame_bytes_room(bytes, d->first.size));
        memcpy(bytes->data, d->first.data, d->first.size);
        bytes->size = d->first.size;
        bytes->offset = d->first.offset;
    } else {
        QN_TRY(fill_frame(stream, bytes, end));
    }
    if (d->steps_a_frame <= 0) return QN_OK;
    bytes->step = d->first_step + (int64_t)bytes->number * d->steps_a_frame;
    if (d->time_step_ps > 0) bytes->time_ps = d->time_step_ps * (double)bytes->step;
    return QN_OK;
}

/* All frames except the first have the same size. */
static qn_status jump(qn_trajectory_stream *stream, uint64_t count, uint64_t *jumped)
{
    dcd *d = stream->state;
    uint64_t remaining, advanced;
    *jumped = 0;
    if (d->first_is_next) {
        d->first_is_next = false;
        *jumped = 1;
    } else if (d->free_atom && stream->next == 0) {
        return QN_OK; /* the file has no frame */
    }
    if (!qn_byte_source_remaining(stream->source, &remaining)) return QN_OK;
    const uint64_t size = frame_bytes(stream, stream->next + *jumped), there = remaining / size;
    const uint64_t frames = count - *jumped < there ? count - *jumped : there;
    QN_TRY(qn_byte_source_advance(stream->source, frames * size, &advanced));
    stream->offset += advanced;
    *jumped += frames;
    return QN_OK;
}

const qn_trajectory_format qn_trajectory_dcd = {.name = "DCD",
                                                .recognise = recognise,
                                                .open = open_stream,
                                                .read = read_frame,
                                                .decode = decode,
                                                .jump = jump,
                                                .close = close_stream};
