#include "tune/recorded/recorded_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "tune/recorded/builder.h"
#include "tune/space/space.h"

enum { BYTES_MAX = 1 << 30 }; /* of an unpacked file */

const char *const qn_recorded_space_launch_columns[5] = {"global_size", "local_size", "registers", "local_memory_bytes",
                                                         "private_memory_bytes"};

/* ---- The builder ---- */

qn_status qn_recorded_space_add_parameter(qn_recorded_space_builder *builder, const char *name)
{
    if (builder->parameter_count == QN_SPACE_PARAMETERS_MAX)
        return QN_FAIL(QN_BAD_FORMAT, "%s: parameter %s is one too many; expected at most %d", builder->path, name,
                       QN_SPACE_PARAMETERS_MAX);
    QN_TRY(qn_text_copy(name, &builder->parameters[builder->parameter_count]));
    builder->parameter_count++;
    return QN_OK;
}

qn_status qn_recorded_space_add_row(qn_recorded_space_builder *builder, const qn_value *values, const qn_test *test)
{
    size_t width = builder->parameter_count;
    void *memory = builder->values;
    qn_status status = qn_grow(&memory, &builder->value_capacity, (builder->row_count + 1) * width, sizeof *values);
    builder->values = memory;
    QN_TRY(status);
    memory = builder->tests;
    status = qn_grow(&memory, &builder->test_capacity, builder->row_count + 1, sizeof *test);
    builder->tests = memory;
    QN_TRY(status);
    memcpy(builder->values + builder->row_count * width, values, width * sizeof *values);
    builder->tests[builder->row_count] = *test;
    if (test->outcome != QN_TEST_CORRECT) builder->tests[builder->row_count].objective = INFINITY;
    builder->row_count++;
    return QN_OK;
}

static qn_status counter_number(qn_recorded_space_builder *builder, const char *name, size_t *number)
{
    for (*number = 0; *number < builder->counter_count; ++*number)
        if (strcmp(builder->counter_names[*number], name) == 0) return QN_OK;
    void *memory = builder->counter_names;
    qn_status status =
        qn_grow(&memory, &builder->counter_name_capacity, builder->counter_count + 1, sizeof *builder->counter_names);
    builder->counter_names = memory;
    QN_TRY(status);
    QN_TRY(qn_text_copy(name, &builder->counter_names[builder->counter_count]));
    builder->counter_count++;
    return QN_OK;
}

qn_status qn_recorded_space_add_counter(qn_recorded_space_builder *builder, const char *name, double value)
{
    size_t number;
    QN_TRY(counter_number(builder, name, &number));
    void *memory = builder->counters;
    qn_status status =
        qn_grow(&memory, &builder->counter_value_capacity, builder->counter_value_count + 1, sizeof *builder->counters);
    builder->counters = memory;
    QN_TRY(status);
    builder->counters[builder->counter_value_count++] =
        (struct qn_recorded_space_counter){.row = builder->row_count - 1, .counter = number, .value = value};
    return QN_OK;
}

static double number_of(const qn_value *value)
{
    return value->kind == QN_REAL      ? value->as.real
           : value->kind == QN_INTEGER ? (double)value->as.integer
                                       : (double)value->as.boolean;
}

