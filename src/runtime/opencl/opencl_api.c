#include "runtime/opencl/opencl_api.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"

static const struct symbol {
    const char *name;
    size_t place;
} symbols[] = {
    {"clGetPlatformIDs", offsetof(qn_opencl_api, clGetPlatformIDs)},
    {"clGetPlatformInfo", offsetof(qn_opencl_api, clGetPlatformInfo)},
    {"clGetDeviceIDs", offsetof(qn_opencl_api, clGetDeviceIDs)},
    {"clGetDeviceInfo", offsetof(qn_opencl_api, clGetDeviceInfo)},
    {"clCreateContext", offsetof(qn_opencl_api, clCreateContext)},
    {"clReleaseContext", offsetof(qn_opencl_api, clReleaseContext)},
    {"clCreateCommandQueue", offsetof(qn_opencl_api, clCreateCommandQueue)},
    {"clReleaseCommandQueue", offsetof(qn_opencl_api, clReleaseCommandQueue)},
    {"clCreateBuffer", offsetof(qn_opencl_api, clCreateBuffer)},
    {"clCreateSubBuffer", offsetof(qn_opencl_api, clCreateSubBuffer)},
    {"clReleaseMemObject", offsetof(qn_opencl_api, clReleaseMemObject)},
    {"clCreateProgramWithSource", offsetof(qn_opencl_api, clCreateProgramWithSource)},
    {"clCreateProgramWithBinary", offsetof(qn_opencl_api, clCreateProgramWithBinary)},
    {"clReleaseProgram", offsetof(qn_opencl_api, clReleaseProgram)},
    {"clBuildProgram", offsetof(qn_opencl_api, clBuildProgram)},
    {"clGetProgramInfo", offsetof(qn_opencl_api, clGetProgramInfo)},
    {"clGetProgramBuildInfo", offsetof(qn_opencl_api, clGetProgramBuildInfo)},
    {"clCreateKernel", offsetof(qn_opencl_api, clCreateKernel)},
    {"clReleaseKernel", offsetof(qn_opencl_api, clReleaseKernel)},
    {"clSetKernelArg", offsetof(qn_opencl_api, clSetKernelArg)},
    {"clGetKernelInfo", offsetof(qn_opencl_api, clGetKernelInfo)},
    {"clGetKernelWorkGroupInfo", offsetof(qn_opencl_api, clGetKernelWorkGroupInfo)},
    {"clWaitForEvents", offsetof(qn_opencl_api, clWaitForEvents)},
    {"clGetEventInfo", offsetof(qn_opencl_api, clGetEventInfo)},
    {"clGetEventProfilingInfo", offsetof(qn_opencl_api, clGetEventProfilingInfo)},
    {"clReleaseEvent", offsetof(qn_opencl_api, clReleaseEvent)},
    {"clFlush", offsetof(qn_opencl_api, clFlush)},
    {"clFinish", offsetof(qn_opencl_api, clFinish)},
    {"clEnqueueReadBuffer", offsetof(qn_opencl_api, clEnqueueReadBuffer)},
    {"clEnqueueWriteBuffer", offsetof(qn_opencl_api, clEnqueueWriteBuffer)},
    {"clEnqueueFillBuffer", offsetof(qn_opencl_api, clEnqueueFillBuffer)},
    {"clEnqueueCopyBuffer", offsetof(qn_opencl_api, clEnqueueCopyBuffer)},
    {"clEnqueueNDRangeKernel", offsetof(qn_opencl_api, clEnqueueNDRangeKernel)},
    {"clEnqueueMarkerWithWaitList", offsetof(qn_opencl_api, clEnqueueMarkerWithWaitList)},
    {"clEnqueueBarrierWithWaitList", offsetof(qn_opencl_api, clEnqueueBarrierWithWaitList)},
};

qn_status qn_opencl_load(qn_opencl_api *api)
{
    memset(api, 0, sizeof *api);
    /* NODELETE: drivers that the loader opens have threads and exit handlers, whose code must stay loaded. */
    api->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!api->library)
        return QN_FAIL(QN_NO_DEVICE, "libOpenCL.so.1 not found: install ocl-icd-libopencl1 and a driver such as "
                                     "pocl-opencl-icd");
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(api->library, symbols[i].name);
        if (!address) {
            qn_opencl_unload(api);
            return QN_FAIL(QN_NO_DEVICE, "libOpenCL.so.1 has no %s: OpenCL 1.2 or newer is needed", symbols[i].name);
        }
        memcpy((char *)api + symbols[i].place, &address, sizeof address);
    }
    return QN_OK;
}

