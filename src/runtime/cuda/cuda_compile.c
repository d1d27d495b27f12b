#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "runtime/cuda/cuda_compile.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { OPTION_MAX = 32 };

static qn_status check(const qn_nvrtc_api *api, nvrtcResult error, const char *doing)
{
    if (error == QN_NVRTC_SUCCESS) return QN_OK;
    return QN_FAIL(QN_BUILD_FAILED, "%s failed with %s", doing, api->nvrtcGetErrorString(error));
}

/* Find the newest architecture that this NVRTC knows and that runs on `capability`; 0: none. */
static qn_status find_architecture(const qn_nvrtc_api *api, int capability, int *architecture)
{
    int count = 0, *known = NULL;
    *architecture = 0;
    QN_TRY(check(api, api->nvrtcGetNumSupportedArchs(&count), "counting NVRTC's architectures"));
    QN_TRY(qn_allocate((size_t)count, sizeof known[0], (void **)&known));
    qn_status status =
        count > 0 ? check(api, api->nvrtcGetSupportedArchs(known), "listing NVRTC's architectures") : QN_OK;
    for (int i = 0; status == QN_OK && i < count; i++)
        if (known[i] <= capability && known[i] > *architecture) *architecture = known[i];
    qn_release(&known);
    return status;
}

static qn_status get_log(const qn_nvrtc_api *api, nvrtcProgram program, char **log)
{
    size_t bytes = 0;
    if (api->nvrtcGetProgramLogSize(program, &bytes) != QN_NVRTC_SUCCESS) bytes = 0;
    QN_TRY(qn_allocate(bytes + 1, 1, (void **)log));
    if (bytes > 0 && api->nvrtcGetProgramLog(program, *log) != QN_NVRTC_SUCCESS) (*log)[0] = 0;
    return QN_OK;
}

static qn_status get_image(const qn_nvrtc_api *api, nvrtcProgram program, bool is_cubin, qn_cuda_code *code)
{
    nvrtcResult error =
        is_cubin ? api->nvrtcGetCUBINSize(program, &code->bytes) : api->nvrtcGetPTXSize(program, &code->bytes);
    QN_TRY(check(api, error, "asking for the code's size"));
    QN_TRY(qn_allocate(code->bytes, 1, (void **)&code->image));
    error = is_cubin ? api->nvrtcGetCUBIN(program, code->image) : api->nvrtcGetPTX(program, code->image);
    return check(api, error, "reading the code");
}

static qn_status compile(const qn_nvrtc_api *api, const char *name, nvrtcProgram program, int capability,
                         int architecture, char *options, qn_cuda_code *code)
{
    const char *list[OPTION_MAX];
    char target[48];
    int count = 0;
    bool is_cubin = architecture == capability;
    snprintf(target, sizeof target, "--gpu-architecture=%s_%d", is_cubin ? "sm" : "compute", architecture);
    list[count++] = target;
    if (!strstr(options, "-std=")) list[count++] = "--std=c++17";
    if (!strstr(options, "-fmad=")) list[count++] = "--fmad=false"; /* a * b + c is rounded twice on every device */
    for (char *rest = options, *word = strtok_r(options, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (count == OPTION_MAX)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s has more than %d options", name, OPTION_MAX - 3);
        list[count++] = word;
    }
    nvrtcResult error = api->nvrtcCompileProgram(program, count, list);
    QN_TRY(get_log(api, program, &code->log));
    if (error != QN_NVRTC_SUCCESS) {
        const char *first = strstr(code->log, "error");
        while (first && first > code->log && first[-1] != '\n') first--;
        /* ptxas writes "Entry function 'x' uses too much shared data (0x10000 bytes, 0xc000 max)" and likewise for
         * local data. */
        return QN_FAIL(strstr(code->log, "uses too much ") ? QN_UNSUPPORTED : QN_BUILD_FAILED,
                       "building %s for compute capability %d.%d failed with %s: %.700s", name, capability / 10,
                       capability % 10, api->nvrtcGetErrorString(error), first ? first : code->log);
    }
    return get_image(api, program, is_cubin, code);
}

qn_status qn_cuda_compile(const qn_nvrtc_api *api, const char *name, const char *text, int capability,
                          const char *options, qn_cuda_code *code)
{
    nvrtcProgram program = NULL;
    int architecture;
    char *own_options = NULL;
    memset(code, 0, sizeof *code);
    QN_TRY(find_architecture(api, capability, &architecture));
    if (architecture == 0)
        return QN_FAIL(QN_UNSUPPORTED, "NVRTC %d.%d cannot compile for compute capability %d.%d: install an older one",
                       api->major, api->minor, capability / 10, capability % 10);
    QN_TRY(check(api, api->nvrtcCreateProgram(&program, text, name, 0, NULL, NULL), "creating a program"));
    qn_status status = qn_text_copy(options ? options : "", &own_options);
    if (status == QN_OK) status = compile(api, name, program, capability, architecture, own_options, code);
    qn_release(&own_options);
    api->nvrtcDestroyProgram(&program);
    return status;
}

qn_status qn_cuda_compile_only(const char *name, const char *text, int capability, const char *options,
                               qn_cuda_code *code)
{
    qn_nvrtc_api api;
    int architecture = 0;
    memset(code, 0, sizeof *code);
    QN_TRY(qn_nvrtc_load(&api, 0));
    qn_status status = find_architecture(&api, capability, &architecture);
    if (status == QN_OK && architecture != capability)
        status = qn_error_set(QN_UNSUPPORTED, __FILE__, __LINE__, "NVRTC %d.%d does not know compute capability %d.%d",
                              api.major, api.minor, capability / 10, capability % 10);
    if (status == QN_OK) status = qn_cuda_compile(&api, name, text, capability, options, code);
    qn_nvrtc_unload(&api);
    return status;
}

void qn_cuda_code_clear(qn_cuda_code *code)
{
    qn_release(&code->image);
    qn_release(&code->log);
    code->bytes = 0;
}
