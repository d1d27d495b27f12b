#include "runtime/cuda/cuda_api.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

typedef struct symbol {
    const char *name;
    size_t place;
} symbol;

static const symbol driver_symbols[] = {
    {"cuInit", offsetof(qn_cuda_api, cuInit)},
    {"cuDriverGetVersion", offsetof(qn_cuda_api, cuDriverGetVersion)},
    {"cuGetErrorName", offsetof(qn_cuda_api, cuGetErrorName)},
    {"cuGetErrorString", offsetof(qn_cuda_api, cuGetErrorString)},
    {"cuDeviceGetCount", offsetof(qn_cuda_api, cuDeviceGetCount)},
    {"cuDeviceGet", offsetof(qn_cuda_api, cuDeviceGet)},
    {"cuDeviceGetName", offsetof(qn_cuda_api, cuDeviceGetName)},
    {"cuDeviceTotalMem_v2", offsetof(qn_cuda_api, cuDeviceTotalMem_v2)},
    {"cuDeviceGetAttribute", offsetof(qn_cuda_api, cuDeviceGetAttribute)},
    {"cuDeviceGetPCIBusId", offsetof(qn_cuda_api, cuDeviceGetPCIBusId)},
    {"cuDevicePrimaryCtxRetain", offsetof(qn_cuda_api, cuDevicePrimaryCtxRetain)},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(qn_cuda_api, cuDevicePrimaryCtxRelease_v2)},
    {"cuCtxSetCurrent", offsetof(qn_cuda_api, cuCtxSetCurrent)},
    {"cuMemAlloc_v2", offsetof(qn_cuda_api, cuMemAlloc_v2)},
    {"cuMemFree_v2", offsetof(qn_cuda_api, cuMemFree_v2)},
    {"cuMemHostAlloc", offsetof(qn_cuda_api, cuMemHostAlloc)},
    {"cuMemFreeHost", offsetof(qn_cuda_api, cuMemFreeHost)},
    {"cuMemcpyHtoDAsync_v2", offsetof(qn_cuda_api, cuMemcpyHtoDAsync_v2)},
    {"cuMemcpyDtoHAsync_v2", offsetof(qn_cuda_api, cuMemcpyDtoHAsync_v2)},
    {"cuMemcpyDtoDAsync_v2", offsetof(qn_cuda_api, cuMemcpyDtoDAsync_v2)},
    {"cuMemsetD8Async", offsetof(qn_cuda_api, cuMemsetD8Async)},
    {"cuStreamCreate", offsetof(qn_cuda_api, cuStreamCreate)},
    {"cuStreamDestroy_v2", offsetof(qn_cuda_api, cuStreamDestroy_v2)},
    {"cuStreamSynchronize", offsetof(qn_cuda_api, cuStreamSynchronize)},
    {"cuStreamWaitEvent", offsetof(qn_cuda_api, cuStreamWaitEvent)},
    {"cuEventCreate", offsetof(qn_cuda_api, cuEventCreate)},
    {"cuEventRecord", offsetof(qn_cuda_api, cuEventRecord)},
    {"cuEventSynchronize", offsetof(qn_cuda_api, cuEventSynchronize)},
    {"cuEventQuery", offsetof(qn_cuda_api, cuEventQuery)},
    {"cuEventElapsedTime", offsetof(qn_cuda_api, cuEventElapsedTime)},
    {"cuEventDestroy_v2", offsetof(qn_cuda_api, cuEventDestroy_v2)},
    {"cuModuleLoadData", offsetof(qn_cuda_api, cuModuleLoadData)},
    {"cuModuleUnload", offsetof(qn_cuda_api, cuModuleUnload)},
    {"cuModuleGetFunction", offsetof(qn_cuda_api, cuModuleGetFunction)},
    {"cuFuncGetAttribute", offsetof(qn_cuda_api, cuFuncGetAttribute)},
    {"cuFuncSetAttribute", offsetof(qn_cuda_api, cuFuncSetAttribute)},
    {"cuLaunchKernel", offsetof(qn_cuda_api, cuLaunchKernel)},
};

