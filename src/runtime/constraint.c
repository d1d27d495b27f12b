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

/* Whether the device, or the one inside "checking:", belongs to `driver`. */
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
