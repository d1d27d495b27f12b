#define _POSIX_C_SOURCE 200809L
#include "tune/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "runtime/kernel_source.h"

void qn_tune_workload_sizes(const qn_workload *workload, const qn_device_info *device,
                            const int wanted[QN_WORKLOAD_SIZES], int sizes[QN_WORKLOAD_SIZES])
{
    const int *usual = device->kind == QN_DEVICE_CPU ? workload->cpu_sizes : workload->gpu_sizes;
    for (int i = 0; i < QN_WORKLOAD_SIZES; i++) {
        sizes[i] = wanted[i] > 0 ? wanted[i] : usual[i];
        if (sizes[i] < 0) sizes[i] = sizes[i] / QN_SIZE_COMPUTE_UNITS * device->compute_units;
    }
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

/* End of the blanks, comments and #line directives that begin at `text`; `text` itself if there are none. */
static const char *skip_blanks(const char *text, bool begins_line)
{
    for (;; begins_line = text[-1] == '\n') {
        const char *end = NULL;
        if (is_blank(*text)) {
            text++;
            continue;
        }
        if (strncmp(text, "/*", 2) == 0 && (end = strstr(text + 2, "*/")))
            end += 2;
        else if (strncmp(text, "//", 2) == 0 || (begins_line && strncmp(text, "#line ", 6) == 0))
            end = text + strcspn(text, "\n");
        if (!end) return text;
        text = end;
    }
}

/* End of a text in quotation marks that begins at `text`. */
static const char *skip_quotation(const char *text)
{
    const char mark = *text++;
    for (; *text && *text != mark && *text != '\n'; text++)
        if (*text == '\\' && text[1]) text++;
    return *text == mark ? text + 1 : text;
}

/* Hash a kernel's text so that results stay valid when only comments, blanks or the names of files change: comments and
 * #line directives are left out, and a run of blanks counts as one, a line feed if it has one. */
static void hash_code(const char *text, qn_hash *hash)
{
    bool is_first = true;
    while (*text) {
        const char *next = skip_blanks(text, is_first);
        if (next > text && *next && !is_first)
            qn_hash_add(hash, memchr(text, '\n', (size_t)(next - text)) ? "\n" : " ", 1);
        text = next;
        if (*text == '"' || *text == '\'')
            next = skip_quotation(text);
        else
            while (*next && !is_blank(*next) && *next != '"' && *next != '\'' && strncmp(next, "/*", 2) != 0 &&
                   strncmp(next, "//", 2) != 0)
                next++;
        if (next == text && *text) next++; /* a comment that does not end */
        qn_hash_add(hash, text, (size_t)(next - text));
        text = next;
        is_first = false;
    }
}

qn_status qn_tune_source_hash(const qn_family *family, const char *kernel_folder, const char *driver,
                              char digits[QN_TUNE_SOURCE_DIGITS + 1])
{
    const qn_configuration none = {{0}};
    qn_text text = {0};
    qn_hash hash;
    char digest[65];
    qn_status status = qn_kernel_source_make(kernel_folder, driver, family, &none, "", &text);
    qn_hash_start(&hash);
    if (status == QN_OK && text.data) hash_code(text.data, &hash);
    qn_hash_finish(&hash, digest);
    qn_text_clear(&text);
    snprintf(digits, QN_TUNE_SOURCE_DIGITS + 1, "%.*s", QN_TUNE_SOURCE_DIGITS, digest);
    return status;
}

void qn_tune_key_of_device(qn_device *device, qn_tune_key *key)
{
    const qn_device_info *info = qn_device_get_info(device);
    char name[QN_HARDWARE_NAME];
    memset(key, 0, sizeof *key);
    qn_hardware_of(info, qn_device_inner_driver(device), &key->hardware);
    qn_hardware_name(&key->hardware, name);
    snprintf(key->device, sizeof key->device, "%s %s", key->hardware.driver, name);
    snprintf(key->driver, sizeof key->driver, "%s", info->driver_version);
}

qn_status qn_tune_key_make(const qn_family *family, qn_device *device, const char *problem_class, qn_tune_key *key)
{
    qn_tune_key_of_device(device, key);
    snprintf(key->family, sizeof key->family, "%s", family->name);
    snprintf(key->problem_class, sizeof key->problem_class, "%s", problem_class ? problem_class : "");
    return qn_tune_source_hash(family, qn_context_kernel_folder(qn_device_context(device)),
                               qn_device_inner_driver(device), key->source);
}

void qn_tune_configuration_text(const qn_family *family, const qn_configuration *configuration, char *text,
                                size_t capacity)
{
    size_t length = 0;
    if (capacity > 0) text[0] = '\0';
    for (int i = 0; i < family->tunable_count && length < capacity; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%s=%d", i ? " " : "", family->tunables[i].name,
                                   configuration->value[i]);
}

bool qn_tune_configuration_read(const qn_family *family, const char *text, qn_configuration *configuration)
{
    unsigned found = 0;
    for (const char *at = text; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        size_t name = strcspn(at, "= ");
        int value, tunable = 0;
        if (sscanf(at + name, "=%d", &value) != 1) return false;
        while (tunable < family->tunable_count && (strlen(family->tunables[tunable].name) != name ||
                                                   strncmp(family->tunables[tunable].name, at, name) != 0))
            tunable++;
        if (tunable == family->tunable_count) return false;
        const qn_tunable *of = &family->tunables[tunable];
        bool known = false;
        for (int i = 0; i < of->value_count; i++) known |= of->values[i] == value;
        if (!known) return false;
        configuration->value[tunable] = value;
        found |= 1u << tunable;
    }
    return found == (1u << family->tunable_count) - 1;
}

static void value_text(const qn_value *value, char *text, size_t capacity)
{
    switch (value->kind) {
    case QN_INTEGER: snprintf(text, capacity, "%" PRId64, value->as.integer); break;
    case QN_REAL: snprintf(text, capacity, "%.17g", value->as.real); break;
    case QN_BOOLEAN: snprintf(text, capacity, "%s", value->as.boolean ? "true" : "false"); break;
    case QN_TEXT: snprintf(text, capacity, "%s", value->as.text); break;
    }
}

void qn_tune_point_text(const qn_space *space, qn_point point, char *text, size_t capacity)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_space_get(space, point, numbers);
    qn_tune_values_text(space, numbers, text, capacity);
}

