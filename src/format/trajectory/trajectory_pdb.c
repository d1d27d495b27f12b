#define _POSIX_C_SOURCE 200809L
/* PDB files with several models as trajectories: every ATOM and HETATM record is an atom, in file order; a frame ends
 * with ENDMDL or END. A CRYST1 record gives the box of the following frames; the title of GROMACS gives time and
 * step. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/trajectory/trajectory_text.h"

enum { COORDINATES_BEGIN = 31, COORDINATE_WIDTH = 8, COORDINATES_END = 54 };
static const double angstrom_nm = 0.1;

typedef struct pdb_head {
    double box_nm[9];
    size_t first_line; /* of the atoms; other records may stand between them */
} pdb_head;

typedef struct pdb_state {
    double box_nm[9];     /* of the last CRYST1 record */
    qn_frame_bytes first; /* the first frame, read for its number of atoms */
    bool have_first;
} pdb_state;

typedef struct pdb_frame {
    qn_trajectory_stream *stream;
    qn_frame_bytes *bytes;
    qn_text_line line;
    size_t atoms;
    bool in_model, complete;
    bool cut; /* the file ends within an atom */
} pdb_frame;

/* Record names are the first six columns; shorter names are followed by blanks. */
static bool is_record(const qn_record_lines *line, const char *record)
{
    const size_t length = strlen(record);
    if (line->length < length || strncasecmp(line->text, record, length) != 0) return false;
    return length == 6 || line->length == length || line->text[length] == ' ';
}

/* Serial numbers that overflow reach into columns 5 and 6 of the record. */
static bool is_atom(const qn_record_lines *line)
{
    return (line->length >= 4 && strncasecmp(line->text, "ATOM", 4) == 0) || is_record(line, "HETATM");
}

static qn_word coordinate_of(const qn_record_lines *line, size_t axis)
{
    const size_t first = COORDINATES_BEGIN + axis * COORDINATE_WIDTH;
    return qn_record_columns(line, first, first + COORDINATE_WIDTH - 1);
}

/* Recognise an atom in the bytes shown, or a first line that is typical of files with long heads. A line with TITLE
 * alone begins files of GROMOS (.g96). */
static bool recognise(const char *path, const char *head, size_t size)
{
    static const char *const records[] = {"HEADER", "TITLE", "CRYST1", "MODEL", "REMARK"};
    qn_record_lines line;
    double x;
    (void)path;
    for (bool more = qn_text_shown_line(head, size, 0, &line), first = true; more; first = false) {
        for (size_t i = 0; i < sizeof records / sizeof *records && first; i++)
            if (is_record(&line, records[i]) && line.length > strlen("TITLE") + 1) return true;
        const qn_word word = coordinate_of(&line, 0);
        if (is_atom(&line) && line.length >= COORDINATES_END && qn_number_parse(word.text, word.length, &x))
            return true;
        more = qn_record_lines_next(&line);
    }
    return false;
}

/* Read a, b, c (Å) in columns 7-33, α, β, γ (degrees) in 34-54. A field that is not a number means no cell. */
static qn_status read_cell(const pdb_frame *frame, double box_nm[9])
{
    static const size_t ends[7] = {6, 15, 24, 33, 40, 47, 54};
    double numbers[6];
    memset(box_nm, 0, 9 * sizeof *box_nm);
    for (int i = 0; i < 6; i++) {
        const qn_word word = qn_record_columns(&frame->line.line, ends[i] + 1, ends[i + 1]);
        if (!qn_number_parse(word.text, word.length, &numbers[i])) return QN_OK;
    }
    const qn_status status = qn_text_cell(numbers, numbers + 3, box_nm);
    if (status == QN_OK) return QN_OK;
    return qn_error_add_context(status, "%s:%zu: frame %llu", frame->stream->path, frame->line.line.number,
                                (unsigned long long)frame->stream->next);
}

static void read_title(const pdb_frame *frame)
{
    double step;
    qn_text_find_number(&frame->line.line, "t=", &frame->bytes->time_ps);
    if (qn_text_find_number(&frame->line.line, "step=", &step) && step >= 0 && step < 9e15)
        frame->bytes->step = (int64_t)step;
}

