/* The OpenCL driver's table, and its errors. */
#include "runtime/opencl/opencl_driver.h"

#include "base/error.h"

static qn_status status_of(cl_int error)
{
    switch (error) {
    case QN_CL_DEVICE_NOT_AVAILABLE: return QN_DEVICE_LOST;
    case QN_CL_OUT_OF_RESOURCES: return QN_LAUNCH_FAILED;
    case QN_CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case QN_CL_OUT_OF_HOST_MEMORY:
    case QN_CL_INVALID_BUFFER_SIZE: return QN_OUT_OF_MEMORY;
    case QN_CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case QN_CL_INVALID_WORK_GROUP_SIZE: return QN_LAUNCH_FAILED;
    case QN_CL_INVALID_VALUE: return QN_INVALID_ARGUMENT;
    case QN_CL_INVALID_KERNEL_NAME: return QN_NOT_FOUND;
    case QN_CL_BUILD_PROGRAM_FAILURE:
    case QN_CL_INVALID_BINARY: return QN_BUILD_FAILED;
    default: return QN_INTERNAL;
    }
}

qn_status qn_opencl_check(qn_opencl_device *device, cl_int error, const char *doing)
{
    if (error == QN_CL_SUCCESS) return QN_OK;
    qn_status status = status_of(error);
    if (status == QN_DEVICE_LOST) atomic_store(&device->lost, true);
    QN_FAIL(status, "opencl:%d: %s failed with %s (%d)", device->number, doing, qn_opencl_error_name(error),
            (int)error);
}

qn_status qn_opencl_alive(const qn_opencl_device *device)
{
    if (atomic_load(&device->lost)) QN_FAIL(QN_DEVICE_LOST, "opencl:%d: the device was lost earlier", device->number);
    return QN_OK;
}

static void *native_handle(qn_driver_device opaque, void *object, qn_native_kind kind)
{
    const qn_opencl_device *device = opaque;
    switch (kind) {
    case QN_NATIVE_DEVICE: return device->id;
    case QN_NATIVE_CONTEXT: return device->context;
    case QN_NATIVE_QUEUE: return object;
    case QN_NATIVE_BUFFER: return object ? ((qn_opencl_buffer *)object)->memory : NULL;
    case QN_NATIVE_LIBRARY: return device->api.library;
    case QN_NATIVE_COMPILER: return NULL;
    }
    return NULL;
}

extern const qn_driver qn_opencl_driver;
const qn_driver qn_opencl_driver = {
    .name = "opencl",
    .list = qn_opencl_list,
    .device_open = qn_opencl_device_open,
    .device_close = qn_opencl_device_close,
    .buffer_create = qn_opencl_buffer_create,
    .buffer_destroy = qn_opencl_buffer_destroy,
    .queue_create = qn_opencl_queue_create,
    .queue_destroy = qn_opencl_queue_destroy,
    .queue_finish = qn_opencl_queue_finish,
    .queue_wait_for = qn_opencl_queue_wait_for,
    .write = qn_opencl_write,
    .read = qn_opencl_read,
    .copy = qn_opencl_copy,
    .fill = qn_opencl_fill,
    .program_build = qn_opencl_program_build,
    .program_binary = qn_opencl_program_binary,
    .program_destroy = qn_opencl_program_destroy,
    .kernel_create = qn_opencl_kernel_create,
    .kernel_destroy = qn_opencl_kernel_destroy,
    .kernel_resources = qn_opencl_kernel_resources,
    .launch = qn_opencl_launch,
    .event_wait = qn_opencl_event_wait,
    .event_done = qn_opencl_event_done,
    .event_seconds = qn_opencl_event_seconds,
    .event_destroy = qn_opencl_event_destroy,
    .native_handle = native_handle,
};
