/* The part of OpenCL 1.2 that the driver uses. It is declared here so that a build needs no OpenCL headers; at run time
 * dlopen finds libOpenCL. tests/drivers/test_declarations.c compares this file with the Khronos headers if they are
 * installed. */
#ifndef QN_RUNTIME_OPENCL_API_H
#define QN_RUNTIME_OPENCL_API_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CL_VERSION_1_0 /* the Khronos headers are not included */
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef intptr_t cl_context_properties;
#endif

/* Values of the specification; the name after QN_CL_ is Khronos'. */
enum {
    QN_CL_SUCCESS = 0,
    QN_CL_DEVICE_NOT_FOUND = -1,
    QN_CL_DEVICE_NOT_AVAILABLE = -2,
    QN_CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    QN_CL_OUT_OF_RESOURCES = -5,
    QN_CL_OUT_OF_HOST_MEMORY = -6,
    QN_CL_BUILD_PROGRAM_FAILURE = -11,
    QN_CL_MISALIGNED_SUB_BUFFER_OFFSET = -13,
    QN_CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14,
    QN_CL_INVALID_VALUE = -30,
    QN_CL_INVALID_BINARY = -42,
    QN_CL_INVALID_KERNEL_NAME = -46,
    QN_CL_INVALID_WORK_GROUP_SIZE = -54,
    QN_CL_INVALID_BUFFER_SIZE = -61,
    QN_CL_PLATFORM_NOT_FOUND_KHR = -1001,

    QN_CL_FALSE = 0,
    QN_CL_TRUE = 1,
    QN_CL_PLATFORM_NAME = 0x0902,
    QN_CL_DEVICE_TYPE_CPU = 1 << 1,
    QN_CL_DEVICE_TYPE_GPU = 1 << 2,
    QN_CL_DEVICE_TYPE_ACCELERATOR = 1 << 3,
    QN_CL_DEVICE_TYPE = 0x1000,
    QN_CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    QN_CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    QN_CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    QN_CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019,
    QN_CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    QN_CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    QN_CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    QN_CL_DEVICE_AVAILABLE = 0x1027,
    QN_CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    QN_CL_DEVICE_NAME = 0x102B,
    QN_CL_DEVICE_VENDOR = 0x102C,
    QN_CL_DRIVER_VERSION = 0x102D,
    QN_CL_DEVICE_VERSION = 0x102F,
    QN_CL_DEVICE_EXTENSIONS = 0x1030,
    QN_CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A,
    QN_CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x1067, /* OpenCL 3.0 */
    QN_CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000,
    QN_CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001,
    QN_CL_DEVICE_WARP_SIZE_NV = 0x4003,
    QN_CL_DEVICE_PCI_BUS_ID_NV = 0x4008,
    QN_CL_DEVICE_PCI_SLOT_ID_NV = 0x4009,
    QN_CL_DEVICE_PCI_DOMAIN_ID_NV = 0x400A,
    QN_CL_DEVICE_TOPOLOGY_AMD = 0x4037,
    QN_CL_DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043,
    QN_CL_DEVICE_GFXIP_MAJOR_AMD = 0x404A,
    QN_CL_DEVICE_GFXIP_MINOR_AMD = 0x404B,
    QN_CL_DEVICE_PCI_BUS_INFO_KHR = 0x410F,
    QN_CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,
    QN_CL_CONTEXT_PLATFORM = 0x1084,
    QN_CL_QUEUE_PROFILING_ENABLE = 1 << 1,
    QN_CL_MEM_READ_WRITE = 1 << 0,
    QN_CL_BUFFER_CREATE_TYPE_REGION = 0x1220,
    QN_CL_PROGRAM_BINARY_SIZES = 0x1165,
    QN_CL_PROGRAM_BINARIES = 0x1166,
    QN_CL_PROGRAM_BUILD_LOG = 0x1183,
    QN_CL_KERNEL_NUM_ARGS = 0x1191,
    QN_CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    QN_CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1,
    QN_CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
    QN_CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4,
    QN_CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
    QN_CL_COMPLETE = 0x0,
    QN_CL_PROFILING_COMMAND_START = 0x1282,
    QN_CL_PROFILING_COMMAND_END = 0x1283
};

typedef struct qn_cl_region { /* cl_buffer_region */
    size_t origin, size;
} qn_cl_region;

