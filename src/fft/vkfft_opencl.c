/* VkFFT on OpenCL devices. */
#define _POSIX_C_SOURCE 200809L /* uselocale */
#ifdef QN_HAVE_VKFFT
#define VKFFT_BACKEND 3
#include "fft/vkfft_configuration.h"

#include <dlfcn.h>

#include "base/memory.h"
#include "runtime/device.h"

typedef struct vkfft_state {
    qn_shim_opencl functions;
    qn_fft_shape shape;
    cl_device_id device;
    cl_context context;
    VkFFTApplication application;
    bool ready;
    cl_mem from, to; /* buffers of the current execution; the application keeps their addresses */
    cl_command_queue commands;
} vkfft_state;

static qn_status load_functions(void *library, qn_shim_opencl *f)
{
    const struct {
        const char *name;
        void *slot;
    } symbols[] = {{"clGetDeviceInfo", &f->get_device_info},
                   {"clCreateCommandQueue", &f->create_command_queue},
                   {"clReleaseCommandQueue", &f->release_command_queue},
                   {"clCreateBuffer", &f->create_buffer},
                   {"clReleaseMemObject", &f->release_mem_object},
                   {"clCreateProgramWithSource", &f->create_program_with_source},
                   {"clCreateProgramWithBinary", &f->create_program_with_binary},
                   {"clReleaseProgram", &f->release_program},
                   {"clBuildProgram", &f->build_program},
                   {"clGetProgramInfo", &f->get_program_info},
                   {"clGetProgramBuildInfo", &f->get_program_build_info},
                   {"clCreateKernel", &f->create_kernel},
                   {"clReleaseKernel", &f->release_kernel},
                   {"clSetKernelArg", &f->set_kernel_arg},
                   {"clFinish", &f->finish},
                   {"clEnqueueWriteBuffer", &f->enqueue_write_buffer},
                   {"clEnqueueNDRangeKernel", &f->enqueue_nd_range_kernel}};
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = library ? dlsym(library, symbols[i].name) : NULL;
        if (!symbol) return QN_FAIL(QN_UNSUPPORTED, "the OpenCL library has no function %s", symbols[i].name);
        memcpy(symbols[i].slot, &symbol, sizeof symbol);
    }
    return QN_OK;
}

static void vkfft_destroy(void *pointer)
{
    vkfft_state *state = pointer;
    if (!state) return;
    qn_shim = &state->functions;
    if (state->ready) deleteVkFFT(&state->application);
    qn_shim = NULL;
    qn_release(&state);
}

static qn_status vkfft_create(qn_device *device, const qn_fft_shape *shape, void **out)
{
    VkFFTConfiguration configuration = {0};
    QN_TRY(fill_configuration(shape, &configuration));
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(vkfft_state), &memory));
    vkfft_state *state = memory;
    state->shape = *shape;
    state->device = qn_device_native(device, QN_NATIVE_DEVICE);
    state->context = qn_device_native(device, QN_NATIVE_CONTEXT);
    configuration.device = &state->device;
    configuration.context = &state->context;
    qn_status status = load_functions(qn_device_native(device, QN_NATIVE_LIBRARY), &state->functions);
    if (status == QN_OK) {
        qn_shim = &state->functions;
        VkFFTResult result =
            initialize(&state->application, configuration); /* `initialize` frees its memory after a failure */
        qn_shim = NULL;
        state->ready = result == VKFFT_SUCCESS;
        status = check_result(result, "planning", shape);
    }
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
    state->commands = qn_queue_native(queue);
    const bool back = state->shape.real && !state->shape.forward;
    VkFFTLaunchParams launch = {.commandQueue = &state->commands,
                                .inputBuffer = back ? &state->to : &state->from,
                                .buffer = back ? &state->from : &state->to};
    qn_shim = &state->functions;
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
#endif

const qn_fft_backend qn_fft_vkfft_opencl_backend = {QN_FFT_VKFFT,  "opencl",      vkfft_create,
                                                    vkfft_destroy, vkfft_execute, vkfft_workspace_bytes};
