/* The CUDA driver's struct of functions. */
#include "runtime/cuda/cuda_driver.h"

#include <stdint.h>

#include "runtime/cuda/cuda_counters.h"
#include "runtime/cuda/cuda_energy.h"

static void *native_handle(qn_driver_device opaque, void *object, qn_native_kind kind)
{
    const qn_cuda_device *device = opaque;
    switch (kind) {
    case QN_NATIVE_DEVICE: return (void *)(intptr_t)device->id;
    case QN_NATIVE_CONTEXT: return device->context;
    case QN_NATIVE_QUEUE: return object;
    case QN_NATIVE_BUFFER: return object ? (void *)(uintptr_t)((qn_cuda_buffer *)object)->address : NULL;
    case QN_NATIVE_LIBRARY: return device->api.library;
    case QN_NATIVE_COMPILER: return device->compiler.library;
    }
    return NULL;
}

extern const qn_driver qn_cuda_driver;
const qn_driver qn_cuda_driver = {
    .name = "cuda",
    .energy = &qn_cuda_energy,
    .counters = &qn_cuda_counters,
    .list = qn_cuda_list,
    .device_open = qn_cuda_device_open,
    .device_close = qn_cuda_device_close,
    .buffer_create = qn_cuda_buffer_create,
    .buffer_destroy = qn_cuda_buffer_destroy,
    .host_memory_create = qn_cuda_host_memory_create,
    .host_memory_destroy = qn_cuda_host_memory_destroy,
    .queue_create = qn_cuda_queue_create,
    .queue_destroy = qn_cuda_queue_destroy,
    .queue_finish = qn_cuda_queue_finish,
    .queue_wait_for = qn_cuda_queue_wait_for,
    .write = qn_cuda_write,
    .read = qn_cuda_read,
    .copy = qn_cuda_copy,
    .fill = qn_cuda_fill,
    .program_build = qn_cuda_program_build,
    .program_binary = qn_cuda_program_binary,
    .program_destroy = qn_cuda_program_destroy,
    .kernel_create = qn_cuda_kernel_create,
    .kernel_destroy = qn_cuda_kernel_destroy,
    .kernel_resources = qn_cuda_kernel_resources,
    .launch = qn_cuda_launch,
    .event_wait = qn_cuda_event_wait,
    .event_done = qn_cuda_event_done,
    .event_seconds = qn_cuda_event_seconds,
    .event_destroy = qn_cuda_event_destroy,
    .native_handle = native_handle,
};
