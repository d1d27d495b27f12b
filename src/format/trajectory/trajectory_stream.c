#define _POSIX_C_SOURCE 200809L
#include "format/trajectory/trajectory_stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/number.h"
#include "format/trajectory/trajectory_format.h"

enum { SHOWN_BYTES = 65536, PADDING_BYTES = 16 };

static const size_t filled_at_once = (size_t)16 << 20;

/* Formats with a mark of their own come before those that are recognised by the form of their lines. */
static const qn_trajectory_format *const formats[] = {
    &qn_trajectory_xtc,    &qn_trajectory_trr,  &qn_trajectory_dcd,    &qn_trajectory_tng,
    &qn_trajectory_netcdf, &qn_trajectory_h5md, &qn_trajectory_lammps, &qn_trajectory_mmcif,
    &qn_trajectory_gro,    &qn_trajectory_xyz,  &qn_trajectory_pdb,
};
static const size_t format_count = sizeof formats / sizeof formats[0];

void qn_frame_bytes_clear(qn_frame_bytes *bytes)
{
    qn_release(&bytes->data);
    *bytes = (qn_frame_bytes){0};
}

qn_status qn_frame_bytes_room(qn_frame_bytes *bytes, size_t size)
{
    void *memory = bytes->data;
    if (size > SIZE_MAX - PADDING_BYTES) return QN_FAIL(QN_OUT_OF_MEMORY, "no memory for a frame of %zu bytes", size);
    QN_TRY(qn_grow(&memory, &bytes->capacity, size + PADDING_BYTES, 1));
    bytes->data = memory;
    memset(bytes->data + size, 0, PADDING_BYTES);
    return QN_OK;
}

qn_status qn_frame_bytes_fill(qn_trajectory_stream *stream, uint64_t size, qn_frame_bytes *bytes, bool *complete)
{
    *complete = false;
    while (size > 0) {
        size_t piece = size < filled_at_once ? (size_t)size : filled_at_once, copied;
        QN_TRY(qn_frame_bytes_room(bytes, bytes->size + piece));
        QN_TRY(qn_byte_source_copy(stream->source, bytes->data + bytes->size, piece, &copied));
        bytes->size += copied;
        stream->offset += copied;
        if (copied < piece) return QN_OK;
        size -= piece;
    }
    *complete = true;
    return QN_OK;
}

void qn_trajectory_stream_cut(qn_trajectory_stream *stream, uint64_t present, const char *unit)
{
    snprintf(stream->ending, sizeof stream->ending, "%s: ends inside frame %llu, of which only %llu %s are there",
             stream->path, (unsigned long long)stream->next, (unsigned long long)present, unit);
}

/* List the names of the formats that are read: "XTC, TRR, DCD". */
static qn_status name_formats(qn_text *text)
{
    for (size_t i = 0; i < format_count; i++)
        if (formats[i]->read) QN_TRY(qn_text_append(text, "%s%s", text->length ? ", " : "", formats[i]->name));
    return QN_OK;
}

static qn_status unknown_format(const char *path, const char *head, size_t size)
{
    if (size == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: is empty; expected a trajectory", path);
    qn_text names = {0};
    qn_status status = name_formats(&names);
    if (status == QN_OK)
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: begins with \"%s\"; expected a trajectory: %s",
                              path, qn_quote(head, size < 24 ? size : 24).text, names.data);
    qn_text_clear(&names);
    return status;
}

static qn_status find_format(qn_trajectory_stream *stream)
{
    const char *head;
    size_t size;
    uint64_t remaining;
    QN_TRY(qn_byte_source_peek(stream->source, SHOWN_BYTES, &head, &size));
    for (size_t i = 0; i < format_count && !stream->format; i++)
        if (formats[i]->recognise(stream->path, head, size)) stream->format = formats[i];
    if (!stream->format) return unknown_format(stream->path, head, size);
    if (!stream->format->by_path) return QN_OK;
    if (strcmp(stream->path, "-") == 0 || !qn_byte_source_remaining(stream->source, &remaining))
        return QN_FAIL(QN_UNSUPPORTED, "%s: %s cannot be read gzipped or from a pipe; expected a plain file",
                       stream->path, stream->format->name);
    qn_byte_source_close(&stream->source);
    return QN_OK;
}

