/* Which molecules of a library are known actives: by a list of names, or by the value of an SDF data item. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "screen/enrichment.h"

struct qn_screen_labels {
    char *text;         /* the file, cut into names; or "item" and, behind its zero byte, "value" */
    const char **names; /* in order, each once; NULL: labels are values of an item */
    const char *value;
    size_t name_count;
};

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The text between blanks at its ends; `end` is written. */
static char *trim(char *first, char *end)
{
    while (end > first && strchr(" \t\r", end[-1])) end--;
    *end = '\0';
    while (*first == ' ' || *first == '\t') first++;
    return first;
}

static qn_status cut_names(qn_screen_labels *labels)
{
    size_t capacity = 0, count = 0;
    void *names = NULL;
    for (char *line = labels->text, *end; line; line = end) {
        char *stop = strchr(line, '\n');
        end = stop ? stop + 1 : NULL;
        char *name = trim(line, stop ? stop : line + strlen(line));
        if (!*name || *name == '#') continue;
        const qn_status status = qn_grow(&names, &capacity, count + 1, sizeof *labels->names);
        labels->names = names;
        QN_TRY(status);
        labels->names[count++] = name;
    }
    if (count > 0) qsort(labels->names, count, sizeof *labels->names, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(labels->names[i], labels->names[i - 1]) != 0)
            labels->names[labels->name_count++] = labels->names[i];
    return QN_OK;
}

static qn_status read_source(const char *source, qn_screen_labels *labels)
{
    const char *equals = strchr(source, '=');
    if (!qn_file_exists(source) && equals && equals > source) {
        QN_TRY(qn_text_copy(source, &labels->text));
        labels->text[equals - source] = '\0';
        labels->value = labels->text + (equals - source) + 1;
        return QN_OK;
    }
    if (!qn_file_exists(source))
        QN_FAIL(QN_NOT_FOUND, "%s: no such file of names of actives, and not \"item=value\" of an SDF data item",
                source);
    size_t size;
    QN_TRY(qn_file_read(source, &labels->text, &size));
    if (memchr(labels->text, '\0', size))
        QN_FAIL(QN_BAD_FORMAT, "%s: a zero byte among names of actives, text of one name a line was expected", source);
    QN_TRY(cut_names(labels));
    if (labels->name_count == 0) QN_FAIL(QN_BAD_FORMAT, "%s: no name of an active, one a line was expected", source);
    return QN_OK;
}

qn_status qn_screen_labels_read(const char *source, qn_screen_labels **labels)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_screen_labels), &memory));
    *labels = memory;
    const qn_status status = read_source(source, *labels);
    if (status != QN_OK) qn_screen_labels_destroy(labels);
    return status;
}

void qn_screen_labels_destroy(qn_screen_labels **labels)
{
    if (!*labels) return;
    qn_release(&(*labels)->text);
    qn_release(&(*labels)->names);
    qn_release(labels);
}

bool qn_screen_labels_has_name(const qn_screen_labels *labels, const char *name)
{
    return labels->name_count > 0 &&
           bsearch(&name, labels->names, labels->name_count, sizeof *labels->names, by_text) != NULL;
}

bool qn_screen_labels_is_active(const qn_screen_labels *labels, const qn_compound *compound)
{
    if (!labels->value) return qn_screen_labels_has_name(labels, compound->name);
    const char *value = qn_compound_property_value(compound, labels->text);
    return value && strcmp(value, labels->value) == 0;
}

size_t qn_screen_labels_name_count(const qn_screen_labels *labels)
{
    return labels->name_count;
}