/* Order of values: numbers by size, then texts by their bytes. */
static int compare_values(const void *left, const void *right)
{
    const qn_value *a = left, *b = right;
    bool a_text = a->kind == QN_TEXT, b_text = b->kind == QN_TEXT;
    if (a_text != b_text) return a_text - b_text;
    if (a_text) return strcmp(a->as.text, b->as.text);
    if (a->kind == QN_INTEGER && b->kind == QN_INTEGER)
        return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
    return (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
}

/* Get the different values of a parameter in all rows; the caller releases *values with qn_release. */
static qn_status values_in_rows(const qn_recorded_space_builder *b, size_t parameter, qn_value **values, size_t *count)
{
    void *memory;
    QN_TRY(qn_allocate(b->row_count, sizeof **values, &memory));
    qn_value *found = *values = memory;
    for (size_t i = 0; i < b->row_count; i++) found[i] = b->values[i * b->parameter_count + parameter];
    qsort(found, b->row_count, sizeof *found, compare_values);
    size_t kept = 0;
    for (size_t i = 0; i < b->row_count; i++)
        if (kept == 0 || !qn_value_equal(&found[kept - 1], &found[i])) found[kept++] = found[i];
    *count = kept;
    return QN_OK;
}

static qn_status add_to_space(const qn_recorded_space_builder *b, size_t parameter, qn_space *space)
{
    if (b->orders[parameter]) { /* number_rows checks that rows have no other values */
        const qn_value *order = b->orders[parameter];
        size_t usual = 0, listed = b->order_counts[parameter];
        while (usual < listed && !qn_value_equal(&order[usual], &b->values[parameter])) usual++;
        return qn_space_add(space, b->parameters[parameter], order, listed, order[usual < listed ? usual : 0]);
    }
    qn_value *values = NULL;
    size_t count;
    QN_TRY(values_in_rows(b, parameter, &values, &count));
    qn_status status = qn_space_add(space, b->parameters[parameter], values, count, b->values[parameter]);
    qn_release(&values);
    return status;
}

/* Replace the rows' values by the values' numbers. */
static qn_status number_rows(const qn_recorded_space_builder *b, const qn_space *space, uint16_t *rows)
{
    for (size_t i = 0; i < b->row_count; i++)
        for (size_t p = 0; p < b->parameter_count; p++) {
            size_t number;
            char text[64];
            const qn_value *value = &b->values[i * b->parameter_count + p];
            if (!qn_space_find_value(space, p, value, &number)) {
                qn_value_format(value, text, sizeof text);
                return QN_FAIL(QN_BAD_FORMAT, "%s: configuration %zu has %s = %s, which is none of its listed values",
                               b->path, i + 1, b->parameters[p], text);
            }
            rows[i * b->parameter_count + p] = (uint16_t)number;
        }
    return QN_OK;
}

/* Sort tests and counters by point. If a configuration occurs twice, the later row counts. */
static qn_status place_rows(const qn_recorded_space_builder *b, const uint16_t *rows, qn_recorded_space *record)
{
    void *memory;
    size_t size = (size_t)qn_space_size(record->space);
    QN_TRY(qn_allocate(size, sizeof *record->tests, &memory));
    record->tests = memory;
    QN_TRY(qn_allocate(b->row_count, sizeof(qn_point), &memory));
    qn_point *points = memory;
    for (size_t i = 0; i < b->row_count; i++)
        if (qn_space_find(record->space, rows + i * b->parameter_count, &points[i]))
            record->tests[points[i]] = b->tests[i];
    qn_status status = qn_allocate(size * b->counter_count, sizeof *record->counters, &memory);
    record->counters = memory;
    if (status == QN_OK) {
        for (size_t i = 0; i < size * b->counter_count; i++) record->counters[i] = NAN;
        for (size_t i = 0; i < b->counter_value_count; i++)
            record->counters[points[b->counters[i].row] * b->counter_count + b->counters[i].counter] =
                b->counters[i].value;
        for (size_t i = 0; i < size && b->counter_count; i++) {
            record->tests[i].counters = record->counters + i * b->counter_count;
            record->tests[i].counter_count = b->counter_count;
        }
    }
    qn_release(&points);
    return status;
}

static qn_status fill(qn_recorded_space_builder *b, qn_recorded_space *record)
{
    void *memory;
    if (b->row_count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: no configurations; expected at least one", b->path);
    QN_TRY(qn_text_copy(b->name ? b->name : "", &record->name));
    QN_TRY(qn_text_copy(b->device ? b->device : "", &record->device));
    QN_TRY(qn_space_create(record->name[0] ? record->name : qn_path_name(b->path), &record->space));
    for (size_t p = 0; p < b->parameter_count; p++) {
        qn_status status = add_to_space(b, p, record->space);
        if (status != QN_OK) return qn_error_add_context(status, "%s", b->path);
    }
    QN_TRY(qn_allocate(b->row_count * b->parameter_count, sizeof(uint16_t), &memory));
    uint16_t *rows = memory;
    qn_status status = number_rows(b, record->space, rows);
    if (status == QN_OK) status = qn_space_take_rows(record->space, rows, b->row_count);
    if (status == QN_OK) status = place_rows(b, rows, record);
    record->counter_names = b->counter_names;
    record->counter_count = b->counter_count;
    b->counter_names = NULL;
    b->counter_count = 0;
    qn_release(&rows);
    return status;
}

void qn_recorded_space_builder_clear(qn_recorded_space_builder *b)
{
    for (size_t i = 0; i < QN_SPACE_PARAMETERS_MAX; i++) {
        qn_release(&b->parameters[i]);
        qn_release(&b->orders[i]);
    }
    for (size_t i = 0; i < b->counter_count; i++) qn_release(&b->counter_names[i]);
    qn_release(&b->counter_names);
    qn_release(&b->counters);
    qn_release(&b->values);
    qn_release(&b->tests);
    qn_release(&b->name);
    qn_release(&b->device);
}

qn_status qn_recorded_space_build(qn_recorded_space_builder *builder, qn_recorded_space **record)
{
    void *memory;
    *record = NULL;
    QN_TRY(qn_allocate(1, sizeof **record, &memory));
    *record = memory;
    qn_status status = fill(builder, *record);
    if (status != QN_OK) qn_recorded_space_destroy(record);
    return status == QN_INVALID_ARGUMENT ? QN_BAD_FORMAT : status;
}

/* ---- Functions that the formats share ---- */

qn_status qn_recorded_space_value(const qn_recorded_space_builder *builder, const char *where, const char *name,
                                  const json_t *json, qn_value *value)
{
    switch (json ? json_typeof(json) : JSON_NULL) {
    case JSON_INTEGER: *value = qn_value_integer(json_integer_value(json)); return QN_OK;
    case JSON_REAL: *value = qn_value_real(json_real_value(json)); return QN_OK;
    case JSON_TRUE:
    case JSON_FALSE: *value = qn_value_boolean(json_is_true(json)); return QN_OK;
    case JSON_STRING: *value = qn_value_text(json_string_value(json)); return QN_OK;
    default:
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: parameter %s has %s; expected a number, a text, true or false",
                       builder->path, where, name,
                       !json                ? "no value"
                       : json_is_null(json) ? "null"
                                            : "a list or object");
    }
}

json_t *qn_recorded_space_value_to_json(const qn_value *value)
{
    switch (value->kind) {
    case QN_INTEGER: return json_integer(value->as.integer);
    case QN_REAL: return json_real(value->as.real);
    case QN_BOOLEAN: return json_boolean(value->as.boolean);
    case QN_TEXT: return json_string(value->as.text);
    }
    return NULL;
}

double qn_recorded_space_unit_seconds(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"miliseconds", 1e-3},  {"milliseconds", 1e-3}, {"ms", 1e-3},           {"Milliseconds", 1e-3},
                 {"microseconds", 1e-6}, {"us", 1e-6},           {"Microseconds", 1e-6}, {"nanoseconds", 1e-9},
                 {"ns", 1e-9},           {"Nanoseconds", 1e-9},  {"seconds", 1},         {"s", 1},
                 {"Seconds", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0) return units[i].seconds;
    return 0;
}

