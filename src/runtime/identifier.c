/* Identifiers of devices, and the list of all devices. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/objects.h"

enum { DEVICES_MAX = 64 };

qn_status qn_device_list(qn_context *context, qn_device_listing *listings, size_t capacity, size_t *count)
{
    (void)context;
    *count = 0;
    for (int i = 0; qn_drivers[i]; i++) {
        size_t found = 0, used = *count < capacity ? *count : capacity;
        if (!qn_drivers[i]->list) continue; /* checking has no devices of its own */
        QN_TRY(qn_drivers[i]->list(listings + used, capacity - used, &found));
        *count += found;
    }
    return QN_OK;
}

static const qn_driver *find_driver(const char *name, size_t length)
{
    for (int i = 0; qn_drivers[i]; i++)
        if (strlen(qn_drivers[i]->name) == length && strncmp(qn_drivers[i]->name, name, length) == 0)
            return qn_drivers[i];
    return NULL;
}

/* Get the identifier of the device that "auto" means. */
static qn_status choose(qn_context *context, char identifier[48])
{
    qn_device_listing *listings;
    size_t count = 0;
    void *memory;
    QN_TRY(qn_allocate(DEVICES_MAX, sizeof *listings, &memory));
    listings = memory;
    qn_status status = qn_device_list(context, listings, DEVICES_MAX, &count);
    strcpy(identifier, "host");
    /* The CUDA driver is preferred to OpenCL. It comes later in the list, so the last driver with a GPU is taken, with
     * its first GPU. */
    const char *driver = "";
    for (size_t i = 0; status == QN_OK && i < count && i < DEVICES_MAX; i++) {
        const qn_device_info *info = &listings[i].info;
        if (!listings[i].usable || info->kind != QN_DEVICE_GPU || strcmp(driver, info->driver) == 0) continue;
        driver = info->driver;
        memcpy(identifier, info->identifier, sizeof info->identifier);
    }
    qn_release(&memory);
    return status;
}

/* Split "driver", "driver:number" or "checking:identifier". */
static qn_status parse(const char *identifier, const qn_driver **driver, int *number, const char **inner)
{
    size_t length = strcspn(identifier, ":");
    const char *rest = identifier[length] ? identifier + length + 1 : NULL;
    *number = 0;
    *inner = NULL;
    *driver = find_driver(identifier, length);
    if (!*driver)
        return QN_FAIL(QN_INVALID_ARGUMENT, "device \"%s\": expected auto, host, opencl:N, cuda:N or checking:DEVICE",
                       identifier);
    if (strcmp((*driver)->name, "checking") == 0) {
        if (!rest || !*rest) return QN_FAIL(QN_INVALID_ARGUMENT, "device \"%s\": expected checking:DEVICE", identifier);
        *inner = rest;
        return QN_OK;
    }
    if (!rest) return QN_OK;
    char *end;
    long value = strtol(rest, &end, 10);
    if (*rest < '0' || *rest > '9' || *end || value > 1000)
        return QN_FAIL(QN_INVALID_ARGUMENT, "device \"%s\": \"%s\" is not a device number", identifier, rest);
    *number = (int)value;
    return QN_OK;
}

qn_status qn_identifier_open(qn_context *context, const char *identifier, const qn_driver **driver,
                             qn_driver_device *handle, qn_device_info *info)
{
    char chosen[48];
    const char *inner;
    int number;
    if (!identifier)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "no device was named; expected auto, host, opencl:N, cuda:N or checking:DEVICE");
    if (strcmp(identifier, "auto") == 0) {
        QN_TRY(choose(context, chosen));
        identifier = chosen;
    }
    QN_TRY(parse(identifier, driver, &number, &inner));
    return (*driver)->device_open(context, number, inner, handle, info);
}

const char *qn_identifier_of_inner(const char *identifier)
{
    static const char prefix[] = "checking:";
    return strncmp(identifier, prefix, sizeof prefix - 1) == 0 ? identifier + sizeof prefix - 1 : identifier;
}

const char *qn_device_inner_driver(const qn_device *device)
{
    const char *name = qn_identifier_of_inner(device->info.identifier);
    const qn_driver *driver = find_driver(name, strcspn(name, ":"));
    return driver ? driver->name : device->driver->name;
}
