/* LAMMPS text dumps: a frame is a series of blocks that begin with "ITEM:". Atoms have any columns in any order and are
 * sorted by id here. Sources: LAMMPS' manual, commands dump, dump_modify, units and the page on triclinic boxes.
 * Lengths are Å unless the file states other units by "ITEM: UNITS"; reduced lengths of units lj are read as Å. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "format/trajectory/trajectory_text.h"

typedef struct lammps_units {
    const char *name;
    double length_nm, time_ps; /* of one unit; NaN: not known */
} lammps_units;

static const lammps_units units[] = {
    {"real", 0.1, 1e-3}, {"metal", 0.1, 1}, {"lj", 0.1, 1},     {"electron", 0.0529177210903, 1e-3}, /* Bohr; fs */
    {"nano", 1, 1e3},    {"si", 1e9, 1e12}, {"cgs", 1e7, 1e12}, {"micro", 1e3, 1e6},
};
static const lammps_units default_units = {"", 0.1, NAN}; /* no time, because it may be in fs or ps */

/* Columns of the positions, best first: wrapped positions, fractions of the box, and both unwrapped. */
static const char *const position_columns[][3] = {
    {"x", "y", "z"}, {"xs", "ys", "zs"}, {"xu", "yu", "zu"}, {"xsu", "ysu", "zsu"}};
enum { KINDS = sizeof position_columns / sizeof *position_columns, COLUMNS_MAX = 1000 };

typedef struct lammps_head {
    double box_nm[9], origin_nm[3];
    double unit_nm;
    size_t first_line;   /* of the atoms */
    int id, position[3]; /* columns; id -1: none */
    bool scaled, walls;  /* walls: no axis is periodic */
} lammps_head;

typedef struct lammps_state {
    lammps_units units; /* stated once, in the first frame */
} lammps_state;

typedef struct lammps_atom {
    double id; /* a whole number */
    float position_nm[3];
} lammps_atom;

/* A frame that is being read. */
typedef struct lammps_frame {
    qn_trajectory_stream *stream;
    qn_frame_bytes *bytes;
    lammps_head head;
    qn_text_line line;
    int count;
    size_t kept; /* lines of atoms that were kept */
    double time; /* in the file's unit, or NaN */
    bool have_box, have_atoms;
    bool cut; /* the file ended within the frame */
} lammps_frame;

static bool recognise(const char *path, const char *head, size_t size)
{
    static const char begin[] = "ITEM: ";
    (void)path;
    return size >= strlen(begin) && memcmp(head, begin, strlen(begin)) == 0;
}

/* The rest of a line "ITEM: NAME"; NULL for other lines. */
static const char *item(const qn_record_lines *line, const char *name, size_t *rest)
{
    const size_t prefix = strlen("ITEM: "), length = strlen(name);
    if (line->length < prefix + length || memcmp(line->text, "ITEM: ", prefix) != 0 ||
        memcmp(line->text + prefix, name, length) != 0)
        return NULL;
    *rest = line->length - prefix - length;
    return *rest == 0 || line->text[prefix + length] == ' ' ? line->text + prefix + length : NULL;
}

static qn_status lammps_open(qn_trajectory_stream *stream)
{
    const char *head;
    size_t size, rest;
    qn_record_lines line;
    int count;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(lammps_state), &memory));
    stream->state = memory;
    ((lammps_state *)memory)->units = default_units;
    QN_TRY(qn_byte_source_peek(stream->source, QN_TEXT_SHOWN_BYTES, &head, &size));
    for (bool more = qn_text_shown_line(head, size, 0, &line); more; more = qn_record_lines_next(&line)) {
        if (!item(&line, "NUMBER OF ATOMS", &rest)) continue;
        if (qn_record_lines_next(&line) && qn_text_is_count(&line, &count) && stream->atom_count == 0)
            stream->atom_count = (size_t)count;
        break;
    }
    return QN_OK;
}

