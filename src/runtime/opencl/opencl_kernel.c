/* OpenCL kernels and their launch. */
#include <pthread.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/opencl/opencl_driver.h"

typedef struct opencl_kernel {
    cl_kernel kernel;
    const qn_kernel_declaration *declaration;
    int arguments;        /* with LOCAL_ROOM_PARAMETER */
    size_t largest_group; /* of this kernel; registers may make it smaller than the device's */
    pthread_mutex_t lock; /* arguments are set in the cl_kernel, so threads of two queues must take turns */
} opencl_kernel;

/* A buffer range that is an argument of a kernel. */
typedef struct bound_range {
    cl_mem memory;
    cl_mem made;  /* a sub-buffer or a copy, released after the launch; NULL: the buffer itself is passed */
    bool is_copy; /* this device allows no sub-buffer at the start of the range */
    cl_mem whole;
    size_t offset, bytes;
} bound_range;

/* Find the most work-items of a group. A kernel with GROUP_LIMIT is compiled for groups of one size, which it can run;
 * NVIDIA's driver says 256 nevertheless. */
static qn_status find_largest_group(qn_opencl_device *device, cl_kernel kernel, size_t *largest)
{
    size_t compiled[3] = {0};
    QN_TRY(qn_opencl_check(device,
                           device->api.clGetKernelWorkGroupInfo(kernel, device->id, QN_CL_KERNEL_WORK_GROUP_SIZE,
                                                                sizeof *largest, largest, NULL),
                           "asking for a kernel's largest group"));
    QN_TRY(
        qn_opencl_check(device,
                        device->api.clGetKernelWorkGroupInfo(kernel, device->id, QN_CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                                             sizeof compiled, compiled, NULL),
                        "asking for a kernel's compiled group"));
    const size_t items = compiled[0] * compiled[1] * compiled[2]; /* 0: no GROUP_LIMIT */
    if (items > *largest) *largest = items;
    return QN_OK;
}

qn_status qn_opencl_kernel_create(qn_driver_device opaque, qn_driver_program program,
                                  const qn_kernel_declaration *declaration, qn_driver_kernel *created)
{
    qn_opencl_device *device = opaque;
    opencl_kernel *kernel = NULL;
    cl_uint arguments = 0;
    cl_int error;
    QN_TRY(qn_opencl_alive(device));
    cl_kernel native = device->api.clCreateKernel(program, declaration->name, &error);
    if (error == QN_CL_INVALID_KERNEL_NAME)
        return QN_FAIL(QN_NOT_FOUND, "opencl:%d: the program has no kernel '%s'", device->number, declaration->name);
    QN_TRY(qn_opencl_check(device, error, "creating a kernel"));
    qn_status status = qn_allocate(1, sizeof *kernel, (void **)&kernel);
    if (status == QN_OK)
        status = qn_opencl_check(
            device, device->api.clGetKernelInfo(native, QN_CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL),
            "counting a kernel's arguments");
    /* One additional argument is LOCAL_ROOM_PARAMETER. */
    if (status == QN_OK && (int)arguments != declaration->argument_count &&
        (int)arguments != declaration->argument_count + 1)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__, "kernel '%s' takes %u arguments; %d are declared",
                              declaration->name, (unsigned)arguments, declaration->argument_count);
    if (status == QN_OK) status = find_largest_group(device, native, &kernel->largest_group);
    if (status == QN_OK && pthread_mutex_init(&kernel->lock, NULL) != 0)
        status = qn_error_set(QN_OUT_OF_MEMORY, __FILE__, __LINE__, "no lock for kernel '%s'", declaration->name);
    if (status != QN_OK) {
        device->api.clReleaseKernel(native);
        qn_release(&kernel);
        return status;
    }
    kernel->kernel = native;
    kernel->declaration = declaration;
    kernel->arguments = (int)arguments;
    *created = kernel;
    return QN_OK;
}

void qn_opencl_kernel_destroy(qn_driver_device opaque, qn_driver_kernel destroyed)
{
    qn_opencl_device *device = opaque;
    opencl_kernel *kernel = destroyed;
    if (!kernel) return;
    device->api.clReleaseKernel(kernel->kernel);
    pthread_mutex_destroy(&kernel->lock);
    qn_release(&kernel);
}

qn_status qn_opencl_kernel_resources(qn_driver_device opaque, qn_driver_kernel asked, qn_kernel_resources *resources)
{
    qn_opencl_device *device = opaque;
    const opencl_kernel *kernel = asked;
    uint64_t local = 0, private = 0; /* cl_ulong */
    resources->largest_group = (int)kernel->largest_group;
    if (device->api.clGetKernelWorkGroupInfo(kernel->kernel, device->id, QN_CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                             &local, NULL) == QN_CL_SUCCESS)
        resources->local_bytes = (size_t)local;
    if (device->api.clGetKernelWorkGroupInfo(kernel->kernel, device->id, QN_CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private,
                                             &private, NULL) == QN_CL_SUCCESS)
        resources->private_bytes = (size_t) private;
    return QN_OK;
}

/* Make a cl_mem of the range: the buffer, a sub-buffer, or, if the start is not aligned enough (NVIDIA requires 512
 * bytes), a copy that is copied back after the launch. */
