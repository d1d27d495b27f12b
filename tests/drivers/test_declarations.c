/* Compare our own declarations of OpenCL, CUDA, NVRTC and HDF5 with the vendors' headers, if those are installed.
 * Everything but the error names is checked while compiling: with the vendor's header included first, our function
 * tables consist of the vendor's types, so this file compiles only if every table entry has the vendor's type. */
#include "check.h"

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#define HAVE_OPENCL_HEADERS 1
#endif
#include "runtime/opencl/opencl_api.h"

#if __has_include("/usr/local/cuda/include/cuda.h") && __has_include("/usr/local/cuda/include/nvrtc.h")
#include "/usr/local/cuda/include/cuda.h"
#include "/usr/local/cuda/include/nvrtc.h"
#define HAVE_CUDA_HEADERS 1
#endif
#include "runtime/cuda/cuda_api.h"

#if __has_include("/usr/include/hdf5/serial/hdf5.h")
#include "/usr/include/hdf5/serial/hdf5.h"
#define HAVE_HDF5_HEADERS 1
#endif
#include "format/trajectory/hdf5_api.h"

#define SAME_VALUE(name) _Static_assert((long long)QN_##name == (long long)(name), #name)
#define SAME_TYPE(table, entry, function) \
    _Static_assert(_Generic(&function, __typeof__(((table *)0)->entry) : 1, default : 0), #function)

#ifdef HAVE_OPENCL_HEADERS
SAME_VALUE(CL_SUCCESS);
SAME_VALUE(CL_DEVICE_NOT_FOUND);
SAME_VALUE(CL_DEVICE_NOT_AVAILABLE);
SAME_VALUE(CL_MEM_OBJECT_ALLOCATION_FAILURE);
SAME_VALUE(CL_OUT_OF_RESOURCES);
SAME_VALUE(CL_OUT_OF_HOST_MEMORY);
SAME_VALUE(CL_BUILD_PROGRAM_FAILURE);
SAME_VALUE(CL_MISALIGNED_SUB_BUFFER_OFFSET);
SAME_VALUE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
SAME_VALUE(CL_INVALID_VALUE);
SAME_VALUE(CL_INVALID_BINARY);
SAME_VALUE(CL_INVALID_KERNEL_NAME);
SAME_VALUE(CL_INVALID_WORK_GROUP_SIZE);
SAME_VALUE(CL_INVALID_BUFFER_SIZE);
SAME_VALUE(CL_PLATFORM_NOT_FOUND_KHR);
SAME_VALUE(CL_FALSE);
SAME_VALUE(CL_TRUE);
SAME_VALUE(CL_PLATFORM_NAME);
SAME_VALUE(CL_DEVICE_TYPE_CPU);
SAME_VALUE(CL_DEVICE_TYPE_GPU);
SAME_VALUE(CL_DEVICE_TYPE_ACCELERATOR);
SAME_VALUE(CL_DEVICE_TYPE);
SAME_VALUE(CL_DEVICE_MAX_COMPUTE_UNITS);
SAME_VALUE(CL_DEVICE_MAX_WORK_GROUP_SIZE);
SAME_VALUE(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
SAME_VALUE(CL_DEVICE_MEM_BASE_ADDR_ALIGN);
SAME_VALUE(CL_DEVICE_SINGLE_FP_CONFIG);
SAME_VALUE(CL_DEVICE_GLOBAL_MEM_SIZE);
SAME_VALUE(CL_DEVICE_LOCAL_MEM_SIZE);
SAME_VALUE(CL_DEVICE_AVAILABLE);
SAME_VALUE(CL_DEVICE_COMPILER_AVAILABLE);
SAME_VALUE(CL_DEVICE_NAME);
SAME_VALUE(CL_DEVICE_VENDOR);
SAME_VALUE(CL_DRIVER_VERSION);
SAME_VALUE(CL_DEVICE_VERSION);
SAME_VALUE(CL_DEVICE_EXTENSIONS);
SAME_VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
SAME_VALUE(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
SAME_VALUE(CL_DEVICE_WARP_SIZE_NV);
SAME_VALUE(CL_DEVICE_TOPOLOGY_AMD);
SAME_VALUE(CL_DEVICE_WAVEFRONT_WIDTH_AMD);
SAME_VALUE(CL_DEVICE_PCI_BUS_INFO_KHR);
SAME_VALUE(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
SAME_VALUE(CL_CONTEXT_PLATFORM);
SAME_VALUE(CL_QUEUE_PROFILING_ENABLE);
SAME_VALUE(CL_MEM_READ_WRITE);
SAME_VALUE(CL_BUFFER_CREATE_TYPE_REGION);
SAME_VALUE(CL_PROGRAM_BINARY_SIZES);
SAME_VALUE(CL_PROGRAM_BINARIES);
SAME_VALUE(CL_PROGRAM_BUILD_LOG);
SAME_VALUE(CL_KERNEL_NUM_ARGS);
SAME_VALUE(CL_KERNEL_WORK_GROUP_SIZE);
SAME_VALUE(CL_KERNEL_LOCAL_MEM_SIZE);
SAME_VALUE(CL_KERNEL_PRIVATE_MEM_SIZE);
SAME_VALUE(CL_EVENT_COMMAND_EXECUTION_STATUS);
SAME_VALUE(CL_COMPLETE);
SAME_VALUE(CL_PROFILING_COMMAND_START);
SAME_VALUE(CL_PROFILING_COMMAND_END);
SAME_TYPE(qn_opencl_api, clGetPlatformIDs, clGetPlatformIDs);
SAME_TYPE(qn_opencl_api, clGetPlatformInfo, clGetPlatformInfo);
SAME_TYPE(qn_opencl_api, clGetDeviceIDs, clGetDeviceIDs);
SAME_TYPE(qn_opencl_api, clGetDeviceInfo, clGetDeviceInfo);
SAME_TYPE(qn_opencl_api, clCreateContext, clCreateContext);
SAME_TYPE(qn_opencl_api, clReleaseContext, clReleaseContext);
SAME_TYPE(qn_opencl_api, clCreateCommandQueue, clCreateCommandQueue);
SAME_TYPE(qn_opencl_api, clReleaseCommandQueue, clReleaseCommandQueue);
SAME_TYPE(qn_opencl_api, clCreateBuffer, clCreateBuffer);
SAME_TYPE(qn_opencl_api, clCreateSubBuffer, clCreateSubBuffer);
SAME_TYPE(qn_opencl_api, clReleaseMemObject, clReleaseMemObject);
SAME_TYPE(qn_opencl_api, clCreateProgramWithSource, clCreateProgramWithSource);
SAME_TYPE(qn_opencl_api, clCreateProgramWithBinary, clCreateProgramWithBinary);
SAME_TYPE(qn_opencl_api, clReleaseProgram, clReleaseProgram);
SAME_TYPE(qn_opencl_api, clBuildProgram, clBuildProgram);
SAME_TYPE(qn_opencl_api, clGetProgramInfo, clGetProgramInfo);
SAME_TYPE(qn_opencl_api, clGetProgramBuildInfo, clGetProgramBuildInfo);
SAME_TYPE(qn_opencl_api, clCreateKernel, clCreateKernel);
SAME_TYPE(qn_opencl_api, clReleaseKernel, clReleaseKernel);
SAME_TYPE(qn_opencl_api, clSetKernelArg, clSetKernelArg);
SAME_TYPE(qn_opencl_api, clGetKernelInfo, clGetKernelInfo);
SAME_TYPE(qn_opencl_api, clGetKernelWorkGroupInfo, clGetKernelWorkGroupInfo);
SAME_TYPE(qn_opencl_api, clWaitForEvents, clWaitForEvents);
SAME_TYPE(qn_opencl_api, clGetEventInfo, clGetEventInfo);
SAME_TYPE(qn_opencl_api, clGetEventProfilingInfo, clGetEventProfilingInfo);
SAME_TYPE(qn_opencl_api, clReleaseEvent, clReleaseEvent);
SAME_TYPE(qn_opencl_api, clFlush, clFlush);
SAME_TYPE(qn_opencl_api, clFinish, clFinish);
SAME_TYPE(qn_opencl_api, clEnqueueReadBuffer, clEnqueueReadBuffer);
SAME_TYPE(qn_opencl_api, clEnqueueWriteBuffer, clEnqueueWriteBuffer);
SAME_TYPE(qn_opencl_api, clEnqueueFillBuffer, clEnqueueFillBuffer);
SAME_TYPE(qn_opencl_api, clEnqueueCopyBuffer, clEnqueueCopyBuffer);
SAME_TYPE(qn_opencl_api, clEnqueueNDRangeKernel, clEnqueueNDRangeKernel);
SAME_TYPE(qn_opencl_api, clEnqueueMarkerWithWaitList, clEnqueueMarkerWithWaitList);
SAME_TYPE(qn_opencl_api, clEnqueueBarrierWithWaitList, clEnqueueBarrierWithWaitList);
_Static_assert(sizeof(cl_int) == 4 && sizeof(cl_uint) == 4 && sizeof(cl_ulong) == 8, "integers");
_Static_assert(sizeof(cl_bool) == 4 && sizeof(cl_bitfield) == 8, "flags");
_Static_assert(sizeof(cl_context_properties) == sizeof(intptr_t), "properties");
_Static_assert(sizeof(qn_cl_region) == sizeof(cl_buffer_region), "region");
_Static_assert(offsetof(qn_cl_region, size) == offsetof(cl_buffer_region, size), "region");
_Static_assert(sizeof(qn_cl_pci_bus_info) == sizeof(cl_device_pci_bus_info_khr), "PCI bus information");
_Static_assert(sizeof(qn_cl_topology_amd) == sizeof(cl_device_topology_amd), "topology");
_Static_assert(offsetof(qn_cl_topology_amd, bus) == offsetof(cl_device_topology_amd, pcie.bus), "topology");
#endif

#ifdef HAVE_CUDA_HEADERS
SAME_VALUE(CUDA_SUCCESS);
SAME_VALUE(CUDA_ERROR_INVALID_VALUE);
SAME_VALUE(CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(CUDA_ERROR_DEINITIALIZED);
SAME_VALUE(CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME_VALUE(CUDA_ERROR_NO_DEVICE);
SAME_VALUE(CUDA_ERROR_INVALID_IMAGE);
SAME_VALUE(CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_VALUE(CUDA_ERROR_ECC_UNCORRECTABLE);
SAME_VALUE(CUDA_ERROR_INVALID_PTX);
SAME_VALUE(CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME_VALUE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SAME_VALUE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_VALUE(CUDA_ERROR_CONTAINED);
SAME_VALUE(CUDA_ERROR_NOT_FOUND);
SAME_VALUE(CUDA_ERROR_NOT_READY);
SAME_VALUE(CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_VALUE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME_VALUE(CUDA_ERROR_LAUNCH_TIMEOUT);
SAME_VALUE(CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME_VALUE(CUDA_ERROR_ASSERT);
SAME_VALUE(CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME_VALUE(CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME_VALUE(CUDA_ERROR_MISALIGNED_ADDRESS);
SAME_VALUE(CUDA_ERROR_INVALID_ADDRESS_SPACE);
SAME_VALUE(CUDA_ERROR_INVALID_PC);
SAME_VALUE(CUDA_ERROR_LAUNCH_FAILED);
SAME_VALUE(CUDA_ERROR_NOT_SUPPORTED);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(CU_STREAM_NON_BLOCKING);
SAME_VALUE(CU_MEMHOSTALLOC_PORTABLE);
SAME_VALUE(CU_EVENT_DEFAULT);
SAME_VALUE(NVRTC_SUCCESS);
SAME_TYPE(qn_cuda_api, cuInit, cuInit);
SAME_TYPE(qn_cuda_api, cuDriverGetVersion, cuDriverGetVersion);
SAME_TYPE(qn_cuda_api, cuGetErrorName, cuGetErrorName);
SAME_TYPE(qn_cuda_api, cuGetErrorString, cuGetErrorString);
SAME_TYPE(qn_cuda_api, cuDeviceGetCount, cuDeviceGetCount);
SAME_TYPE(qn_cuda_api, cuDeviceGet, cuDeviceGet);
SAME_TYPE(qn_cuda_api, cuDeviceGetName, cuDeviceGetName);
SAME_TYPE(qn_cuda_api, cuDeviceTotalMem_v2, cuDeviceTotalMem);
SAME_TYPE(qn_cuda_api, cuDeviceGetAttribute, cuDeviceGetAttribute);
SAME_TYPE(qn_cuda_api, cuDeviceGetPCIBusId, cuDeviceGetPCIBusId);
SAME_TYPE(qn_cuda_api, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain);
SAME_TYPE(qn_cuda_api, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease);
SAME_TYPE(qn_cuda_api, cuCtxSetCurrent, cuCtxSetCurrent);
SAME_TYPE(qn_cuda_api, cuMemAlloc_v2, cuMemAlloc);
SAME_TYPE(qn_cuda_api, cuMemFree_v2, cuMemFree);
SAME_TYPE(qn_cuda_api, cuMemHostAlloc, cuMemHostAlloc);
SAME_TYPE(qn_cuda_api, cuMemFreeHost, cuMemFreeHost);
SAME_TYPE(qn_cuda_api, cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync);
SAME_TYPE(qn_cuda_api, cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync);
SAME_TYPE(qn_cuda_api, cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync);
SAME_TYPE(qn_cuda_api, cuMemsetD8Async, cuMemsetD8Async);
SAME_TYPE(qn_cuda_api, cuStreamCreate, cuStreamCreate);
SAME_TYPE(qn_cuda_api, cuStreamDestroy_v2, cuStreamDestroy);
SAME_TYPE(qn_cuda_api, cuStreamSynchronize, cuStreamSynchronize);
SAME_TYPE(qn_cuda_api, cuStreamWaitEvent, cuStreamWaitEvent);
SAME_TYPE(qn_cuda_api, cuEventCreate, cuEventCreate);
SAME_TYPE(qn_cuda_api, cuEventRecord, cuEventRecord);
SAME_TYPE(qn_cuda_api, cuEventSynchronize, cuEventSynchronize);
SAME_TYPE(qn_cuda_api, cuEventQuery, cuEventQuery);
SAME_TYPE(qn_cuda_api, cuEventElapsedTime, cuEventElapsedTime);
SAME_TYPE(qn_cuda_api, cuEventDestroy_v2, cuEventDestroy);
SAME_TYPE(qn_cuda_api, cuModuleLoadData, cuModuleLoadData);
SAME_TYPE(qn_cuda_api, cuModuleUnload, cuModuleUnload);
SAME_TYPE(qn_cuda_api, cuModuleGetFunction, cuModuleGetFunction);
SAME_TYPE(qn_cuda_api, cuFuncGetAttribute, cuFuncGetAttribute);
SAME_TYPE(qn_cuda_api, cuLaunchKernel, cuLaunchKernel);
SAME_TYPE(qn_nvrtc_api, nvrtcVersion, nvrtcVersion);
SAME_TYPE(qn_nvrtc_api, nvrtcGetErrorString, nvrtcGetErrorString);
SAME_TYPE(qn_nvrtc_api, nvrtcGetNumSupportedArchs, nvrtcGetNumSupportedArchs);
SAME_TYPE(qn_nvrtc_api, nvrtcGetSupportedArchs, nvrtcGetSupportedArchs);
SAME_TYPE(qn_nvrtc_api, nvrtcCreateProgram, nvrtcCreateProgram);
SAME_TYPE(qn_nvrtc_api, nvrtcDestroyProgram, nvrtcDestroyProgram);
SAME_TYPE(qn_nvrtc_api, nvrtcCompileProgram, nvrtcCompileProgram);
SAME_TYPE(qn_nvrtc_api, nvrtcGetProgramLogSize, nvrtcGetProgramLogSize);
SAME_TYPE(qn_nvrtc_api, nvrtcGetProgramLog, nvrtcGetProgramLog);
SAME_TYPE(qn_nvrtc_api, nvrtcGetCUBINSize, nvrtcGetCUBINSize);
SAME_TYPE(qn_nvrtc_api, nvrtcGetCUBIN, nvrtcGetCUBIN);
SAME_TYPE(qn_nvrtc_api, nvrtcGetPTXSize, nvrtcGetPTXSize);
SAME_TYPE(qn_nvrtc_api, nvrtcGetPTX, nvrtcGetPTX);
_Static_assert(sizeof(CUresult) == sizeof(int) && sizeof(nvrtcResult) == sizeof(int), "results");
_Static_assert(sizeof(CUdevice) == sizeof(int) && sizeof(CUdeviceptr) == sizeof(unsigned long long), "handles");
_Static_assert(sizeof(CUdevice_attribute) == sizeof(int) && sizeof(CUfunction_attribute) == sizeof(int), "attributes");
#endif

#ifdef HAVE_HDF5_HEADERS
#define SAME_HDF5(function) SAME_TYPE(qn_hdf5_api, function, function)
SAME_HDF5(H5open);
SAME_HDF5(H5get_libversion);
SAME_HDF5(H5free_memory);
SAME_HDF5(H5Eget_auto2);
SAME_HDF5(H5Eset_auto2);
SAME_HDF5(H5Fopen);
SAME_HDF5(H5Fclose);
SAME_HDF5(H5Oopen);
SAME_HDF5(H5Oclose);
SAME_HDF5(H5Lexists);
SAME_HDF5(H5Lget_name_by_idx);
SAME_HDF5(H5Dopen2);
SAME_HDF5(H5Dclose);
SAME_HDF5(H5Dget_space);
SAME_HDF5(H5Dget_type);
SAME_HDF5(H5Dread);
SAME_HDF5(H5Screate_simple);
SAME_HDF5(H5Sget_simple_extent_ndims);
SAME_HDF5(H5Sget_simple_extent_dims);
SAME_HDF5(H5Sget_simple_extent_npoints);
SAME_HDF5(H5Sselect_hyperslab);
SAME_HDF5(H5Sclose);
SAME_HDF5(H5Tget_class);
SAME_HDF5(H5Tget_size);
SAME_HDF5(H5Tis_variable_str);
SAME_HDF5(H5Tclose);
SAME_HDF5(H5Aexists);
SAME_HDF5(H5Aopen);
SAME_HDF5(H5Aget_space);
SAME_HDF5(H5Aget_type);
SAME_HDF5(H5Aread);
SAME_HDF5(H5Aclose);
SAME_VALUE(H5P_DEFAULT);
SAME_VALUE(H5E_DEFAULT);
SAME_VALUE(H5S_ALL);
SAME_VALUE(H5_INDEX_NAME);
SAME_VALUE(H5_ITER_INC);
SAME_VALUE(H5S_SELECT_SET);
SAME_VALUE(H5T_INTEGER);
SAME_VALUE(H5T_FLOAT);
SAME_VALUE(H5T_STRING);
_Static_assert(sizeof(H5_index_t) == sizeof(int) && sizeof(H5S_seloper_t) == sizeof(int), "enumerations");
#endif

/* Each error code has the name of the specification. */
static void error_codes_have_their_names(void)
{
    CHECK_TEXT(qn_opencl_error_name(0), "CL_SUCCESS");
    CHECK_TEXT(qn_opencl_error_name(-5), "CL_OUT_OF_RESOURCES");
    CHECK_TEXT(qn_opencl_error_name(-11), "CL_BUILD_PROGRAM_FAILURE");
    CHECK_TEXT(qn_opencl_error_name(-19), "CL_KERNEL_ARG_INFO_NOT_AVAILABLE");
    CHECK_TEXT(qn_opencl_error_name(-30), "CL_INVALID_VALUE");
    CHECK_TEXT(qn_opencl_error_name(-54), "CL_INVALID_WORK_GROUP_SIZE");
    CHECK_TEXT(qn_opencl_error_name(-68), "CL_INVALID_DEVICE_PARTITION_COUNT");
    CHECK_TEXT(qn_opencl_error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
}

static void unknown_error_codes_have_a_text(void)
{
    const int codes[] = {1, -20, -29, -69, -1000, -2147483647 - 1};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        CHECK_TEXT(qn_opencl_error_name(codes[i]), "an OpenCL error without a name");
}

int main(void)
{
    RUN(error_codes_have_their_names);
    RUN(unknown_error_codes_have_a_text);
    return check_finish();
}
