/* Buffers, queues, copies and events of the OpenCL driver. */
#include "base/error.h"
#include "base/memory.h"
#include "runtime/opencl/opencl_driver.h"

qn_status qn_opencl_buffer_create(qn_driver_device opaque, size_t bytes, qn_driver_buffer *created)
{
    qn_opencl_device *device = opaque;
    qn_opencl_buffer *buffer = NULL;
    cl_int error;
    QN_TRY(qn_opencl_alive(device));
    /* NVIDIA's driver accepts any size and fails at the first use of the buffer. */
    if (bytes > device->memory_bytes)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%zu bytes: opencl:%d has %llu bytes of memory", bytes, device->number,
                       (unsigned long long)device->memory_bytes);
    QN_TRY(qn_allocate(1, sizeof *buffer, (void **)&buffer));
    buffer->bytes = bytes ? bytes : 1; /* OpenCL has no empty buffers */
    buffer->memory = device->api.clCreateBuffer(device->context, QN_CL_MEM_READ_WRITE, buffer->bytes, NULL, &error);
    if (error != QN_CL_SUCCESS) {
        qn_release(&buffer);
        qn_status status = qn_opencl_check(device, error, "creating a buffer");
        return qn_error_add_context(status, "%zu bytes", bytes);
    }
    *created = buffer;
    return QN_OK;
}

void qn_opencl_buffer_destroy(qn_driver_device opaque, qn_driver_buffer destroyed)
{
    qn_opencl_device *device = opaque;
    qn_opencl_buffer *buffer = destroyed;
    if (!buffer) return;
    device->api.clReleaseMemObject(buffer->memory); /* takes effect after the commands that use it */
    qn_release(&buffer);
}

qn_status qn_opencl_queue_create(qn_driver_device opaque, qn_driver_queue *queue)
{
    qn_opencl_device *device = opaque;
    cl_int error;
    QN_TRY(qn_opencl_alive(device));
    *queue = device->api.clCreateCommandQueue(device->context, device->id, QN_CL_QUEUE_PROFILING_ENABLE, &error);
    return qn_opencl_check(device, error, "creating a queue");
}

void qn_opencl_queue_destroy(qn_driver_device opaque, qn_driver_queue queue)
{
    qn_opencl_device *device = opaque;
    if (!queue) return;
    device->api.clFinish(queue);
    device->api.clReleaseCommandQueue(queue);
}

qn_status qn_opencl_queue_finish(qn_driver_device opaque, qn_driver_queue queue)
{
    qn_opencl_device *device = opaque;
    QN_TRY(qn_opencl_alive(device));
    return qn_opencl_check(device, device->api.clFinish(queue), "finishing a queue");
}

qn_status qn_opencl_queue_wait_for(qn_driver_device opaque, qn_driver_queue queue, qn_driver_event awaited)
{
    qn_opencl_device *device = opaque;
    cl_event event = awaited;
    QN_TRY(qn_opencl_alive(device));
    cl_int error = device->api.clEnqueueBarrierWithWaitList(queue, 1, &event, NULL);
    return qn_opencl_check(device, error, "waiting for another queue");
}

/* Another queue may wait for a command with an event, which OpenCL allows only after a flush. */
static qn_status finish_command(qn_opencl_device *device, cl_command_queue queue, cl_int error, const char *doing,
                                const qn_driver_event *event)
{
    QN_TRY(qn_opencl_check(device, error, doing));
    return event ? qn_opencl_check(device, device->api.clFlush(queue), doing) : QN_OK;
}

/* Enqueue a marker instead of a command of 0 bytes, which OpenCL rejects. */
static qn_status enqueue_nothing(qn_opencl_device *device, cl_command_queue queue, qn_driver_event *event)
{
    if (!event) return QN_OK;
    cl_int error = device->api.clEnqueueMarkerWithWaitList(queue, 0, NULL, (cl_event *)event);
    return finish_command(device, queue, error, "placing a marker", event);
}

qn_status qn_opencl_write(qn_driver_device opaque, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                          const void *data, size_t bytes, qn_driver_event *event)
{
    qn_opencl_device *device = opaque;
    QN_TRY(qn_opencl_alive(device));
    if (bytes == 0) return enqueue_nothing(device, queue, event);
    cl_int error = device->api.clEnqueueWriteBuffer(queue, ((qn_opencl_buffer *)buffer)->memory, QN_CL_FALSE, offset,
                                                    bytes, data, 0, NULL, (cl_event *)event);
    return finish_command(device, queue, error, "writing to a buffer", event);
}

