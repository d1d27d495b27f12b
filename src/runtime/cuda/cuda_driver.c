/* The CUDA driver's table, and its errors. */
#include "runtime/cuda/cuda_driver.h"

#include <stdint.h>

#include "base/error.h"

static qn_status status_of(CUresult error)
{
    switch ((int)error) {
    case QN_CUDA_ERROR_INVALID_VALUE: return QN_INVALID_ARGUMENT;
    case QN_CUDA_ERROR_OUT_OF_MEMORY: return QN_OUT_OF_MEMORY;
    case QN_CUDA_ERROR_NO_DEVICE: return QN_NO_DEVICE;
    case QN_CUDA_ERROR_INVALID_IMAGE:
    case QN_CUDA_ERROR_NO_BINARY_FOR_GPU:
    case QN_CUDA_ERROR_INVALID_PTX:
    case QN_CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case QN_CUDA_ERROR_UNSUPPORTED_PTX_VERSION: return QN_BUILD_FAILED;
    case QN_CUDA_ERROR_NOT_FOUND: return QN_NOT_FOUND;
    case QN_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: return QN_LAUNCH_FAILED;
    case QN_CUDA_ERROR_NOT_SUPPORTED: return QN_UNSUPPORTED;
    /* After these the context answers every call with the same error: CUDA calls them sticky. */
    case QN_CUDA_ERROR_DEINITIALIZED:
    case QN_CUDA_ERROR_DEVICE_UNAVAILABLE:
    case QN_CUDA_ERROR_ECC_UNCORRECTABLE:
    case QN_CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case QN_CUDA_ERROR_CONTAINED:
    case QN_CUDA_ERROR_ILLEGAL_ADDRESS:
    case QN_CUDA_ERROR_LAUNCH_TIMEOUT:
    case QN_CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case QN_CUDA_ERROR_ASSERT:
    case QN_CUDA_ERROR_HARDWARE_STACK_ERROR:
    case QN_CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case QN_CUDA_ERROR_MISALIGNED_ADDRESS:
    case QN_CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case QN_CUDA_ERROR_INVALID_PC:
    case QN_CUDA_ERROR_LAUNCH_FAILED: return QN_DEVICE_LOST;
    default: return QN_INTERNAL;
    }
}

qn_status qn_cuda_check(qn_cuda_device *device, CUresult error, const char *doing)
{
    const char *name = NULL, *meaning = NULL;
    if (error == QN_CUDA_SUCCESS) return QN_OK;
    qn_status status = status_of(error);
    if (status == QN_DEVICE_LOST) atomic_store(&device->lost, true);
    if (device->api.cuGetErrorName(error, &name) != QN_CUDA_SUCCESS || !name) name = "an unnamed error";
    if (device->api.cuGetErrorString(error, &meaning) != QN_CUDA_SUCCESS || !meaning) meaning = "no description";
    QN_FAIL(status, "cuda:%d: %s failed with %s (%d, %s)", device->number, doing, name, (int)error, meaning);
}

qn_status qn_cuda_enter(qn_cuda_device *device)
{
    if (atomic_load(&device->lost)) QN_FAIL(QN_DEVICE_LOST, "cuda:%d: the device was lost earlier", device->number);
    return qn_cuda_check(device, device->api.cuCtxSetCurrent(device->context), "switching to the device");
}

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
    .list = qn_cuda_list,
    .device_open = qn_cuda_device_open,
    .device_close = qn_cuda_device_close,
    .buffer_create = qn_cuda_buffer_create,
    .buffer_destroy = qn_cuda_buffer_destroy,
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