static qn_status start(qn_trajectory_stream *stream, const char *path)
{
    QN_TRY(qn_text_copy(path, &stream->path));
    QN_TRY(qn_byte_source_open(path, &stream->source));
    QN_TRY(find_format(stream));
    return stream->format->open ? stream->format->open(stream) : QN_OK;
}

qn_status qn_trajectory_stream_open(const char *path, size_t atom_count, qn_trajectory_stream **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_trajectory_stream *stream = memory;
    stream->atom_count = atom_count;
    qn_status status = start(stream, path);
    if (status != QN_OK) {
        qn_trajectory_stream_close(&stream);
        return status;
    }
    *out = stream;
    return QN_OK;
}

void qn_trajectory_stream_close(qn_trajectory_stream **stream)
{
    qn_trajectory_stream *s = *stream;
    if (!s) return;
    if (s->format && s->format->close) s->format->close(s);
    qn_byte_source_close(&s->source);
    qn_release(&s->path);
    qn_release(stream);
}

qn_status qn_trajectory_check_finite(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                                     const qn_trajectory_frame *frame)
{
    const size_t count = 3 * stream->atom_count;
    const size_t at = qn_finite_count(frame->positions_nm, count);
    if (at == count) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s: frame %llu at byte %llu has a coordinate of %g for atom %zu; expected a number",
                   stream->path, (unsigned long long)bytes->number, (unsigned long long)bytes->offset,
                   (double)frame->positions_nm[at], at / 3 + 1);
}

size_t qn_trajectory_stream_atom_count(const qn_trajectory_stream *stream)
{
    return stream->atom_count;
}

const char *qn_trajectory_stream_format(const qn_trajectory_stream *stream)
{
    return stream->format->name;
}

const char *qn_trajectory_stream_ending(const qn_trajectory_stream *stream)
{
    return stream->ending[0] ? stream->ending : NULL;
}

const char *qn_trajectory_stream_remark(const qn_trajectory_stream *stream)
{
    return stream->remark[0] ? stream->remark : NULL;
}

uint64_t qn_trajectory_stream_left_out(const qn_trajectory_stream *stream)
{
    return stream->left_out;
}

void qn_trajectory_stream_progress(const qn_trajectory_stream *stream, uint64_t *done_bytes, uint64_t *all_bytes)
{
    *done_bytes = *all_bytes = 0;
    if (stream->format->progress)
        stream->format->progress(stream, done_bytes, all_bytes);
    else if (stream->source)
        qn_byte_source_progress(stream->source, done_bytes, all_bytes);
}

qn_status qn_trajectory_stream_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    *end = stream->ended;
    if (stream->ended) return QN_OK;
    bytes->number = stream->next;
    bytes->offset = stream->offset;
    bytes->size = 0;
    bytes->step = -1;
    bytes->time_ps = NAN;
    QN_TRY(stream->format->read(stream, bytes, end));
    stream->ended = *end;
    if (!*end) stream->next++;
    return QN_OK;
}

qn_status qn_trajectory_stream_skip(qn_trajectory_stream *stream, uint64_t count, uint64_t *skipped)
{
    uint64_t done = 0;
    qn_frame_bytes scratch = {0};
    qn_status status = QN_OK;
    bool end = stream->ended;
    if (stream->format->jump && count > 0 && !end) {
        status = stream->format->jump(stream, count, &done);
        stream->next += done;
    }
    while (status == QN_OK && done < count && !end) {
        if (stream->format->skip) {
            status = stream->format->skip(stream, &end);
            if (status != QN_OK) break;
            stream->ended = end;
            stream->next += !end;
        } else {
            status = qn_trajectory_stream_read(stream, &scratch, &end);
        }
        done += status == QN_OK && !end;
    }
    qn_frame_bytes_clear(&scratch);
    if (skipped) *skipped = done;
    return status;
}

qn_status qn_trajectory_stream_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                                      qn_trajectory_frame *frame)
{
    frame->atom_count = stream->atom_count;
    frame->step = bytes->step;
    frame->time_ps = bytes->time_ps;
    memset(frame->box_nm, 0, sizeof frame->box_nm);
    return stream->format->decode(stream, bytes, frame);
}