static void lammps_close(qn_trajectory_stream *stream)
{
    qn_release(&stream->state);
}

static lammps_state *state_of(const lammps_frame *frame)
{
    return frame->stream->state;
}

static qn_status unexpected(const lammps_frame *frame, const char *expected)
{
    return qn_text_unexpected(&frame->line.line, frame->stream->next, expected);
}

/* Read the next line, or set `cut`. A last line without a line end is incomplete: LAMMPS ends every line. */
static qn_status next_line(lammps_frame *frame)
{
    QN_TRY(qn_text_line_next(frame->stream, &frame->line));
    frame->cut = frame->line.size == 0 || frame->line.open;
    return QN_OK;
}

static void take_line(lammps_frame *frame)
{
    qn_text_line_take(frame->stream, &frame->line);
}

/* Read the single value of a block. */
static qn_status read_value(lammps_frame *frame, qn_word *word)
{
    size_t at = 0;
    QN_TRY(next_line(frame));
    if (frame->cut) return QN_OK;
    *word = qn_record_word(&frame->line.line, &at);
    return qn_record_word(&frame->line.line, &at).length > 0 ? unexpected(frame, "a single value") : QN_OK;
}

static qn_status read_units(lammps_frame *frame)
{
    qn_word word;
    QN_TRY(read_value(frame, &word));
    if (frame->cut) return QN_OK;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (qn_word_is(word, units[i].name)) {
            state_of(frame)->units = units[i];
            take_line(frame);
            return QN_OK;
        }
    return unexpected(frame, "units real, metal, lj, electron, nano, si, cgs or micro");
}

static qn_status read_time(lammps_frame *frame)
{
    qn_word word;
    QN_TRY(read_value(frame, &word));
    if (frame->cut) return QN_OK;
    if (!qn_number_parse(word.text, word.length, &frame->time)) return unexpected(frame, "a time");
    take_line(frame);
    return QN_OK;
}

static qn_status read_step(lammps_frame *frame)
{
    qn_word word;
    double step;
    QN_TRY(read_value(frame, &word));
    if (frame->cut) return QN_OK;
    if (!qn_number_parse(word.text, word.length, &step) || step != floor(step) || fabs(step) > 9e15)
        return unexpected(frame, "the number of a step");
    frame->bytes->step = (int64_t)step;
    take_line(frame);
    return QN_OK;
}

static qn_status read_count(lammps_frame *frame)
{
    QN_TRY(next_line(frame));
    if (frame->cut) return QN_OK;
    if (!qn_text_is_count(&frame->line.line, &frame->count)) return unexpected(frame, "a number of atoms");
    QN_TRY(qn_text_frame_count(frame->stream, &frame->line.line, (size_t)frame->count));
    take_line(frame);
    return QN_OK;
}

/* Read three lines of `columns` numbers. */
static qn_status read_bounds(lammps_frame *frame, int columns, double bounds[3][4])
{
    const double largest = 1e6;
    for (int row = 0; row < 3; row++) {
        size_t at = 0;
        QN_TRY(next_line(frame));
        if (frame->cut) return QN_OK;
        for (int i = 0; i < columns; i++) {
            const qn_word word = qn_record_word(&frame->line.line, &at);
            if (!qn_number_parse(word.text, word.length, &bounds[row][i]) || fabs(bounds[row][i]) > largest)
                return unexpected(frame, columns == 2   ? "two numbers, of the box along an axis"
                                         : columns == 3 ? "three numbers, of the box along an axis and a tilt"
                                                        : "four numbers, a box vector and a part of the origin");
        }
        take_line(frame);
    }
    return QN_OK;
}

