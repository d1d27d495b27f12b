/* Kernel Tuner's cache files; described in docs/formats/tuning.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/recorded/builder.h"
#include "tune/space/space.h"

/* Keys of an entry that are not counters: Kernel Tuner's own times, in milliseconds, and time_spread, which we write.
 */
static const char *const own_keys[] = {"compile_time",   "verification_time", "benchmark_time", "strategy_time",
                                       "framework_time", "timestamp",         "times",          "time_spread"};

/* Read the parameters in the order of the keys, and their values in the order of tune_params if that is given. */
static qn_status read_parameters(qn_recorded_space_builder *b, const json_t *root)
{
    const json_t *keys = json_object_get(root, "tune_params_keys");
    if (!json_is_array(keys) || json_array_size(keys) == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: no tune_params_keys; expected a list of parameter names", b->path);
    for (size_t p = 0; p < json_array_size(keys); p++) {
        const char *name = json_string_value(json_array_get(keys, p));
        if (!name) return QN_FAIL(QN_BAD_FORMAT, "%s: tune_params_keys: name %zu is not a text", b->path, p + 1);
        QN_TRY(qn_recorded_space_add_parameter(b, name));
        const json_t *values = json_object_get(json_object_get(root, "tune_params"), name);
        void *memory;
        if (json_array_size(values) == 0) continue;
        QN_TRY(qn_allocate(json_array_size(values), sizeof(qn_value), &memory));
        b->orders[p] = memory;
        b->order_counts[p] = json_array_size(values);
        for (size_t i = 0; i < b->order_counts[p]; i++)
            QN_TRY(qn_recorded_space_value(b, "tune_params", name, json_array_get(values, i), &b->orders[p][i]));
    }
    return QN_OK;
}

/* The time of a failed configuration is the name of an error, or 1e20. Files that we write have the outcome in
 * "outcome". */
static void read_outcome(const json_t *entry, const char *objective, qn_test *test)
{
    const json_t *time = json_object_get(entry, objective);
    const char *error = json_string_value(time), *outcome = json_string_value(json_object_get(entry, "outcome"));
    if (!error) error = json_string_value(json_object_get(entry, "__error__"));
    test->outcome = QN_TEST_CORRECT;
    if (!error && qn_recorded_space_is_objective(time)) return;
    test->outcome = QN_TEST_LAUNCH;
    if (error && strcmp(error, "CompilationFailedConfig") == 0) test->outcome = QN_TEST_BUILD;
    if (error && strcmp(error, "InvalidConfig") == 0) test->outcome = QN_TEST_LIMITS;
    for (int i = QN_TEST_WRONG; i <= QN_TEST_CRASH && outcome; i++)
        if (strcmp(outcome, qn_test_outcome_name((qn_test_outcome)i)) == 0) test->outcome = (qn_test_outcome)i;
}

static bool is_parameter(const qn_recorded_space_builder *b, const char *key)
{
    for (size_t p = 0; p < b->parameter_count; p++)
        if (strcmp(b->parameters[p], key) == 0) return true;
    return false;
}

/* Other numbers of an entry (GFLOP/s, energy) are kept as counters. */
static qn_status read_counters(qn_recorded_space_builder *b, const json_t *entry, const char *objective)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)entry, key, value)
    {
        bool own = strcmp(key, objective) == 0 || is_parameter(b, key) || !json_is_number(value);
        for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++) own |= strcmp(key, own_keys[i]) == 0;
        if (!own) QN_TRY(qn_recorded_space_add_counter(b, key, json_number_value(value)));
    }
    return QN_OK;
}

static qn_status read_entry(qn_recorded_space_builder *b, const char *key, const json_t *entry, const char *objective)
{
    char where[160];
    qn_value values[QN_SPACE_PARAMETERS_MAX];
    qn_test test = {0};
    const double unit = 1e-3; /* all of Kernel Tuner's times are in milliseconds */
    snprintf(where, sizeof where, "entry \"%.120s\"", key);
    for (size_t p = 0; p < b->parameter_count; p++)
        QN_TRY(
            qn_recorded_space_value(b, where, b->parameters[p], json_object_get(entry, b->parameters[p]), &values[p]));
    read_outcome(entry, objective, &test);
    bool correct = test.outcome == QN_TEST_CORRECT;
    if (correct) test.objective = json_number_value(json_object_get(entry, objective)) * unit;
    test.build_seconds = qn_recorded_space_seconds(entry, "compile_time", unit);
    test.run_seconds = qn_recorded_space_seconds(entry, "benchmark_time", unit) +
                       qn_recorded_space_seconds(entry, "verification_time", unit);
    if (correct) test.spread = qn_recorded_space_seconds(entry, "time_spread", unit);
    if (correct && test.spread == 0)
        test.spread = qn_recorded_space_spread(json_object_get(entry, "times"), unit, test.objective);
    QN_TRY(qn_recorded_space_add_row(b, values, &test));
    return read_counters(b, entry, objective);
}

