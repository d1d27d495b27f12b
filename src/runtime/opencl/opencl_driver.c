/* The OpenCL driver's struct of functions. */
#include "runtime/opencl/opencl_driver.h"

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
