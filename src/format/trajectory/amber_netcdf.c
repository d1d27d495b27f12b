#define _POSIX_C_SOURCE 200809L
/* Amber's NetCDF trajectories and restart files: variables coordinates (frame, atom, 3), cell_lengths and cell_angles
 * (frame, 3) and time (frame). Restart files have no frame axis and hold one frame. Units: Å, degrees, ps. Source:
 * ambermd.org/netcdf/nctraj.xhtml. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/trajectory/netcdf_header.h"
#include "format/trajectory/trajectory_text.h"

enum { COORDINATES, CELL_LENGTHS, CELL_ANGLES, TIME, PARTS };
static const char *const names[PARTS] = {"coordinates", "cell_lengths", "cell_angles", "time"};

typedef struct amber_state {
    qn_netcdf_header header;
    const qn_netcdf_variable *variables[PARTS]; /* NULL: absent */
    uint64_t frame_begin, frame_bytes, frame_count;
    int order[PARTS], count; /* the variables that exist, in the order of their bytes in a frame */
    size_t places[PARTS];    /* byte offsets in a frame */
    double unit_nm;
} amber_state;

static bool recognise(const char *path, const char *head, size_t size)
{
    (void)path;
    return qn_netcdf_recognise(head, size);
}

/* Check a variable's axes after the frame axis, and its type. */
static qn_status check_variable(const char *path, const amber_state *state, int part)
{
    const qn_netcdf_variable *variable = state->variables[part], *coordinates = state->variables[COORDINATES];
    const int axes = part == COORDINATES ? 2 : part == TIME ? 0 : 1;
    if (variable->type != QN_NETCDF_FLOAT && variable->type != QN_NETCDF_DOUBLE)
        return QN_FAIL(QN_BAD_FORMAT, "%s: variable %s is of type %d; expected float or double (5 or 6)", path,
                       names[part], variable->type);
    if (variable->axis_count != axes || (axes > 0 && variable->axes[axes - 1] != 3))
        return QN_FAIL(QN_BAD_FORMAT, "%s: variable %s has %d axes; expected %s", path, names[part],
                       variable->axis_count,
                       part == COORDINATES ? "frames, atoms and 3"
                       : part == TIME      ? "frames"
                                           : "frames and 3");
    if (variable->per_record != coordinates->per_record)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: of variables %s and %s only one has an axis of frames; expected both or none", path,
                       names[COORDINATES], names[part]);
    return QN_OK;
}

static qn_status find_unit(const char *path, amber_state *state)
{
    const qn_netcdf_variable *coordinates = state->variables[COORDINATES];
    const char *units = coordinates->units;
    const bool nanometres = strncasecmp(units, "nanometer", 9) == 0 || strcmp(units, "nm") == 0;
    if (units[0] && !nanometres && strncasecmp(units, "angstrom", 8) != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: coordinates are in \"%s\"; expected angstrom or nanometer", path, units);
    state->unit_nm = (nanometres ? 1 : 0.1) * coordinates->scale_factor;
    return QN_OK;
}

/* Sort the parts of a frame by their order in the file. */
static void order_parts(amber_state *state)
{
    size_t place = 0;
    for (int part = 0; part < PARTS; part++) {
        if (!state->variables[part]) continue;
        int at = state->count++;
        for (; at > 0 && state->variables[state->order[at - 1]]->begin > state->variables[part]->begin; at--)
            state->order[at] = state->order[at - 1];
        state->order[at] = part;
    }
    for (int i = 0; i < state->count; i++) {
        state->places[state->order[i]] = place;
        place += (size_t)state->variables[state->order[i]]->bytes;
    }
}

/* Find offset and size of frames. A restart file is one frame that spans all variables. */
static qn_status find_frames(const char *path, amber_state *state)
{
    const qn_netcdf_header *header = &state->header;
    const qn_netcdf_variable *first = state->variables[state->order[0]];
    const qn_netcdf_variable *last = state->variables[state->order[state->count - 1]];
    state->frame_begin = first->per_record ? header->record_begin : first->begin;
    state->frame_bytes = first->per_record ? header->record_bytes : last->begin + last->bytes - first->begin;
    state->frame_count = first->per_record ? header->record_count : 1;
    for (int i = 1; i < state->count; i++) {
        const qn_netcdf_variable *before = state->variables[state->order[i - 1]];
        if (before->begin + before->bytes > state->variables[state->order[i]]->begin)
            return QN_FAIL(QN_BAD_FORMAT, "%s: variables %s and %s overlap", path, before->name,
                           state->variables[state->order[i]]->name);
    }
    return QN_OK;
}

static qn_status start(qn_trajectory_stream *stream, amber_state *state)
{
    uint64_t advanced;
    QN_TRY(qn_netcdf_header_read(stream->path, stream->source, &state->header));
    for (int part = 0; part < PARTS; part++) state->variables[part] = qn_netcdf_find(&state->header, names[part]);
    if (!state->variables[COORDINATES])
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no variable \"coordinates\"; expected a trajectory as Amber writes it",
                       stream->path);
    if (!state->variables[CELL_LENGTHS] || !state->variables[CELL_ANGLES])
        state->variables[CELL_LENGTHS] = state->variables[CELL_ANGLES] = NULL;
    for (int part = 0; part < PARTS; part++)
        if (state->variables[part]) QN_TRY(check_variable(stream->path, state, part));
    QN_TRY(find_unit(stream->path, state));
    order_parts(state);
    QN_TRY(find_frames(stream->path, state));
    const uint64_t atoms = state->variables[COORDINATES]->axes[0];
    if (stream->atom_count == 0) stream->atom_count = (size_t)atoms;
    if (stream->atom_count != atoms)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %s; expected %zu", stream->path, qn_count_of(atoms, "atom").text,
                       stream->atom_count);
    QN_TRY(qn_byte_source_advance(stream->source, state->frame_begin - state->header.header_bytes, &advanced));
    stream->offset = state->header.header_bytes + advanced;
    return QN_OK;
}

