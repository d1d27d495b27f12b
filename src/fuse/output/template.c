#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fuse/output/code.h"

static const qn_code_hole *find(const qn_code_hole *holes, int count, const char *name, size_t length)
{
    for (int i = 0; i < count; i++)
        if (strlen(holes[i].name) == length && strncmp(holes[i].name, name, length) == 0) return &holes[i];
    return NULL;
}

/* Past "@end_NAME@", where a part is left out. */
static const char *after_part(const char *at, const char *name)
{
    char mark[64];
    snprintf(mark, sizeof mark, "@end_%.40s@", name);
    const char *end = strstr(at, mark);
    return end ? end + strlen(mark) : at + strlen(at);
}

qn_status qn_code_fill(const char *pattern, const qn_code_hole *holes, int count, qn_text *text)
{
    if (strncmp(pattern, "#line", 5) == 0) pattern = strchr(pattern, '\n') + 1; /* the build's */
    for (const char *at = pattern; *at;) {
        const char *begin = strchr(at, '@'), *end = begin ? strchr(begin + 1, '@') : NULL;
        if (!end) return qn_text_append(text, "%s", at);
        const qn_code_hole *hole = find(holes, count, begin + 1, (size_t)(end - begin - 1));
        if (!hole) return QN_FAIL(QN_INTERNAL, "a template has the unknown hole %.*s", (int)(end - begin + 1), begin);
        QN_TRY(qn_text_append_bytes(text, at, (size_t)(begin - at)));
        at = end + 1;
        if (hole->text)
            QN_TRY(hole->is_template ? qn_code_fill(hole->text, holes, count, text)
                                     : qn_text_append(text, "%s", hole->text));
        else
            at = after_part(at, hole->name + strlen("if_"));
        if (*at == '\n' && (text->length == 0 || text->data[text->length - 1] == '\n'))
            at++; /* a hole of whole lines */
    }
    return QN_OK;
}
