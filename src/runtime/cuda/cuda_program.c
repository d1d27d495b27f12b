/* CUDA modules, kernels and their launch. */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/cuda/cuda_compile.h"
#include "runtime/cuda/cuda_driver.h"

typedef struct cuda_program {
    CUmodule module;
    void *image; /* the bytes that the module was loaded from, for the cache */
    size_t bytes;
} cuda_program;

typedef struct cuda_kernel {
    CUfunction function;
    const qn_kernel_declaration *declaration;
    int largest_group; /* of this kernel; registers may make it smaller than the device's */
} cuda_kernel;

/* Load a module. Takes ownership of `image`. */
static qn_status load_module(qn_cuda_device *device, void *image, size_t bytes, cuda_program **loaded)
{
    cuda_program *program = NULL;
    qn_status status = qn_allocate(1, sizeof *program, (void **)&program);
    if (status == QN_OK)
        status = qn_cuda_check(device, device->api.cuModuleLoadData(&program->module, image), "loading a program");
    if (status != QN_OK) {
        qn_release(&program);
        qn_release(&image);
        return status;
    }
    program->image = image;
    program->bytes = bytes;
    *loaded = program;
    return QN_OK;
}

static qn_status build_from_source(qn_cuda_device *device, const qn_program_source *source, cuda_program **program)
{
    qn_cuda_code code;
    qn_status status = qn_cuda_compile(&device->compiler, source->family->name, source->text, device->capability,
                                       source->options, &code);
    if (code.log && code.log[0])
        qn_log(QN_LOG_DEBUG, "cuda:%d: building %s: %s", device->number, source->family->name, code.log);
    if (status == QN_OK) {
        status = load_module(device, code.image, code.bytes, program);
        code.image = NULL;
    }
    qn_cuda_code_clear(&code);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "cuda:%d", device->number);
}

qn_status qn_cuda_program_build(qn_driver_device opaque, const qn_program_source *source, const void *binary,
                                size_t binary_bytes, qn_driver_program *program)
{
    qn_cuda_device *device = opaque;
    void *image = NULL;
    QN_TRY(qn_cuda_enter(device));
    if (!binary) return build_from_source(device, source, (cuda_program **)program);
    /* One additional zero byte: CUDA reads PTX up to a zero byte, which a truncated cache entry may lack. */
    QN_TRY(qn_allocate(binary_bytes + 1, 1, &image));
    memcpy(image, binary, binary_bytes);
    qn_status status = load_module(device, image, binary_bytes, (cuda_program **)program);
    if (status == QN_OK || status == QN_DEVICE_LOST || status == QN_OUT_OF_MEMORY) return status;
    return qn_error_add_context(QN_BUILD_FAILED, "the cached binary of %s does not load", source->family->name);
}

qn_status qn_cuda_program_binary(qn_driver_device opaque, qn_driver_program asked, void **binary, size_t *bytes)
{
    const cuda_program *program = asked;
    (void)opaque;
    QN_TRY(qn_allocate(program->bytes, 1, binary));
    memcpy(*binary, program->image, program->bytes);
    *bytes = program->bytes;
    return QN_OK;
}

void qn_cuda_program_destroy(qn_driver_device opaque, qn_driver_program destroyed)
{
    qn_cuda_device *device = opaque;
    cuda_program *program = destroyed;
    if (!program) return;
    if (device->api.cuCtxSetCurrent(device->context) == QN_CUDA_SUCCESS) device->api.cuModuleUnload(program->module);
    qn_release(&program->image);
    qn_release(&program);
}

static int attribute_of(qn_cuda_device *device, const cuda_kernel *kernel, int attribute)
{
    int value = 0;
    return device->api.cuFuncGetAttribute(&value, (CUfunction_attribute)attribute, kernel->function) == QN_CUDA_SUCCESS
               ? value
               : 0;
}

/* Let launches have all local memory that a group can get. Without this attribute a launch gets at most as much as a
 * kernel may declare. It is set once, since several threads may launch a kernel with rooms of different sizes. */
