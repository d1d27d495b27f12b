/* H5MD (nongnu.org/h5md, version 1.1): /particles/<group>/position/{value,step,time} and box/edges, fixed or per frame,
 * as lengths or as a matrix of three rows. HDF5 is called only while reading; decoding uses the numbers read before. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/trajectory/hdf5_api.h"
#include "format/trajectory/trajectory_format.h"

enum { AXES_MAX = 4, STRINGS_MAX = 8, TEXT_MAX = 64, PATH_LENGTH = 300 };

typedef struct h5md_dataset {
    hid_t id; /* negative: absent */
    int rank;
    hsize_t sizes[AXES_MAX];
} h5md_dataset;

typedef struct h5md_state {
    qn_hdf5_api api;
    hid_t file;
    h5md_dataset positions, step, time, edges;
    bool edges_per_frame, doubles;
    double position_nm, edge_nm, time_ps; /* of one unit */
    double step_offset, time_offset;      /* of series with a constant step: offset + frame · step */
} h5md_state;

/* Stored before the coordinates in the bytes of a frame. */
typedef struct h5md_head {
    double box_nm[9];
} h5md_head;

typedef struct unit {
    const char *name;
    double size;
} unit;
static const unit lengths_nm[] = {{"nm", 1},    {"Angstrom", 0.1}, {"angstrom", 0.1}, {"\xC3\x85", 0.1}, {"A", 0.1},
                                  {"pm", 1e-3}, {"um", 1e3},       {"cm", 1e7},       {"m", 1e9},        {"", 0.1}};
static const unit times_ps[] = {{"ps", 1}, {"fs", 1e-3}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}, {"", 1}};

/* Recognise HDF5's signature, which may follow a user block. */
static bool recognise(const char *path, const char *head, size_t size)
{
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    (void)path;
    for (size_t at = 0; at + 8 <= size && at <= 4096; at = at ? 2 * at : 512)
        if (memcmp(head + at, signature, 8) == 0) return true;
    return false;
}

static void close_dataset(const qn_hdf5_api *api, h5md_dataset *dataset)
{
    if (dataset->id >= 0) api->H5Dclose(dataset->id);
    dataset->id = -1;
}

/* Open a dataset; false, and `id` negative, when there is none. */
static bool open_dataset(const h5md_state *state, const char *group, const char *name, h5md_dataset *dataset)
{
    const qn_hdf5_api *api = &state->api;
    char path[PATH_LENGTH];
    *dataset = (h5md_dataset){.id = -1};
    if (snprintf(path, sizeof path, "particles/%s/%s", group, name) >= (int)sizeof path) return false;
    dataset->id = api->H5Dopen2(state->file, path, QN_H5P_DEFAULT);
    if (dataset->id < 0) return false;
    const hid_t space = api->H5Dget_space(dataset->id), type = api->H5Dget_type(dataset->id);
    const int class = (int)api->H5Tget_class(type);
    dataset->rank = api->H5Sget_simple_extent_ndims(space);
    const bool usable = dataset->rank >= 0 && dataset->rank <= AXES_MAX &&
                        (class == QN_H5T_FLOAT || class == QN_H5T_INTEGER) &&
                        (dataset->rank == 0 || api->H5Sget_simple_extent_dims(space, dataset->sizes, NULL) >= 0);
    if (type >= 0) api->H5Tclose(type);
    if (space >= 0) api->H5Sclose(space);
    if (!usable) close_dataset(api, dataset);
    return usable;
}

