/* The part of the CUDA driver API and of NVRTC that the driver uses. It is declared here so that a build needs no CUDA;
 * at run time dlopen finds both libraries. tests/drivers/test_declarations.c compares this file with NVIDIA's headers
 * if they are installed. */
#ifndef QN_RUNTIME_CUDA_API_H
#define QN_RUNTIME_CUDA_API_H

#include <quern/status.h>
#include <stddef.h>

#ifndef CUDA_VERSION /* NVIDIA's cuda.h is not included */
typedef int CUresult;
typedef int CUdevice;
typedef int CUdevice_attribute;
typedef int CUfunction_attribute;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
#endif
#ifndef __NVRTC_H__ /* nor nvrtc.h */
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
#endif

/* Values of cuda.h; the name after QN_ is NVIDIA's. */
enum {
    QN_CUDA_SUCCESS = 0,
    QN_CUDA_ERROR_INVALID_VALUE = 1,
    QN_CUDA_ERROR_OUT_OF_MEMORY = 2,
    QN_CUDA_ERROR_DEINITIALIZED = 4,
    QN_CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    QN_CUDA_ERROR_NO_DEVICE = 100,
    QN_CUDA_ERROR_INVALID_IMAGE = 200,
    QN_CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    QN_CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    QN_CUDA_ERROR_INVALID_PTX = 218,
    QN_CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    QN_CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    QN_CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    QN_CUDA_ERROR_CONTAINED = 226,
    QN_CUDA_ERROR_NOT_FOUND = 500,
    QN_CUDA_ERROR_NOT_READY = 600,
    QN_CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    QN_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    QN_CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    QN_CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    QN_CUDA_ERROR_ASSERT = 710,
    QN_CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    QN_CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    QN_CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    QN_CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    QN_CUDA_ERROR_INVALID_PC = 718,
    QN_CUDA_ERROR_LAUNCH_FAILED = 719,
    QN_CUDA_ERROR_NOT_SUPPORTED = 801,

    QN_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    QN_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    QN_CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    QN_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    QN_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    QN_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    QN_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    QN_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    QN_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    QN_CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    QN_CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    QN_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    QN_CU_STREAM_NON_BLOCKING = 1,
    QN_CU_MEMHOSTALLOC_PORTABLE = 1,
    QN_CU_EVENT_DEFAULT = 0,

    QN_NVRTC_SUCCESS = 0
};

/* Functions of libcuda.so.1. A member's name is the symbol that is loaded, with the version (_v2) if there is one. */
typedef struct qn_cuda_api {
    void *library;
    CUresult (*cuInit)(unsigned int);
    CUresult (*cuDriverGetVersion)(int *);
    CUresult (*cuGetErrorName)(CUresult, const char **);
    CUresult (*cuGetErrorString)(CUresult, const char **);
    CUresult (*cuDeviceGetCount)(int *);
    CUresult (*cuDeviceGet)(CUdevice *, int);
    CUresult (*cuDeviceGetName)(char *, int, CUdevice);
    CUresult (*cuDeviceTotalMem_v2)(size_t *, CUdevice);
    CUresult (*cuDeviceGetAttribute)(int *, CUdevice_attribute, CUdevice);
    CUresult (*cuDeviceGetPCIBusId)(char *, int, CUdevice);
    CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *, CUdevice);
    CUresult (*cuDevicePrimaryCtxRelease_v2)(CUdevice);
    CUresult (*cuCtxSetCurrent)(CUcontext);
    CUresult (*cuMemAlloc_v2)(CUdeviceptr *, size_t);
    CUresult (*cuMemFree_v2)(CUdeviceptr);
    CUresult (*cuMemHostAlloc)(void **, size_t, unsigned int);
    CUresult (*cuMemFreeHost)(void *);
    CUresult (*cuMemcpyHtoDAsync_v2)(CUdeviceptr, const void *, size_t, CUstream);
    CUresult (*cuMemcpyDtoHAsync_v2)(void *, CUdeviceptr, size_t, CUstream);
    CUresult (*cuMemcpyDtoDAsync_v2)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
    CUresult (*cuMemsetD8Async)(CUdeviceptr, unsigned char, size_t, CUstream);
    CUresult (*cuStreamCreate)(CUstream *, unsigned int);
    CUresult (*cuStreamDestroy_v2)(CUstream);
    CUresult (*cuStreamSynchronize)(CUstream);
    CUresult (*cuStreamWaitEvent)(CUstream, CUevent, unsigned int);
    CUresult (*cuEventCreate)(CUevent *, unsigned int);
    CUresult (*cuEventRecord)(CUevent, CUstream);
    CUresult (*cuEventSynchronize)(CUevent);
    CUresult (*cuEventQuery)(CUevent);
    CUresult (*cuEventElapsedTime)(float *, CUevent, CUevent);
    CUresult (*cuEventDestroy_v2)(CUevent);
    CUresult (*cuModuleLoadData)(CUmodule *, const void *);
    CUresult (*cuModuleUnload)(CUmodule);
    CUresult (*cuModuleGetFunction)(CUfunction *, CUmodule, const char *);
    CUresult (*cuFuncGetAttribute)(int *, CUfunction_attribute, CUfunction);
    CUresult (*cuFuncSetAttribute)(CUfunction, CUfunction_attribute, int);
    CUresult (*cuLaunchKernel)(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
                               unsigned int, unsigned int, CUstream, void **, void **);
} qn_cuda_api;

/* Functions of libnvrtc, 11.2 or newer. */
typedef struct qn_nvrtc_api {
    void *library;
    int major, minor; /* its version */
    nvrtcResult (*nvrtcVersion)(int *, int *);
    const char *(*nvrtcGetErrorString)(nvrtcResult);
    nvrtcResult (*nvrtcGetNumSupportedArchs)(int *);
    nvrtcResult (*nvrtcGetSupportedArchs)(int *);
    nvrtcResult (*nvrtcCreateProgram)(nvrtcProgram *, const char *, const char *, int, const char *const *,
                                      const char *const *);
    nvrtcResult (*nvrtcDestroyProgram)(nvrtcProgram *);
    nvrtcResult (*nvrtcCompileProgram)(nvrtcProgram, int, const char *const *);
    nvrtcResult (*nvrtcGetProgramLogSize)(nvrtcProgram, size_t *);
    nvrtcResult (*nvrtcGetProgramLog)(nvrtcProgram, char *);
    nvrtcResult (*nvrtcGetCUBINSize)(nvrtcProgram, size_t *);
    nvrtcResult (*nvrtcGetCUBIN)(nvrtcProgram, char *);
    nvrtcResult (*nvrtcGetPTXSize)(nvrtcProgram, size_t *);
    nvrtcResult (*nvrtcGetPTX)(nvrtcProgram, char *);
} qn_nvrtc_api;

/* Open the library and fill its table; QN_NO_DEVICE with the reason if the library is absent or too old. */
QN_MUST_CHECK qn_status qn_cuda_load(qn_cuda_api *api);
void qn_cuda_unload(qn_cuda_api *api);

/* Open the newest NVRTC whose major version is not above `driver_major`, because a driver cannot load the code of a
 * later version; if there is none, or for 0, the newest. */
QN_MUST_CHECK qn_status qn_nvrtc_load(qn_nvrtc_api *api, int driver_major);
void qn_nvrtc_unload(qn_nvrtc_api *api);

#endif
