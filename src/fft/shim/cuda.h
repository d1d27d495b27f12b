/* Replacement of NVIDIA's <cuda.h>, <nvrtc.h>, <cuda_runtime.h> … for VkFFT only: the types and values that VkFFT uses,
 * and its calls, which go through a table filled from the libraries that the driver opened. Its few CUDA runtime calls
 * become driver calls. */
#ifndef QN_FFT_SHIM_CUDA_H
#define QN_FFT_SHIM_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int CUresult, cudaError_t, nvrtcResult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct _nvrtcProgram *nvrtcProgram;

/* Values of cuda.h and nvrtc.h. */
#define CUDA_SUCCESS 0
#define cudaSuccess 0
#define NVRTC_SUCCESS 0
#define NVRTC_ERROR_OUT_OF_MEMORY 1
#define cudaMemcpyHostToDevice 1
#define CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES 8
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK 1
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X 2
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y 3
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z 4
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X 5
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y 6
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z 7
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK 8
#define CU_DEVICE_ATTRIBUTE_WARP_SIZE 10
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR 75
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR 76
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN 97

typedef struct qn_shim_cuda {
    CUresult (*device_get_attribute)(int *, int, CUdevice);
    CUresult (*set_current)(void *context);
    CUresult (*synchronize)(void);
    CUresult (*memory_allocate)(CUdeviceptr *, size_t);
    CUresult (*memory_free)(CUdeviceptr);
    CUresult (*copy_to_device)(CUdeviceptr, const void *, size_t);
    CUresult (*copy_to_device_async)(CUdeviceptr, const void *, size_t, cudaStream_t);
    CUresult (*module_load)(CUmodule *, const void *);
    CUresult (*module_unload)(CUmodule);
    CUresult (*module_get_function)(CUfunction *, CUmodule, const char *);
    CUresult (*module_get_global)(CUdeviceptr *, size_t *, CUmodule, const char *);
    CUresult (*function_set_attribute)(CUfunction, int, int);
    CUresult (*launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              cudaStream_t, void **, void **);
    CUresult (*event_create)(cudaEvent_t *, unsigned);
    CUresult (*event_destroy)(cudaEvent_t);
    CUresult (*event_record)(cudaEvent_t, cudaStream_t);
    CUresult (*event_synchronize)(cudaEvent_t);

    const char *(*compiler_error)(nvrtcResult);
    nvrtcResult (*compiler_architecture_count)(int *);
    nvrtcResult (*compiler_architectures)(int *);
    nvrtcResult (*program_create)(nvrtcProgram *, const char *, const char *, int, const char *const *,
                                  const char *const *);
    nvrtcResult (*program_destroy)(nvrtcProgram *);
    nvrtcResult (*program_compile)(nvrtcProgram, int, const char *const *);
    nvrtcResult (*program_log)(nvrtcProgram, char *);
    nvrtcResult (*program_ptx_size)(nvrtcProgram, size_t *);
    nvrtcResult (*program_ptx)(nvrtcProgram, char *);
    nvrtcResult (*program_cubin_size)(nvrtcProgram, size_t *);
    nvrtcResult (*program_cubin)(nvrtcProgram, char *);

    struct qn_device *device;
    nvrtcResult (*find_or_compile)(struct qn_shim_cuda *, nvrtcProgram); /* makes `image` of `text` */
    const char *text; /* of the latest program, as long as VkFFT keeps it */
    void *image;      /* code of the program that was compiled last */
    size_t image_bytes;

    int architecture;  /* compute capability that is compiled for; 90 is 9.0 */
    bool machine_code; /* the compiler knows the GPU, so PTX is not needed: the driver that compiles it may be older */
    cudaStream_t stream; /* of the current execution */
    size_t allocated_bytes;
} qn_shim_cuda;

/* Table of the plan that this thread works on; VkFFT's calls have no argument for it. */
static _Thread_local qn_shim_cuda *qn_shim;

static inline cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    CUdeviceptr address = 0;
    CUresult error = qn_shim->memory_allocate(&address, bytes);
    if (error == CUDA_SUCCESS) qn_shim->allocated_bytes += bytes;
    *memory = (void *)(uintptr_t)address;
    return error;
}

static inline cudaError_t cudaFree(void *memory)
{
    return qn_shim->memory_free((uintptr_t)memory);
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    (void)kind; /* always to the device */
    return qn_shim->copy_to_device((uintptr_t)to, from, bytes);
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
    return qn_shim->synchronize();
}

/* VkFFT calls this between launches on a stream that does not wait for the default stream, so the copy is queued on
 * that stream. */
static inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return qn_shim->copy_to_device_async(to, from, bytes, qn_shim->stream);
}

static inline CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options,
                                          void **values)
{
    (void)count, (void)options, (void)values;
    return qn_shim->module_load(module, image);
}

static inline nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int count,
                                             const char *const *headers, const char *const *names)
{
    qn_shim->text = text;
    return qn_shim->program_create(program, text, name, count, headers, names);
}

/* VkFFT gives no options. */
static inline nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    (void)count, (void)options;
    return qn_shim->find_or_compile(qn_shim, program);
}

static inline nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
    (void)program;
    *bytes = qn_shim->image_bytes;
    return NVRTC_SUCCESS;
}

static inline nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *image)
{
    (void)program;
    memcpy(image, qn_shim->image, qn_shim->image_bytes);
    return NVRTC_SUCCESS;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return qn_shim->event_create(event, 0);
}

#define cuDeviceGetAttribute qn_shim->device_get_attribute
#define cuModuleUnload qn_shim->module_unload
#define cuModuleGetFunction qn_shim->module_get_function
#define cuModuleGetGlobal qn_shim->module_get_global
#define cuFuncSetAttribute qn_shim->function_set_attribute
#define cuLaunchKernel qn_shim->launch_kernel
#define cudaEventDestroy qn_shim->event_destroy
#define cudaEventRecord qn_shim->event_record
#define cudaEventSynchronize qn_shim->event_synchronize
#define nvrtcGetErrorString qn_shim->compiler_error
#define nvrtcDestroyProgram qn_shim->program_destroy
#define nvrtcGetProgramLog qn_shim->program_log

#endif