/* The bounds of a tilted box are those of its bounding box (LAMMPS' manual, "Triclinic simulation boxes"). */
static void box_from_bounds(const double bounds[3][4], double vectors[9], double origin[3])
{
    const double xy = bounds[0][2], xz = bounds[1][2], yz = bounds[2][2];
    const double least_x = fmin(fmin(0, xy), fmin(xz, xy + xz)), most_x = fmax(fmax(0, xy), fmax(xz, xy + xz));
    const double low[3] = {bounds[0][0] - least_x, bounds[1][0] - fmin(0, yz), bounds[2][0]};
    const double high[3] = {bounds[0][1] - most_x, bounds[1][1] - fmax(0, yz), bounds[2][1]};
    const double box[9] = {high[0] - low[0], 0, 0, xy, high[1] - low[1], 0, xz, yz, high[2] - low[2]};
    memcpy(vectors, box, sizeof box);
    memcpy(origin, low, sizeof low);
}

/* Read the box. Its line has "xy xz yz" or "abc origin" or nothing, then "pp" for periodic axes or other words; in old
 * files, it has neither. */
static qn_status read_box(lammps_frame *frame, const char *rest, size_t length)
{
    double bounds[3][4] = {{0}};
    const qn_record_lines words = {.text = rest, .length = length};
    size_t at = 0;
    int columns = 2, axes = 0, periodic = 0;
    for (qn_word word; (word = qn_record_word(&words, &at)).length > 0;) {
        if (qn_word_is(word, "xy")) columns = 3;
        if (qn_word_is(word, "abc")) columns = 4;
        if (word.length != 2 || !strchr("pfsm", word.text[0]) || !strchr("pfsm", word.text[1])) continue;
        axes++;
        periodic += word.text[0] == 'p';
    }
    take_line(frame);
    QN_TRY(read_bounds(frame, columns, bounds));
    if (frame->cut) return QN_OK;
    if (columns == 4)
        for (int row = 0; row < 3; row++) {
            memcpy(frame->head.box_nm + 3 * row, bounds[row], 3 * sizeof(double));
            frame->head.origin_nm[row] = bounds[row][3];
        }
    else
        box_from_bounds((const double(*)[4])bounds, frame->head.box_nm, frame->head.origin_nm);
    frame->have_box = true;
    frame->head.walls = axes == 3 && periodic == 0;
    if (axes == 3 && periodic > 0 && periodic < 3 && frame->stream->next == 0)
        qn_log(QN_LOG_WARNING, "%s: is periodic along %d of its axes; taken as periodic along all of them",
               frame->stream->path, periodic);
    return QN_OK;
}

/* Find the columns of the id and the positions. */
static qn_status read_columns(lammps_frame *frame, const char *rest, size_t length)
{
    const qn_record_lines words = {.text = rest, .length = length};
    size_t at = 0;
    int column = 0, found[KINDS][3], kind = 0;
    memset(found, -1, sizeof found);
    frame->head.id = -1;
    for (qn_word word; (word = qn_record_word(&words, &at)).length > 0 && column < COLUMNS_MAX; column++) {
        if (qn_word_is(word, "id")) frame->head.id = column;
        for (int i = 0; i < KINDS * 3; i++)
            if (qn_word_is(word, position_columns[i / 3][i % 3])) found[i / 3][i % 3] = column;
    }
    while (kind < KINDS && (found[kind][0] < 0 || found[kind][1] < 0 || found[kind][2] < 0)) kind++;
    if (kind == KINDS) return unexpected(frame, "columns x y z, xs ys zs, xu yu zu or xsu ysu zsu among them");
    memcpy(frame->head.position, found[kind], sizeof frame->head.position);
    frame->head.scaled = kind % 2 == 1;
    if (frame->head.id < 0 && frame->stream->next == 0)
        qn_log(QN_LOG_WARNING, "%s: has no column \"id\"; the atoms are taken in the order of the file",
               frame->stream->path);
    if (frame->count == 0 || (frame->head.scaled && !frame->have_box))
        return unexpected(frame, frame->count == 0 ? "ITEM: NUMBER OF ATOMS in front of it"
                                                   : "ITEM: BOX BOUNDS in front of scaled coordinates");
    return QN_OK;
}