double qn_recorded_space_seconds(const json_t *object, const char *key, double unit)
{
    double value = json_number_value(json_object_get(object, key));
    return value > 0 && value < 1e20 ? value * unit : 0;
}

double qn_recorded_space_spread(const json_t *times, double unit, double objective)
{
    double sum = 0, squares = 0, mean;
    size_t count = json_array_size(times);
    if (count < 2) return 0;
    for (size_t i = 0; i < count; i++) sum += json_number_value(json_array_get(times, i)) * unit;
    mean = sum / (double)count;
    if (!(fabs(mean - objective) <= 0.05 * objective)) return 0;
    for (size_t i = 0; i < count; i++) {
        double difference = json_number_value(json_array_get(times, i)) * unit - mean;
        squares += difference * difference;
    }
    return 1.96 * sqrt(squares / (double)(count - 1) / (double)count);
}

/* Returns whether the value is a time; failed configurations have a text or 1e20 instead. */
bool qn_recorded_space_is_objective(const json_t *json)
{
    return json_is_number(json) && json_number_value(json) < 1e20 && json_number_value(json) > 0;
}

double qn_recorded_space_counter_of(const qn_recorded_space *record, qn_point point, const char *name, double otherwise)
{
    for (size_t i = 0; i < record->counter_count; i++)
        if (strcmp(record->counter_names[i], name) == 0) {
            double value = record->counters[point * record->counter_count + i];
            return isnan(value) ? otherwise : value;
        }
    return otherwise;
}

