#include "score/coefficients.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

/* Fitted to ten complexes of known structure with bench/dock_fit.c; docs/performance.md has the results. */
static const qn_coefficients shipped[] = {
    /* name, w_rep, w_attr, w_elec, w_pair, reach, D, core, cap, CDRs only */
    {"balanced", 0.40, -0.30, 325, 1.00, 4.8, 4.0, 150, INFINITY, false},
    {"electrostatic", 0.40, -0.35, 550, 1.00, 4.8, 4.0, 87.5, INFINITY, false},
    {"neutral", 0.40, -0.20, 75, 1.00, 4.8, 4.0, 175, INFINITY, false},
};

/* Families: several sets under one name. */
static const struct {
    char name[QN_COEFFICIENTS_NAME];
    const char *sets[4];
    bool cdrs_only;
} families[] = {
    {"others", {"balanced", "electrostatic", "neutral"}, false},
    {"antibody", {"balanced", "electrostatic", "neutral"}, true},
};

typedef struct set_list {
    qn_coefficients *sets;
    size_t count, capacity;
} set_list;

/* Add a set. Messages begin with file and line; `line` 0: a shipped set. */
static qn_status add_set(set_list *list, const qn_coefficients *set, const char *path, size_t line)
{
    void *memory = list->sets;
    char place[32] = "";
    if (line) snprintf(place, sizeof place, ":%zu", line);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->sets[i].name, set->name) == 0)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s%s: coefficient set \"%s\" is given twice; expected each name once",
                           path, place, set->name);
    if (list->count == QN_COEFFICIENTS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s%s: more than %d coefficient sets; expected at most that many in a run",
                       path, place, QN_COEFFICIENTS_MAX);
    qn_status status = qn_grow(&memory, &list->capacity, list->count + 1, sizeof *set);
    list->sets = memory;
    QN_TRY(status);
    list->sets[list->count++] = *set;
    return QN_OK;
}

/* Find the next word of a line: [*start, *start + length). Returns its length, 0 at the end of the line. */
static size_t next_word(const char **start, const char *end)
{
    while (*start < end && strchr(" \t\r", **start)) ++*start;
    const char *at = *start;
    while (at < end && !strchr(" \t\r", *at)) at++;
    return (size_t)(at - *start);
}

/* Numbers of a line, after the name. */
enum { REPULSION, ATTRACTION, ELECTROSTATIC, PAIR, REACH, LENGTH, CORE, CAP, NUMBERS };

static const struct {
    const char *name;
    double low, high;
} columns[NUMBERS] = {
    {"w_rep", -1e6, 1e6}, {"w_attr", -1e6, 1e6}, {"w_elec", -1e6, 1e6}, {"w_pair", -1e6, 1e6},
    {"reach", 0, 12},     {"D", 0.1, 100},       {"core", 0, 1e6},      {"cap", 1, 1e6},
};

static qn_status read_number(const char *path, size_t line, int column, const char *word, size_t length, double *value)
{
    char text[40] = "", *end = text;
    if (length == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s:%zu: the line ends before %s; expected name w_rep w_attr w_elec w_pair reach D core cap",
                       path, line, columns[column].name);
    if (length < sizeof text) memcpy(text, word, length);
    if (column == CAP && strcmp(text, "none") == 0) {
        *value = INFINITY;
        return QN_OK;
    }
    bool plain = text[strspn(text, "0123456789+-.eE")] == '\0'; /* neither hexadecimal nor nan */
    if (plain) *value = strtod(text, &end);
    if (!plain || end == text || *end || !(*value >= columns[column].low && *value <= columns[column].high))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: %s is \"%.*s\"; expected a number from %g to %g%s", path, line,
                       columns[column].name, (int)(length < 40 ? length : 40), word, columns[column].low,
                       columns[column].high, column == CAP ? " or none" : "");
    return QN_OK;
}

/* Whether a word is a name: letters, digits, - and _, since names become folders. */
static bool is_name(const char *word, size_t length)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (size_t i = 0; i < length; i++)
        if (!strchr(allowed, word[i])) return false;
    return length > 0 && length < QN_COEFFICIENTS_NAME && word[0] != '-';
}

