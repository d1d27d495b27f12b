/* Hardware counters of a device: calls to the counters of its driver, if the driver has any. */
#include "runtime/counters.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/objects.h"

struct qn_counters {
    const qn_driver_counters *group;
    void *own; /* the driver's object */
    char identifier[48];
};

/* Find the driver that has counters; exactly one of the table does. */
static const qn_driver *counting_driver(void)
{
    int i = 0;
    while (qn_drivers[i] && !qn_drivers[i]->counters) i++;
    return qn_drivers[i];
}

const char *const *qn_counters_names(size_t *count)
{
    return counting_driver()->counters->names(count);
}

qn_status qn_counters_create(qn_device *device, qn_counters **counters)
{
    const qn_device_info *info = qn_device_get_info(device);
    *counters = NULL;
    if (!device->driver->counters)
        return QN_FAIL(QN_UNSUPPORTED, "counters of %s: only devices of the driver %s have any", info->identifier,
                       counting_driver()->name);
    QN_TRY(qn_allocate(1, sizeof **counters, (void **)counters));
    (*counters)->group = device->driver->counters;
    snprintf((*counters)->identifier, sizeof(*counters)->identifier, "%s", info->identifier);
    const qn_status status = device->driver->counters->create(device->handle, &(*counters)->own);
    if (status == QN_OK) return QN_OK;
    qn_release(counters);
    return qn_error_add_context(status, "counters of %s", info->identifier);
}

void qn_counters_destroy(qn_counters **counters)
{
    if (!*counters) return;
    (*counters)->group->destroy((*counters)->own);
    qn_release(counters);
}

size_t qn_counters_passes(const qn_counters *counters)
{
    return counters->group->passes(counters->own);
}

qn_status qn_counters_collect(qn_counters *counters, qn_status (*run)(void *user), void *user, double *values)
{
    const qn_status status = counters->group->collect(counters->own, run, user, values);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "counters of %s", counters->identifier);
}
