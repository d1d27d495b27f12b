#include "report/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/json.h"

/* A list of texts as stored in the options. */
typedef struct text_list {
    const char *const *texts;
    size_t count;
} text_list;

static json_t *number_of(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The largest number means no limit. */
static json_t *whole_of(uint64_t value)
{
    return value == UINT64_MAX ? json_null() : qn_json_unsigned(value);
}

static json_t *numbers_of(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, number_of(values[i]));
    return list;
}

static json_t *sizes_of(const int *sizes, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count && sizes[i] > 0; i++) json_array_append_new(list, json_integer(sizes[i]));
    return list;
}

static json_t *texts_of(const char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, qn_json_text(texts[i]));
    return list;
}

static json_t *word_of(const qn_option *row, const void *options)
{
    char text[64];
    qn_option_format(row, options, text, sizeof text);
    return qn_json_text(text);
}

static json_t *value_of(const qn_option *row, const void *options)
{
    const void *field = (const char *)options + row->offset;
    const uint64_t *whole = field;
    switch (row->kind) {
    case QN_OPTION_FLAG:
    case QN_OPTION_UNLESS: return json_boolean(*(const bool *)field);
    case QN_OPTION_INTEGER: return json_integer(*(const int *)field);
    case QN_OPTION_QUOTA: return *(const int *)field < 0 ? word_of(row, options) : json_integer(*(const int *)field);
    case QN_OPTION_WHOLE: return row->group == QN_OPTION_RUN ? qn_json_unsigned(*whole) : whole_of(*whole);
    case QN_OPTION_BYTES: return qn_json_unsigned(*whole);
    case QN_OPTION_NUMBER:
    case QN_OPTION_SECONDS: return number_of(*(const double *)field);
    case QN_OPTION_RANGE: return json_pack("[o, o]", whole_of(whole[0]), whole_of(whole[1]));
    case QN_OPTION_BOX: return numbers_of(field, 6);
    case QN_OPTION_PERCENTS: return numbers_of(field, 3);
    case QN_OPTION_SIZES: return sizes_of(field, row->count);
    case QN_OPTION_ENUM: return word_of(row, options);
    case QN_OPTION_TEXTS: return texts_of(((const text_list *)field)->texts, ((const text_list *)field)->count);
    case QN_OPTION_PAIR: return texts_of(field, 2);
    case QN_OPTION_TEXT:
    case QN_OPTION_PATH:
    case QN_OPTION_SHARE: break;
    }
    return qn_json_text(*(const char *const *)field);
}

static void name_of(const qn_option *row, char *name, size_t bytes)
{
    const char *unit = row->kind == QN_OPTION_BYTES ? "bytes" : row->kind == QN_OPTION_SECONDS ? "s" : row->unit;
    snprintf(name, bytes, "%s%s%s", row->name, unit ? "_" : "", unit ? unit : "");
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';
}

json_t *qn_json_options(const qn_option_table *table, const void *options)
{
    json_t *json = json_object();
    qn_option row;
    for (size_t i = 0; qn_option_row(table, i, &row); i++) {
        char name[64];
        name_of(&row, name, sizeof name);
        json_object_set_new(json, name, value_of(&row, options));
    }
    return json;
}
