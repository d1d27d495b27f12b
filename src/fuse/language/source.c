#include "fuse/language/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

qn_source qn_source_make(const char *name, const char *text, size_t length)
{
    /* The build embeds a file behind a line "#line 1 …", which both languages read as a comment. */
    return (qn_source){name, text, length, strncmp(text, "#line ", 6) == 0 ? 1 : 0};
}

void qn_source_place(const qn_source *source, size_t offset, int *line, int *column)
{
    *line = 1 - source->lines_before;
    *column = 1;
    for (size_t i = 0; i < offset && i < source->length; i++) {
        const int ends = source->text[i] == '\n';
        *line += ends;
        /* A byte that continues a character of UTF-8 is no column of its own. */
        *column = ends ? 1 : *column + (((unsigned char)source->text[i] & 0xC0) != 0x80);
    }
}

qn_status qn_source_fail(const qn_source *source, size_t offset, const char *file, int line, const char *format, ...)
{
    char sentence[896];
    int at_line, at_column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    qn_source_place(source, offset, &at_line, &at_column);
    return qn_error_set(QN_BAD_FORMAT, file, line, "%s:%d:%d: %s", source->name, at_line, at_column, sentence);
}
