/* XYZ trajectories: frames of the number of atoms, a comment and one line for each atom, in Å. The comment of extended
 * XYZ has Lattice="…", nine components of three box vectors, and Properties=…, which gives the columns of the
 * positions. */
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "format/trajectory/trajectory_text.h"

static const double angstrom_nm = 0.1;

typedef struct xyz_head {
    double box_nm[9];
    size_t first_line; /* of the atoms */
    size_t column;     /* words in front of the coordinates */
} xyz_head;

/* The text after `key` in the comment, in quotes or up to the next blank; false when there is no such key. */
static bool find_value(const qn_record_lines *line, const char *key, qn_word *value)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i + length < line->length; i++) {
        if (memcmp(line->text + i, key, length) != 0 || (i > 0 && line->text[i - 1] != ' ')) continue;
        const char *begin = line->text + i + length, *end = line->text + line->length;
        const bool quoted = *begin == '"';
        begin += quoted;
        const char *last = memchr(begin, quoted ? '"' : ' ', (size_t)(end - begin));
        *value = (qn_word){begin, (size_t)((last ? last : end) - begin)};
        return true;
    }
    return false;
}

/* Count the flags of a text such as "T T F", and those that are true. */
static void count_flags(qn_word value, int *count, int *set)
{
    qn_record_lines line = {.text = value.text, .length = value.length};
    size_t at = 0;
    *count = *set = 0;
    for (qn_word word; (word = qn_record_word(&line, &at)).length > 0; ++*count)
        *set += word.text[0] == 'T' || word.text[0] == 't' || word.text[0] == '1';
}

static qn_status read_lattice(const qn_trajectory_stream *stream, const qn_record_lines *comment, double box_nm[9])
{
    qn_word value, flags;
    int periodic = 3, flag_count = 3, count = 0;
    if (!find_value(comment, "Lattice=", &value)) return QN_OK;
    if (find_value(comment, "pbc=", &flags)) count_flags(flags, &flag_count, &periodic);
    if (periodic == 0) return QN_OK;
    if (periodic < flag_count && stream->next == 0)
        qn_log(QN_LOG_WARNING, "%s: is periodic along %d of its box vectors; taken as periodic along all of them",
               stream->path, periodic);
    qn_record_lines line = {.text = value.text, .length = value.length};
    size_t at = 0;
    for (qn_word word; (word = qn_record_word(&line, &at)).length > 0; count++) {
        if (count == 9 || !qn_number_parse(word.text, word.length, &box_nm[count]))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu: Lattice has \"%s\"; expected nine numbers", stream->path,
                           comment->number, (unsigned long long)stream->next, qn_quote(word.text, word.length).text);
        box_nm[count] *= angstrom_nm;
    }
    if (count != 9)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu: Lattice has %d numbers; expected nine", stream->path,
                       comment->number, (unsigned long long)stream->next, count);
    return QN_OK;
}

/* Find the columns of pos:R:3 in Properties=name:type:columns:…. */
static qn_status find_column(const qn_trajectory_stream *stream, const qn_record_lines *comment, size_t *column)
{
    qn_word value, fields[3];
    *column = 1; /* after the element */
    if (!find_value(comment, "Properties=", &value)) return QN_OK;
    size_t before = 0;
    for (const char *next = value.text, *end = value.text + value.length; next < end;) {
        int columns = 0;
        for (int i = 0; i < 3; i++) {
            const char *colon = next < end ? memchr(next, ':', (size_t)(end - next)) : NULL;
            fields[i] = (qn_word){next, (size_t)((colon ? colon : end) - next)};
            next = colon ? colon + 1 : end;
        }
        if (!qn_number_parse_whole(fields[2].text, fields[2].length, &columns) || columns < 1 || columns > 1000) break;
        *column = before;
        if (qn_word_is(fields[0], "pos") && qn_word_is(fields[1], "R") && columns == 3) return QN_OK;
        before += (size_t)columns;
    }
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu: \"%s\" has no positions; expected \"pos:R:3\" in Properties",
                   stream->path, comment->number, (unsigned long long)stream->next,
                   qn_quote(value.text, value.length).text);
}

static bool has_three_numbers(const qn_record_lines *line)
{
    int count = 0;
    double number;
    size_t at = 0;
    for (qn_word word; (word = qn_record_word(line, &at)).length > 0;)
        count += qn_number_parse(word.text, word.length, &number);
    return count >= 3;
}

static bool recognise(const char *path, const char *head, size_t size)
{
    qn_record_lines line;
    int count;
    (void)path;
    if (!qn_text_shown_line(head, size, 0, &line) || !qn_text_is_count(&line, &count)) return false;
    return qn_text_shown_line(head, size, 2, &line) && has_three_numbers(&line);
}

