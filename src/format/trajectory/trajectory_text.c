#include "format/trajectory/trajectory_text.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "model/box.h"

static const double largest_nm = 1e6;
static const size_t longest_line = (size_t)1 << 20; /* the longest line that a byte source shows in one part */

qn_status qn_text_line_next(qn_trajectory_stream *stream, qn_text_line *line)
{
    const char *text;
    size_t size;
    QN_TRY(qn_byte_source_line(stream->source, &text, &size));
    line->size = size;
    line->open = size > 0 && text[size - 1] != '\n';
    line->line = (qn_record_lines){
        .path = stream->path, .number = (size_t)stream->offset + 1, .step = 1, .text = text, .length = size};
    /* A line without a line end is the last line of the file, or the beginning of a line that no buffer can hold. */
    if (line->open && size >= longest_line)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu: the line has over %zu characters; expected lines of text",
                       stream->path, line->line.number, (unsigned long long)stream->next, longest_line);
    if (size > 0 && !line->open) line->line.length--;
    while (line->line.length > 0 && line->line.text[line->line.length - 1] == '\r') line->line.length--;
    return QN_OK;
}

void qn_text_line_take(qn_trajectory_stream *stream, const qn_text_line *line)
{
    qn_byte_source_take(stream->source, line->size);
    stream->offset += line->size > 0;
}

bool qn_text_is_blank(const qn_text_line *line)
{
    return qn_word_is_blank((qn_word){line->line.text, line->line.length});
}

qn_status qn_text_line_next_filled(qn_trajectory_stream *stream, qn_text_line *line)
{
    for (;;) {
        QN_TRY(qn_text_line_next(stream, line));
        if (line->size == 0 || !qn_text_is_blank(line)) return QN_OK;
        qn_text_line_take(stream, line);
    }
}

bool qn_text_shown_line(const char *head, size_t size, int skipped, qn_record_lines *line)
{
    *line = (qn_record_lines){.step = 1, .next = head, .end = head + size};
    for (int i = 0; i <= skipped; i++)
        if (!qn_record_lines_next(line)) return false;
    return true;
}

bool qn_text_is_count(const qn_record_lines *line, int *count)
{
    return qn_number_parse_whole(line->text, line->length, count) && *count > 0;
}

qn_status qn_text_unexpected(const qn_record_lines *line, uint64_t frame, const char *expected)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu has \"%s\"; expected %s", line->path, line->number,
                   (unsigned long long)frame, qn_quote(line->text, line->length).text, expected);
}

qn_status qn_text_frame_begin(qn_frame_bytes *bytes, size_t head_size)
{
    QN_TRY(qn_frame_bytes_room(bytes, head_size));
    memset(bytes->data, 0, head_size);
    bytes->size = head_size;
    return QN_OK;
}

qn_status qn_text_frame_keep(qn_frame_bytes *bytes, const qn_text_line *line)
{
    QN_TRY(qn_frame_bytes_room(bytes, bytes->size + line->line.length + 1));
    memcpy(bytes->data + bytes->size, line->line.text, line->line.length);
    bytes->size += line->line.length;
    bytes->data[bytes->size++] = '\n';
    return QN_OK;
}

qn_status qn_text_frame_keep_lines(qn_trajectory_stream *stream, qn_frame_bytes *bytes, size_t count, size_t *kept,
                                   bool *last_is_open)
{
    qn_text_line line;
    *last_is_open = false;
    for (*kept = 0; *kept < count; ++*kept) {
        QN_TRY(qn_text_line_next(stream, &line));
        if (line.size == 0) return QN_OK;
        QN_TRY(qn_text_frame_keep(bytes, &line));
        *last_is_open = line.open;
        qn_text_line_take(stream, &line);
    }
    return QN_OK;
}

qn_record_lines qn_text_frame_lines(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, size_t head_size,
                                    size_t first_line)
{
    return (qn_record_lines){.path = stream->path,
                             .number = first_line - 1,
                             .step = 1,
                             .next = bytes->data + head_size,
                             .end = bytes->data + bytes->size};
}

qn_status qn_text_frame_count(qn_trajectory_stream *stream, const qn_record_lines *line, size_t count)
{
    if (stream->atom_count == 0) stream->atom_count = count;
    if (stream->atom_count != count)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu has %s; expected %zu", stream->path, line->number,
                       (unsigned long long)stream->next, qn_count_of(count, "atom").text, stream->atom_count);
    return QN_OK;
}

qn_status qn_text_coordinate(const qn_record_lines *line, const qn_frame_bytes *bytes, int axis, qn_word word,
                             double unit_nm, float *position_nm)
{
    double value;
    if (!qn_number_parse(word.text, word.length, &value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: frame %llu: %c coordinate \"%s\" is not a number", line->path,
                       line->number, (unsigned long long)bytes->number, 'x' + axis,
                       qn_quote(word.text, word.length).text);
    value *= unit_nm;
    if (!(fabs(value) <= largest_nm))
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: frame %llu: %c coordinate \"%s\" is out of range; expected at most %.0f nm", line->path,
                       line->number, (unsigned long long)bytes->number, 'x' + axis,
                       qn_quote(word.text, word.length).text, largest_nm);
    *position_nm = (float)value;
    return QN_OK;
}

static size_t decimals(qn_word word)
{
    const char *point = word.length ? memchr(word.text, '.', word.length) : NULL;
    return point ? (size_t)(word.text + word.length - point) - 1 : 0;
}

bool qn_text_is_cut(const qn_record_lines *line)
{
    qn_word before = {"", 0}, last = {"", 0}, next;
    for (size_t at = 0; (next = qn_record_word(line, &at)).length > 0; last = next) before = last;
    return decimals(last) < decimals(before);
}

static bool is_word_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool qn_text_find_number(const qn_record_lines *line, const char *key, double *value)
{
    const size_t length = strlen(key);
    bool found = false;
    for (size_t i = 0; i + length <= line->length; i++) {
        if (memcmp(line->text + i, key, length) != 0 || (i > 0 && is_word_character(line->text[i - 1]))) continue;
        size_t at = i + length;
        const qn_word word = qn_record_word(line, &at);
        found |= qn_number_parse(word.text, word.length, value);
    }
    return found;
}

qn_status qn_text_cell(const double lengths_angstrom[3], const double angles_degrees[3], double box_nm[9])
{
    double lengths_nm[3];
    memset(box_nm, 0, 9 * sizeof *box_nm);
    if (!(lengths_angstrom[0] > 1 || lengths_angstrom[1] > 1 || lengths_angstrom[2] > 1)) return QN_OK;
    for (int i = 0; i < 3; i++) lengths_nm[i] = 0.1 * lengths_angstrom[i];
    return qn_box_from_angles(lengths_nm, angles_degrees, box_nm);
}