void qn_tune_values_text(const qn_space *space, const uint16_t *numbers, char *text, size_t capacity)
{
    char value[256];
    size_t length = 0;
    if (capacity > 0) text[0] = '\0';
    for (size_t i = 0; i < qn_space_parameter_count(space) && length < capacity; i++) {
        value_text(qn_space_value(space, i, numbers[i]), value, sizeof value);
        length += (size_t)snprintf(text + length, capacity - length, "%s%s=%s", i ? " " : "",
                                   qn_space_parameter_name(space, i), value);
    }
}

/* Values may contain blanks: the longest value that fits is taken. */
bool qn_tune_point_read(const qn_space *space, const char *text, qn_point *point)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    char value[256];
    for (size_t i = 0; i < qn_space_parameter_count(space); i++) {
        const char *name = qn_space_parameter_name(space, i);
        size_t longest = 0;
        bool found = false;
        text += i && *text == ' ';
        if (strncmp(text, name, strlen(name)) != 0 || text[strlen(name)] != '=') return false;
        text += strlen(name) + 1;
        for (size_t v = 0; v < qn_space_value_count(space, i); v++) {
            value_text(qn_space_value(space, i, v), value, sizeof value);
            size_t length = strlen(value);
            if (strncmp(text, value, length) != 0 || (text[length] && text[length] != ' ') || length < longest)
                continue;
            longest = length;
            numbers[i] = (uint16_t)v;
            found = true;
        }
        if (!found) return false;
        text += longest;
    }
    return *text == '\0' && qn_space_find(space, numbers, point);
}