qn_status qn_recorded_space_append_json(qn_text *text, json_t *json)
{
    char *dumped = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(json);
    if (!dumped) return QN_FAIL(QN_OUT_OF_MEMORY, "cannot allocate a line of JSON");
    qn_status status = qn_text_append_bytes(text, dumped, strlen(dumped));
    free(dumped);
    return status;
}

/* ---- Files ---- */

/* Parse the cache of an interrupted Kernel Tuner, which lacks the last braces and ends in a comma. */
static json_t *parse_unfinished(const char *data, size_t size)
{
    qn_text closed = {0};
    json_t *root = NULL;
    while (size > 0 && strchr(" \t\r\n", data[size - 1])) size--;
    if (size > 0 && data[size - 1] == ',') size--;
    if (qn_text_append_bytes(&closed, data, size) == QN_OK && qn_text_append(&closed, "}\n}") == QN_OK)
        root = json_loadb(closed.data, closed.length, 0, NULL);
    qn_text_clear(&closed);
    return root;
}

static qn_status parse(const char *path, const char *data, size_t size, json_t **root)
{
    json_error_t error;
    *root = json_loadb(data, size, 0, &error);
    if (!*root) *root = parse_unfinished(data, size);
    if (*root) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s:%d: no JSON: %s", path, error.line, error.text);
}

static qn_status read_root(qn_recorded_space_builder *builder, const json_t *root)
{
    if (json_is_array(json_object_get(root, "results"))) return qn_recorded_space_read_t4(builder, root);
    if (json_is_object(json_object_get(root, "cache"))) return qn_recorded_space_read_kernel_tuner(builder, root);
    if (json_is_array(json_object_get(root, "Results"))) return qn_recorded_space_read_ktt(builder, root);
    return QN_FAIL(
        QN_BAD_FORMAT,
        "%s: neither \"results\" (T4), \"cache\" (Kernel Tuner) nor \"Results\" (KTT); expected recorded results",
        builder->path);
}

static qn_status read_plain(const char *path, const char *data, size_t size, qn_recorded_space **record)
{
    qn_recorded_space_builder builder = {.path = path};
    json_t *root = NULL;
    qn_status status = parse(path, data, size, &root);
    if (status == QN_OK) status = read_root(&builder, root);
    if (status == QN_OK) status = qn_recorded_space_build(&builder, record);
    qn_recorded_space_builder_clear(&builder);
    json_decref(root);
    return status == QN_INVALID_ARGUMENT ? QN_BAD_FORMAT : status;
}

qn_status qn_recorded_space_read_memory(const char *path, const char *data, size_t size, qn_recorded_space **record)
{
    char *plain;
    size_t plain_size;
    *record = NULL;
    if (!qn_is_gzip(data, size)) return read_plain(path, data, size, record);
    QN_TRY(qn_gzip_unpack(path, data, size, BYTES_MAX, &plain, &plain_size));
    qn_status status = read_plain(path, plain, plain_size, record);
    qn_release(&plain);
    return status;
}

qn_status qn_recorded_space_read(const char *path, qn_recorded_space **record)
{
    char *data;
    size_t size;
    *record = NULL;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = qn_recorded_space_read_memory(path, data, size, record);
    qn_release(&data);
    return status;
}

qn_status qn_recorded_space_write(const qn_recorded_space *record, qn_recorded_space_format format, const char *path)
{
    qn_text text = {0};
    qn_status status = format == QN_RECORDED_T4             ? qn_recorded_space_write_t4(record, &text)
                       : format == QN_RECORDED_KERNEL_TUNER ? qn_recorded_space_write_kernel_tuner(record, &text)
                                                            : qn_recorded_space_write_ktt(record, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}

void qn_recorded_space_destroy(qn_recorded_space **record)
{
    qn_recorded_space *r = *record;
    if (!r) return;
    for (size_t i = 0; i < r->counter_count; i++) qn_release(&r->counter_names[i]);
    qn_release(&r->counter_names);
    qn_release(&r->counters);
    qn_release(&r->tests);
    qn_space_destroy(&r->space);
    qn_release(&r->name);
    qn_release(&r->device);
    qn_release(record);
}