static const symbol compiler_symbols[] = {
    {"nvrtcVersion", offsetof(qn_nvrtc_api, nvrtcVersion)},
    {"nvrtcGetErrorString", offsetof(qn_nvrtc_api, nvrtcGetErrorString)},
    {"nvrtcGetNumSupportedArchs", offsetof(qn_nvrtc_api, nvrtcGetNumSupportedArchs)},
    {"nvrtcGetSupportedArchs", offsetof(qn_nvrtc_api, nvrtcGetSupportedArchs)},
    {"nvrtcCreateProgram", offsetof(qn_nvrtc_api, nvrtcCreateProgram)},
    {"nvrtcDestroyProgram", offsetof(qn_nvrtc_api, nvrtcDestroyProgram)},
    {"nvrtcCompileProgram", offsetof(qn_nvrtc_api, nvrtcCompileProgram)},
    {"nvrtcGetProgramLogSize", offsetof(qn_nvrtc_api, nvrtcGetProgramLogSize)},
    {"nvrtcGetProgramLog", offsetof(qn_nvrtc_api, nvrtcGetProgramLog)},
    {"nvrtcGetCUBINSize", offsetof(qn_nvrtc_api, nvrtcGetCUBINSize)},
    {"nvrtcGetCUBIN", offsetof(qn_nvrtc_api, nvrtcGetCUBIN)},
    {"nvrtcGetPTXSize", offsetof(qn_nvrtc_api, nvrtcGetPTXSize)},
    {"nvrtcGetPTX", offsetof(qn_nvrtc_api, nvrtcGetPTX)},
};

/* Fill the table. Returns the first symbol that `library` lacks; NULL: none. */
static const char *fill_table(void *library, const symbol *symbols, size_t count, void *table)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address) return symbols[i].name;
        memcpy((char *)table + symbols[i].place, &address, sizeof address);
    }
    return NULL;
}

qn_status qn_cuda_load(qn_cuda_api *api)
{
    memset(api, 0, sizeof *api);
    api->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!api->library)
        return QN_FAIL(QN_NO_DEVICE, "libcuda.so.1 not found: an NVIDIA GPU needs the NVIDIA driver installed");
    const char *missing =
        fill_table(api->library, driver_symbols, sizeof driver_symbols / sizeof driver_symbols[0], api);
    if (missing) {
        qn_cuda_unload(api);
        return QN_FAIL(QN_NO_DEVICE, "libcuda.so.1 has no %s: a driver of CUDA 11.2 or newer is needed", missing);
    }
    return QN_OK;
}

void qn_cuda_unload(qn_cuda_api *api)
{
    if (api->library) dlclose(api->library);
    api->library = NULL;
}

static bool open_compiler(const char *path, qn_nvrtc_api *api)
{
    memset(api, 0, sizeof *api);
    api->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!api->library) return false;
    if (fill_table(api->library, compiler_symbols, sizeof compiler_symbols / sizeof compiler_symbols[0], api) ||
        api->nvrtcVersion(&api->major, &api->minor) != QN_NVRTC_SUCCESS) {
        qn_nvrtc_unload(api);
        return false;
    }
    return true;
}

qn_status qn_nvrtc_load(qn_nvrtc_api *api, int driver_major)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/"};
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
    const size_t folder_count = sizeof folders / sizeof folders[0], name_count = sizeof names / sizeof names[0];
    bool any_version = driver_major == 0;
    for (int round = 0; round < 2; round++, any_version = true) {
        for (size_t i = 0; i < name_count * folder_count; i++) {
            char path[128];
            snprintf(path, sizeof path, "%s%s", folders[i % folder_count], names[i / folder_count]);
            if (!open_compiler(path, api)) continue;
            if (any_version || api->major <= driver_major) return QN_OK;
            qn_nvrtc_unload(api);
        }
    }
    return QN_FAIL(QN_NO_DEVICE,
                   "NVRTC not found: install libnvrtc.so.13, .12 or .11.2 of the CUDA toolkit (looked on the "
                   "library path and in /usr/local/cuda/lib64)");
}

void qn_nvrtc_unload(qn_nvrtc_api *api)
{
    if (api->library) dlclose(api->library);
    api->library = NULL;
}
