/* VkFFT on CUDA devices. */
#define _POSIX_C_SOURCE 200809L /* uselocale */
#ifdef QN_HAVE_VKFFT
#define VKFFT_BACKEND 1
#include "fft/vkfft_configuration.h"

#include <dlfcn.h>

#include "base/memory.h"
#include "runtime/device.h"
#include "runtime/program_cache.h"

typedef struct vkfft_state {
    qn_shim_cuda functions;
    qn_fft_shape shape;
    CUdevice device;
    void *context;
    VkFFTApplication application;
    bool ready;
    void *from, *to; /* buffers of the current execution; the application keeps their addresses */
} vkfft_state;

typedef struct symbol_slot {
    const char *name;
    void *slot;
} symbol_slot;

static qn_status load_symbols(void *library, const char *what, const symbol_slot *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *symbol = library ? dlsym(library, symbols[i].name) : NULL;
        if (!symbol) return QN_FAIL(QN_UNSUPPORTED, "%s has no function %s", what, symbols[i].name);
        memcpy(symbols[i].slot, &symbol, sizeof symbol);
    }
    return QN_OK;
}

static qn_status load_functions(qn_device *device, qn_shim_cuda *f)
{
    const symbol_slot driver[] = {{"cuDeviceGetAttribute", &f->device_get_attribute},
                                  {"cuCtxSetCurrent", &f->set_current},
                                  {"cuCtxSynchronize", &f->synchronize},
                                  {"cuMemAlloc_v2", &f->memory_allocate},
                                  {"cuMemFree_v2", &f->memory_free},
                                  {"cuMemcpyHtoD_v2", &f->copy_to_device},
                                  {"cuMemcpyHtoDAsync_v2", &f->copy_to_device_async},
                                  {"cuModuleLoadData", &f->module_load},
                                  {"cuModuleUnload", &f->module_unload},
                                  {"cuModuleGetFunction", &f->module_get_function},
                                  {"cuModuleGetGlobal_v2", &f->module_get_global},
                                  {"cuFuncSetAttribute", &f->function_set_attribute},
                                  {"cuLaunchKernel", &f->launch_kernel},
                                  {"cuEventCreate", &f->event_create},
                                  {"cuEventDestroy_v2", &f->event_destroy},
                                  {"cuEventRecord", &f->event_record},
                                  {"cuEventSynchronize", &f->event_synchronize}};
    const symbol_slot compiler[] = {{"nvrtcGetErrorString", &f->compiler_error},
                                    {"nvrtcGetNumSupportedArchs", &f->compiler_architecture_count},
                                    {"nvrtcGetSupportedArchs", &f->compiler_architectures},
                                    {"nvrtcCreateProgram", &f->program_create},
                                    {"nvrtcDestroyProgram", &f->program_destroy},
                                    {"nvrtcCompileProgram", &f->program_compile},
                                    {"nvrtcGetProgramLog", &f->program_log},
                                    {"nvrtcGetPTXSize", &f->program_ptx_size},
                                    {"nvrtcGetPTX", &f->program_ptx},
                                    {"nvrtcGetCUBINSize", &f->program_cubin_size},
                                    {"nvrtcGetCUBIN", &f->program_cubin}};
    QN_TRY(load_symbols(qn_device_native(device, QN_NATIVE_LIBRARY), "the CUDA driver library", driver,
                        sizeof driver / sizeof driver[0]));
    return load_symbols(qn_device_native(device, QN_NATIVE_COMPILER), "NVRTC", compiler,
                        sizeof compiler / sizeof compiler[0]);
}

/* Choose the architecture: the GPU's, or the newest that the compiler knows if the GPU is newer. */
static qn_status choose_architecture(qn_shim_cuda *f, CUdevice device)
{
    int major = 0, minor = 0, count = 0;
    int known[256];
    if (f->device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != CUDA_SUCCESS ||
        f->device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != CUDA_SUCCESS)
        return QN_FAIL(QN_NO_DEVICE, "the CUDA driver does not report the GPU's compute capability");
    if (f->compiler_architecture_count(&count) != NVRTC_SUCCESS || count > (int)(sizeof known / sizeof known[0]) ||
        f->compiler_architectures(known) != NVRTC_SUCCESS)
        return QN_FAIL(QN_UNSUPPORTED, "NVRTC does not report the architectures that it compiles for");
    const int capability = 10 * major + minor;
    for (int i = 0; i < count; i++)
        if (known[i] <= capability && known[i] > f->architecture) f->architecture = known[i];
    f->machine_code = f->architecture == capability;
    if (f->architecture == 0)
        return QN_FAIL(QN_UNSUPPORTED, "NVRTC cannot compile for a GPU of compute capability %d.%d", major, minor);
    return QN_OK;
}

/* ---- kernels: VkFFT's texts are compiled once, and kept in the cache of programs ---- */

typedef struct compilation {
    qn_shim_cuda *functions;
    nvrtcProgram program;
    const char *option;
    nvrtcResult result;
} compilation;

