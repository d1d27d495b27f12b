/* The known actives of a library: a list of names, or a value of an SDF data item. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "screen/enrichment.h"

struct qn_screen_labels {
    char *text; /* content of the file, cut into names; or "item", a zero byte, "value"; NULL: names of the caller */
    const char **names; /* sorted, without duplicates; NULL: labels are values of an item */
    const char *value;
    size_t name_count;
};

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Remove blanks at both ends of the text; a zero byte is written at its new end. */
static char *trim(char *first, char *end)
{
    while (end > first && strchr(" \t\r", end[-1])) end--;
    *end = '\0';
    while (*first == ' ' || *first == '\t') first++;
    return first;
}

/* Sort names and remove duplicates. */
static void sort_names(qn_screen_labels *labels, size_t count)
{
    if (count > 0) qsort(labels->names, count, sizeof *labels->names, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(labels->names[i], labels->names[i - 1]) != 0)
            labels->names[labels->name_count++] = labels->names[i];
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
    sort_names(labels, count);
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
        return QN_FAIL(
            QN_NOT_FOUND,
            "%s: is not a file; expected a file with names of actives, or \"item=value\" of an SDF data item", source);
    size_t size;
    QN_TRY(qn_file_read(source, &labels->text, &size));
    if (memchr(labels->text, '\0', size))
        return QN_FAIL(QN_BAD_FORMAT, "%s: has a zero byte; expected a text file with one name of an active per line",
                       source);
    QN_TRY(cut_names(labels));
    if (labels->name_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: has no names of actives; expected one per line", source);
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

qn_status qn_screen_labels_of_names(const char *const *names, size_t count, qn_screen_labels **labels)
{
    void *memory;
    *labels = NULL;
    if (!names && count > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "active_names is NULL; expected %zu %s", count,
                       count == 1 ? "name of a molecule" : "names of molecules");
    for (size_t i = 0; i < count; i++)
        if (!names[i] || !names[i][0])
            return QN_FAIL(QN_INVALID_ARGUMENT, "active_names: name %zu is %s; expected the name of a molecule", i + 1,
                           names[i] ? "empty" : "NULL");
    QN_TRY(qn_allocate(1, sizeof(qn_screen_labels), &memory));
    *labels = memory;
    const qn_status status = qn_allocate(count, sizeof *names, &memory);
    if (status != QN_OK) {
        qn_screen_labels_destroy(labels);
        return status;
    }
    (*labels)->names = memory;
    memcpy(memory, names, count * sizeof *names);
    sort_names(*labels, count);
    return QN_OK;
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
