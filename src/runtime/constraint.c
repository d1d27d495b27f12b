#include "runtime/constraint.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "expression/expression.h"
#include "runtime/objects.h"

enum { DEVICE_NAMES = 8 };

static const char *const device_names[DEVICE_NAMES] = {
    "device.local_memory_bytes", "device.local_room_bytes", "device.largest_group", "device.subgroup_size",
    "device.compute_units",      "device.is_host",          "device.is_opencl",     "device.is_cuda"};

/* Whether the device behind every wrapper is of `driver`. */
static bool is_of(const qn_device_info *device, const char *driver)
{
    const char *inner = qn_identifier_of_inner(device->identifier);
    if (inner == device->identifier) return strcmp(device->driver, driver) == 0;
    return strcspn(inner, ":") == strlen(driver) && strncmp(inner, driver, strlen(driver)) == 0;
}

static void set_device_values(const qn_device_info *device, qn_value values[DEVICE_NAMES])
{
    values[0] = qn_value_integer((int64_t)device->local_memory_bytes);
    values[1] = qn_value_integer((int64_t)device->local_room_bytes);
    values[2] = qn_value_integer(device->largest_group);
    values[3] = qn_value_integer(device->subgroup_size);
    values[4] = qn_value_integer(device->compute_units);
    values[5] = qn_value_boolean(is_of(device, "host"));
    values[6] = qn_value_boolean(is_of(device, "opencl"));
    values[7] = qn_value_boolean(is_of(device, "cuda"));
}

qn_status qn_constraint_compile(const char *text, const qn_family *family, qn_expression **constraint)
{
    const char *names[QN_TUNABLE_MAX + DEVICE_NAMES];
    size_t count = (size_t)family->tunable_count;
    char what[128];
    for (size_t i = 0; i < count; i++) names[i] = family->tunables[i].name;
    memcpy(names + count, device_names, sizeof device_names);
    snprintf(what, sizeof what, "constraint of %s", family->name);
    return qn_expression_create(text, what, names, count + DEVICE_NAMES, constraint);
}

qn_status qn_constraint_value(const qn_expression *constraint, const qn_family *family,
                              const qn_configuration *configuration, const qn_device_info *device, int64_t *value)
{
    qn_value values[QN_TUNABLE_MAX + DEVICE_NAMES], result;
    size_t count = (size_t)family->tunable_count;
    bool holds = false;
    *value = 0;
    for (size_t i = 0; i < count; i++) values[i] = qn_value_integer(configuration->value[i]);
    set_device_values(device, values + count);
    QN_TRY(qn_expression_evaluate(constraint, values, &result));
    QN_TRY(qn_expression_holds(constraint, values, &holds));
    *value = result.kind == QN_INTEGER ? result.as.integer : holds;
    return QN_OK;
}

qn_status qn_constraint_evaluate(const char *text, const qn_family *family, const qn_configuration *configuration,
                                 const qn_device_info *device, int64_t *value)
{
    qn_expression *constraint;
    *value = 0;
    QN_TRY(qn_constraint_compile(text, family, &constraint));
    qn_status status = qn_constraint_value(constraint, family, configuration, device, value);
    qn_expression_destroy(&constraint);
    return status;
}

/* The three values of a tunable a corner is made of; fewer when they coincide. */
static int corner_values(const qn_tunable *tunable, int values[3])
{
    int low = tunable->values[0], high = tunable->values[0], count = 0;
    for (int i = 1; i < tunable->value_count; i++) {
        if (tunable->values[i] < low) low = tunable->values[i];
        if (tunable->values[i] > high) high = tunable->values[i];
    }
    values[count++] = low;
    if (tunable->fallback != low && tunable->fallback != high) values[count++] = tunable->fallback;
    if (high != low) values[count++] = high;
    return count;
}

qn_status qn_family_corners(const qn_family *family, const qn_device_info *device,
                            qn_status (*visit)(const qn_configuration *configuration, void *user), void *user)
{
    int values[QN_TUNABLE_MAX][3], counts[QN_TUNABLE_MAX], digits[QN_TUNABLE_MAX] = {0};
    for (int i = 0; i < family->tunable_count; i++) counts[i] = corner_values(&family->tunables[i], values[i]);
    for (;;) {
        qn_configuration configuration = {{0}};
        bool allowed;
        for (int i = 0; i < family->tunable_count; i++) configuration.value[i] = values[i][digits[i]];
        QN_TRY(qn_family_allows(family, device, &configuration, &allowed, NULL));
        if (allowed) QN_TRY(visit(&configuration, user));
        int place = 0;
        while (place < family->tunable_count && ++digits[place] == counts[place]) digits[place++] = 0;
        if (place == family->tunable_count) return QN_OK;
    }
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Corners are numbered; steps of the golden ratio of their count, made coprime to it, reach every one in the end and
 * stay evenly spread whenever they stop. */
qn_status qn_family_sample_corners(const qn_family *family, const qn_device_info *device, int most,
                                   qn_status (*visit)(const qn_configuration *configuration, void *user), void *user)
{
    int values[QN_TUNABLE_MAX][3], counts[QN_TUNABLE_MAX];
    const qn_configuration fallback = qn_family_fallback(family);
    uint64_t corners = 1, place = 0;
    int visited = 0;
    for (int i = 0; i < family->tunable_count; i++)
        corners *= (uint64_t)(counts[i] = corner_values(&family->tunables[i], values[i]));
    uint64_t step = (uint64_t)(0.6180339887498949 * (double)corners) | 1;
    while (greatest_common_divisor(step, corners) != 1) step += 2;
    for (uint64_t tried = 0; tried <= corners && visited < most; tried++) {
        qn_configuration configuration = fallback;
        bool allowed;
        uint64_t digits = place;
        for (int i = 0; tried > 0 && i < family->tunable_count; digits /= (uint64_t)counts[i++])
            configuration.value[i] = values[i][digits % (uint64_t)counts[i]];
        if (tried > 0) place = (place + step) % corners;
        if (tried > 0 && memcmp(&configuration, &fallback, sizeof fallback) == 0) continue;
        QN_TRY(qn_family_allows(family, device, &configuration, &allowed, NULL));
        if (!allowed) continue;
        visited++;
        QN_TRY(visit(&configuration, user));
    }
    return QN_OK;
}
