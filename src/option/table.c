/* Tables of options: rows, defaults, and the judgement of all values. */
#include <string.h>

#include "base/error.h"
#include "option/value.h"

/* A list of texts as it lies in the options. */
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
    row.like = NULL;
    return row;
}

bool qn_option_row(const qn_option_table *table, size_t index, qn_option *row)
{
    *row = merge(table->rows[index]);
    return row->name != NULL;
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

/* A default that cannot be read is a mistake in the table, which the tables' test finds: then it is 0. */
static void read_default(const qn_option *row, qn_option_value *value)
{
    const char *fallback = row->fallback ? row->fallback : row->kind == QN_OPTION_UNLESS ? "yes" : NULL;
    memset(value, 0, sizeof *value);
    if (fallback && *fallback && !qn_option_read(row, fallback, value)) memset(value, 0, sizeof *value);
}

void qn_option_defaults(const qn_option_table *table, void *options)
{
    qn_option row;
    memset(options, 0, table->size);
    for (size_t i = 0; qn_option_row(table, i, &row); i++) {
        qn_option_value value;
        read_default(&row, &value);
        memcpy((char *)options + row.offset, &value, qn_option_bytes(&row));
    }
}

bool qn_option_is_default(const qn_option *row, const void *options)
{
    qn_option_value value;
    const void *field = field_of(row, options);
    if (row->kind == QN_OPTION_TEXTS) return ((const text_list *)field)->count == 0;
    read_default(row, &value);
    if (!qn_option_is_text(row->kind)) return memcmp(field, &value, qn_option_bytes(row)) == 0;
    const char *text = *(const char *const *)field;
    return text == value.text || (text && value.text && strcmp(text, value.text) == 0);
}

size_t qn_option_format(const qn_option *row, const void *options, char *text, size_t bytes)
{
    qn_option_value value;
    memset(&value, 0, sizeof value);
    memcpy(&value, field_of(row, options), qn_option_bytes(row));
    return qn_option_write(row, &value, text, bytes);
}

qn_status qn_option_set(const qn_option *row, const char *text, void *options)
{
    qn_option_value value;
    const bool is_default = row->fallback && strcmp(text, row->fallback) == 0;
    if (!qn_option_read(row, text, &value) || (!is_default && !qn_option_is_within(row, &value)))
        return qn_option_refuse(row, text);
    memcpy((char *)options + row->offset, &value, qn_option_bytes(row));
    return QN_OK;
}

qn_status qn_option_set_texts(const qn_option *row, const char *const *texts, size_t count, void *options)
{
    void *field = (char *)options + row->offset;
    for (size_t i = 0; i < count; i++)
        if (!*texts[i]) return qn_option_refuse(row, "");
    if (row->kind == QN_OPTION_PAIR)
        memcpy(field, texts, count < 2 ? count * sizeof *texts : 2 * sizeof *texts);
    else
        *(text_list *)field = (text_list){texts, count};
    return QN_OK;
}

/* ---- judging ---- */

static qn_status refuse_missing(const qn_option *row)
{
    if (row->group == QN_OPTION_ARGUMENT) QN_FAIL(QN_INVALID_ARGUMENT, "%s is missing", row->argument);
    QN_FAIL(QN_INVALID_ARGUMENT, "--%s %s is missing", row->name, row->argument);
}

static qn_status check_texts(const qn_option *row, const char *const *texts, size_t count)
{
    if (count == 0 && row->required) return refuse_missing(row);
    for (size_t i = 0; i < count; i++)
        if (!texts[i] || !*texts[i]) return qn_option_refuse(row, "");
    return QN_OK;
}

static qn_status check_pair(const qn_option *row, const char *const pair[2])
{
    if (!pair[0] && !pair[1]) return row->required ? refuse_missing(row) : QN_OK;
    return check_texts(row, pair, 2);
}

static qn_status check_row(const qn_option *row, const void *options)
{
    char text[QN_OPTION_TEXT_MAX];
    qn_option_value value;
    const void *field = field_of(row, options);
    if (row->kind == QN_OPTION_TEXTS) {
        const text_list *list = field;
        return check_texts(row, list->texts, list->count);
    }
    if (row->kind == QN_OPTION_PAIR) return check_pair(row, field);
    if (qn_option_is_text(row->kind)) {
        const char *given = *(const char *const *)field;
        if (!given) return row->required ? refuse_missing(row) : QN_OK;
        return qn_option_read(row, given, &value) ? QN_OK : qn_option_refuse(row, given);
    }
    if (qn_option_is_default(row, options)) return row->required ? refuse_missing(row) : QN_OK;
    qn_option_format(row, options, text, sizeof text);
    return qn_option_read(row, text, &value) && qn_option_is_within(row, &value) ? QN_OK : qn_option_refuse(row, text);
}

static bool is_yes(const qn_option_table *table, qn_run_row which, const void *options)
{
    qn_option row;
    return qn_option_find(table, qn_run_rows[which].name, &row) && *(const bool *)field_of(&row, options);
}

qn_status qn_option_check(const qn_option_table *table, const void *options)
{
    qn_option row;
    for (size_t i = 0; qn_option_row(table, i, &row); i++) QN_TRY(check_row(&row, options));
    if (is_yes(table, QN_RUN_RESUME, options) && is_yes(table, QN_RUN_OVERWRITE, options))
        QN_FAIL(QN_INVALID_ARGUMENT, "--resume and --overwrite are both asked for; expected one of the two");
    return table->check ? table->check(options) : QN_OK;
}
