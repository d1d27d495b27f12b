#include "tune/exchange/t1_source.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { DEEPEST = 32 };

qn_status qn_t1_path_beside(const char *path, const char *name, char **beside)
{
    char *folder;
    if (name[0] == '/') return qn_text_copy(name, beside);
    QN_TRY(qn_text_copy(path, &folder));
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    qn_status status = slash ? qn_path_join(slash == folder ? "/" : folder, name, beside) : qn_text_copy(name, beside);
    qn_release(&folder);
    return status;
}

/* Whether a line is `#include "NAME"`, with blanks where C allows them. */
static bool find_include(const char *line, char name[256])
{
    return sscanf(line, " # include \"%255[^\"\n]\"", name) == 1;
}

/* A file that is being read, and those that include it. */
typedef struct reading {
    const struct reading *outer;
    const char *path;
} reading;

static bool is_being_read(const reading *inner, const char *path)
{
    while (inner && !qn_file_is_same(inner->path, path)) inner = inner->outer;
    return inner != NULL;
}

/* Whether the text marks the beginning of this file, which says #pragma once. */
static bool was_read_once(const qn_text *text, const char *path, const char *content)
{
    char mark[4200];
    if (!strstr(content, "#pragma once") || !text->data) return false;
    snprintf(mark, sizeof mark, "#line 1 \"%.4096s\"\n", path);
    return strstr(text->data, mark) != NULL;
}

/* Append a file with the files that it includes; an include of a file that is being read stays for the compiler. */
static qn_status append_file(const char *path, const reading *outer, int depth, qn_text *text)
{
    char *content, *included, name[256];
    size_t size;
    if (depth > DEEPEST) return QN_FAIL(QN_BAD_FORMAT, "%s: includes nest deeper than %d files", path, DEEPEST);
    QN_TRY(qn_file_read(path, &content, &size));
    const reading own = {outer, path};
    if (was_read_once(text, path, content)) {
        qn_release(&content);
        return QN_OK;
    }
    qn_status status = qn_text_append(text, "#line 1 \"%s\"\n", path);
    int number = 1;
    for (char *line = content, *next; line && *line && status == QN_OK; line = next, number++) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        included = NULL;
        if (find_include(line, name)) status = qn_t1_path_beside(path, name, &included);
        if (status == QN_OK && included && qn_file_exists(included) && !is_being_read(&own, included)) {
            status = append_file(included, &own, depth + 1, text);
            if (status == QN_OK) status = qn_text_append(text, "#line %d \"%s\"\n", number + 1, path);
        } else if (status == QN_OK) {
            status = qn_text_append(text, "%s\n", line);
        }
        qn_release(&included);
    }
    qn_release(&content);
    return status;
}

qn_status qn_t1_source_read(const char *path, char **source)
{
    qn_text text = {0};
    qn_status status = append_file(path, NULL, 0, &text);
    if (status != QN_OK) qn_text_clear(&text);
    *source = text.data;
    return status;
}
