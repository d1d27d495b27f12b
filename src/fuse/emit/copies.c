/* Lines of a panel side by side in loops: four lines share the loads of columns and of their sums, and memory has four
 * streams to fetch. The text of a line is written once for each, with its own names: r_i becomes r_i0 … r_i3. Each sum
 * adds its terms in the same order as line by line. */
#include <ctype.h>
#include <string.h>

#include "fuse/emit/emitter.h"

enum { NAMES_MAX = 256 };

/* Names that a line's texts declare; they point into the texts. */
typedef struct names {
    const char *at[NAMES_MAX];
    size_t lengths[NAMES_MAX];
    int count;
} names;

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    return length;
}

static void add_name(names *of, const char *name)
{
    if (of->count == NAMES_MAX) return;
    of->at[of->count] = name;
    of->lengths[of->count++] = word_length(name);
}

static void find_names(const char *text, names *of)
{
    static const char *const types[] = {"const float ", "float ", "const qn_int64 ", "const int "};
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *word = line + strspn(line, " ");
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            if (strncmp(word, types[i], strlen(types[i])) != 0) continue;
            add_name(of, word + strlen(types[i]));
            break;
        }
    }
}

static bool is_name(const names *of, const char *word, size_t length)
{
    for (int i = 0; i < of->count; i++)
        if (of->lengths[i] == length && memcmp(of->at[i], word, length) == 0) return true;
    return false;
}

/* Append a text with the number of a line behind each of the names. */
static qn_status write_copy(const names *of, const char *from, int line, qn_text *text)
{
    while (*from) {
        size_t length = word_length(from);
        const bool is_own = length > 0 && is_name(of, from, length);
        if (length == 0) length = 1;
        QN_TRY(qn_text_append_bytes(text, from, length));
        if (is_own) QN_TRY(qn_text_append(text, "%d", line));
        from += length;
    }
    return QN_OK;
}

static qn_status write_lanes(const names *of, const qn_line_parts *parts, qn_text *text)
{
    const int count = QN_COPIES * parts->lane_count;
    if (count == 0) return qn_text_append(text, "%*sLANES\n", parts->indent, "");
    QN_TRY(qn_text_append(text, "%*sLANES_SUM_%d(", parts->indent, "", count));
    for (int line = 0; line < QN_COPIES; line++) {
        QN_TRY(qn_text_append(text, "%s", line > 0 ? ", " : ""));
        QN_TRY(write_copy(of, parts->lanes, line, text));
    }
    return qn_text_append(text, ")\n");
}

qn_status qn_copies_write(const qn_line_parts *parts, qn_text *text)
{
    const int indent = parts->indent;
    names of = {.count = 0};
    add_name(&of, "t");
    add_name(&of, "i");
    find_names(parts->begin, &of);
    find_names(parts->sums, &of);
    find_names(parts->elements, &of);
    QN_TRY(qn_text_append(text, "%*sfor (; next + %d < %s; next += %d) {\n", indent - 4, "", QN_COPIES - 1,
                          parts->limit, QN_COPIES));
    for (int line = 0; line < QN_COPIES; line++) {
        QN_TRY(qn_text_append(text, "%*sconst int t%d = next + %d;\n%*sconst qn_int64 i%d = first + t%d;\n", indent, "",
                              line, line, indent, "", line, line));
        QN_TRY(write_copy(&of, parts->begin, line, text));
        QN_TRY(write_copy(&of, parts->sums, line, text));
    }
    QN_TRY(write_lanes(&of, parts, text));
    QN_TRY(qn_text_append(text, "%*sEACH_ELEMENT(elements) {\n%*sconst qn_int64 j = chunk + e * GROUP_X + x;\n", indent,
                          "", indent + 4, ""));
    for (int line = 0; line < QN_COPIES; line++) QN_TRY(write_copy(&of, parts->elements, line, text));
    QN_TRY(qn_text_append(text, "%*s}\n", indent, ""));
    for (int line = 0; line < QN_COPIES; line++) QN_TRY(write_copy(&of, parts->ends, line, text));
    return qn_text_append(text, "%*s}\n", indent - 4, "");
}