static qn_status read_atoms(lammps_frame *frame, const char *rest, size_t length)
{
    bool open;
    size_t kept;
    QN_TRY(read_columns(frame, rest, length));
    take_line(frame);
    frame->head.first_line = (size_t)frame->stream->offset + 1;
    QN_TRY(qn_text_frame_keep_lines(frame->stream, frame->bytes, (size_t)frame->count, &kept, &open));
    frame->have_atoms = true;
    frame->cut = kept < (size_t)frame->count || open;
    frame->kept = kept;
    return QN_OK;
}

static qn_status read_block(lammps_frame *frame)
{
    static const struct {
        const char *name;
        qn_status (*read)(lammps_frame *frame);
    } blocks[] = {{"UNITS", read_units}, {"TIME", read_time}, {"TIMESTEP", read_step}, {"NUMBER OF ATOMS", read_count}};
    size_t rest;
    const char *box = item(&frame->line.line, "BOX BOUNDS", &rest);
    if (box) return read_box(frame, box, rest);
    const char *atoms = item(&frame->line.line, "ATOMS", &rest);
    if (atoms) return read_atoms(frame, atoms, rest);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (item(&frame->line.line, blocks[i].name, &rest)) {
            take_line(frame);
            return blocks[i].read(frame);
        }
    return unexpected(frame, "ITEM: and UNITS, TIME, TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS or ATOMS");
}

static void finish(lammps_frame *frame)
{
    const lammps_units *u = &state_of(frame)->units;
    lammps_head *head = &frame->head;
    for (int i = 0; i < 9; i++) head->box_nm[i] *= u->length_nm;
    for (int i = 0; i < 3; i++) head->origin_nm[i] *= u->length_nm;
    head->unit_nm = u->length_nm;
    frame->bytes->time_ps = frame->time * u->time_ps;
    if (isnan(u->time_ps) && !isnan(frame->time) && frame->stream->next == 0)
        qn_log(QN_LOG_WARNING, "%s: has ITEM: TIME without ITEM: UNITS; its times are left out", frame->stream->path);
    memcpy(frame->bytes->data, head, sizeof *head);
}

static qn_status lammps_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    lammps_frame frame = {.stream = stream, .bytes = bytes, .time = NAN};
    QN_TRY(qn_text_frame_begin(bytes, sizeof(lammps_head)));
    QN_TRY(qn_text_line_next_filled(stream, &frame.line));
    *end = frame.line.size == 0;
    if (*end) return QN_OK;
    bytes->offset = frame.line.line.number;
    frame.cut = frame.line.open;
    while (!frame.have_atoms && !frame.cut) {
        QN_TRY(read_block(&frame));
        if (!frame.have_atoms && !frame.cut) QN_TRY(next_line(&frame));
    }
    *end = frame.cut;
    if (frame.cut)
        qn_trajectory_stream_cut(stream, frame.kept, "atoms");
    else
        finish(&frame);
    return QN_OK;
}

/* Compute the position from scaled coordinates: fractions of the box vectors, from the box's origin. */
static void place_in_box(const lammps_head *head, float position_nm[3])
{
    const double fractions[3] = {position_nm[0], position_nm[1], position_nm[2]};
    for (int axis = 0; axis < 3; axis++) {
        double sum = head->origin_nm[axis];
        for (int row = 0; row < 3; row++) sum += fractions[row] * head->box_nm[3 * row + axis];
        position_nm[axis] = (float)sum;
    }
}

