/* Errors of OpenCL. */
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
    return QN_FAIL(status, "opencl:%d: %s failed with %s (%d)", device->number, doing, qn_opencl_error_name(error),
                   (int)error);
}

qn_status qn_opencl_alive(const qn_opencl_device *device)
{
    if (atomic_load(&device->lost))
        return QN_FAIL(QN_DEVICE_LOST, "opencl:%d: the device was lost earlier", device->number);
    return QN_OK;
}