/* Examine the line, then keep and take it, unless it begins the next frame. */
static qn_status read_record(pdb_frame *frame)
{
    const qn_record_lines *line = &frame->line.line;
    pdb_state *state = frame->stream->state;
    const bool model = is_record(line, "MODEL"), cell = is_record(line, "CRYST1"), title = is_record(line, "TITLE");
    if (model || cell || title) {
        frame->complete = frame->atoms > 0; /* the record that ends the frame is missing */
        if (frame->complete) return QN_OK;
        frame->in_model = frame->in_model || model;
        if (cell) QN_TRY(read_cell(frame, state->box_nm));
        if (title) read_title(frame);
    } else if (is_record(line, "ENDMDL") || is_record(line, "END")) {
        frame->complete = frame->atoms > 0;
    } else if (is_atom(line) && line->length < COORDINATES_END && frame->line.open) {
        frame->cut = true;
    } else if (is_atom(line) || frame->atoms > 0) {
        if (frame->atoms == 0) frame->bytes->offset = line->number;
        frame->atoms += is_atom(line);
        QN_TRY(qn_text_frame_keep(frame->bytes, &frame->line));
    }
    qn_text_line_take(frame->stream, &frame->line);
    return QN_OK;
}

/* Whether a frame without the record that ends it is incomplete. A model, or a frame after another frame, is complete
 * only with the expected number of atoms. */
static bool is_cut(const pdb_frame *frame)
{
    const size_t expected = frame->stream->atom_count;
    if (frame->cut) return true;
    return frame->atoms != expected && (frame->in_model || frame->stream->next > 0);
}

static qn_status read_frame(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    pdb_frame frame = {.stream = stream, .bytes = bytes};
    const pdb_state *state = stream->state;
    QN_TRY(qn_text_frame_begin(bytes, sizeof(pdb_head)));
    while (!frame.complete) {
        QN_TRY(qn_text_line_next(stream, &frame.line));
        if (frame.line.size == 0) break;
        QN_TRY(read_record(&frame));
    }
    *end = !frame.complete && (frame.atoms == 0 || is_cut(&frame));
    if (*end && (frame.atoms > 0 || frame.cut || frame.in_model))
        qn_trajectory_stream_cut(stream, frame.atoms, "atoms");
    if (*end) return QN_OK;
    pdb_head head = {.first_line = (size_t)bytes->offset};
    memcpy(head.box_nm, state->box_nm, sizeof head.box_nm);
    memcpy(bytes->data, &head, sizeof head);
    return qn_text_frame_count(stream, &frame.line.line, frame.atoms);
}

static qn_status pdb_open(qn_trajectory_stream *stream)
{
    void *memory;
    bool end;
    QN_TRY(qn_allocate(1, sizeof(pdb_state), &memory));
    stream->state = memory;
    pdb_state *state = memory;
    if (stream->atom_count > 0) return QN_OK;
    state->first = (qn_frame_bytes){.step = -1, .time_ps = NAN};
    QN_TRY(read_frame(stream, &state->first, &end));
    state->have_first = !end;
    return QN_OK;
}

static qn_status pdb_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    pdb_state *state = stream->state;
    if (!state->have_first) return read_frame(stream, bytes, end);
    const qn_frame_bytes other = *bytes;
    *bytes = state->first;
    state->first = other;
    state->have_first = false;
    *end = false;
    return QN_OK;
}

static qn_status pdb_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame)
{
    pdb_head head;
    memcpy(&head, bytes->data, sizeof head);
    memcpy(frame->box_nm, head.box_nm, sizeof head.box_nm);
    qn_record_lines line = qn_text_frame_lines(stream, bytes, sizeof head, head.first_line);
    for (size_t atom = 0; atom < frame->atom_count && qn_record_lines_next(&line);) {
        if (!is_atom(&line)) continue;
        for (int axis = 0; axis < 3; axis++) {
            const qn_word word = coordinate_of(&line, (size_t)axis);
            QN_TRY(qn_text_coordinate(&line, bytes, axis, word, angstrom_nm,
                                      &frame->positions_nm[3 * atom + (size_t)axis]));
        }
        atom++;
    }
    return QN_OK;
}

static void pdb_close(qn_trajectory_stream *stream)
{
    pdb_state *state = stream->state;
    if (state) qn_frame_bytes_clear(&state->first);
    qn_release(&stream->state);
}

const qn_trajectory_format qn_trajectory_pdb = {.name = "PDB",
                                                .recognise = recognise,
                                                .open = pdb_open,
                                                .read = pdb_read,
                                                .decode = pdb_decode,
                                                .close = pdb_close};
