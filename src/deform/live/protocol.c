#include "deform/live/protocol.h"

#include <inttypes.h>
#include <math.h>
#include <quern/version.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/json.h"

enum { AT_SIZE = 4, AT_SEQUENCE = 8, AT_TIME = 16, AT_VECTOR = 24, AT_BUTTONS = 48, AT_FLAGS = 52 };
enum { AT_FORCE_FLAGS = 48, AT_AGE = 52, AT_CELL = 56 };

static const char hand_magic[] = "QHP1", shape_magic[] = "QHS1", force_magic[] = "QHF1";

static void put(uint64_t value, size_t size, unsigned char *bytes)
{
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static void put_real(double value, unsigned char *bytes)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(bits, sizeof bits, bytes);
}

static double get_real(const unsigned char *bytes)
{
    const uint64_t bits = get(bytes, sizeof bits);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void begin_frame(const char *magic, uint64_t sequence, double time_s, const double vector[3],
                        unsigned char bytes[QN_FRAME_BYTES])
{
    memset(bytes, 0, QN_FRAME_BYTES);
    memcpy(bytes, magic, 4);
    put(QN_FRAME_BYTES, 4, bytes + AT_SIZE);
    put(sequence, 8, bytes + AT_SEQUENCE);
    put_real(time_s, bytes + AT_TIME);
    for (int axis = 0; axis < 3; axis++) put_real(vector[axis], bytes + AT_VECTOR + 8 * axis);
}

void qn_force_frame_write(const qn_force_frame *frame, unsigned char bytes[QN_FRAME_BYTES])
{
    const double age_us = fmin(fmax(1e6 * frame->age_s, 0), UINT32_MAX);
    begin_frame(force_magic, frame->sequence, frame->time_s, frame->force, bytes);
    put(frame->flags, 4, bytes + AT_FORCE_FLAGS);
    put((uint32_t)age_us, 4, bytes + AT_AGE);
    for (int axis = 0; axis < 3; axis++) put((uint16_t)(int16_t)frame->cell[axis], 2, bytes + AT_CELL + 2 * axis);
}

void qn_hand_frame_write(const qn_hand_frame *frame, unsigned char bytes[QN_FRAME_BYTES])
{
    begin_frame(frame->asks_for_shape ? shape_magic : hand_magic, frame->sequence, frame->time_s, frame->place, bytes);
    put(frame->buttons, 4, bytes + AT_BUTTONS);
    put(frame->flags, 4, bytes + AT_FLAGS);
}

bool qn_force_frame_read(const unsigned char bytes[QN_FRAME_BYTES], qn_force_frame *frame)
{
    if (memcmp(bytes, force_magic, 4) != 0 || get(bytes + AT_SIZE, 4) != QN_FRAME_BYTES) return false;
    *frame = (qn_force_frame){.sequence = get(bytes + AT_SEQUENCE, 8),
                              .time_s = get_real(bytes + AT_TIME),
                              .flags = (uint32_t)get(bytes + AT_FORCE_FLAGS, 4),
                              .age_s = 1e-6 * (double)get(bytes + AT_AGE, 4)};
    for (int axis = 0; axis < 3; axis++) {
        frame->force[axis] = get_real(bytes + AT_VECTOR + 8 * axis);
        frame->cell[axis] = (int16_t)get(bytes + AT_CELL + 2 * axis, 2);
    }
    return true;
}

/* ---- frames of clients ---- */

static bool begins_as(const unsigned char *bytes, size_t filled, const char *magic)
{
    return memcmp(bytes, magic, filled < 4 ? filled : 4) == 0;
}

/* The fault of the bytes so far. */
static qn_frame_fault fault_of(const qn_frame_stream *stream)
{
    const unsigned char *const bytes = stream->bytes;
    const size_t filled = stream->filled;
    if (!begins_as(bytes, filled, hand_magic) && !begins_as(bytes, filled, shape_magic)) return QN_FRAME_MAGIC;
    if (filled >= AT_SEQUENCE && get(bytes + AT_SIZE, 4) != QN_FRAME_BYTES) return QN_FRAME_SIZE;
    if (filled < QN_FRAME_BYTES) return QN_FRAME_SOUND;
    if (begins_as(bytes, filled, shape_magic)) return stream->has_sequence ? QN_FRAME_SHAPE : QN_FRAME_SOUND;
    for (size_t at = AT_TIME; at < AT_BUTTONS; at += 8)
        if (!isfinite(get_real(bytes + at))) return QN_FRAME_NUMBER;
    const bool rises = !stream->has_sequence || get(bytes + AT_SEQUENCE, 8) > stream->sequence;
    return rises ? QN_FRAME_SOUND : QN_FRAME_SEQUENCE;
}

static void read_frame(const unsigned char *bytes, qn_hand_frame *frame)
{
    *frame = (qn_hand_frame){.asks_for_shape = begins_as(bytes, 4, shape_magic)};
    if (frame->asks_for_shape) return;
    frame->sequence = get(bytes + AT_SEQUENCE, 8);
    frame->time_s = get_real(bytes + AT_TIME);
    for (int axis = 0; axis < 3; axis++) frame->place[axis] = get_real(bytes + AT_VECTOR + 8 * axis);
    frame->buttons = (uint32_t)get(bytes + AT_BUTTONS, 4);
    frame->flags = (uint32_t)get(bytes + AT_FLAGS, 4);
}

size_t qn_frame_stream_take(qn_frame_stream *stream, const unsigned char *data, size_t size, qn_hand_frame *frame,
                            bool *is_complete)
{
    *is_complete = false;
    if (stream->fault != QN_FRAME_SOUND || size == 0) return 0;
    const size_t room = QN_FRAME_BYTES - stream->filled, taken = size < room ? size : room;
    memcpy(stream->bytes + stream->filled, data, taken);
    stream->filled += taken;
    stream->fault = fault_of(stream);
    if (stream->fault != QN_FRAME_SOUND || stream->filled < QN_FRAME_BYTES) return taken;
    read_frame(stream->bytes, frame);
    if (!frame->asks_for_shape) {
        stream->has_sequence = true;
        stream->sequence = frame->sequence;
    }
    stream->filled = 0;
    *is_complete = true;
    return taken;
}

qn_status qn_frame_stream_explain(const qn_frame_stream *stream, qn_text *sentence)
{
    const unsigned char *const bytes = stream->bytes;
    switch (stream->fault) {
    case QN_FRAME_SOUND: return qn_text_append(sentence, "the frames are sound");
    case QN_FRAME_MAGIC:
        QN_TRY(qn_text_append(sentence, "a frame begins with the bytes"));
        for (size_t i = 0; i < 4 && i < stream->filled; i++) QN_TRY(qn_text_append(sentence, " %02x", bytes[i]));
        return qn_text_append(sentence, "; expected 51 48 50 31 (QHP1) of a hand or 51 48 53 31 (QHS1) for the shape");
    case QN_FRAME_SIZE:
        return qn_text_append(sentence, "a frame states a size of %" PRIu64 " bytes; expected %d",
                              get(bytes + AT_SIZE, 4), QN_FRAME_BYTES);
    case QN_FRAME_NUMBER:
        return qn_text_append(sentence, "frame %" PRIu64 " has a time or place that is not finite; expected s and m",
                              get(bytes + AT_SEQUENCE, 8));
    case QN_FRAME_SEQUENCE:
        return qn_text_append(sentence, "frame %" PRIu64 " follows frame %" PRIu64 "; expected numbers that rise",
                              get(bytes + AT_SEQUENCE, 8), stream->sequence);
    case QN_FRAME_SHAPE: break;
    }
    return qn_text_append(sentence, "a hand asks for the shape; expected a second connection for it");
}

/* ---- lines ---- */

/* Append an object as a line, and release it. */
static qn_status append_line(json_t *object, qn_text *line)
{
    char *const text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(object);
    if (!text) return QN_FAIL(QN_OUT_OF_MEMORY, "a line for a client cannot be made: memory is exhausted");
    const qn_status status = qn_text_append(line, "%s\n", text);
    free(text);
    return status;
}

qn_status qn_protocol_greeting(double rate_hz, size_t node_count, const qn_grid *grid, qn_text *line)
{
    const double h = grid->step;
    return append_line(json_pack("{s:s, s:i, s:i, s:f, s:I, s:{s:[f, f, f], s:[f, f, f], s:f}}", "quern", qn_version(),
                                 "protocol", QN_PROTOCOL_VERSION, "frame_bytes", QN_FRAME_BYTES, "rate_hz", rate_hz,
                                 "nodes", (json_int_t)node_count, "workspace_m", "least", h * grid->least[0],
                                 h * grid->least[1], h * grid->least[2], "most", h * grid->most[0], h * grid->most[1],
                                 h * grid->most[2], "step", h),
                       line);
}

qn_status qn_protocol_refusal(const char *sentence, qn_text *line)
{
    return append_line(json_pack("{s:o}", "error", qn_json_text(sentence)), line);
}
