#include "movie/fractions.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/record_lines.h"

enum { VALUES = 3 };

static qn_status refuse(const qn_record_lines *lines)
{
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s: line %zu is \"%s\"; expected a number of frames, the number of these that are added up, and "
                   "electrons per Å² in a frame",
                   lines->path, lines->number, qn_quote(lines->text, lines->length).text);
}

static qn_status add_line(const qn_record_lines *lines, qn_movie_fractions *fractions)
{
    qn_word words[VALUES + 1];
    qn_movie_fraction fraction;
    void *memory = fractions->lines;
    size_t at = 0, count = 0;
    for (; count <= VALUES; count++) {
        words[count] = qn_record_word(lines, &at);
        if (words[count].length == 0 || words[count].text[0] == '#') break;
    }
    if (count == 0) return QN_OK;
    if (count != VALUES || !qn_number_parse_whole(words[0].text, words[0].length, &fraction.frames) ||
        !qn_number_parse_whole(words[1].text, words[1].length, &fraction.group) ||
        !qn_number_parse(words[2].text, words[2].length, &fraction.dose) || fraction.frames < 1 || fraction.group < 1 ||
        fraction.dose < 0)
        return refuse(lines);
    qn_status status = qn_grow(&memory, &fractions->capacity, fractions->count + 1, sizeof *fractions->lines);
    fractions->lines = memory;
    if (status == QN_OK) fractions->lines[fractions->count++] = fraction;
    return status;
}

qn_status qn_movie_fractions_read(const char *path, qn_movie_fractions *fractions)
{
    char *data;
    size_t size;
    *fractions = (qn_movie_fractions){.count = 0};
    QN_TRY(qn_file_read(path, &data, &size));
    qn_record_lines lines = {.path = path, .step = 1, .next = data, .end = data + size};
    qn_status status = QN_OK;
    while (status == QN_OK && qn_record_lines_next(&lines)) status = add_line(&lines, fractions);
    qn_release(&data);
    if (status == QN_OK && fractions->count == 0)
        status = QN_FAIL(QN_BAD_FORMAT, "%s: no lines of frames; expected at least one", path);
    return status;
}

void qn_movie_fractions_clear(qn_movie_fractions *fractions)
{
    qn_release(&fractions->lines);
    fractions->count = 0;
}
