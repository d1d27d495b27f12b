/* T4 results, the exchange format of the auto-tuning community; described in docs/formats/tuning.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/recorded/builder.h"

static const struct {
    const char *name;
    qn_test_outcome outcome;
} invalidities[] = {{"correct", QN_TEST_CORRECT}, {"timeout", QN_TEST_TIMEOUT},   {"compile", QN_TEST_BUILD},
                    {"runtime", QN_TEST_LAUNCH},  {"correctness", QN_TEST_WRONG}, {"constraints", QN_TEST_LIMITS}};

static qn_status read_parameters(qn_recorded_space_builder *b, const json_t *configuration)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)configuration, name, value) QN_TRY(qn_recorded_space_add_parameter(b, name));
    if (b->parameter_count == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: result 1: no configuration; expected an object of parameters", b->path);
    return QN_OK;
}

static qn_status read_outcome(const qn_recorded_space_builder *b, const char *where, const json_t *result,
                              qn_test *test)
{
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    for (size_t i = 0; i < sizeof invalidities / sizeof *invalidities && invalidity; i++)
        if (strcmp(invalidity, invalidities[i].name) == 0) {
            test->outcome = invalidities[i].outcome;
            return QN_OK;
        }
    return QN_FAIL(
        QN_BAD_FORMAT,
        "%s: %s: invalidity is \"%.40s\"; expected correct, timeout, compile, runtime, correctness or constraints",
        b->path, where, invalidity ? invalidity : "");
}

/* Read the measurement that objectives[0] names. `runtimes` may measure something else, and count only as the cost of
 * the test. */
static qn_status read_objective(const qn_recorded_space_builder *b, const char *where, const json_t *result,
                                double time_unit, qn_test *test)
{
    const json_t *measurements = json_object_get(result, "measurements"), *found = NULL;
    const char *objective = json_string_value(json_array_get(json_object_get(result, "objectives"), 0));
    if (!objective) objective = "time";
    for (size_t i = 0; i < json_array_size(measurements) && !found; i++) {
        const json_t *measurement = json_array_get(measurements, i);
        const char *name = json_string_value(json_object_get(measurement, "name"));
        if (name && strcmp(name, objective) == 0) found = measurement;
    }
    const json_t *value = json_object_get(found, "value");
    const char *unit = json_string_value(json_object_get(found, "unit"));
    if (test->outcome != QN_TEST_CORRECT) return QN_OK;
    if (!found)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: no measurement \"%.40s\", which its objectives name", b->path, where,
                       objective);
    if (!qn_recorded_space_is_objective(value))
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: measurement \"%.40s\" of a correct result is not a positive number",
                       b->path, where, objective);
    double scale = unit && unit[0] ? qn_recorded_space_unit_seconds(unit) : time_unit;
    if (scale == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s: measurement \"%.40s\" is in \"%.20s\"; expected a unit of time", b->path,
                       where, objective, unit);
    test->objective = json_number_value(value) * scale;
    return QN_OK;
}

/* Read the cost. The schema has compilation_time, but most files have compilation. */
static void read_times(const json_t *result, double unit, qn_test *test)
{
    const json_t *times = json_object_get(result, "times"), *runtimes = json_object_get(times, "runtimes");
    test->build_seconds = qn_recorded_space_seconds(times, "compilation", unit) +
                          qn_recorded_space_seconds(times, "compilation_time", unit);
    test->run_seconds = qn_recorded_space_seconds(times, "validation", unit);
    for (size_t i = 0; i < json_array_size(runtimes); i++)
        test->run_seconds += json_number_value(json_array_get(runtimes, i)) * unit;
    if (test->outcome == QN_TEST_CORRECT) test->spread = qn_recorded_space_spread(runtimes, unit, test->objective);
}

/* Measurements other than the objective are counters, except time_spread, which we write for the confidence
 * interval. */
static qn_status read_counters(qn_recorded_space_builder *b, const json_t *result, double unit)
{
    const json_t *measurements = json_object_get(result, "measurements");
    const char *objective = json_string_value(json_array_get(json_object_get(result, "objectives"), 0));
    for (size_t i = 0; i < json_array_size(measurements); i++) {
        const json_t *measurement = json_array_get(measurements, i);
        const char *name = json_string_value(json_object_get(measurement, "name"));
        const json_t *value = json_object_get(measurement, "value");
        if (!name || !json_is_number(value) || strcmp(name, objective ? objective : "time") == 0) continue;
        if (strcmp(name, "time_spread") == 0)
            b->tests[b->row_count - 1].spread = json_number_value(value) * unit;
        else
            QN_TRY(qn_recorded_space_add_counter(b, name, json_number_value(value)));
    }
    return QN_OK;
}