static qn_status read_atom(const qn_record_lines *line, const qn_frame_bytes *bytes, const lammps_head *head,
                           lammps_atom *atom)
{
    qn_word id = {"", 0}, position[3] = {{"", 0}, {"", 0}, {"", 0}}, word;
    size_t at = 0;
    for (int column = 0, found = head->id >= 0 ? -1 : 0; found < 3; column++) {
        word = qn_record_word(line, &at);
        if (word.length == 0) break;
        if (column == head->id) id = word, found++;
        for (int axis = 0; axis < 3; axis++)
            if (column == head->position[axis]) position[axis] = word, found++;
    }
    if (head->id >= 0 && (!qn_number_parse(id.text, id.length, &atom->id) || atom->id != floor(atom->id)))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu: id \"%s\" is not a whole number", line->path, line->number,
                       (unsigned long long)bytes->number, qn_quote(id.text, id.length).text);
    for (int axis = 0; axis < 3; axis++)
        QN_TRY(qn_text_coordinate(line, bytes, axis, position[axis], head->scaled ? 1 : head->unit_nm,
                                  &atom->position_nm[axis]));
    if (head->scaled) place_in_box(head, atom->position_nm);
    return QN_OK;
}

static int compare_ids(const void *first, const void *second)
{
    const double a = ((const lammps_atom *)first)->id, b = ((const lammps_atom *)second)->id;
    return (a > b) - (a < b);
}

static qn_status twice(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, const lammps_head *head,
                       double id)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu has two atoms with id %.0f; expected one", stream->path,
                   head->first_line, (unsigned long long)bytes->number, id);
}

/* Order atoms by id. Consecutive ids give the places of their atoms in one pass; other ids are sorted. */
static qn_status order_atoms(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, const lammps_head *head,
                             lammps_atom *atoms)
{
    const size_t count = stream->atom_count;
    double least = atoms[0].id, most = atoms[0].id;
    for (size_t i = 1; i < count; i++) least = fmin(least, atoms[i].id), most = fmax(most, atoms[i].id);
    const bool gaps = most - least != (double)(count - 1);
    if (gaps) qsort(atoms, count, sizeof *atoms, compare_ids);
    for (size_t i = 1; i < count && gaps; i++)
        if (atoms[i].id == atoms[i - 1].id) return twice(stream, bytes, head, atoms[i].id);
    for (size_t i = 0; i < count && !gaps;) {
        const size_t place = (size_t)(atoms[i].id - least);
        const lammps_atom moved = atoms[i];
        if (place != i && atoms[place].id == moved.id) return twice(stream, bytes, head, moved.id);
        atoms[i] = atoms[place];
        atoms[place] = moved;
        i += place == i;
    }
    return QN_OK;
}

static qn_status read_all(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, const lammps_head *head,
                          lammps_atom *atoms)
{
    qn_record_lines line = qn_text_frame_lines(stream, bytes, sizeof *head, head->first_line);
    bool ascending = true;
    for (size_t i = 0; i < stream->atom_count; i++) {
        atoms[i].id = (double)i;
        qn_record_lines_next(&line);
        QN_TRY(read_atom(&line, bytes, head, &atoms[i]));
        ascending = ascending && (i == 0 || atoms[i].id > atoms[i - 1].id);
    }
    return ascending ? QN_OK : order_atoms(stream, bytes, head, atoms);
}

static qn_status lammps_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes,
                               qn_trajectory_frame *frame)
{
    lammps_head head;
    void *memory;
    memcpy(&head, bytes->data, sizeof head);
    QN_TRY(qn_allocate(stream->atom_count, sizeof(lammps_atom), &memory));
    lammps_atom *atoms = memory;
    qn_status status = read_all(stream, bytes, &head, atoms);
    for (size_t i = 0; i < stream->atom_count && status == QN_OK; i++)
        memcpy(frame->positions_nm + 3 * i, atoms[i].position_nm, sizeof atoms[i].position_nm);
    if (!head.walls) memcpy(frame->box_nm, head.box_nm, sizeof head.box_nm);
    qn_release(&memory);
    return status;
}

const qn_trajectory_format qn_trajectory_lammps = {.name = "LAMMPS dump",
                                                   .recognise = recognise,
                                                   .open = lammps_open,
                                                   .read = lammps_read,
                                                   .decode = lammps_decode,
                                                   .close = lammps_close};