static qn_status amber_open(qn_trajectory_stream *stream)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(amber_state), &memory));
    stream->state = memory;
    return start(stream, memory);
}

/* Advance to byte `place` of the frame that begins at `begin`; *complete is false when the file ends before it. */
static qn_status advance_to(qn_trajectory_stream *stream, uint64_t begin, uint64_t place, bool *complete)
{
    uint64_t advanced;
    const uint64_t distance = begin + place - stream->offset;
    QN_TRY(qn_byte_source_advance(stream->source, distance, &advanced));
    stream->offset += advanced;
    *complete = advanced == distance;
    return QN_OK;
}

/* Take the parts of a frame that are used; velocities and forces are skipped. */
static qn_status take_parts(qn_trajectory_stream *stream, qn_frame_bytes *bytes, uint64_t begin, bool *complete)
{
    const amber_state *state = stream->state;
    *complete = true;
    for (int i = 0; i < state->count && *complete; i++) {
        const qn_netcdf_variable *variable = state->variables[state->order[i]];
        QN_TRY(advance_to(stream, begin, variable->begin - state->frame_begin, complete));
        if (*complete) QN_TRY(qn_frame_bytes_fill(stream, variable->bytes, bytes, complete));
    }
    if (*complete) QN_TRY(advance_to(stream, begin, state->frame_bytes, complete));
    return QN_OK;
}

static qn_status amber_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    const amber_state *state = stream->state;
    const uint64_t begin = stream->offset;
    const char *shown;
    size_t size;
    bool complete;
    QN_TRY(qn_byte_source_peek(stream->source, 1, &shown, &size));
    *end = stream->next == state->frame_count || (size == 0 && state->frame_count == UINT64_MAX);
    if (*end) return QN_OK;
    QN_TRY(take_parts(stream, bytes, begin, &complete));
    *end = !complete;
    if (*end) {
        qn_trajectory_stream_cut(stream, stream->offset - begin, "bytes");
        return QN_OK;
    }
    if (state->variables[TIME])
        bytes->time_ps = qn_netcdf_number(state->variables[TIME], bytes->data + state->places[TIME], 0);
    /* NetCDF's fill value, NC_FILL_FLOAT and NC_FILL_DOUBLE, stands for a number that was never written */
    if (!isfinite(bytes->time_ps) || bytes->time_ps > 9.96e36) bytes->time_ps = NAN;
    return QN_OK;
}

/* All frames have the same size, so complete frames can be skipped by seeking. */
static qn_status amber_jump(qn_trajectory_stream *stream, uint64_t count, uint64_t *jumped)
{
    const amber_state *state = stream->state;
    uint64_t remaining, advanced;
    *jumped = 0;
    if (!qn_byte_source_remaining(stream->source, &remaining) || state->frame_bytes == 0) return QN_OK;
    if (count > remaining / state->frame_bytes) count = remaining / state->frame_bytes;
    if (count > state->frame_count - stream->next) count = state->frame_count - stream->next;
    QN_TRY(qn_byte_source_advance(stream->source, count * state->frame_bytes, &advanced));
    stream->offset += advanced;
    *jumped = count;
    return QN_OK;
}

static qn_status amber_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                              qn_trajectory_frame *frame)
{
    const amber_state *state = stream->state;
    const qn_netcdf_variable *lengths = state->variables[CELL_LENGTHS], *angles = state->variables[CELL_ANGLES];
    const char *coordinates = bytes->data + state->places[COORDINATES];
    for (size_t i = 0; i < 3 * frame->atom_count; i++) {
        frame->positions_nm[i] =
            (float)(state->unit_nm * qn_netcdf_number(state->variables[COORDINATES], coordinates, i));
        if (!isfinite(frame->positions_nm[i]))
            return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu (byte %llu): a coordinate of atom %zu is not a finite number",
                           stream->path, (unsigned long long)bytes->number, (unsigned long long)bytes->offset, i / 3);
    }
    if (!lengths) return QN_OK;
    double length[3], angle[3];
    for (size_t i = 0; i < 3; i++) {
        length[i] = qn_netcdf_number(lengths, bytes->data + state->places[CELL_LENGTHS], i) * lengths->scale_factor;
        angle[i] = qn_netcdf_number(angles, bytes->data + state->places[CELL_ANGLES], i) * angles->scale_factor;
    }
    const qn_status status = qn_text_cell(length, angle, frame->box_nm);
    if (status == QN_OK) return QN_OK;
    return qn_error_add_context(status, "%s: frame %llu (byte %llu): the cell", stream->path,
                                (unsigned long long)bytes->number, (unsigned long long)bytes->offset);
}

static void amber_close(qn_trajectory_stream *stream)
{
    qn_release(&stream->state);
}

const qn_trajectory_format qn_trajectory_netcdf = {.name = "Amber NetCDF",
                                                   .recognise = recognise,
                                                   .open = amber_open,
                                                   .read = amber_read,
                                                   .decode = amber_decode,
                                                   .jump = amber_jump,
                                                   .close = amber_close};
