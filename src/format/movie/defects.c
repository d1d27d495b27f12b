#include "format/movie/defects.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/movie/gain_file.h"
#include "format/record_lines.h"

static qn_status refuse_line(const qn_record_lines *lines)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: line %zu is \"%s\"; expected a rectangle as four whole numbers: x y w h",
                   lines->path, lines->number, qn_quote(lines->text, lines->length).text);
}

/* SerialEM's lists begin with names such as CameraSizeX, and their columns and rows are not rectangles. */
static qn_status refuse_words(const qn_record_lines *lines)
{
    static const char *const names[] = {"CameraSize", "RotationFlip", "WasScaled",  "K2Type",        "FalconType",
                                        "Usable",     "Bad",          "PartialBad", "NumAvgSuperRes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (qn_line_begins(lines, names[i]))
            return QN_FAIL(QN_UNSUPPORTED,
                           "%s: line %zu is \"%s\": this is SerialEM's list of defects; make a map of it with IMOD "
                           "(clip defect -D %s MOVIE map.mrc) and give the map",
                           lines->path, lines->number, qn_quote(lines->text, lines->length).text, lines->path);
    return refuse_line(lines);
}

/* Read x y w h; *has is false for a line without a rectangle. */
static qn_status read_rectangle(const qn_record_lines *lines, int rectangle[4], bool *has)
{
    size_t at = 0;
    qn_word word = qn_record_word(lines, &at);
    *has = word.length > 0 && word.text[0] != '#';
    if (!*has) return QN_OK;
    if (isalpha((unsigned char)word.text[0])) return refuse_words(lines);
    for (int k = 0; k < 4; k++, word = qn_record_word(lines, &at))
        if (word.length == 0 || !qn_number_parse_whole(word.text, word.length, &rectangle[k]))
            return refuse_line(lines);
    return word.length > 0 ? refuse_line(lines) : QN_OK;
}

static qn_status read_text(qn_record_lines *lines, int width, int height, unsigned char *bad)
{
    while (qn_record_lines_next(lines)) {
        int r[4];
        bool has;
        QN_TRY(read_rectangle(lines, r, &has));
        if (!has) continue;
        if (r[0] < 0 || r[1] < 0 || r[2] < 1 || r[3] < 1 || r[0] >= width || r[1] >= height || r[2] > width - r[0] ||
            r[3] > height - r[1])
            return QN_FAIL(
                QN_BAD_FORMAT,
                "%s: line %zu: the rectangle x %d, y %d, w %d, h %d is not in the frame; expected one inside "
                "%d x %d pixels",
                lines->path, lines->number, r[0], r[1], r[2], r[3], width, height);
        for (int y = r[1]; y < r[1] + r[3]; y++) memset(bad + (size_t)y * (size_t)width + r[0], 1, (size_t)r[2]);
    }
    return QN_OK;
}

static qn_status read_map(const char *path, int width, int height, unsigned char *bad)
{
    qn_gain_file map;
    qn_status status = qn_gain_file_read(path, &map);
    if (status == QN_OK && (map.width != width || map.height != height))
        status = QN_FAIL(QN_BAD_FORMAT,
                         "%s: the map of defects has %d x %d pixels; expected %d x %d, as the frames of the movie have",
                         path, map.width, map.height, width, height);
    if (status == QN_OK)
        for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
            if (map.values[i] != 0) bad[i] = 1; /* NaN too */
    qn_gain_file_clear(&map);
    return status;
}

/* Images have zero bytes at their beginning, texts have none. */
static bool is_text(const char *data, size_t size)
{
    return !memchr(data, 0, size < 1024 ? size : 1024);
}

qn_status qn_defects_read(const char *path, int width, int height, unsigned char *bad)
{
    char *data;
    size_t size;
    QN_TRY(qn_file_read(path, &data, &size));
    const bool text = is_text(data, size);
    qn_record_lines lines = {.path = path, .step = 1, .next = data, .end = data + size};
    const qn_status status = text ? read_text(&lines, width, height, bad) : QN_OK;
    qn_release(&data);
    return text ? status : read_map(path, width, height, bad);
}