static qn_status bind_range(qn_opencl_device *device, cl_command_queue queue, const qn_opencl_buffer *buffer,
                            const qn_argument *argument, qn_access access, bound_range *bound)
{
    size_t bytes = argument->bytes ? argument->bytes : buffer->bytes - argument->offset;
    cl_int error = QN_CL_SUCCESS;
    *bound =
        (bound_range){.memory = buffer->memory, .whole = buffer->memory, .offset = argument->offset, .bytes = bytes};
    if (argument->offset == 0) return QN_OK;
    if (argument->offset % device->alignment == 0) {
        const qn_cl_region region = {.origin = argument->offset, .size = bytes};
        bound->made = device->api.clCreateSubBuffer(buffer->memory, QN_CL_MEM_READ_WRITE,
                                                    QN_CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        QN_TRY(qn_opencl_check(device, error, "creating a sub-buffer"));
    } else {
        bound->made = device->api.clCreateBuffer(device->context, QN_CL_MEM_READ_WRITE, bytes, NULL, &error);
        QN_TRY(qn_opencl_check(device, error, "creating a copy of a buffer's range"));
        bound->is_copy = true;
        if (access != QN_OUT)
            error = device->api.clEnqueueCopyBuffer(queue, buffer->memory, bound->made, argument->offset, 0, bytes, 0,
                                                    NULL, NULL);
    }
    bound->memory = bound->made;
    return qn_opencl_check(device, error, "copying a buffer's range");
}

static qn_status bind_arguments(qn_opencl_device *device, cl_command_queue queue, const opencl_kernel *kernel,
                                const qn_argument *arguments, const qn_driver_buffer *buffers, int count,
                                bound_range *bound)
{
    for (int i = 0; i < count; i++) {
        cl_int error;
        if (buffers[i]) {
            QN_TRY(bind_range(device, queue, buffers[i], &arguments[i], kernel->declaration->arguments[i].access,
                              &bound[i]));
            error = device->api.clSetKernelArg(kernel->kernel, (cl_uint)i, sizeof(cl_mem), &bound[i].memory);
        } else {
            size_t bytes;
            const void *value = qn_argument_value(&arguments[i], &bytes);
            error = device->api.clSetKernelArg(kernel->kernel, (cl_uint)i, bytes, value);
        }
        if (error != QN_CL_SUCCESS) {
            qn_status status = qn_opencl_check(device, error, "setting an argument");
            return qn_error_add_context(status, "argument '%s' of kernel '%s'", kernel->declaration->arguments[i].name,
                                        kernel->declaration->name);
        }
    }
    return QN_OK;
}

static qn_status copy_back(qn_opencl_device *device, cl_command_queue queue, const opencl_kernel *kernel, int count,
                           const bound_range *bound)
{
    for (int i = 0; i < count; i++) {
        if (!bound[i].is_copy || kernel->declaration->arguments[i].access == QN_IN) continue;
        QN_TRY(qn_opencl_check(device,
                               device->api.clEnqueueCopyBuffer(queue, bound[i].memory, bound[i].whole, 0,
                                                               bound[i].offset, bound[i].bytes, 0, NULL, NULL),
                               "copying a buffer's range back"));
    }
    return QN_OK;
}

qn_status qn_opencl_launch(qn_driver_device opaque, qn_driver_queue queue, qn_driver_kernel launched,
                           const qn_geometry *geometry, const qn_argument *arguments, const qn_driver_buffer *buffers,
                           int argument_count, size_t local_room_bytes, const qn_configuration *configuration,
                           qn_driver_event *event)
{
    qn_opencl_device *device = opaque;
    opencl_kernel *kernel = launched;
    bound_range bound[QN_ARGUMENT_MAX] = {0};
    const char *name = kernel->declaration->name;
    size_t group = geometry->group[0] * geometry->group[1] * geometry->group[2];
    (void)configuration;
    if (event) *event = NULL;
    QN_TRY(qn_opencl_alive(device));
    if (argument_count != kernel->declaration->argument_count || argument_count > QN_ARGUMENT_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "kernel '%s' has %d arguments but %d are given", name,
                       kernel->declaration->argument_count, argument_count);
    if (kernel->arguments != argument_count + (local_room_bytes > 0))
        return QN_FAIL(QN_NOT_FOUND, "kernel '%s' takes %d arguments; %d are declared", name, kernel->arguments,
                       argument_count + (local_room_bytes > 0));
    if (group > kernel->largest_group)
        return QN_FAIL(QN_LAUNCH_FAILED, "opencl:%d: kernel '%s' runs in groups of at most %zu work-items, not %zu",
                       device->number, name, kernel->largest_group, group);
    pthread_mutex_lock(&kernel->lock);
    qn_status status = bind_arguments(device, queue, kernel, arguments, buffers, argument_count, bound);
    if (status == QN_OK && local_room_bytes > 0)
        status = qn_opencl_check(
            device, device->api.clSetKernelArg(kernel->kernel, (cl_uint)argument_count, local_room_bytes, NULL),
            "setting the size of the local room");
    if (status == QN_OK) {
        cl_int error = device->api.clEnqueueNDRangeKernel(queue, kernel->kernel, 3, NULL, geometry->items,
                                                          geometry->group, 0, NULL, (cl_event *)event);
        status = qn_opencl_check(device, error, "launching");
    }
    pthread_mutex_unlock(&kernel->lock);
    if (status == QN_OK) status = copy_back(device, queue, kernel, argument_count, bound);
    for (int i = 0; i < argument_count; i++)
        if (bound[i].made) device->api.clReleaseMemObject(bound[i].made);
    if (status == QN_OK) status = qn_opencl_check(device, device->api.clFlush(queue), "flushing a queue");
    if (status == QN_OK) return QN_OK;
    if (event && *event) {
        device->api.clReleaseEvent(*event);
        *event = NULL;
    }
    return qn_error_add_context(status, "kernel '%s'", name);
}