static nvrtcResult copy_image(const qn_shim_cuda *f, nvrtcProgram program, void **image, size_t *bytes)
{
    nvrtcResult result = f->machine_code ? f->program_cubin_size(program, bytes) : f->program_ptx_size(program, bytes);
    if (result != NVRTC_SUCCESS) return result;
    if (qn_allocate(*bytes, 1, image) != QN_OK) {
        qn_error_clear();
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    return f->machine_code ? f->program_cubin(program, *image) : f->program_ptx(program, *image);
}

static qn_status compile(void *user, void **image, size_t *bytes)
{
    compilation *c = user;
    *image = NULL;
    c->result = c->functions->program_compile(c->program, 1, &c->option);
    if (c->result == NVRTC_SUCCESS) c->result = copy_image(c->functions, c->program, image, bytes);
    if (c->result == NVRTC_SUCCESS) return QN_OK;
    qn_release(image);
    return QN_FAIL(QN_BUILD_FAILED, "a kernel of VkFFT does not compile: %s", c->functions->compiler_error(c->result));
}

static nvrtcResult find_or_compile(qn_shim_cuda *f, nvrtcProgram program)
{
    char option[48];
    compilation c = {f, program, option, NVRTC_SUCCESS};
    snprintf(option, sizeof option, "--gpu-architecture=%s_%d", f->machine_code ? "sm" : "compute", f->architecture);
    qn_release(&f->image);
    if (qn_program_cache_compile(f->device, f->text, option, compile, &c, &f->image, &f->image_bytes) != QN_OK)
        qn_error_clear(); /* VkFFT reports the result */
    return c.result;
}

static qn_status enter(vkfft_state *state)
{
    if (state->functions.set_current(state->context) != CUDA_SUCCESS)
        return QN_FAIL(QN_DEVICE_LOST, "the CUDA context of a transform cannot be made current");
    qn_shim = &state->functions;
    return QN_OK;
}

uint64_t qn_fft_vkfft_cuda_local_bytes(qn_device *device)
{
    qn_shim_cuda functions = {0};
    int bytes = 0;
    if (load_functions(device, &functions) != QN_OK) {
        qn_error_clear();
        return 0;
    }
    const CUdevice number = (CUdevice)(intptr_t)qn_device_native(device, QN_NATIVE_DEVICE);
    if (functions.device_get_attribute(&bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, number) !=
        CUDA_SUCCESS)
        return 0;
    return (uint64_t)bytes;
}

static void vkfft_destroy(void *pointer)
{
    vkfft_state *state = pointer;
    if (!state) return;
    if (state->ready && enter(state) == QN_OK) deleteVkFFT(&state->application);
    qn_shim = NULL;
    qn_release(&state);
}

static qn_status plan(vkfft_state *state, qn_device *device, VkFFTConfiguration *configuration)
{
    QN_TRY(load_functions(device, &state->functions));
    QN_TRY(choose_architecture(&state->functions, state->device));
    state->functions.device = device;
    state->functions.find_or_compile = find_or_compile;
    QN_TRY(enter(state));
    configuration->device = &state->device;
    configuration->stream = &state->functions.stream;
    configuration->num_streams = 1;
    VkFFTResult result =
        initialize(&state->application, *configuration); /* `initialize` frees its memory after a failure */
    qn_shim = NULL;
    qn_release(&state->functions.image);
    state->ready = result == VKFFT_SUCCESS;
    return check_result(result, "planning", &state->shape);
}

static qn_status vkfft_create(qn_device *device, const qn_fft_shape *shape, void **out)
{
    VkFFTConfiguration configuration = {0};
    QN_TRY(fill_configuration(shape, &configuration));
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(vkfft_state), &memory));
    vkfft_state *state = memory;
    state->shape = *shape;
    state->device = (CUdevice)(intptr_t)qn_device_native(device, QN_NATIVE_DEVICE);
    state->context = qn_device_native(device, QN_NATIVE_CONTEXT);
    qn_status status = plan(state, device, &configuration);
    if (status != QN_OK) {
        vkfft_destroy(state);
        return status;
    }
    *out = state;
    return QN_OK;
}

static qn_status vkfft_execute(void *pointer, qn_queue *queue, qn_buffer *input, qn_buffer *output, qn_event **event)
{
    (void)event; /* plan.c makes the event */
    vkfft_state *state = pointer;
    state->from = qn_buffer_native(input);
    state->to = qn_buffer_native(output);
    const bool back = state->shape.real && !state->shape.forward;
    VkFFTLaunchParams launch = {.inputBuffer = back ? &state->to : &state->from,
                                .buffer = back ? &state->from : &state->to};
    QN_TRY(enter(state));
    state->functions.stream = qn_queue_native(queue);
    VkFFTResult result = VkFFTAppend(&state->application, state->shape.forward ? -1 : 1, &launch);
    qn_shim = NULL;
    return check_result(result, "running", &state->shape);
}

static size_t vkfft_workspace_bytes(const void *state)
{
    return ((const vkfft_state *)state)->functions.allocated_bytes;
}

#else
#include "fft/vkfft_absent.h"

uint64_t qn_fft_vkfft_cuda_local_bytes(qn_device *device)
{
    (void)device;
    return 0;
}
#endif

const qn_fft_backend qn_fft_vkfft_cuda_backend = {QN_FFT_VKFFT,  "cuda",        vkfft_create,
                                                  vkfft_destroy, vkfft_execute, vkfft_workspace_bytes};