qn_status qn_recorded_space_read_kernel_tuner(qn_recorded_space_builder *b, const json_t *root)
{
    const char *device = json_string_value(json_object_get(root, "device_name")), *key;
    const char *kernel = json_string_value(json_object_get(root, "kernel_name"));
    const char *objective = json_string_value(json_object_get(root, "objective"));
    json_t *entry;
    if (objective && strcmp(objective, "time") != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: the objective is \"%.40s\"; expected \"time\"", b->path, objective);
    QN_TRY(qn_text_copy(device ? device : "", &b->device));
    QN_TRY(qn_text_copy(kernel ? kernel : "", &b->name));
    QN_TRY(read_parameters(b, root));
    json_object_foreach(json_object_get(root, "cache"), key, entry) QN_TRY(read_entry(b, key, entry, "time"));
    return QN_OK;
}

/* ---- Writing ---- */

static qn_status write_head(const qn_recorded_space *record, qn_text *text)
{
    const qn_space *space = record->space;
    json_t *keys = json_array(), *parameters = json_object();
    for (size_t p = 0; p < qn_space_parameter_count(space); p++) {
        json_t *values = json_array();
        for (size_t i = 0; i < qn_space_value_count(space, p); i++)
            json_array_append_new(values, qn_recorded_space_value_to_json(qn_space_value(space, p, i)));
        json_array_append_new(keys, json_string(qn_space_parameter_name(space, p)));
        json_object_set_new(parameters, qn_space_parameter_name(space, p), values);
    }
    json_t *head =
        json_pack("{s:s, s:s, s:[i], s:o, s:o, s:s}", "device_name", record->device, "kernel_name", record->name,
                  "problem_size", 1, "tune_params_keys", keys, "tune_params", parameters, "objective", "time");
    QN_TRY(qn_recorded_space_append_json(text, head));
    text->length--; /* the brace: entries follow */
    return qn_text_append(text, ",\n\"cache\": {");
}

static const char *error_name(qn_test_outcome outcome)
{
    return outcome == QN_TEST_BUILD    ? "CompilationFailedConfig"
           : outcome == QN_TEST_LIMITS ? "InvalidConfig"
                                       : "RuntimeFailedConfig";
}

static json_t *entry_of(const qn_recorded_space *record, qn_point point, const uint16_t *numbers)
{
    const qn_test *test = &record->tests[point];
    json_t *entry = json_object();
    for (size_t p = 0; p < qn_space_parameter_count(record->space); p++)
        json_object_set_new(entry, qn_space_parameter_name(record->space, p),
                            qn_recorded_space_value_to_json(qn_space_value(record->space, p, numbers[p])));
    if (test->outcome == QN_TEST_CORRECT) {
        json_object_set_new(entry, "time", json_real(test->objective * 1e3));
        json_object_set_new(entry, "times", json_pack("[f]", test->objective * 1e3));
        if (test->spread > 0) json_object_set_new(entry, "time_spread", json_real(test->spread * 1e3));
    } else {
        json_object_set_new(entry, "time", json_string(error_name(test->outcome)));
        json_object_set_new(entry, "outcome", json_string(qn_test_outcome_name(test->outcome)));
    }
    json_object_set_new(entry, "compile_time", json_real(test->build_seconds * 1e3));
    json_object_set_new(entry, "verification_time", json_real(0));
    json_object_set_new(entry, "benchmark_time", json_real(test->run_seconds * 1e3));
    json_object_set_new(entry, "strategy_time", json_real(0));
    json_object_set_new(entry, "framework_time", json_real(0));
    json_object_set_new(entry, "timestamp", json_string(""));
    for (size_t i = 0; i < record->counter_count; i++) {
        double counter = record->counters[point * record->counter_count + i];
        if (isfinite(counter)) json_object_set_new(entry, record->counter_names[i], json_real(counter));
    }
    return entry;
}

/* The file ends in "}\n}": Kernel Tuner takes a file with another end for an unfinished one. */
qn_status qn_recorded_space_write_kernel_tuner(const qn_recorded_space *record, qn_text *text)
{
    const qn_space *space = record->space;
    QN_TRY(write_head(record, text));
    for (qn_point point = 0; point < qn_space_size(space); point++) {
        uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
        qn_text key = {0};
        qn_status status = QN_OK;
        qn_space_get(space, point, numbers);
        for (size_t p = 0; p < qn_space_parameter_count(space) && status == QN_OK; p++) {
            char value[160];
            qn_value_format(qn_space_value(space, p, numbers[p]), value, sizeof value);
            status = qn_text_append(&key, "%s%s", p ? "," : "", value);
        }
        if (status == QN_OK) status = qn_text_append(text, point ? ",\n" : "\n");
        if (status == QN_OK) status = qn_recorded_space_append_json(text, json_string(key.data));
        qn_text_clear(&key);
        QN_TRY(status);
        QN_TRY(qn_text_append(text, ": "));
        QN_TRY(qn_recorded_space_append_json(text, entry_of(record, point, numbers)));
    }
    return qn_text_append(text, "}\n}");
}
