#include "runtime/cuda/cupti_api.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

static const char *const NAMES[QN_CUPTI_FUNCTIONS] = {
    [QN_CUPTI_INITIALIZE] = "cuptiProfilerInitialize",
    [QN_CUPTI_CHIP_NAME] = "cuptiDeviceGetChipName",
    [QN_CUPTI_AVAILABILITY] = "cuptiProfilerGetCounterAvailability",
    [QN_CUPTI_HOST_INITIALIZE] = "cuptiProfilerHostInitialize",
    [QN_CUPTI_HOST_DEINITIALIZE] = "cuptiProfilerHostDeinitialize",
    [QN_CUPTI_ADD_METRICS] = "cuptiProfilerHostConfigAddMetrics",
    [QN_CUPTI_IMAGE_SIZE] = "cuptiProfilerHostGetConfigImageSize",
    [QN_CUPTI_IMAGE] = "cuptiProfilerHostGetConfigImage",
    [QN_CUPTI_PASSES] = "cuptiProfilerHostGetNumOfPasses",
    [QN_CUPTI_EVALUATE] = "cuptiProfilerHostEvaluateToGpuValues",
    [QN_CUPTI_ENABLE] = "cuptiRangeProfilerEnable",
    [QN_CUPTI_DISABLE] = "cuptiRangeProfilerDisable",
    [QN_CUPTI_DATA_SIZE] = "cuptiRangeProfilerGetCounterDataSize",
    [QN_CUPTI_DATA_INITIALIZE] = "cuptiRangeProfilerCounterDataImageInitialize",
    [QN_CUPTI_DATA_INFO] = "cuptiRangeProfilerGetCounterDataInfo",
    [QN_CUPTI_SET_CONFIG] = "cuptiRangeProfilerSetConfig",
    [QN_CUPTI_START] = "cuptiRangeProfilerStart",
    [QN_CUPTI_STOP] = "cuptiRangeProfilerStop",
    [QN_CUPTI_DECODE] = "cuptiRangeProfilerDecodeData",
};

/* Reasons of results, for users who can change the cause. */
static const struct {
    int result;
    const char *reason;
} REASONS[] = {
    {QN_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
     ": this user may not read counters; root may, and every user if the NVIDIA kernel module is loaded with "
     "NVreg_RestrictProfilingToAdminUsers=0"},
    {QN_CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     ": the host of this virtual GPU does not let it be profiled"},
    {QN_CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, ": this virtual GPU has no counters"},
    {QN_CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, ": confidential computing hides the counters"},
    {QN_CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, ": a part of a GPU (MIG) has no counters of its own"},
};

const char *qn_cupti_function_name(qn_cupti_function function)
{
    return NAMES[function];
}

/* Fill the table. Returns the first function that the library lacks; NULL: none. */
static const char *fill_table(qn_cupti_api *api)
{
    for (int i = 0; i < QN_CUPTI_FUNCTIONS; i++) {
        void *address = dlsym(api->library, NAMES[i]);
        if (!address) return NAMES[i];
        memcpy(&api->function[i], &address, sizeof address);
    }
    void *address = dlsym(api->library, "cuptiGetResultString");
    memcpy(&api->result_string, &address, sizeof address);
    return address ? NULL : "cuptiGetResultString";
}

qn_status qn_cupti_load(qn_cupti_api *api)
{
    static const char *const paths[] = {
        "libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
        "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so",    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
        "libcupti.so"};
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        memset(api, 0, sizeof *api);
        api->library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!api->library) continue;
        const char *lacking = fill_table(api);
        if (!lacking) return QN_OK;
        missing = lacking;
        qn_cupti_unload(api);
    }
    if (missing)
        return QN_FAIL(QN_UNSUPPORTED, "libcupti has no %s: libcupti of CUDA 12.6 or newer is needed", missing);
    return QN_FAIL(QN_UNSUPPORTED,
                   "libcupti.so.13 or .12 of the CUDA toolkit not found (looked on the library path and in "
                   "/usr/local/cuda)");
}

void qn_cupti_unload(qn_cupti_api *api)
{
    if (api->library) dlclose(api->library);
    api->library = NULL;
}

const char *qn_cupti_result_name(const qn_cupti_api *api, int result)
{
    const char *name = NULL;
    if (api->result_string(result, &name) != QN_CUPTI_SUCCESS || !name) return "an unknown error";
    return name;
}

qn_status qn_cupti_call(const qn_cupti_api *api, qn_cupti_function function, void *parameters)
{
    const char *reason = "";
    int result = api->function[function](parameters);
    if (result == QN_CUPTI_SUCCESS) return QN_OK;
    for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++)
        if (REASONS[i].result == result) reason = REASONS[i].reason;
    return QN_FAIL(result == QN_CUPTI_ERROR_OUT_OF_MEMORY ? QN_OUT_OF_MEMORY : QN_UNSUPPORTED,
                   "%s failed with %s (%d)%s", NAMES[function], qn_cupti_result_name(api, result), result, reason);
}
