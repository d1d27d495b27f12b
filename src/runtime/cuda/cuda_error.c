/* Errors of CUDA. */
#include "runtime/cuda/cuda_driver.h"

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
    /* After these errors the context cannot be used; CUDA calls most of them sticky. */
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
    return QN_FAIL(status, "cuda:%d: %s failed with %s (%d, %s)", device->number, doing, name, (int)error, meaning);
}

qn_status qn_cuda_enter(qn_cuda_device *device)
{
    if (atomic_load(&device->lost))
        return QN_FAIL(QN_DEVICE_LOST, "cuda:%d: the device was lost earlier", device->number);
    return qn_cuda_check(device, device->api.cuCtxSetCurrent(device->context), "switching to the device");
}
