#include "runtime/device.h"

#include "base/error.h"
#include "base/memory.h"
#include "runtime/objects.h"

qn_status qn_device_open(qn_context *context, const char *identifier, qn_device **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_device), &memory));
    qn_device *device = memory;
    atomic_init(&device->references, 1);
    device->context = context;
    qn_status status = qn_identifier_open(context, identifier, &device->driver, &device->handle, &device->info);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    pthread_mutex_init(&device->mutex, NULL);
    *out = device;
    return QN_OK;
}

qn_device *qn_device_retain(qn_device *device)
{
    atomic_fetch_add(&device->references, 1);
    return device;
}

void qn_device_release(qn_device **pointer)
{
    qn_device *device = pointer ? *pointer : NULL;
    if (pointer) *pointer = NULL;
    if (!device || atomic_fetch_sub(&device->references, 1) > 1) return;
    qn_device_drop_programs(device);
    device->driver->device_close(device->handle);
    pthread_mutex_destroy(&device->mutex);
    qn_release(&device);
}

const qn_device_info *qn_device_get_info(const qn_device *device)
{
    return &device->info;
}

qn_context *qn_device_context(qn_device *device)
{
    return device->context;
}

void *qn_device_native(qn_device *device, qn_native_kind kind)
{
    return device->driver->native_handle(device->handle, NULL, kind);
}
