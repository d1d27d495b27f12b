/* Memory for the files with CUDA: the first device. */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <cuda.h>

#include "common.h"

typedef CUdeviceptr array;
typedef CUstream queue_type;

static inline queue_type open_queue(void)
{
    CUdevice device;
    CUcontext context;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) exit(77); /* there is no device */
    if (cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS || cuCtxSetCurrent(context) != CUDA_SUCCESS) exit(1);
    return NULL;
}

static inline CUdeviceptr put_bytes(const void *from, size_t bytes)
{
    CUdeviceptr to = 0;
    cuMemAlloc(&to, bytes + 4);
    cuMemcpyHtoD(to + 4, from, bytes);
    return to + 4;
}
#define put(from, count) put_bytes((from), (count) * sizeof(float))
#define put_integers(from, count) put_bytes((from), (count) * sizeof(int32_t))

static inline void get(CUdeviceptr from, float *to, size_t count)
{
    cuCtxSynchronize();
    cuMemcpyDtoH(to, from, count * sizeof *to);
}

#endif