/* Read a whole dataset or, if it has a frame axis (`per_frame`), the part of `frame`. */
static bool read_numbers(const h5md_state *state, const h5md_dataset *dataset, bool per_frame, uint64_t frame,
                         hid_t type, void *numbers)
{
    const qn_hdf5_api *api = &state->api;
    if (!per_frame) return api->H5Dread(dataset->id, type, QN_H5S_ALL, QN_H5S_ALL, QN_H5P_DEFAULT, numbers) >= 0;
    hsize_t start[AXES_MAX] = {frame}, count[AXES_MAX] = {1};
    for (int i = 1; i < dataset->rank; i++) count[i] = dataset->sizes[i];
    const hid_t file_space = api->H5Dget_space(dataset->id);
    const hid_t memory_space = api->H5Screate_simple(dataset->rank, count, NULL);
    const bool read = file_space >= 0 && memory_space >= 0 &&
                      api->H5Sselect_hyperslab(file_space, QN_H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      api->H5Dread(dataset->id, type, memory_space, file_space, QN_H5P_DEFAULT, numbers) >= 0;
    if (memory_space >= 0) api->H5Sclose(memory_space);
    if (file_space >= 0) api->H5Sclose(file_space);
    return read;
}

/* Read the strings of an open attribute, separated by blanks; text beyond the capacity is dropped. */
static void read_strings(const qn_hdf5_api *api, hid_t attribute, hid_t type, size_t count, char text[TEXT_MAX])
{
    char fixed[STRINGS_MAX * TEXT_MAX] = "", *variable[STRINGS_MAX] = {NULL};
    const bool is_variable = api->H5Tis_variable_str(type) > 0;
    const size_t size = api->H5Tget_size(type);
    if (!is_variable && size > TEXT_MAX) return;
    if (api->H5Aread(attribute, type, is_variable ? (void *)variable : (void *)fixed) < 0) return;
    for (size_t i = 0, length = 0; i < count; i++) {
        const char *string = is_variable ? variable[i] : fixed + i * size;
        const int most = is_variable ? TEXT_MAX : (int)size;
        if (string && length < TEXT_MAX)
            length += (size_t)snprintf(text + length, TEXT_MAX - length, i ? " %.*s" : "%.*s", most, string);
        if (is_variable && string) api->H5free_memory(variable[i]);
    }
}

/* Read the text of an attribute; "" when the object does not have the attribute. */
static void read_text(const qn_hdf5_api *api, hid_t object, const char *name, char text[TEXT_MAX])
{
    text[0] = '\0';
    if (object < 0 || api->H5Aexists(object, name) <= 0) return;
    const hid_t attribute = api->H5Aopen(object, name, QN_H5P_DEFAULT);
    if (attribute < 0) return;
    const hid_t type = api->H5Aget_type(attribute), space = api->H5Aget_space(attribute);
    const hssize_t count = api->H5Sget_simple_extent_npoints(space);
    if ((int)api->H5Tget_class(type) == QN_H5T_STRING && count >= 1 && count <= STRINGS_MAX)
        read_strings(api, attribute, type, (size_t)count, text);
    if (space >= 0) api->H5Sclose(space);
    if (type >= 0) api->H5Tclose(type);
    api->H5Aclose(attribute);
}

/* Read the attribute "offset" of a series with a constant step; 0 when there is none. */
static double read_offset(const qn_hdf5_api *api, const h5md_dataset *dataset)
{
    double offset = 0;
    if (dataset->rank != 0 || api->H5Aexists(dataset->id, "offset") <= 0) return 0;
    const hid_t attribute = api->H5Aopen(dataset->id, "offset", QN_H5P_DEFAULT), space = api->H5Aget_space(attribute);
    if (api->H5Sget_simple_extent_npoints(space) != 1 || api->H5Aread(attribute, api->native_double, &offset) < 0)
        offset = 0;
    if (space >= 0) api->H5Sclose(space);
    if (attribute >= 0) api->H5Aclose(attribute);
    return offset;
}

static qn_status find_unit(const qn_trajectory_stream *stream, const h5md_dataset *dataset, const unit *units,
                           size_t count, const char *expected, double *size)
{
    const h5md_state *state = stream->state;
    char name[TEXT_MAX];
    read_text(&state->api, dataset->id, "unit", name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, units[i].name) == 0) {
            *size = units[i].size;
            return QN_OK;
        }
    return QN_FAIL(QN_UNSUPPORTED, "%s: has numbers in \"%s\"; expected %s", stream->path, name, expected);
}

