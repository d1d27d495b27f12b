/* Tables of options: rows, defaults, and the check of all values. */
#include <string.h>

#include "base/error.h"
#include "base/locale.h"
#include "base/sized_struct.h"
#include "option/run_rows.h"
#include "option/value.h"

/* A list of texts as stored in the options. */
typedef struct text_list {
    const char *const *texts;
    size_t count;
} text_list;

/* ---- rows ---- */

static qn_option merge(qn_option row)
{
    const qn_option *like = row.like;
    if (!like) return row;
    const bool has_range = row.least != 0 || row.most != 0;
    if (!row.name) row.name = like->name;
    if (!row.letter) row.letter = like->letter;
    if (!row.argument) row.argument = like->argument;
    if (!row.choices) row.choices = like->choices;
    if (!row.fallback) row.fallback = like->fallback;
    if (!row.fallback_meaning) row.fallback_meaning = like->fallback_meaning;
    if (!row.unit) row.unit = like->unit;
    if (!row.meaning) row.meaning = like->meaning;
    if (row.group == QN_OPTION_OWN) row.group = like->group;
    if (!row.count) row.count = like->count;
    if (!has_range) row.least = like->least, row.most = like->most;
    row.kind = like->kind;
    row.offset += like->offset;
    row.required |= like->required;
    row.by_commands |= like->by_commands;
    row.is_output |= like->is_output;
    row.like = NULL;
    return row;
}

bool qn_option_row(const qn_option_table *table, size_t index, qn_option *row)
{
    *row = (qn_option){0};
    for (size_t i = 0; i <= index; i++)
        if (!table->rows[i].name && !table->rows[i].like) return false;
    *row = merge(table->rows[index]);
    return true;
}

bool qn_option_find(const qn_option_table *table, const char *name, qn_option *row)
{
    for (size_t i = 0; qn_option_row(table, i, row); i++)
        if (strcmp(row->name, name) == 0) return true;
    return false;
}

/* ---- values ---- */

static const void *field_of(const qn_option *row, const void *options)
{
    return (const char *)options + row->offset;
}

/* Read a row's default. A default that cannot be read is a mistake in the table, found by the tables' test; the value
 * is then 0. */
static void read_default(const qn_option *row, qn_option_value *value)
{
    const char *fallback = row->fallback ? row->fallback : row->kind == QN_OPTION_UNLESS ? "yes" : NULL;
    memset(value, 0, sizeof *value);
    if (fallback && *fallback && !qn_option_read(row, fallback, value)) memset(value, 0, sizeof *value);
}

void qn_option_defaults(const qn_option_table *table, void *options, size_t size)
{
    qn_option row;
    const qn_locale outer = qn_locale_enter();
    memset(options, 0, size);
    for (size_t i = 0; qn_option_row(table, i, &row); i++) {
        qn_option_value value;
        const size_t bytes = qn_option_bytes(&row);
        read_default(&row, &value);
        if (row.offset + bytes <= size) memcpy((char *)options + row.offset, &value, bytes);
    }
    *(size_t *)options = size;
    qn_locale_return(outer);
}

/* NULL means that a text is not given: it gets its default. */
static void complete_texts(const qn_option_table *table, void *own)
{
    qn_option row;
    for (size_t i = 0; qn_option_row(table, i, &row); i++) {
        const char **text = (const char **)((char *)own + row.offset);
        if (qn_option_is_text(row.kind) && !*text && row.fallback && *row.fallback) *text = row.fallback;
    }
}

qn_status qn_option_take(const qn_option_table *table, const void *given, void *own)
{
    qn_option_defaults(table, own, table->size);
    QN_TRY(qn_sized_struct_copy(own, table->size, given, table->program));
    complete_texts(table, own);
    return QN_OK;
}

bool qn_option_is_default(const qn_option *row, const void *options)
{
    qn_option_value value;
    const void *field = field_of(row, options);
    if (row->kind == QN_OPTION_TEXTS) return ((const text_list *)field)->count == 0;
    const qn_locale outer = qn_locale_enter();
    read_default(row, &value);
    qn_locale_return(outer);
    if (!qn_option_is_text(row->kind)) return memcmp(field, &value, qn_option_bytes(row)) == 0;
    const char *text = *(const char *const *)field;
    return text == value.text || (text && value.text && strcmp(text, value.text) == 0);
}

size_t qn_option_format(const qn_option *row, const void *options, char *text, size_t bytes)
{
    qn_option_value value;
    memset(&value, 0, sizeof value);
    memcpy(&value, field_of(row, options), qn_option_bytes(row));
    const qn_locale outer = qn_locale_enter();
    const size_t length = qn_option_write(row, &value, text, bytes);
    qn_locale_return(outer);
    return length;
}

static qn_status check_texts(const qn_option *row, const char *const *texts, size_t count)
{
    if (!texts && count > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s%s: the list of %zu texts is NULL; expected texts",
                       row->group == QN_OPTION_ARGUMENT ? "" : "--",
                       row->group == QN_OPTION_ARGUMENT ? row->argument : row->name, count);
    for (size_t i = 0; i < count; i++)
        if (!texts[i] || !*texts[i]) return qn_option_refuse(row, "");
    return QN_OK;
}