qn_status qn_opencl_read(qn_driver_device opaque, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                         void *data, size_t bytes, qn_driver_event *event)
{
    qn_opencl_device *device = opaque;
    QN_TRY(qn_opencl_alive(device));
    if (bytes == 0) return enqueue_nothing(device, queue, event);
    cl_int error = device->api.clEnqueueReadBuffer(queue, ((qn_opencl_buffer *)buffer)->memory, QN_CL_FALSE, offset,
                                                   bytes, data, 0, NULL, (cl_event *)event);
    return finish_command(device, queue, error, "reading from a buffer", event);
}

qn_status qn_opencl_copy(qn_driver_device opaque, qn_driver_queue queue, qn_driver_buffer from, size_t from_offset,
                         qn_driver_buffer to, size_t to_offset, size_t bytes, qn_driver_event *event)
{
    qn_opencl_device *device = opaque;
    QN_TRY(qn_opencl_alive(device));
    if (bytes == 0) return enqueue_nothing(device, queue, event);
    cl_int error =
        device->api.clEnqueueCopyBuffer(queue, ((qn_opencl_buffer *)from)->memory, ((qn_opencl_buffer *)to)->memory,
                                        from_offset, to_offset, bytes, 0, NULL, (cl_event *)event);
    return finish_command(device, queue, error, "copying between buffers", event);
}

qn_status qn_opencl_fill(qn_driver_device opaque, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                         size_t bytes, unsigned char value, qn_driver_event *event)
{
    qn_opencl_device *device = opaque;
    QN_TRY(qn_opencl_alive(device));
    if (bytes == 0) return enqueue_nothing(device, queue, event);
    /* Use the widest pattern that fits, because drivers fill one pattern at a time. */
    unsigned char pattern[16];
    size_t width = sizeof pattern;
    for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = value;
    while (offset % width || bytes % width) width /= 2;
    cl_int error = device->api.clEnqueueFillBuffer(queue, ((qn_opencl_buffer *)buffer)->memory, pattern, width, offset,
                                                   bytes, 0, NULL, (cl_event *)event);
    return finish_command(device, queue, error, "filling a buffer", event);
}

qn_status qn_opencl_event_wait(qn_driver_device opaque, qn_driver_event awaited)
{
    qn_opencl_device *device = opaque;
    cl_event event = awaited;
    QN_TRY(qn_opencl_alive(device));
    cl_int error = device->api.clWaitForEvents(1, &event);
    if (error == QN_CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
        cl_int command = 0; /* the command's own error, which is more specific */
        if (device->api.clGetEventInfo(event, QN_CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof command, &command, NULL) ==
                QN_CL_SUCCESS &&
            command < 0)
            error = command;
    }
    return qn_opencl_check(device, error, "a command");
}

qn_status qn_opencl_event_done(qn_driver_device opaque, qn_driver_event event, bool *done)
{
    qn_opencl_device *device = opaque;
    cl_int state = QN_CL_COMPLETE;
    *done = true;
    QN_TRY(qn_opencl_alive(device));
    QN_TRY(qn_opencl_check(
        device, device->api.clGetEventInfo(event, QN_CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
        "getting the state of a command"));
    if (state < 0) return qn_opencl_check(device, state, "a command");
    *done = state == QN_CL_COMPLETE;
    return QN_OK;
}

qn_status qn_opencl_event_seconds(qn_driver_device opaque, qn_driver_event event, double *seconds)
{
    qn_opencl_device *device = opaque;
    cl_ulong start_ns = 0, end_ns = 0;
    QN_TRY(qn_opencl_event_wait(device, event));
    QN_TRY(qn_opencl_check(
        device,
        device->api.clGetEventProfilingInfo(event, QN_CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns, NULL),
        "reading an event's start time"));
    QN_TRY(qn_opencl_check(
        device, device->api.clGetEventProfilingInfo(event, QN_CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL),
        "reading an event's end time"));
    *seconds = end_ns > start_ns ? (double)(end_ns - start_ns) * 1e-9 : 0;
    return QN_OK;
}

void qn_opencl_event_destroy(qn_driver_device opaque, qn_driver_event event)
{
    qn_opencl_device *device = opaque;
    if (event) device->api.clReleaseEvent(event);
}