void qn_opencl_unload(qn_opencl_api *api)
{
    if (api->library) dlclose(api->library);
    api->library = NULL;
}

/* Names of the codes 0, -1, ... and -30, -31, ... */
static const char *const runtime_errors[] = {"CL_SUCCESS",
                                             "CL_DEVICE_NOT_FOUND",
                                             "CL_DEVICE_NOT_AVAILABLE",
                                             "CL_COMPILER_NOT_AVAILABLE",
                                             "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                             "CL_OUT_OF_RESOURCES",
                                             "CL_OUT_OF_HOST_MEMORY",
                                             "CL_PROFILING_INFO_NOT_AVAILABLE",
                                             "CL_MEM_COPY_OVERLAP",
                                             "CL_IMAGE_FORMAT_MISMATCH",
                                             "CL_IMAGE_FORMAT_NOT_SUPPORTED",
                                             "CL_BUILD_PROGRAM_FAILURE",
                                             "CL_MAP_FAILURE",
                                             "CL_MISALIGNED_SUB_BUFFER_OFFSET",
                                             "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
                                             "CL_COMPILE_PROGRAM_FAILURE",
                                             "CL_LINKER_NOT_AVAILABLE",
                                             "CL_LINK_PROGRAM_FAILURE",
                                             "CL_DEVICE_PARTITION_FAILED",
                                             "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"};
static const char *const invalid_errors[] = {"CL_INVALID_VALUE",
                                             "CL_INVALID_DEVICE_TYPE",
                                             "CL_INVALID_PLATFORM",
                                             "CL_INVALID_DEVICE",
                                             "CL_INVALID_CONTEXT",
                                             "CL_INVALID_QUEUE_PROPERTIES",
                                             "CL_INVALID_COMMAND_QUEUE",
                                             "CL_INVALID_HOST_PTR",
                                             "CL_INVALID_MEM_OBJECT",
                                             "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
                                             "CL_INVALID_IMAGE_SIZE",
                                             "CL_INVALID_SAMPLER",
                                             "CL_INVALID_BINARY",
                                             "CL_INVALID_BUILD_OPTIONS",
                                             "CL_INVALID_PROGRAM",
                                             "CL_INVALID_PROGRAM_EXECUTABLE",
                                             "CL_INVALID_KERNEL_NAME",
                                             "CL_INVALID_KERNEL_DEFINITION",
                                             "CL_INVALID_KERNEL",
                                             "CL_INVALID_ARG_INDEX",
                                             "CL_INVALID_ARG_VALUE",
                                             "CL_INVALID_ARG_SIZE",
                                             "CL_INVALID_KERNEL_ARGS",
                                             "CL_INVALID_WORK_DIMENSION",
                                             "CL_INVALID_WORK_GROUP_SIZE",
                                             "CL_INVALID_WORK_ITEM_SIZE",
                                             "CL_INVALID_GLOBAL_OFFSET",
                                             "CL_INVALID_EVENT_WAIT_LIST",
                                             "CL_INVALID_EVENT",
                                             "CL_INVALID_OPERATION",
                                             "CL_INVALID_GL_OBJECT",
                                             "CL_INVALID_BUFFER_SIZE",
                                             "CL_INVALID_MIP_LEVEL",
                                             "CL_INVALID_GLOBAL_WORK_SIZE",
                                             "CL_INVALID_PROPERTY",
                                             "CL_INVALID_IMAGE_DESCRIPTOR",
                                             "CL_INVALID_COMPILER_OPTIONS",
                                             "CL_INVALID_LINKER_OPTIONS",
                                             "CL_INVALID_DEVICE_PARTITION_COUNT"};

const char *qn_opencl_error_name(cl_int error)
{
    const int first_invalid = 30;
    if (error <= 0 && error > -(int)(sizeof runtime_errors / sizeof runtime_errors[0])) return runtime_errors[-error];
    if (error <= -first_invalid && error > -first_invalid - (int)(sizeof invalid_errors / sizeof invalid_errors[0]))
        return invalid_errors[-error - first_invalid];
    if (error == QN_CL_PLATFORM_NOT_FOUND_KHR) return "CL_PLATFORM_NOT_FOUND_KHR";
    return "an OpenCL error without a name";
}
