/* Results of the Kernel Tuning Toolkit, with hardware counters; described in docs/formats/tuning.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/recorded/builder.h"

static const struct {
    const char *name;
    qn_test_outcome outcome;
} statuses[] = {{"Ok", QN_TEST_CORRECT},
                {"ComputationFailed", QN_TEST_LAUNCH},
                {"ValidationFailed", QN_TEST_WRONG},
                {"CompilationFailed", QN_TEST_BUILD},
                {"DeviceLimitsExceeded", QN_TEST_LIMITS}};

static qn_status read_configuration(qn_recorded_space_builder *b, size_t number, const char *where,
                                    const json_t *configuration, qn_value *values)
{
    size_t count = json_array_size(configuration);
    if (number > 0 && count != b->parameter_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s has %zu parameters; expected the %zu of the first", b->path, where, count,
                       b->parameter_count);
    for (size_t p = 0; p < count; p++) {
        const json_t *pair = json_array_get(configuration, p);
        const char *name = json_string_value(json_object_get(pair, "Name"));
        if (!name) return QN_FAIL(QN_BAD_FORMAT, "%s: %s: parameter %zu has no Name", b->path, where, p + 1);
        if (number == 0) QN_TRY(qn_recorded_space_add_parameter(b, name));
        if (strcmp(name, b->parameters[p]) != 0)
            return QN_FAIL(QN_BAD_FORMAT, "%s: %s: parameter %zu is %.60s; expected %s as in the first", b->path, where,
                           p + 1, name, b->parameters[p]);
        QN_TRY(qn_recorded_space_value(b, where, name, json_object_get(pair, "Value"), &values[p]));
    }
    if (count == 0) return QN_FAIL(QN_BAD_FORMAT, "%s: %s has no Configuration", b->path, where);
    return QN_OK;
}

static qn_status read_test(const qn_recorded_space_builder *b, const char *where, const json_t *result, double unit,
                           qn_test *test)
{
    const char *status = json_string_value(json_object_get(result, "Status"));
    const json_t *parts = json_object_get(result, "ComputationResults");
    size_t i = 0, count = sizeof statuses / sizeof *statuses;
    while (i < count && !(status && strcmp(status, statuses[i].name) == 0)) i++;
    if (i == count)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: %s: Status is \"%.40s\"; expected Ok, ComputationFailed, ValidationFailed, "
                       "CompilationFailed or DeviceLimitsExceeded",
                       b->path, where, status ? status : "");
    test->outcome = statuses[i].outcome;
    test->objective = qn_recorded_space_seconds(result, "TotalDuration", unit);
    if (test->outcome == QN_TEST_CORRECT && test->objective <= 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: TotalDuration of an Ok result is not a positive number", b->path, where);
    for (size_t k = 0; k < json_array_size(parts); k++)
        test->build_seconds += qn_recorded_space_seconds(json_array_get(parts, k), "Overhead", unit);
    if (json_array_size(parts) == 0) test->build_seconds = qn_recorded_space_seconds(result, "TotalOverhead", unit);
    test->run_seconds = qn_recorded_space_seconds(result, "TotalDuration", unit) +
                        qn_recorded_space_seconds(result, "DataMovementOverhead", unit) +
                        qn_recorded_space_seconds(result, "ValidationOverhead", unit);
    return QN_OK;
}

/* Work-items of a size in three dimensions. */
static double product(const json_t *size)
{
    static const char *const axes[] = {"X", "Y", "Z"};
    double items = 1;
    for (int i = 0; i < 3; i++) {
        const json_t *length = json_object_get(size, axes[i]);
        if (length) items *= json_number_value(length);
    }
    return items;
}

/* Read the counters of the first kernel and, as five more columns, its launch geometry and the compiler's report.
 * in_groups: GlobalSize counts groups, as in CUDA. */
static qn_status read_counters(qn_recorded_space_builder *b, const json_t *part, bool in_groups)
{
    const json_t *counters = json_object_get(json_object_get(part, "ProfilingData"), "Counters");
    const json_t *compilation = json_object_get(part, "CompilationData");
    const char *const compiled[] = {"RegistersCount", "LocalMemorySize", "PrivateMemorySize"};
    for (size_t i = 0; i < json_array_size(counters); i++) {
        const json_t *counter = json_array_get(counters, i), *value = json_object_get(counter, "Value");
        const char *name = json_string_value(json_object_get(counter, "Name"));
        if (name && json_is_number(value)) QN_TRY(qn_recorded_space_add_counter(b, name, json_number_value(value)));
    }
    double local = product(json_object_get(part, "LocalSize")), global = product(json_object_get(part, "GlobalSize"));
    if (json_object_get(part, "GlobalSize"))
        QN_TRY(
            qn_recorded_space_add_counter(b, qn_recorded_space_launch_columns[0], in_groups ? global * local : global));
    if (json_object_get(part, "LocalSize"))
        QN_TRY(qn_recorded_space_add_counter(b, qn_recorded_space_launch_columns[1], local));
    for (int i = 0; i < 3; i++) {
        const json_t *value = json_object_get(compilation, compiled[i]);
        if (json_is_number(value))
            QN_TRY(qn_recorded_space_add_counter(b, qn_recorded_space_launch_columns[2 + i], json_number_value(value)));
    }
    return QN_OK;
}

