#include "format/record_lines.h"

#include <string.h>

#include "base/error.h"
#include "format/element.h"

static const double largest_angstrom = 1e5;

bool qn_record_lines_next(qn_record_lines *lines)
{
    if (lines->next) lines->number += lines->step;
    lines->text = "";
    lines->length = 0;
    if (!lines->next || lines->next == lines->end) {
        lines->next = NULL; /* the number stays when the function is called again */
        return false;
    }
    const char *newline = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
    lines->text = lines->next;
    lines->length = (size_t)((newline ? newline : lines->end) - lines->next);
    lines->next = newline ? newline + 1 : lines->end;
    while (lines->length > 0 && lines->text[lines->length - 1] == '\r') lines->length--;
    return true;
}

qn_word qn_record_columns(const qn_record_lines *lines, size_t first, size_t last)
{
    if (first > lines->length) return (qn_word){"", 0};
    if (last > lines->length) last = lines->length;
    return (qn_word){lines->text + first - 1, last - first + 1};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

qn_word qn_record_word(const qn_record_lines *lines, size_t *at)
{
    size_t first = *at;
    while (first < lines->length && is_blank(lines->text[first])) first++;
    size_t end = first;
    while (end < lines->length && !is_blank(lines->text[end])) end++;
    *at = end;
    return (qn_word){lines->text + first, end - first};
}

bool qn_word_is(qn_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

bool qn_word_is_blank(qn_word word)
{
    for (size_t i = 0; i < word.length; i++)
        if (!is_blank(word.text[i])) return false;
    return true;
}

bool qn_line_begins(const qn_record_lines *lines, const char *text)
{
    size_t length = strlen(text);
    return lines->length >= length && memcmp(lines->text, text, length) == 0;
}

qn_status qn_record_coordinate(const qn_record_lines *lines, int axis, qn_word word, double *value)
{
    if (!qn_number_parse(word.text, word.length, value))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %c coordinate \"%s\" is not a number", lines->path, lines->number,
                       'x' + axis, qn_quote(word.text, word.length).text);
    if (*value > largest_angstrom || *value < -largest_angstrom)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %c coordinate \"%s\" is out of range; expected less than %.0f Å",
                       lines->path, lines->number, 'x' + axis, qn_quote(word.text, word.length).text, largest_angstrom);
    return QN_OK;
}

qn_status qn_record_element(const qn_record_lines *lines, size_t atom, qn_word symbol, char element[4])
{
    while (symbol.length > 0 && is_blank(symbol.text[0])) symbol.text++, symbol.length--;
    while (symbol.length > 0 && is_blank(symbol.text[symbol.length - 1])) symbol.length--;
    if (qn_element_find(symbol.text, symbol.length, element)) return QN_OK;
    if (qn_word_is(symbol, "T")) {
        strcpy(element, "T");
        return QN_OK;
    }
    return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: atom %zu is \"%s\"; expected the symbol of an element", lines->path,
                   lines->number, atom, qn_quote(symbol.text, symbol.length).text);
}

qn_status qn_record_check_bond(const qn_record_lines *lines, int first, int second, size_t atom_count)
{
    int wrong = first < 1 || (size_t)first > atom_count ? first : second;
    if (wrong < 1 || (size_t)wrong > atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a bond names atom %d; expected 1 to %zu", lines->path, lines->number,
                       wrong, atom_count);
    if (first == second)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a bond joins atom %d to itself; expected two atoms", lines->path,
                       lines->number, first);
    return QN_OK;
}