static qn_status allow_local_room(qn_cuda_device *device, const cuda_kernel *kernel)
{
    const int declared = attribute_of(device, kernel, QN_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    int most = 0;
    QN_TRY(qn_cuda_check(
        device,
        device->api.cuDeviceGetAttribute(
            &most, (CUdevice_attribute)QN_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device->id),
        "asking for the largest local room"));
    if (most <= declared) return QN_OK;
    return qn_cuda_check(device,
                         device->api.cuFuncSetAttribute(
                             kernel->function, (CUfunction_attribute)QN_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             most - declared),
                         "setting the size of the local room");
}

qn_status qn_cuda_kernel_create(qn_driver_device opaque, qn_driver_program program,
                                const qn_kernel_declaration *declaration, qn_driver_kernel *created)
{
    qn_cuda_device *device = opaque;
    cuda_kernel *kernel = NULL;
    QN_TRY(qn_cuda_enter(device));
    QN_TRY(qn_allocate(1, sizeof *kernel, (void **)&kernel));
    kernel->declaration = declaration;
    qn_status status = qn_cuda_check(
        device,
        device->api.cuModuleGetFunction(&kernel->function, ((cuda_program *)program)->module, declaration->name),
        "finding a kernel");
    if (status == QN_OK)
        status = qn_cuda_check(device,
                               device->api.cuFuncGetAttribute(
                                   &kernel->largest_group,
                                   (CUfunction_attribute)QN_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->function),
                               "asking for a kernel's largest group");
    if (status == QN_OK) status = allow_local_room(device, kernel);
    if (status != QN_OK) {
        qn_release(&kernel);
        return qn_error_add_context(status, "kernel '%s'", declaration->name);
    }
    *created = kernel;
    return QN_OK;
}

void qn_cuda_kernel_destroy(qn_driver_device opaque, qn_driver_kernel destroyed)
{
    cuda_kernel *kernel = destroyed;
    (void)opaque; /* a function is released with its module */
    qn_release(&kernel);
}

qn_status qn_cuda_kernel_resources(qn_driver_device opaque, qn_driver_kernel asked, qn_kernel_resources *resources)
{
    qn_cuda_device *device = opaque;
    const cuda_kernel *kernel = asked;
    QN_TRY(qn_cuda_enter(device));
    resources->largest_group = kernel->largest_group;
    resources->registers = attribute_of(device, kernel, QN_CU_FUNC_ATTRIBUTE_NUM_REGS);
    resources->local_bytes = (size_t)attribute_of(device, kernel, QN_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    resources->private_bytes = (size_t)attribute_of(device, kernel, QN_CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    return QN_OK;
}

static qn_status check_launch(const qn_cuda_device *device, const cuda_kernel *kernel, const qn_geometry *geometry,
                              int argument_count)
{
    const size_t most_groups[3] = {INT_MAX, 65535, 65535};
    const char *name = kernel->declaration->name;
    size_t group = geometry->group[0] * geometry->group[1] * geometry->group[2];
    if (argument_count != kernel->declaration->argument_count || argument_count > QN_ARGUMENT_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "kernel '%s' has %d arguments but %d are given", name,
                       kernel->declaration->argument_count, argument_count);
    if (group > (size_t)kernel->largest_group)
        return QN_FAIL(QN_LAUNCH_FAILED, "cuda:%d: kernel '%s' runs in groups of at most %d work-items, not %zu",
                       device->number, name, kernel->largest_group, group);
    for (int d = 0; d < 3; d++)
        if (geometry->items[d] / geometry->group[d] > most_groups[d])
            return QN_FAIL(QN_LAUNCH_FAILED,
                           "cuda:%d: kernel '%s' needs %zu groups along dimension %d; expected at most %zu",
                           device->number, name, geometry->items[d] / geometry->group[d], d, most_groups[d]);
    return QN_OK;
}

qn_status qn_cuda_launch(qn_driver_device opaque, qn_driver_queue queue, qn_driver_kernel launched,
                         const qn_geometry *geometry, const qn_argument *arguments, const qn_driver_buffer *buffers,
                         int argument_count, size_t local_room_bytes, const qn_configuration *configuration,
                         qn_driver_event *event)
{
    qn_cuda_device *device = opaque;
    const cuda_kernel *kernel = launched;
    CUdeviceptr addresses[QN_ARGUMENT_MAX];
    void *parameters[QN_ARGUMENT_MAX];
    qn_cuda_event *timing;
    unsigned group[3], groups[3];
    (void)configuration;
    QN_TRY(qn_cuda_enter(device));
    QN_TRY(check_launch(device, kernel, geometry, argument_count));
    for (int d = 0; d < 3; d++) {
        group[d] = (unsigned)geometry->group[d];
        groups[d] = (unsigned)(geometry->items[d] / geometry->group[d]);
    }
    for (int i = 0; i < argument_count; i++) {
        if (buffers[i]) {
            addresses[i] = ((const qn_cuda_buffer *)buffers[i])->address + arguments[i].offset;
            parameters[i] = &addresses[i];
        } else {
            size_t bytes; /* not used: CUDA knows the parameter's size */
            parameters[i] = (void *)qn_argument_value(&arguments[i], &bytes);
        }
    }
    QN_TRY(qn_cuda_event_start(device, queue, event, &timing));
    qn_status status =
        qn_cuda_check(device,
                      device->api.cuLaunchKernel(kernel->function, groups[0], groups[1], groups[2], group[0], group[1],
                                                 group[2], (unsigned)local_room_bytes, queue, parameters, NULL),
                      "launching");
    if (status != QN_OK) {
        if (status == QN_INVALID_ARGUMENT) status = QN_LAUNCH_FAILED;
        status = qn_error_add_context(status, "kernel '%s'", kernel->declaration->name);
    }
    return qn_cuda_event_end(device, queue, status, timing, event);
}