qn_status qn_recorded_space_read_ktt(qn_recorded_space_builder *b, const json_t *root)
{
    const json_t *metadata = json_object_get(root, "Metadata"), *results = json_object_get(root, "Results");
    const char *unit = json_string_value(json_object_get(metadata, "TimeUnit"));
    const char *device = json_string_value(json_object_get(metadata, "Device"));
    const char *size_type = json_string_value(json_object_get(metadata, "GlobalSizeType"));
    const char *kernel = json_string_value(json_object_get(json_array_get(results, 0), "KernelName"));
    double seconds = qn_recorded_space_unit_seconds(unit ? unit : "Microseconds");
    bool in_groups = !size_type || strcmp(size_type, "OpenCL") != 0;
    if (seconds == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: TimeUnit \"%.40s\" is not known; expected Nanoseconds, Microseconds, Milliseconds "
                       "or Seconds",
                       b->path, unit);
    QN_TRY(qn_text_copy(device ? device : "", &b->device));
    QN_TRY(qn_text_copy(kernel ? kernel : "", &b->name));
    for (size_t i = 0; i < json_array_size(results); i++) {
        char where[48];
        qn_value values[QN_SPACE_PARAMETERS_MAX];
        qn_test test = {0};
        const json_t *result = json_array_get(results, i);
        snprintf(where, sizeof where, "result %zu", i + 1);
        QN_TRY(read_configuration(b, i, where, json_object_get(result, "Configuration"), values));
        QN_TRY(read_test(b, where, result, seconds, &test));
        QN_TRY(qn_recorded_space_add_row(b, values, &test));
        QN_TRY(read_counters(b, json_array_get(json_object_get(result, "ComputationResults"), 0), in_groups));
    }
    return QN_OK;
}

/* ---- Writing ---- */

static json_t *configuration_of(const qn_recorded_space *record, qn_point point)
{
    static const char *const types[] = {"Int", "Double", "Bool", "String"};
    json_t *list = json_array();
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_space_get(record->space, point, numbers);
    for (size_t p = 0; p < qn_space_parameter_count(record->space); p++) {
        const qn_value *value = qn_space_value(record->space, p, numbers[p]);
        bool natural = value->kind == QN_INTEGER && value->as.integer >= 0;
        json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "Name", qn_space_parameter_name(record->space, p),
                                              "Value", qn_recorded_space_value_to_json(value), "ValueType",
                                              natural ? "UnsignedInt" : types[value->kind]));
    }
    return list;
}

static json_t *counters_of(const qn_recorded_space *record, qn_point point)
{
    json_t *list = json_array();
    for (size_t i = 0; i < record->counter_count; i++) {
        double value = record->counters[point * record->counter_count + i];
        bool launch = false;
        for (size_t k = 0; k < 5; k++)
            launch |= strcmp(record->counter_names[i], qn_recorded_space_launch_columns[k]) == 0;
        if (!launch && isfinite(value))
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:f}", "Name", record->counter_names[i], "Type", "Double", "Value", value));
    }
    return list;
}

/* Set a key to a number of the launch columns; no key if the number is not known. */
static void set_launch(json_t *object, const char *key, const qn_recorded_space *record, qn_point point,
                       const char *column)
{
    double value = qn_recorded_space_counter_of(record, point, column, NAN);
    if (isfinite(value)) json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *part_of(const qn_recorded_space *record, qn_point point)
{
    const qn_test *test = &record->tests[point];
    json_t *compilation = json_object();
    set_launch(compilation, "RegistersCount", record, point, "registers");
    set_launch(compilation, "LocalMemorySize", record, point, "local_memory_bytes");
    set_launch(compilation, "PrivateMemorySize", record, point, "private_memory_bytes");
    json_t *part = json_pack("{s:s, s:f, s:f, s:o, s:{s:o}}", "KernelFunction", record->name, "Duration",
                             test->objective * 1e6, "Overhead", test->build_seconds * 1e6, "CompilationData",
                             compilation, "ProfilingData", "Counters", counters_of(record, point));
    static const char *const sizes[2] = {"GlobalSize", "LocalSize"};
    for (int i = 0; i < 2; i++) {
        json_t *size = json_object();
        set_launch(size, "X", record, point, qn_recorded_space_launch_columns[i]);
        if (json_object_size(size))
            json_object_set_new(part, sizes[i], size);
        else
            json_decref(size);
    }
    return part;
}

static const char *status_of(qn_test_outcome outcome)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].outcome == outcome) return statuses[i].name;
    return "ComputationFailed"; /* a time-out or a crash */
}

qn_status qn_recorded_space_write_ktt(const qn_recorded_space *record, qn_text *text)
{
    QN_TRY(qn_text_append(text, "{\"Metadata\": "));
    QN_TRY(qn_recorded_space_append_json(text, json_pack("{s:s, s:s, s:s}", "Device", record->device, "GlobalSizeType",
                                                         "OpenCL", "TimeUnit", "Microseconds")));
    QN_TRY(qn_text_append(text, ", \"Results\": ["));
    for (qn_point point = 0; point < qn_space_size(record->space); point++) {
        const qn_test *test = &record->tests[point];
        bool correct = test->outcome == QN_TEST_CORRECT;
        double duration = correct ? test->objective : 0;
        double moved = test->run_seconds > duration ? test->run_seconds - duration : 0;
        json_t *parts = json_array();
        if (correct) json_array_append_new(parts, part_of(record, point));
        json_t *result = json_pack("{s:s, s:s, s:o, s:f, s:f, s:f, s:o}", "Status", status_of(test->outcome),
                                   "KernelName", record->name, "ComputationResults", parts, "TotalDuration",
                                   duration * 1e6, "TotalOverhead", test->build_seconds * 1e6, "DataMovementOverhead",
                                   moved * 1e6, "Configuration", configuration_of(record, point));
        QN_TRY(qn_text_append(text, point ? ",\n" : "\n"));
        QN_TRY(qn_recorded_space_append_json(text, result));
    }
    return qn_text_append(text, "\n]}\n");
}
