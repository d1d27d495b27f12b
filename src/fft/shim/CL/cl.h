/* Replacement of Khronos' <CL/cl.h> for VkFFT only: the types and values that VkFFT uses, and its OpenCL calls, which
 * go through a table filled from the library that the driver opened, so that neither compiling nor linking needs
 * OpenCL. */
#ifndef QN_FFT_SHIM_CL_H
#define QN_FFT_SHIM_CL_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool;
typedef uint64_t cl_ulong;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;

/* Values of the OpenCL 1.2 specification. */
#define CL_SUCCESS 0
#define CL_TRUE 1
#define CL_MEM_READ_WRITE (1 << 0)
#define CL_MEM_READ_ONLY (1 << 2)
#define CL_MEM_COPY_HOST_PTR (1 << 5)
#define CL_DEVICE_VENDOR_ID 0x1001
#define CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS 0x1003
#define CL_DEVICE_MAX_WORK_GROUP_SIZE 0x1004
#define CL_DEVICE_MAX_WORK_ITEM_SIZES 0x1005
#define CL_DEVICE_LOCAL_MEM_SIZE 0x1023
#define CL_PROGRAM_BINARY_SIZES 0x1165
#define CL_PROGRAM_BINARIES 0x1166
#define CL_PROGRAM_BUILD_LOG 0x1183

typedef struct qn_shim_opencl {
    cl_int (*get_device_info)(cl_device_id, cl_uint, size_t, void *, size_t *);
    cl_command_queue (*create_command_queue)(cl_context, cl_device_id, cl_ulong, cl_int *);
    cl_int (*release_command_queue)(cl_command_queue);
    cl_mem (*create_buffer)(cl_context, cl_ulong, size_t, void *, cl_int *);
    cl_int (*release_mem_object)(cl_mem);
    cl_program (*create_program_with_source)(cl_context, cl_uint, const char **, const size_t *, cl_int *);
    cl_program (*create_program_with_binary)(cl_context, cl_uint, const cl_device_id *, const size_t *,
                                             const unsigned char **, cl_int *, cl_int *);
    cl_int (*release_program)(cl_program);
    cl_int (*build_program)(cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *),
                            void *);
    cl_int (*get_program_info)(cl_program, cl_uint, size_t, void *, size_t *);
    cl_int (*get_program_build_info)(cl_program, cl_device_id, cl_uint, size_t, void *, size_t *);
    cl_kernel (*create_kernel)(cl_program, const char *, cl_int *);
    cl_int (*release_kernel)(cl_kernel);
    cl_int (*set_kernel_arg)(cl_kernel, cl_uint, size_t, const void *);
    cl_int (*finish)(cl_command_queue);
    cl_int (*enqueue_write_buffer)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
                                   const cl_event *, cl_event *);
    cl_int (*enqueue_nd_range_kernel)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                                      const size_t *, cl_uint, const cl_event *, cl_event *);
    size_t allocated_bytes; /* of buffers made while planning */
} qn_shim_opencl;

/* Table of the plan that this thread works on; VkFFT's calls have no argument for it. */
static _Thread_local qn_shim_opencl *qn_shim;

static inline cl_mem qn_shim_create_buffer(cl_context context, cl_ulong flags, size_t bytes, void *data, cl_int *error)
{
    cl_mem memory = qn_shim->create_buffer(context, flags, bytes, data, error);
    if (memory) qn_shim->allocated_bytes += bytes;
    return memory;
}

#define clGetDeviceInfo qn_shim->get_device_info
#define clCreateCommandQueue qn_shim->create_command_queue
#define clReleaseCommandQueue qn_shim->release_command_queue
#define clCreateBuffer qn_shim_create_buffer
#define clReleaseMemObject qn_shim->release_mem_object
#define clCreateProgramWithSource qn_shim->create_program_with_source
#define clCreateProgramWithBinary qn_shim->create_program_with_binary
#define clReleaseProgram qn_shim->release_program
#define clBuildProgram qn_shim->build_program
#define clGetProgramInfo qn_shim->get_program_info
#define clGetProgramBuildInfo qn_shim->get_program_build_info
#define clCreateKernel qn_shim->create_kernel
#define clReleaseKernel qn_shim->release_kernel
#define clSetKernelArg qn_shim->set_kernel_arg
#define clFinish qn_shim->finish
#define clEnqueueWriteBuffer qn_shim->enqueue_write_buffer
#define clEnqueueNDRangeKernel qn_shim->enqueue_nd_range_kernel

#endif
