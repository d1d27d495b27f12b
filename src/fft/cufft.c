/* cuFFT on CUDA devices, loaded at run time through our own declarations. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "fft/engine.h"
#include "runtime/device.h"

/* Constants of cufft.h. */
enum {
    CUFFT_OK = 0,
    CUFFT_ALLOCATION_FAILED = 2,
    CUFFT_REAL_TO_COMPLEX = 0x2a,
    CUFFT_COMPLEX_TO_REAL = 0x2c,
    CUFFT_COMPLEX_TO_COMPLEX = 0x29,
    CUFFT_FORWARD_SIGN = -1,
    CUFFT_INVERSE_SIGN = 1
};

typedef int cufft_result;
typedef int cufft_handle;

typedef struct cufft_api {
    void *library;
    cufft_result (*create)(cufft_handle *plan);
    cufft_result (*make_plan_many)(cufft_handle plan, int rank, long long *size, long long *input_embed,
                                   long long input_stride, long long input_distance, long long *output_embed,
                                   long long output_stride, long long output_distance, int type, long long batch,
                                   size_t *work_bytes);
    cufft_result (*set_stream)(cufft_handle plan, void *stream);
    cufft_result (*execute_r2c)(cufft_handle plan, void *input, void *output);
    cufft_result (*execute_c2r)(cufft_handle plan, void *input, void *output);
    cufft_result (*execute_c2c)(cufft_handle plan, void *input, void *output, int direction);
    cufft_result (*destroy)(cufft_handle plan);
    int (*set_current)(void *context); /* the driver's cuCtxSetCurrent */
} cufft_api;

typedef struct cufft_state {
    cufft_api api;
    cufft_handle plan;
    bool planned;
    void *context;
    size_t work_bytes;
    qn_fft_shape shape;
} cufft_state;

static qn_status load(const char *path, cufft_api *api)
{
    api->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!api->library) return QN_FAIL(QN_UNSUPPORTED, "%s cannot be loaded: %s", path, dlerror());
    const struct {
        const char *name;
        void *slot;
    } symbols[] = {{"cufftCreate", &api->create},        {"cufftMakePlanMany64", &api->make_plan_many},
                   {"cufftSetStream", &api->set_stream}, {"cufftExecR2C", &api->execute_r2c},
                   {"cufftExecC2R", &api->execute_c2r},  {"cufftExecC2C", &api->execute_c2c},
                   {"cufftDestroy", &api->destroy}};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(api->library, symbols[i].name);
        if (!symbol) return QN_FAIL(QN_UNSUPPORTED, "%s has no function %s", path, symbols[i].name);
        memcpy(symbols[i].slot, &symbol, sizeof symbol);
    }
    return QN_OK;
}

static qn_status check(const cufft_state *state, cufft_result error, const char *doing)
{
    if (error == CUFFT_OK) return QN_OK;
    const int *size = state->shape.size;
    return QN_FAIL(error == CUFFT_ALLOCATION_FAILED ? QN_OUT_OF_MEMORY : QN_UNSUPPORTED,
                   "%s %d transforms of %d x %d x %d failed with cuFFT's error %d", doing, state->shape.batch, size[0],
                   size[1], size[2], error);
}

/* Make the device's context current: cuFFT works in the context of the calling thread. */
static qn_status enter(const cufft_state *state)
{
    if (state->api.set_current(state->context) != 0)
        return QN_FAIL(QN_DEVICE_LOST, "the CUDA context of a transform cannot be made current");
    return QN_OK;
}

static void forget(cufft_state *state)
{
    if (state->planned && enter(state) == QN_OK) state->api.destroy(state->plan);
    if (state->api.library) dlclose(state->api.library);
    state->planned = false;
    state->api.library = NULL;
}

static qn_status make_plan(cufft_state *state)
{
    const qn_fft_shape *shape = &state->shape;
    const int type = !shape->real     ? CUFFT_COMPLEX_TO_COMPLEX
                     : shape->forward ? CUFFT_REAL_TO_COMPLEX
                                      : CUFFT_COMPLEX_TO_REAL;
    long long size[3];
    for (int axis = 0; axis < shape->dimensions; axis++) size[axis] = shape->size[shape->dimensions - 1 - axis];
    QN_TRY(enter(state));
    QN_TRY(check(state, state->api.create(&state->plan), "preparing"));
    state->planned = true;
    return check(state,
                 state->api.make_plan_many(state->plan, shape->dimensions, size, NULL, 1, 0, NULL, 1, 0, type,
                                           shape->batch, &state->work_bytes),
                 "planning");
}

/* Find the first cuFFT that loads and makes a plan: a library newer than the GPU's driver loads but cannot run. */
static qn_status find_library(cufft_state *state)
{
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"};
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/"};
    qn_error_trail best = {0};
    for (size_t i = 0; i < 2 * sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", folders[i % 2], names[i / 2]);
        qn_status status = load(path, &state->api);
        const bool loaded = status == QN_OK;
        if (loaded) status = make_plan(state);
        if (status == QN_OK) return QN_OK;
        if (loaded || best.status == QN_OK) qn_error_save(status, &best);
        forget(state);
    }
    return qn_error_restore(&best);
}

static void cufft_destroy(void *pointer)
{
    cufft_state *state = pointer;
    if (!state) return;
    forget(state);
    qn_release(&state);
}

static qn_status cufft_create(qn_device *device, const qn_fft_shape *shape, void **out)
{
    void *driver = qn_device_native(device, QN_NATIVE_LIBRARY);
    void *set_current = driver ? dlsym(driver, "cuCtxSetCurrent") : NULL;
    if (!set_current) return QN_FAIL(QN_UNSUPPORTED, "the CUDA driver library has no function cuCtxSetCurrent");
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(cufft_state), &memory));
    cufft_state *state = memory;
    memcpy(&state->api.set_current, &set_current, sizeof set_current);
    state->shape = *shape;
    state->context = qn_device_native(device, QN_NATIVE_CONTEXT);
    qn_status status = find_library(state);
    if (status != QN_OK) {
        cufft_destroy(state);
        return status;
    }
    *out = state;
    return QN_OK;
}

static qn_status cufft_execute(void *pointer, qn_queue *queue, qn_buffer *input, qn_buffer *output, qn_event **event)
{
    (void)event; /* plan.c makes the event */
    const cufft_state *state = pointer;
    const cufft_api *api = &state->api;
    void *from = qn_buffer_native(input), *to = qn_buffer_native(output);
    QN_TRY(enter(state));
    QN_TRY(check(state, api->set_stream(state->plan, qn_queue_native(queue)), "queueing"));
    cufft_result error;
    if (!state->shape.real)
        error = api->execute_c2c(state->plan, from, to, state->shape.forward ? CUFFT_FORWARD_SIGN : CUFFT_INVERSE_SIGN);
    else
        error =
            state->shape.forward ? api->execute_r2c(state->plan, from, to) : api->execute_c2r(state->plan, from, to);
    return check(state, error, "running");
}

static size_t cufft_workspace_bytes(const void *state)
{
    return ((const cufft_state *)state)->work_bytes;
}

const qn_fft_backend qn_fft_cufft_backend = {QN_FFT_CUFFT,  "cuda",        cufft_create,
                                             cufft_destroy, cufft_execute, cufft_workspace_bytes};