static qn_status read_result(qn_recorded_space_builder *b, size_t number, const json_t *result, double unit)
{
    char where[48];
    qn_value values[QN_SPACE_PARAMETERS_MAX];
    qn_test test = {0};
    const json_t *configuration = json_object_get(result, "configuration");
    snprintf(where, sizeof where, "result %zu", number + 1);
    if (number == 0) QN_TRY(read_parameters(b, configuration));
    if (json_object_size(configuration) != b->parameter_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %s has %zu parameters; expected the %zu of the first", b->path, where,
                       json_object_size(configuration), b->parameter_count);
    for (size_t p = 0; p < b->parameter_count; p++)
        QN_TRY(qn_recorded_space_value(b, where, b->parameters[p], json_object_get(configuration, b->parameters[p]),
                                       &values[p]));
    QN_TRY(read_outcome(b, where, result, &test));
    QN_TRY(read_objective(b, where, result, unit, &test));
    read_times(result, unit, &test);
    QN_TRY(qn_recorded_space_add_row(b, values, &test));
    return read_counters(b, result, unit);
}

qn_status qn_recorded_space_read_t4(qn_recorded_space_builder *b, const json_t *root)
{
    const json_t *metadata = json_object_get(root, "metadata"), *results = json_object_get(root, "results");
    const char *unit = json_string_value(json_object_get(metadata, "timeunit"));
    const char *device = json_string_value(json_object_get(metadata, "device"));
    const char *kernel = json_string_value(json_object_get(metadata, "kernel"));
    double seconds = qn_recorded_space_unit_seconds(unit ? unit : "milliseconds");
    if (seconds == 0)
        return QN_FAIL(QN_BAD_FORMAT,
                       "%s: timeunit \"%.40s\" is not known; expected milliseconds, microseconds or seconds", b->path,
                       unit);
    QN_TRY(qn_text_copy(device ? device : "", &b->device));
    QN_TRY(qn_text_copy(kernel ? kernel : "", &b->name));
    for (size_t i = 0; i < json_array_size(results); i++)
        QN_TRY(read_result(b, i, json_array_get(results, i), seconds));
    return QN_OK;
}

/* ---- Writing ---- */

static const char *invalidity_of(qn_test_outcome outcome)
{
    for (size_t i = 0; i < sizeof invalidities / sizeof *invalidities; i++)
        if (invalidities[i].outcome == outcome) return invalidities[i].name;
    return "runtime"; /* a crash */
}

static json_t *measurement(const char *name, json_t *value, const char *unit)
{
    return json_pack("{s:s, s:o, s:s}", "name", name, "value", value, "unit", unit);
}

static json_t *measurements_of(const qn_recorded_space *record, qn_point point)
{
    const qn_test *test = &record->tests[point];
    bool correct = test->outcome == QN_TEST_CORRECT;
    json_t *list = json_array(), *value = correct ? json_real(test->objective * 1e3) : json_string("");
    json_array_append_new(list, measurement("time", value, "milliseconds"));
    if (correct && test->spread > 0)
        json_array_append_new(list, measurement("time_spread", json_real(test->spread * 1e3), "milliseconds"));
    for (size_t i = 0; i < record->counter_count; i++) {
        double counter = record->counters[point * record->counter_count + i];
        if (isfinite(counter))
            json_array_append_new(list, measurement(record->counter_names[i], json_real(counter), ""));
    }
    return list;
}

qn_status qn_recorded_space_write_t4(const qn_recorded_space *record, qn_text *text)
{
    const qn_space *space = record->space;
    QN_TRY(qn_text_append(text, "{\"schema_version\": \"1.0.0\", \"metadata\": "));
    QN_TRY(qn_recorded_space_append_json(text, json_pack("{s:s, s:s, s:s}", "timeunit", "milliseconds", "device",
                                                         record->device, "kernel", record->name)));
    QN_TRY(qn_text_append(text, ", \"results\": ["));
    for (qn_point point = 0; point < qn_space_size(space); point++) {
        const qn_test *test = &record->tests[point];
        uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
        json_t *configuration = json_object();
        bool correct = test->outcome == QN_TEST_CORRECT;
        qn_space_get(space, point, numbers);
        for (size_t p = 0; p < qn_space_parameter_count(space); p++)
            json_object_set_new(configuration, qn_space_parameter_name(space, p),
                                qn_recorded_space_value_to_json(qn_space_value(space, p, numbers[p])));
        json_t *times =
            json_pack("{s:f, s:f, s:f, s:f, s:[f]}", "compilation_time", test->build_seconds * 1e3, "framework", 0.0,
                      "search_algorithm", 0.0, "validation", 0.0, "runtimes", test->run_seconds * 1e3);
        json_t *result =
            json_pack("{s:s, s:o, s:o, s:s, s:i, s:o, s:[s]}", "timestamp", "", "configuration", configuration, "times",
                      times, "invalidity", invalidity_of(test->outcome), "correctness", correct, "measurements",
                      measurements_of(record, point), "objectives", "time");
        QN_TRY(qn_text_append(text, point ? ",\n" : "\n"));
        QN_TRY(qn_recorded_space_append_json(text, result));
    }
    return qn_text_append(text, "\n]}\n");
}
