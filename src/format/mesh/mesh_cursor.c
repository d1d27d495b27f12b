#include "format/mesh/mesh_cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "format/number.h"

qn_mesh_place qn_mesh_cursor_place(const qn_mesh_cursor *cursor)
{
    qn_mesh_place place;
    if (cursor->binary)
        snprintf(place.text, sizeof place.text, ": byte %zu", (size_t)(cursor->at - cursor->begin));
    else
        snprintf(place.text, sizeof place.text, ":%zu", cursor->line);
    return place;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

bool qn_mesh_cursor_line(qn_mesh_cursor *cursor, qn_word *line)
{
    *line = (qn_word){"", 0};
    if (cursor->at == cursor->end) return false;
    const char *first = cursor->at;
    const char *newline = memchr(first, '\n', (size_t)(cursor->end - first));
    const char *last = newline ? newline : cursor->end;
    cursor->at = newline ? newline + 1 : cursor->end;
    cursor->line += newline != NULL;
    while (first < last && is_blank(*first)) first++;
    while (first < last && is_blank(last[-1])) last--;
    *line = (qn_word){first, (size_t)(last - first)};
    return true;
}

qn_word qn_mesh_cursor_word(qn_mesh_cursor *cursor)
{
    for (; cursor->at < cursor->end && is_blank(*cursor->at); cursor->at++) cursor->line += *cursor->at == '\n';
    const char *first = cursor->at;
    while (cursor->at < cursor->end && !is_blank(*cursor->at)) cursor->at++;
    return (qn_word){first, (size_t)(cursor->at - first)};
}

qn_word qn_mesh_cursor_peek(const qn_mesh_cursor *cursor)
{
    qn_mesh_cursor copy = *cursor;
    return qn_mesh_cursor_word(&copy);
}

bool qn_mesh_parse_whole(qn_word word, int64_t *value)
{
    const bool has_sign = word.length > 0 && (word.text[0] == '-' || word.text[0] == '+');
    int64_t number = 0;
    if (word.length == has_sign || word.length - has_sign > 18) return false;
    for (size_t i = has_sign; i < word.length; i++) {
        if (word.text[i] < '0' || word.text[i] > '9') return false;
        number = 10 * number + (word.text[i] - '0');
    }
    *value = word.text[0] == '-' ? -number : number;
    return true;
}

static qn_status take_word(qn_mesh_cursor *cursor, const char *what, qn_word *word)
{
    *word = qn_mesh_cursor_word(cursor);
    if (word->length > 0) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s%s: the file ends; expected %s", cursor->path, qn_mesh_cursor_place(cursor).text,
                   what);
}

/* Copy the bytes of a number in this machine's order. */
static qn_status take_bytes(qn_mesh_cursor *cursor, int bytes, const char *what, unsigned char *value)
{
    if (cursor->end - cursor->at < bytes)
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: the file ends; expected %s", cursor->path,
                       qn_mesh_cursor_place(cursor).text, what);
    for (int i = 0; i < bytes; i++) value[i] = (unsigned char)cursor->at[cursor->swapped ? bytes - 1 - i : i];
    cursor->at += bytes;
    return QN_OK;
}

qn_status qn_mesh_cursor_whole(qn_mesh_cursor *cursor, int bytes, const char *what, int64_t *value)
{
    if (!cursor->binary) {
        qn_word word;
        QN_TRY(take_word(cursor, what, &word));
        if (qn_mesh_parse_whole(word, value)) return QN_OK;
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: \"%s\" is no whole number; expected %s", cursor->path,
                       qn_mesh_cursor_place(cursor).text, qn_quote(word.text, word.length).text, what);
    }
    union {
        unsigned char bytes[8];
        int8_t int8;
        int16_t int16;
        int32_t int32;
        int64_t int64;
    } number;
    QN_TRY(take_bytes(cursor, bytes, what, number.bytes));
    *value = bytes == 1 ? number.int8 : bytes == 2 ? number.int16 : bytes == 4 ? number.int32 : number.int64;
    return QN_OK;
}

qn_status qn_mesh_cursor_real(qn_mesh_cursor *cursor, int bytes, const char *what, double *value)
{
    if (!cursor->binary) {
        qn_word word;
        QN_TRY(take_word(cursor, what, &word));
        if (qn_number_parse(word.text, word.length, value)) return QN_OK;
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: \"%s\" is no number; expected %s", cursor->path,
                       qn_mesh_cursor_place(cursor).text, qn_quote(word.text, word.length).text, what);
    }
    union {
        unsigned char bytes[8];
        float float32;
        double float64;
    } number;
    QN_TRY(take_bytes(cursor, bytes, what, number.bytes));
    *value = bytes == 4 ? (double)number.float32 : number.float64;
    return QN_OK;
}

qn_status qn_mesh_cursor_count(qn_mesh_cursor *cursor, int bytes, size_t least_bytes, const char *what, size_t *count)
{
    int64_t value;
    QN_TRY(qn_mesh_cursor_whole(cursor, bytes, what, &value));
    const uint64_t most = (uint64_t)(cursor->end - cursor->at) / least_bytes;
    if (value < 0 || (uint64_t)value > most)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s%s: %s is %" PRId64 "; expected at most %" PRIu64 ", for which the file has room",
                       cursor->path, qn_mesh_cursor_place(cursor).text, what, value, most);
    *count = (size_t)value;
    return QN_OK;
}

qn_status qn_mesh_cursor_end_line(const qn_mesh_cursor *cursor, size_t first_line, const char *what)
{
    if (cursor->binary) return QN_OK;
    const qn_word next = qn_mesh_cursor_peek(cursor);
    size_t line = cursor->line;
    for (const char *c = cursor->at; c < next.text; c++) line += *c == '\n';
    if (cursor->line == first_line && (next.length == 0 || line != first_line)) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the line has too %s words; expected %s", cursor->path, first_line,
                   cursor->line == first_line ? "many" : "few", what);
}

qn_status qn_mesh_cursor_skip(qn_mesh_cursor *cursor, size_t bytes, const char *what)
{
    if ((size_t)(cursor->end - cursor->at) < bytes)
        return QN_FAIL(QN_BAD_FORMAT, "%s%s: the file ends; expected %s", cursor->path,
                       qn_mesh_cursor_place(cursor).text, what);
    cursor->at += bytes;
    return QN_OK;
}
