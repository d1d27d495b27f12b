/* Memory for the files with OpenCL: the first device of the first platform. */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <CL/cl.h>

#include "common.h"

typedef cl_mem array;
typedef cl_command_queue queue_type;

static cl_context bridge_context;
static cl_command_queue bridge_queue;

static inline queue_type open_queue(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        exit(77); /* there is no device */
    bridge_context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    bridge_queue = clCreateCommandQueue(bridge_context, device, 0, &error);
    return bridge_queue;
}

static inline cl_mem put_bytes(const void *from, size_t bytes)
{
    cl_int error;
    cl_mem to = clCreateBuffer(bridge_context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    clEnqueueWriteBuffer(bridge_queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL);
    return to;
}
#define put(from, count) put_bytes((from), (count) * sizeof(float))
#define put_integers(from, count) put_bytes((from), (count) * sizeof(int32_t))

static inline void get(cl_mem from, float *to, size_t count)
{
    clEnqueueReadBuffer(bridge_queue, from, CL_TRUE, 0, count * sizeof *to, to, 0, NULL, NULL);
}

#endif