#define FIND_UNIT(stream, dataset, units, expected, size) \
    find_unit(stream, dataset, units, sizeof(units) / sizeof *(units), expected, size)

/* Open the first particle group with positions; a message names it where there are several. */
static qn_status open_positions(qn_trajectory_stream *stream, h5md_state *state, char group[PATH_LENGTH])
{
    const qn_hdf5_api *api = &state->api;
    char name[PATH_LENGTH];
    int count = 0;
    for (hsize_t i = 0; api->H5Lget_name_by_idx(state->file, "particles", QN_H5_INDEX_NAME, QN_H5_ITER_INC, i, name,
                                                sizeof name, QN_H5P_DEFAULT) >= 0;
         i++) {
        h5md_dataset found;
        if (!open_dataset(state, name, "position/value", &found)) continue;
        if (count++ == 0) {
            state->positions = found;
            strcpy(group, name);
        } else {
            close_dataset(api, &found);
        }
    }
    if (count == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: has no /particles/…/position/value; expected an H5MD file (a NetCDF-4 file of Amber "
                       "is converted by nccopy -k cdf5)",
                       stream->path);
    if (count > 1)
        qn_log(QN_LOG_NOTE, "%s: has %d groups of particles; the first, \"%s\", is read", stream->path, count, group);
    return QN_OK;
}

static qn_status check_positions(qn_trajectory_stream *stream, h5md_state *state)
{
    const h5md_dataset *positions = &state->positions;
    const hid_t type = state->api.H5Dget_type(positions->id);
    state->doubles = state->api.H5Tget_size(type) > sizeof(float);
    if (type >= 0) state->api.H5Tclose(type);
    if (positions->rank != 3 || positions->sizes[2] != 3 || positions->sizes[1] == 0 ||
        positions->sizes[1] > UINT32_MAX)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the positions have %d axes, the last of %llu numbers; expected frames, atoms and 3",
                       stream->path, positions->rank,
                       positions->rank ? (unsigned long long)positions->sizes[positions->rank - 1] : 0);
    if (stream->atom_count == 0) stream->atom_count = (size_t)positions->sizes[1];
    if (stream->atom_count != positions->sizes[1])
        return QN_FAIL(QN_BAD_FORMAT, "%s: has %s; expected %zu", stream->path,
                       qn_count_of(positions->sizes[1], "atom").text, stream->atom_count);
    return QN_OK;
}

/* Open the box edges, as three lengths or as a matrix, constant or per frame; no box where no boundary is periodic. */
static qn_status open_box(qn_trajectory_stream *stream, h5md_state *state, const char *group)
{
    char path[PATH_LENGTH + 20], boundary[TEXT_MAX];
    snprintf(path, sizeof path, "particles/%s/box", group);
    const hid_t box = state->api.H5Oopen(state->file, path, QN_H5P_DEFAULT);
    read_text(&state->api, box, "boundary", boundary);
    if (box >= 0) state->api.H5Oclose(box);
    if (boundary[0] && !strstr(boundary, "periodic")) return QN_OK;
    if (strstr(boundary, "none"))
        qn_log(QN_LOG_WARNING, "%s: has the boundaries \"%s\"; taken as periodic along all axes", stream->path,
               boundary);
    state->edges_per_frame = open_dataset(state, group, "box/edges/value", &state->edges);
    if (!state->edges_per_frame && !open_dataset(state, group, "box/edges", &state->edges)) return QN_OK;
    const h5md_dataset *edges = &state->edges;
    const int first = state->edges_per_frame;
    bool right = edges->rank == first + 1 || edges->rank == first + 2;
    for (int i = first; i < edges->rank; i++) right = right && edges->sizes[i] == 3;
    if (!right || (first && edges->sizes[0] < state->positions.sizes[0]))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: the box's edges have %d axes, the first of %llu numbers; expected 3 or 3 times 3 "
                       "numbers, once or for each of %llu frames",
                       stream->path, edges->rank, edges->rank ? (unsigned long long)edges->sizes[0] : 0,
                       (unsigned long long)state->positions.sizes[0]);
    return FIND_UNIT(stream, edges, lengths_nm, "a length in nm, Angstrom, pm, um, cm or m", &state->edge_nm);
}