static qn_status set(const qn_option *row, const char *text, void *options)
{
    qn_option_value value;
    const bool is_default = row->fallback && strcmp(text, row->fallback) == 0;
    if (!qn_option_read(row, text, &value) || (!is_default && !qn_option_is_within(row, &value)))
        return qn_option_refuse(row, text);
    memcpy((char *)options + row->offset, &value, qn_option_bytes(row));
    return QN_OK;
}

qn_status qn_option_set(const qn_option *row, const char *text, void *options)
{
    if (row->kind == QN_OPTION_TEXTS || row->kind == QN_OPTION_PAIR)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--%s is a list of texts; expected qn_option_set_texts to set it",
                       row->name);
    const qn_locale outer = qn_locale_enter();
    const qn_status status = set(row, text, options);
    qn_locale_return(outer);
    return status;
}

qn_status qn_option_set_texts(const qn_option *row, const char *const *texts, size_t count, void *options)
{
    void *field = (char *)options + row->offset;
    if (row->kind != QN_OPTION_TEXTS && row->kind != QN_OPTION_PAIR)
        return QN_FAIL(QN_INVALID_ARGUMENT, "--%s is one value; expected qn_option_set to set it", row->name);
    QN_TRY(check_texts(row, texts, count));
    if (row->kind == QN_OPTION_PAIR)
        memcpy(field, texts, count < 2 ? count * sizeof *texts : 2 * sizeof *texts);
    else
        *(text_list *)field = (text_list){texts, count};
    return QN_OK;
}

/* ---- checks ---- */

static qn_status refuse_missing(const qn_option *row)
{
    if (row->group == QN_OPTION_ARGUMENT) return QN_FAIL(QN_INVALID_ARGUMENT, "%s is missing", row->argument);
    return QN_FAIL(QN_INVALID_ARGUMENT, "--%s %s is missing", row->name, row->argument);
}

static bool is_required(const qn_option *row)
{
    return row->required && !row->by_commands;
}

static qn_status check_list(const qn_option *row, const text_list *list)
{
    return list->count == 0 && is_required(row) ? refuse_missing(row) : check_texts(row, list->texts, list->count);
}

/* If only commands require a pair, a program may leave out either text and give that input in memory. */
static qn_status check_pair(const qn_option *row, const char *const pair[2])
{
    if (!pair[0] && !pair[1]) return is_required(row) ? refuse_missing(row) : QN_OK;
    if (!row->by_commands) return check_texts(row, pair, 2);
    for (int i = 0; i < 2; i++)
        if (pair[i]) QN_TRY(check_texts(row, &pair[i], 1));
    return QN_OK;
}

static qn_status check_row(const qn_option *row, const void *options)
{
    char text[QN_OPTION_TEXT_MAX];
    qn_option_value value;
    const void *field = field_of(row, options);
    if (row->kind == QN_OPTION_TEXTS) return check_list(row, field);
    if (row->kind == QN_OPTION_PAIR) return check_pair(row, field);
    if (qn_option_is_text(row->kind)) {
        const char *given = *(const char *const *)field;
        if (!given) return is_required(row) ? refuse_missing(row) : QN_OK;
        return qn_option_read(row, given, &value) ? QN_OK : qn_option_refuse(row, given);
    }
    if (qn_option_is_default(row, options)) return is_required(row) ? refuse_missing(row) : QN_OK;
    qn_option_format(row, options, text, sizeof text);
    return qn_option_read(row, text, &value) && qn_option_is_within(row, &value) ? QN_OK : qn_option_refuse(row, text);
}

static bool is_yes(const qn_option_table *table, qn_run_row which, const void *options)
{
    qn_option row;
    return qn_option_find(table, qn_run_rows[which].name, &row) && *(const bool *)field_of(&row, options);
}

qn_status qn_option_check_given(const qn_option_table *table, const void *options, const char *name)
{
    return table->check_given ? table->check_given(options, name) : QN_OK;
}

static qn_status check_all(const qn_option_table *table, const void *options)
{
    qn_option row;
    for (size_t i = 0; qn_option_row(table, i, &row); i++) QN_TRY(check_row(&row, options));
    for (size_t i = 0; qn_option_row(table, i, &row); i++)
        if (!qn_option_is_default(&row, options)) QN_TRY(qn_option_check_given(table, options, row.name));
    if (is_yes(table, QN_RUN_RESUME, options) && is_yes(table, QN_RUN_OVERWRITE, options))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--resume and --overwrite are both given; expected one of the two");
    return table->check ? table->check(options) : QN_OK;
}

qn_status qn_option_check(const qn_option_table *table, const void *options)
{
    const qn_locale outer = qn_locale_enter();
    const qn_status status = check_all(table, options);
    qn_locale_return(outer);
    return status;
}

qn_status qn_option_check_command(const qn_option_table *table, const void *options)
{
    qn_option row;
    for (size_t i = 0; qn_option_row(table, i, &row); i++)
        if (row.by_commands && qn_option_is_default(&row, options)) return refuse_missing(&row);
    return qn_option_check(table, options);
}