static qn_status xyz_open(qn_trajectory_stream *stream)
{
    const char *head;
    size_t size;
    qn_record_lines line;
    int count;
    QN_TRY(qn_byte_source_peek(stream->source, QN_TEXT_SHOWN_BYTES, &head, &size));
    if (stream->atom_count == 0 && qn_text_shown_line(head, size, 0, &line) && qn_text_is_count(&line, &count))
        stream->atom_count = (size_t)count;
    return QN_OK;
}

/* *cut: the file ends before or within the comment. */
static qn_status read_comment(qn_trajectory_stream *stream, qn_frame_bytes *bytes, xyz_head *head, bool *cut)
{
    qn_text_line comment;
    double step;
    QN_TRY(qn_text_line_next(stream, &comment));
    *cut = comment.size == 0 || comment.open;
    if (*cut) return QN_OK;
    QN_TRY(read_lattice(stream, &comment.line, head->box_nm));
    QN_TRY(find_column(stream, &comment.line, &head->column));
    /* Step as LAMMPS writes it. Times have no unit that all programs agree on. */
    if (qn_text_find_number(&comment.line, "Timestep:", &step) && step >= 0 && step < 9e15) bytes->step = (int64_t)step;
    qn_text_line_take(stream, &comment);
    head->first_line = (size_t)stream->offset + 1;
    return QN_OK;
}

static qn_status read_atom(const qn_record_lines *line, const qn_frame_bytes *bytes, size_t column, float *position_nm)
{
    size_t at = 0;
    for (size_t i = 0; i < column; i++) qn_record_word(line, &at);
    for (int axis = 0; axis < 3; axis++)
        QN_TRY(qn_text_coordinate(line, bytes, axis, qn_record_word(line, &at), angstrom_nm, &position_nm[axis]));
    return QN_OK;
}

/* Whether the frame's last line, which is the file's last and has no line end, breaks off before or within a number. */
static bool last_line_is_cut(const qn_frame_bytes *bytes, size_t column)
{
    float position_nm[3];
    const char *begin = bytes->data + sizeof(xyz_head), *end = bytes->data + bytes->size - 1, *line = end;
    while (line > begin && line[-1] != '\n') line--;
    const qn_record_lines last = {.path = "", .text = line, .length = (size_t)(end - line)};
    return qn_text_is_cut(&last) || read_atom(&last, bytes, column, position_nm) != QN_OK;
}

/* Read the part after the number of atoms; *kept: number of lines of atoms. */
static qn_status read_frame(qn_trajectory_stream *stream, qn_frame_bytes *bytes, size_t count, size_t *kept, bool *cut)
{
    xyz_head head = {{0}, 0, 0};
    bool open;
    QN_TRY(read_comment(stream, bytes, &head, cut));
    if (*cut) return QN_OK;
    QN_TRY(qn_text_frame_keep_lines(stream, bytes, count, kept, &open));
    *cut = *kept < count || (open && last_line_is_cut(bytes, head.column));
    memcpy(bytes->data, &head, sizeof head);
    return QN_OK;
}

static qn_status xyz_read(qn_trajectory_stream *stream, qn_frame_bytes *bytes, bool *end)
{
    qn_text_line line;
    int count;
    size_t kept = 0;
    bool cut;
    QN_TRY(qn_text_frame_begin(bytes, sizeof(xyz_head)));
    QN_TRY(qn_text_line_next_filled(stream, &line));
    *end = line.size == 0;
    if (*end) return QN_OK;
    bytes->offset = line.line.number;
    cut = line.open;
    if (!cut && !qn_text_is_count(&line.line, &count))
        return qn_text_unexpected(&line.line, stream->next, "a number of atoms");
    if (!cut) {
        QN_TRY(qn_text_frame_count(stream, &line.line, (size_t)count));
        qn_text_line_take(stream, &line);
        QN_TRY(read_frame(stream, bytes, (size_t)count, &kept, &cut));
    }
    if (cut) qn_trajectory_stream_cut(stream, kept, "atoms");
    *end = cut;
    return QN_OK;
}

static qn_status xyz_decode(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, qn_trajectory_frame *frame)
{
    xyz_head head;
    memcpy(&head, bytes->data, sizeof head);
    memcpy(frame->box_nm, head.box_nm, sizeof head.box_nm);
    qn_record_lines line = qn_text_frame_lines(stream, bytes, sizeof head, head.first_line);
    for (size_t atom = 0; atom < frame->atom_count; atom++) {
        qn_record_lines_next(&line);
        QN_TRY(read_atom(&line, bytes, head.column, frame->positions_nm + 3 * atom));
    }
    return QN_OK;
}

const qn_trajectory_format qn_trajectory_xyz = {
    .name = "XYZ", .recognise = recognise, .open = xyz_open, .read = xyz_read, .decode = xyz_decode};