static qn_status open_file(qn_trajectory_stream *stream, h5md_state *state)
{
    char group[PATH_LENGTH], name[TEXT_MAX];
    state->file = state->api.H5Fopen(stream->path, QN_H5F_ACC_RDONLY, QN_H5P_DEFAULT);
    if (state->file < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: HDF5 cannot open it: it is damaged, cut off, or still being written",
                       stream->path);
    QN_TRY(open_positions(stream, state, group));
    QN_TRY(check_positions(stream, state));
    QN_TRY(FIND_UNIT(stream, &state->positions, lengths_nm, "a length in nm, Angstrom, pm, um, cm or m",
                     &state->position_nm));
    read_text(&state->api, state->positions.id, "unit", name);
    if (!name[0]) qn_log(QN_LOG_WARNING, "%s: does not say the unit of its positions; taken as Angstrom", stream->path);
    if (open_dataset(state, group, "position/step", &state->step))
        state->step_offset = read_offset(&state->api, &state->step);
    if (open_dataset(state, group, "position/time", &state->time)) {
        state->time_offset = read_offset(&state->api, &state->time);
        QN_TRY(FIND_UNIT(stream, &state->time, times_ps, "a time in fs, ps, ns, us, ms or s", &state->time_ps));
    }
    QN_TRY(open_box(stream, state, group));
    /* Edges without a unit are in the unit of the positions. */
    if (state->edges.id >= 0) read_text(&state->api, state->edges.id, "unit", name);
    if (!name[0]) state->edge_nm = state->position_nm;
    return QN_OK;
}

static qn_status h5md_open(qn_trajectory_stream *stream)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(h5md_state), &memory));
    h5md_state *state = memory;
    stream->state = state;
    state->file = state->positions.id = state->step.id = state->time.id = state->edges.id = -1;
    const qn_status status = qn_hdf5_load(&state->api);
    if (status != QN_OK) return qn_error_add_context(status, "%s", stream->path);
    const qn_hdf5_quiet before = qn_hdf5_enter(&state->api);
    const qn_status opened = open_file(stream, state);
    qn_hdf5_leave(&state->api, before);
    return opened;
}

/* Read the value of a frame from a series of numbers, or from one number and an offset; false where the series ends
 * before this frame. */
static bool read_series(const h5md_state *state, const h5md_dataset *series, double offset, uint64_t frame,
                        double *value)
{
    if (series->id < 0 || series->rank > 1 || (series->rank == 1 && frame >= series->sizes[0])) return false;
    if (!read_numbers(state, series, series->rank == 1, frame, state->api.native_double, value)) return false;
    if (series->rank == 0) *value = offset + (double)frame * *value;
    return true;
}