static qn_status read_set(const char *path, size_t line, const char *start, const char *end, qn_coefficients *set)
{
    double values[NUMBERS];
    size_t length = next_word(&start, end);
    if (!is_name(start, length))
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s:%zu: the name of the set is \"%.*s\"; expected at most %d letters, digits, - and _, the first not -",
            path, line, (int)(length < 60 ? length : 60), start, QN_COEFFICIENTS_NAME - 1);
    memset(set, 0, sizeof *set);
    memcpy(set->name, start, length);
    for (int column = 0; column < NUMBERS; column++) {
        start += length;
        length = next_word(&start, end);
        QN_TRY(read_number(path, line, column, start, length, &values[column]));
    }
    start += length;
    length = next_word(&start, end);
    if (length)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%.*s\" follows cap; expected nothing after the nine fields of a set",
                       path, line, (int)(length < 60 ? length : 60), start);
    set->repulsion = values[REPULSION];
    set->attraction = values[ATTRACTION];
    set->electrostatic = values[ELECTROSTATIC];
    set->pair = values[PAIR];
    set->reach_angstrom = values[REACH];
    set->length_angstrom = values[LENGTH];
    set->core = values[CORE];
    set->cap = values[CAP];
    return QN_OK;
}

static qn_status read_file(const char *path, set_list *list)
{
    char *data;
    size_t size, line = 0, before = list->count;
    qn_status status = QN_OK;
    QN_TRY(qn_file_read(path, &data, &size));
    if (memchr(data, '\0', size))
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                              "%s: it holds a zero byte; expected a text file of coefficient sets", path);
    for (const char *at = data, *last = data + size; at < last && status == QN_OK;) {
        const char *newline = memchr(at, '\n', (size_t)(last - at)), *next = newline ? newline + 1 : last;
        const char *end = newline ? newline : last, *comment = memchr(at, '#', (size_t)(end - at));
        qn_coefficients set;
        line++;
        if (comment) end = comment;
        if (next_word(&at, end)) {
            status = read_set(path, line, at, end, &set);
            if (status == QN_OK) status = add_set(list, &set, path, line);
        }
        at = next;
    }
    qn_release(&data);
    if (status == QN_OK && list->count == before)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: no coefficient set; expected lines of name w_rep w_attr w_elec w_pair reach D core cap",
                       path);
    return status;
}

static const qn_coefficients *find_shipped(const char *name)
{
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++)
        if (strcmp(name, shipped[i].name) == 0) return &shipped[i];
    return NULL;
}

/* Add a set, a family or the sets of a file. */
static qn_status add_named(set_list *list, const char *name)
{
    static const char place[] = "coefficients";
    const qn_coefficients *set = find_shipped(name);
    if (set) return add_set(list, set, place, 0);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        if (strcmp(name, families[f].name) != 0) continue;
        for (size_t i = 0; i < sizeof families[f].sets / sizeof *families[f].sets && families[f].sets[i]; i++) {
            qn_coefficients member = *find_shipped(families[f].sets[i]);
            member.cdrs_only = families[f].cdrs_only;
            QN_TRY(add_set(list, &member, place, 0));
        }
        return QN_OK;
    }
    if (!qn_file_exists(name))
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "coefficients are \"%s\"; expected balanced, electrostatic, neutral, others, antibody or a weights file "
            "that exists",
            name);
    return read_file(name, list);
}

static qn_status finish(set_list *list, qn_status status, qn_coefficients **sets, size_t *count)
{
    if (status != QN_OK) {
        qn_release(&list->sets);
        return status;
    }
    *sets = list->sets;
    *count = list->count;
    return QN_OK;
}

qn_status qn_coefficients_find(const char *text, qn_coefficients **sets, size_t *count)
{
    set_list list = {0};
    qn_status status = QN_OK;
    for (const char *at = text; status == QN_OK;) {
        char name[4096];
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name) {
            status =
                qn_error_set(QN_INVALID_ARGUMENT, __FILE__, __LINE__,
                             "coefficients are \"%s\"; expected names or a file, separated by single commas", text);
            break;
        }
        memcpy(name, at, length);
        name[length] = '\0';
        status = add_named(&list, name);
        at += length;
        if (*at++ == '\0') break;
    }
    return finish(&list, status, sets, count);
}

qn_status qn_coefficients_read(const char *path, qn_coefficients **sets, size_t *count)
{
    set_list list = {0};
    return finish(&list, read_file(path, &list), sets, count);
}