typedef struct qn_cl_pci_bus_info { /* cl_device_pci_bus_info_khr */
    cl_uint domain, bus, device, function;
} qn_cl_pci_bus_info;

typedef struct qn_cl_topology_amd { /* cl_device_topology_amd, its PCI Express variant: type 1 */
    cl_uint type;
    unsigned char unused[17], bus, device, function;
} qn_cl_topology_amd;

/* The library's functions, with the signatures of the OpenCL 1.2 specification. `library` is dlopen's handle. */
typedef struct qn_opencl_api {
    void *library;
    cl_int (*clGetPlatformIDs)(cl_uint, cl_platform_id *, cl_uint *);
    cl_int (*clGetPlatformInfo)(cl_platform_id, cl_uint, size_t, void *, size_t *);
    cl_int (*clGetDeviceIDs)(cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *);
    cl_int (*clGetDeviceInfo)(cl_device_id, cl_uint, size_t, void *, size_t *);
    cl_context (*clCreateContext)(const cl_context_properties *, cl_uint, const cl_device_id *,
                                  void (*)(const char *, const void *, size_t, void *), void *, cl_int *);
    cl_int (*clReleaseContext)(cl_context);
    cl_command_queue (*clCreateCommandQueue)(cl_context, cl_device_id, cl_bitfield, cl_int *);
    cl_int (*clReleaseCommandQueue)(cl_command_queue);
    cl_mem (*clCreateBuffer)(cl_context, cl_bitfield, size_t, void *, cl_int *);
    cl_mem (*clCreateSubBuffer)(cl_mem, cl_bitfield, cl_uint, const void *, cl_int *);
    cl_int (*clReleaseMemObject)(cl_mem);
    cl_program (*clCreateProgramWithSource)(cl_context, cl_uint, const char **, const size_t *, cl_int *);
    cl_program (*clCreateProgramWithBinary)(cl_context, cl_uint, const cl_device_id *, const size_t *,
                                            const unsigned char **, cl_int *, cl_int *);
    cl_int (*clReleaseProgram)(cl_program);
    cl_int (*clBuildProgram)(cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *),
                             void *);
    cl_int (*clGetProgramInfo)(cl_program, cl_uint, size_t, void *, size_t *);
    cl_int (*clGetProgramBuildInfo)(cl_program, cl_device_id, cl_uint, size_t, void *, size_t *);
    cl_kernel (*clCreateKernel)(cl_program, const char *, cl_int *);
    cl_int (*clReleaseKernel)(cl_kernel);
    cl_int (*clSetKernelArg)(cl_kernel, cl_uint, size_t, const void *);
    cl_int (*clGetKernelInfo)(cl_kernel, cl_uint, size_t, void *, size_t *);
    cl_int (*clGetKernelWorkGroupInfo)(cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *);
    cl_int (*clWaitForEvents)(cl_uint, const cl_event *);
    cl_int (*clGetEventInfo)(cl_event, cl_uint, size_t, void *, size_t *);
    cl_int (*clGetEventProfilingInfo)(cl_event, cl_uint, size_t, void *, size_t *);
    cl_int (*clReleaseEvent)(cl_event);
    cl_int (*clFlush)(cl_command_queue);
    cl_int (*clFinish)(cl_command_queue);
    cl_int (*clEnqueueReadBuffer)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,
                                  cl_event *);
    cl_int (*clEnqueueWriteBuffer)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
                                   const cl_event *, cl_event *);
    cl_int (*clEnqueueFillBuffer)(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint,
                                  const cl_event *, cl_event *);
    cl_int (*clEnqueueCopyBuffer)(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *,
                                  cl_event *);
    cl_int (*clEnqueueNDRangeKernel)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                                     const size_t *, cl_uint, const cl_event *, cl_event *);
    cl_int (*clEnqueueMarkerWithWaitList)(cl_command_queue, cl_uint, const cl_event *, cl_event *);
    cl_int (*clEnqueueBarrierWithWaitList)(cl_command_queue, cl_uint, const cl_event *, cl_event *);
} qn_opencl_api;

/* Open libOpenCL and fill the table; QN_NO_DEVICE with the reason if the library is absent or older than 1.2. */
QN_MUST_CHECK qn_status qn_opencl_load(qn_opencl_api *api);
void qn_opencl_unload(qn_opencl_api *api);

/* Name of an error, such as "CL_OUT_OF_RESOURCES"; never NULL. */
const char *qn_opencl_error_name(cl_int error);

#endif