static qn_status read_frame(qn_trajectory_stream *stream, qn_frame_bytes *bytes)
{
    const h5md_state *state = stream->state;
    double step, time, edges[9] = {0};
    h5md_head head = {{0}};
    const bool whole_box = state->edges.id < 0 || read_numbers(state, &state->edges, state->edges_per_frame,
                                                               stream->next, state->api.native_double, edges);
    const bool matrix = state->edges.rank - state->edges_per_frame == 2;
    for (int i = 0; i < 9; i++) head.box_nm[i] = state->edge_nm * (matrix ? edges[i] : i % 4 == 0 ? edges[i / 4] : 0);
    if (read_series(state, &state->step, state->step_offset, stream->next, &step) && fabs(step) < 9e15)
        bytes->step = (int64_t)step;
    if (read_series(state, &state->time, state->time_offset, stream->next, &time))
        bytes->time_ps = time * state->time_ps;
    memcpy(bytes->data, &head, sizeof head);
    if (!whole_box ||
        !read_numbers(state, &state->positions, true, stream->next,
                      state->doubles ? state->api.native_double : state->api.native_float, bytes->data + sizeof head))
        return QN_FAIL(QN_IO_ERROR,
                       "%s: frame %llu: HDF5 cannot read it: it is damaged, or packed by a filter that is not "
                       "installed",
                       stream->path, (unsigned long long)stream->next);
    return QN_OK;
}

static qn_status h5md_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    const h5md_state *state = stream->state;
    *end = stream->next >= state->positions.sizes[0];
    if (*end) return QN_OK;
    const size_t size = sizeof(h5md_head) + stream->atom_count * 3 * (state->doubles ? sizeof(double) : sizeof(float));
    QN_TRY(qn_frame_bytes_room(bytes, size));
    bytes->size = size;
    const qn_hdf5_quiet before = qn_hdf5_enter(&state->api);
    const qn_status status = read_frame(stream, bytes);
    qn_hdf5_leave(&state->api, before);
    return status;
}

static qn_status h5md_jump(qn_trajectory_stream *stream, uint64_t count, uint64_t *jumped)
{
    const uint64_t left = ((const h5md_state *)stream->state)->positions.sizes[0] - stream->next;
    *jumped = count < left ? count : left;
    return QN_OK;
}

static qn_status h5md_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                             qn_trajectory_frame *frame)
{
    const h5md_state *state = stream->state;
    const char *numbers = bytes->data + sizeof(h5md_head);
    memcpy(frame->box_nm, bytes->data, sizeof frame->box_nm);
    for (size_t i = 0; i < 3 * frame->atom_count; i++) {
        float single;
        double value;
        if (state->doubles) {
            memcpy(&value, numbers + i * sizeof value, sizeof value);
        } else {
            memcpy(&single, numbers + i * sizeof single, sizeof single);
            value = (double)single;
        }
        frame->positions_nm[i] = (float)(state->position_nm * value);
        if (!isfinite(frame->positions_nm[i]))
            return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu: a coordinate of atom %zu is not a finite number",
                           stream->path, (unsigned long long)bytes->number, i / 3);
    }
    return QN_OK;
}

/* Progress in bytes of uncompressed positions. */
static void h5md_progress(const qn_trajectory_stream *stream, uint64_t *done_bytes, uint64_t *all_bytes)
{
    const h5md_state *state = stream->state;
    const uint64_t frame = stream->atom_count * 3 * (state->doubles ? sizeof(double) : sizeof(float));
    *done_bytes = stream->next * frame;
    *all_bytes = state->positions.sizes[0] * frame;
}

static void h5md_close(qn_trajectory_stream *stream)
{
    h5md_state *state = stream->state;
    if (state && state->api.library) {
        const qn_hdf5_quiet before = qn_hdf5_enter(&state->api);
        close_dataset(&state->api, &state->positions);
        close_dataset(&state->api, &state->step);
        close_dataset(&state->api, &state->time);
        close_dataset(&state->api, &state->edges);
        if (state->file >= 0) state->api.H5Fclose(state->file);
        qn_hdf5_leave(&state->api, before);
        qn_hdf5_unload(&state->api);
    }
    qn_release(&stream->state);
}

const qn_trajectory_format qn_trajectory_h5md = {.name = "H5MD",
                                                 .recognise = recognise,
                                                 .by_path = true,
                                                 .open = h5md_open,
                                                 .read = h5md_read,
                                                 .decode = h5md_decode,
                                                 .jump = h5md_jump,
                                                 .progress = h5md_progress,
                                                 .close = h5md_close};
