/* GRO trajectories: frames of a title, the number of atoms, one line for each atom and a line with the box. nm and ps.
 * Positions have any number n of decimals; the distance between their decimal points is n + 5. */
#include <string.h>

#include "base/error.h"
#include "format/trajectory/trajectory_text.h"

enum { NAMES_WIDTH = 20, FIRST_POINT = 24, WIDTH_MAX = 40 };

typedef struct gro_head {
    double box_nm[9];
    size_t first_line; /* of the atoms */
} gro_head;

/* The distance between the decimal points of the three positions; 0 for a line that is not an atom. */
static size_t column_width(const qn_record_lines *line)
{
    const size_t first = FIRST_POINT;
    if (line->length <= first || line->text[first] != '.') return 0;
    const char *second = memchr(line->text + first + 1, '.', line->length - first - 1);
    if (!second) return 0;
    const size_t width = (size_t)(second - line->text) - first;
    const bool right = width > 5 && width <= WIDTH_MAX && line->length >= NAMES_WIDTH + 3 * width &&
                       line->text[first + 2 * width] == '.';
    return right ? width : 0;
}

static bool recognise(const char *path, const char *head, size_t size)
{
    qn_record_lines line;
    int count;
    (void)path;
    if (!qn_text_shown_line(head, size, 1, &line) || !qn_text_is_count(&line, &count)) return false;
    return qn_text_shown_line(head, size, 2, &line) && column_width(&line) > 0;
}

static qn_status gro_open(qn_trajectory_stream *stream)
{
    const char *head;
    size_t size;
    qn_record_lines line;
    int count;
    QN_TRY(qn_byte_source_peek(stream->source, QN_TEXT_SHOWN_BYTES, &head, &size));
    if (stream->atom_count == 0 && qn_text_shown_line(head, size, 1, &line) && qn_text_is_count(&line, &count))
        stream->atom_count = (size_t)count;
    return QN_OK;
}

/* Read the box: a_x b_y c_z and, for triclinic boxes, a_y a_z b_x b_z c_x c_y. */
static qn_status read_box(const qn_trajectory_stream *stream, const qn_record_lines *line, double box_nm[9])
{
    static const int places[9] = {0, 4, 8, 1, 2, 3, 5, 6, 7};
    size_t at = 0;
    int count = 0;
    for (qn_word word; (word = qn_record_word(line, &at)).length > 0; count++)
        if (count == 9 || !qn_number_parse(word.text, word.length, &box_nm[places[count]]))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu: the box has \"%s\"; expected three or nine numbers",
                           stream->path, line->number, (unsigned long long)stream->next,
                           qn_quote(word.text, word.length).text);
    if (count != 3 && count != 9)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu: the box has %d numbers; expected three or nine",
                       stream->path, line->number, (unsigned long long)stream->next, count);
    return QN_OK;
}

/* Read the title, with time and step where it states them, and the number of atoms. *count is 0 at the end of the
 * file. */
static qn_status read_beginning(qn_trajectory_stream *stream, qn_frame_bytes *bytes, int *count, bool *end)
{
    qn_text_line line;
    double step;
    bool blank;
    *count = 0;
    do { /* skip blank lines at the end of a file */
        QN_TRY(qn_text_line_next(stream, &line));
        *end = line.size == 0;
        if (*end) return QN_OK;
        blank = qn_text_is_blank(&line);
        bytes->offset = line.line.number;
        qn_text_find_number(&line.line, "t=", &bytes->time_ps);
        if (qn_text_find_number(&line.line, "step=", &step) && step >= 0 && step < 9e15) bytes->step = (int64_t)step;
        qn_text_line_take(stream, &line);
        QN_TRY(qn_text_line_next(stream, &line));
    } while (blank && qn_text_is_blank(&line));
    if (line.size == 0 || line.open) {
        qn_text_line_take(stream, &line);
        return QN_OK;
    }
    if (!qn_text_is_count(&line.line, count)) return qn_text_unexpected(&line.line, stream->next, "a number of atoms");
    QN_TRY(qn_text_frame_count(stream, &line.line, (size_t)*count));
    qn_text_line_take(stream, &line);
    return QN_OK;
}

/* Whether the file ends within this box. Without a line end the box of a single frame counts as complete (the file
 * may have been edited by hand), but in a later frame three of nine numbers could be mistaken for a box. */
static bool box_is_cut(const qn_trajectory_stream *stream, const qn_record_lines *line)
{
    double box_nm[9];
    return stream->next > 0 || qn_text_is_cut(line) || read_box(stream, line, box_nm) != QN_OK;
}

static qn_status gro_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    gro_head head = {{0}, 0};
    qn_text_line box;
    int count;
    size_t kept;
    bool open;
    QN_TRY(qn_text_frame_begin(bytes, sizeof head));
    QN_TRY(read_beginning(stream, bytes, &count, end));
    if (*end) return QN_OK;
    head.first_line = (size_t)stream->offset + 1;
    QN_TRY(qn_text_frame_keep_lines(stream, bytes, (size_t)count, &kept, &open));
    QN_TRY(qn_text_line_next(stream, &box));
    *end = count == 0 || box.size == 0 || (box.open && box_is_cut(stream, &box.line));
    if (*end) {
        qn_trajectory_stream_cut(stream, kept, "atoms");
        return QN_OK;
    }
    QN_TRY(read_box(stream, &box.line, head.box_nm));
    qn_text_line_take(stream, &box);
    memcpy(bytes->data, &head, sizeof head);
    return QN_OK;
}

static qn_status read_atom(const qn_record_lines *line, const qn_frame_bytes *bytes, size_t width, float *position_nm)
{
    const char *text = line->text;
    const size_t first = FIRST_POINT;
    if (line->length < NAMES_WIDTH + 3 * width || text[first] != '.' || text[first + width] != '.' ||
        text[first + 2 * width] != '.')
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: frame %llu: expected an atom whose coordinates have points in columns %zu, %zu "
                       "and %zu, as the first atom of the frame",
                       line->path, line->number, (unsigned long long)bytes->number, first + 1, first + width + 1,
                       first + 2 * width + 1);
    for (int axis = 0; axis < 3; axis++) {
        const qn_word word = {text + NAMES_WIDTH + (size_t)axis * width, width};
        QN_TRY(qn_text_coordinate(line, bytes, axis, word, 1, &position_nm[axis]));
    }
    return QN_OK;
}

static qn_status gro_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame)
{
    gro_head head;
    memcpy(&head, bytes->data, sizeof head);
    memcpy(frame->box_nm, head.box_nm, sizeof head.box_nm);
    qn_record_lines line = qn_text_frame_lines(stream, bytes, sizeof head, head.first_line);
    size_t width = 0;
    for (size_t atom = 0; atom < frame->atom_count; atom++) {
        qn_record_lines_next(&line);
        if (atom == 0) width = column_width(&line);
        if (width == 0)
            return QN_FAIL(QN_BAD_FORMAT,
                           "%s:%zu: frame %llu: expected an atom whose coordinates begin after column %d and "
                           "have points in column %d and at equal distances after it",
                           line.path, line.number, (unsigned long long)bytes->number, NAMES_WIDTH, FIRST_POINT + 1);
        QN_TRY(read_atom(&line, bytes, width, frame->positions_nm + 3 * atom));
    }
    return QN_OK;
}

const qn_trajectory_format qn_trajectory_gro = {
    .name = "GRO", .recognise = recognise, .open = gro_open, .read = gro_read, .decode = gro_decode};