qn_configuration qn_tune_configuration(const qn_space *space, qn_point point)
{
    qn_configuration configuration = {{0}};
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    qn_space_get(space, point, numbers);
    for (size_t i = 0; i < qn_space_parameter_count(space) && i < QN_TUNABLE_MAX; i++)
        configuration.value[i] = (int)qn_space_value(space, i, numbers[i])->as.integer;
    return configuration;
}

bool qn_tune_point_of(const qn_space *space, const qn_configuration *configuration, qn_point *point)
{
    qn_value values[QN_TUNABLE_MAX];
    for (size_t i = 0; i < qn_space_parameter_count(space) && i < QN_TUNABLE_MAX; i++)
        values[i] = qn_value_integer(configuration->value[i]);
    return qn_space_find_values(space, values, point);
}

static qn_status add_limits(qn_space *space, const qn_device_info *info)
{
    const char *name = strncmp(info->identifier, "checking:", 9) == 0 ? info->identifier + 9 : info->identifier;
    const struct {
        const char *name;
        int64_t value;
    } limits[] = {
        {"device.local_memory_bytes", (int64_t)info->local_memory_bytes},
        {"device.largest_group", info->largest_group},
        {"device.subgroup_size", info->subgroup_size},
        {"device.compute_units", info->compute_units},
        {"device.is_host", strncmp(name, "host", 4) == 0},
        {"device.is_opencl", strncmp(name, "opencl", 6) == 0},
        {"device.is_cuda", strncmp(name, "cuda", 4) == 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        QN_TRY(qn_space_set_constant(space, limits[i].name, qn_value_integer(limits[i].value)));
    return QN_OK;
}

static qn_status fill_space(qn_space *space, const qn_family *family, const qn_device_info *device)
{
    for (int i = 0; i < family->tunable_count; i++) {
        const qn_tunable *tunable = &family->tunables[i];
        int64_t values[QN_TUNABLE_VALUE_MAX];
        for (int v = 0; v < tunable->value_count; v++) values[v] = tunable->values[v];
        QN_TRY(qn_space_add_integers(space, tunable->name, values, (size_t)tunable->value_count, tunable->fallback));
    }
    QN_TRY(add_limits(space, device));
    for (int i = 0; i < family->constraint_count; i++) QN_TRY(qn_space_add_constraint(space, family->constraints[i]));
    return qn_space_solve(space);
}

qn_status qn_tune_family_space(const qn_family *family, const qn_device_info *device, qn_space **space)
{
    QN_TRY(qn_space_create(family->name, space));
    qn_status status = fill_space(*space, family, device);
    if (status == QN_OK) return QN_OK;
    qn_space_destroy(space);
    return qn_error_add_context(status, "%s on %s", family->name, device->identifier);
}

const char *qn_test_outcome_name(qn_test_outcome outcome)
{
    static const char *const names[] = {"correct", "wrong", "build", "launch", "timeout", "limits", "crash"};
    return outcome >= QN_TEST_CORRECT && outcome <= QN_TEST_CRASH ? names[outcome] : "unknown";
}

qn_test_outcome qn_tune_outcome_of(qn_status status)
{
    switch (status) {
    case QN_OK: return QN_TEST_CORRECT;
    case QN_BUILD_FAILED: return QN_TEST_BUILD;
    case QN_INVALID_ARGUMENT: /* a geometry or value that the device does not support */
    case QN_UNSUPPORTED:
    case QN_OUT_OF_MEMORY: return QN_TEST_LIMITS;
    case QN_CHECK_FAILED: return QN_TEST_WRONG;
    case QN_DEVICE_LOST: return QN_TEST_CRASH;
    default: return QN_TEST_LAUNCH;
    }
}
