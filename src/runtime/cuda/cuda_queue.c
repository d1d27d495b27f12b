/* Buffers, queues, copies and events of the CUDA driver. */
#include "base/error.h"
#include "base/memory.h"
#include "runtime/cuda/cuda_driver.h"

qn_status qn_cuda_buffer_create(qn_driver_device opaque, size_t bytes, qn_driver_buffer *created)
{
    qn_cuda_device *device = opaque;
    qn_cuda_buffer *buffer = NULL;
    QN_TRY(qn_cuda_enter(device));
    QN_TRY(qn_allocate(1, sizeof *buffer, (void **)&buffer));
    buffer->bytes = bytes ? bytes : 1; /* CUDA has no empty allocations */
    qn_status status =
        qn_cuda_check(device, device->api.cuMemAlloc_v2(&buffer->address, buffer->bytes), "creating a buffer");
    if (status != QN_OK) {
        qn_release(&buffer);
        return qn_error_add_context(status, "%zu bytes", bytes);
    }
    *created = buffer;
    return QN_OK;
}

void qn_cuda_buffer_destroy(qn_driver_device opaque, qn_driver_buffer destroyed)
{
    qn_cuda_device *device = opaque;
    qn_cuda_buffer *buffer = destroyed;
    if (!buffer) return;
    /* cuMemFree waits for the commands that use the memory. Errors are ignored, because a lost device has freed all its
     * memory. */
    if (device->api.cuCtxSetCurrent(device->context) == QN_CUDA_SUCCESS) device->api.cuMemFree_v2(buffer->address);
    qn_release(&buffer);
}

qn_status qn_cuda_host_memory_create(qn_driver_device opaque, size_t bytes, void **memory)
{
    qn_cuda_device *device = opaque;
    QN_TRY(qn_cuda_enter(device));
    const CUresult result = device->api.cuMemHostAlloc(memory, bytes ? bytes : 1, QN_CU_MEMHOSTALLOC_PORTABLE);
    const qn_status status = qn_cuda_check(device, result, "allocating memory for copies");
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "%zu bytes", bytes);
}

void qn_cuda_host_memory_destroy(qn_driver_device opaque, void *memory)
{
    qn_cuda_device *device = opaque;
    if (device->api.cuCtxSetCurrent(device->context) == QN_CUDA_SUCCESS) device->api.cuMemFreeHost(memory);
}

qn_status qn_cuda_queue_create(qn_driver_device opaque, qn_driver_queue *queue)
{
    qn_cuda_device *device = opaque;
    CUstream stream = NULL;
    QN_TRY(qn_cuda_enter(device));
    QN_TRY(qn_cuda_check(device, device->api.cuStreamCreate(&stream, QN_CU_STREAM_NON_BLOCKING), "creating a queue"));
    *queue = stream;
    return QN_OK;
}

void qn_cuda_queue_destroy(qn_driver_device opaque, qn_driver_queue queue)
{
    qn_cuda_device *device = opaque;
    if (!queue || device->api.cuCtxSetCurrent(device->context) != QN_CUDA_SUCCESS) return;
    device->api.cuStreamSynchronize(queue);
    device->api.cuStreamDestroy_v2(queue);
}

qn_status qn_cuda_queue_finish(qn_driver_device opaque, qn_driver_queue queue)
{
    qn_cuda_device *device = opaque;
    QN_TRY(qn_cuda_enter(device));
    return qn_cuda_check(device, device->api.cuStreamSynchronize(queue), "a command of the queue");
}

qn_status qn_cuda_queue_wait_for(qn_driver_device opaque, qn_driver_queue queue, qn_driver_event awaited)
{
    qn_cuda_device *device = opaque;
    const qn_cuda_event *event = awaited;
    QN_TRY(qn_cuda_enter(device));
    return qn_cuda_check(device, device->api.cuStreamWaitEvent(queue, event->end, 0), "waiting for another queue");
}

static void destroy_event(qn_cuda_device *device, qn_cuda_event *event)
{
    if (event->start) device->api.cuEventDestroy_v2(event->start);
    if (event->end) device->api.cuEventDestroy_v2(event->end);
    qn_release(&event);
}

static qn_status make_event(qn_cuda_device *device, qn_cuda_event **made)
{
    qn_cuda_event *event = NULL;
    QN_TRY(qn_allocate(1, sizeof *event, (void **)&event));
    CUresult result = device->api.cuEventCreate(&event->start, QN_CU_EVENT_DEFAULT);
    if (result == QN_CUDA_SUCCESS) result = device->api.cuEventCreate(&event->end, QN_CU_EVENT_DEFAULT);
    *made = event;
    if (result == QN_CUDA_SUCCESS) return QN_OK;
    destroy_event(device, event);
    *made = NULL;
    return qn_cuda_check(device, result, "creating an event");
}

static void keep_event(qn_cuda_device *device, qn_cuda_event *event)
{
    pthread_mutex_lock(&device->mutex);
    event->next = device->unused_events;
    device->unused_events = event;
    pthread_mutex_unlock(&device->mutex);
}

static qn_status take_event(qn_cuda_device *device, qn_cuda_event **taken)
{
    pthread_mutex_lock(&device->mutex);
    *taken = device->unused_events;
    if (*taken) device->unused_events = (*taken)->next;
    pthread_mutex_unlock(&device->mutex);
    return *taken ? QN_OK : make_event(device, taken);
}

void qn_cuda_events_clear(qn_cuda_device *device)
{
    const bool lost = device->api.cuCtxSetCurrent(device->context) != QN_CUDA_SUCCESS; /* its events are gone */
    for (qn_cuda_event *event = device->unused_events, *next; event; event = next) {
        next = event->next;
        if (lost)
            qn_release(&event);
        else
            destroy_event(device, event);
    }
    device->unused_events = NULL;
}

qn_status qn_cuda_event_start(qn_cuda_device *device, CUstream stream, const qn_driver_event *wanted,
                              qn_cuda_event **started)
{
    qn_cuda_event *event = NULL;
    *started = NULL;
    if (!wanted) return QN_OK;
    QN_TRY(take_event(device, &event));
    const qn_status status =
        qn_cuda_check(device, device->api.cuEventRecord(event->start, stream), "recording an event");
    if (status == QN_OK)
        *started = event;
    else
        keep_event(device, event);
    return status;
}

qn_status qn_cuda_event_end(qn_cuda_device *device, CUstream stream, qn_status status, qn_cuda_event *event,
                            qn_driver_event *wanted)
{
    if (!event) return status;
    if (status == QN_OK)
        status = qn_cuda_check(device, device->api.cuEventRecord(event->end, stream), "recording an event");
    if (status != QN_OK) {
        qn_cuda_event_destroy(device, event);
        event = NULL;
    }
    *wanted = event;
    return status;
}

qn_status qn_cuda_write(qn_driver_device opaque, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                        const void *data, size_t bytes, qn_driver_event *event)
{
    qn_cuda_device *device = opaque;
    qn_cuda_event *timing;
    qn_status status = QN_OK;
    QN_TRY(qn_cuda_enter(device));
    QN_TRY(qn_cuda_event_start(device, queue, event, &timing));
    if (bytes > 0) {
        CUdeviceptr to = ((const qn_cuda_buffer *)buffer)->address + offset;
        status = qn_cuda_check(device, device->api.cuMemcpyHtoDAsync_v2(to, data, bytes, queue), "writing to a buffer");
    }
    return qn_cuda_event_end(device, queue, status, timing, event);
}

qn_status qn_cuda_read(qn_driver_device opaque, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                       void *data, size_t bytes, qn_driver_event *event)
{
    qn_cuda_device *device = opaque;
    qn_cuda_event *timing;
    qn_status status = QN_OK;
    QN_TRY(qn_cuda_enter(device));
    QN_TRY(qn_cuda_event_start(device, queue, event, &timing));
    if (bytes > 0) {
        CUdeviceptr from = ((const qn_cuda_buffer *)buffer)->address + offset;
        status =
            qn_cuda_check(device, device->api.cuMemcpyDtoHAsync_v2(data, from, bytes, queue), "reading from a buffer");
    }
    return qn_cuda_event_end(device, queue, status, timing, event);
}

qn_status qn_cuda_copy(qn_driver_device opaque, qn_driver_queue queue, qn_driver_buffer from, size_t from_offset,
                       qn_driver_buffer to, size_t to_offset, size_t bytes, qn_driver_event *event)
{
    qn_cuda_device *device = opaque;
    qn_cuda_event *timing;
    qn_status status = QN_OK;
    QN_TRY(qn_cuda_enter(device));
    QN_TRY(qn_cuda_event_start(device, queue, event, &timing));
    if (bytes > 0) {
        CUdeviceptr source = ((const qn_cuda_buffer *)from)->address + from_offset;
        CUdeviceptr target = ((const qn_cuda_buffer *)to)->address + to_offset;
        status = qn_cuda_check(device, device->api.cuMemcpyDtoDAsync_v2(target, source, bytes, queue),
                               "copying between buffers");
    }
    return qn_cuda_event_end(device, queue, status, timing, event);
}

qn_status qn_cuda_fill(qn_driver_device opaque, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                       size_t bytes, unsigned char value, qn_driver_event *event)
{
    qn_cuda_device *device = opaque;
    qn_cuda_event *timing;
    qn_status status = QN_OK;
    QN_TRY(qn_cuda_enter(device));
    QN_TRY(qn_cuda_event_start(device, queue, event, &timing));
    if (bytes > 0) {
        CUdeviceptr to = ((const qn_cuda_buffer *)buffer)->address + offset;
        status = qn_cuda_check(device, device->api.cuMemsetD8Async(to, value, bytes, queue), "filling a buffer");
    }
    return qn_cuda_event_end(device, queue, status, timing, event);
}

qn_status qn_cuda_event_wait(qn_driver_device opaque, qn_driver_event awaited)
{
    qn_cuda_device *device = opaque;
    const qn_cuda_event *event = awaited;
    QN_TRY(qn_cuda_enter(device));
    return qn_cuda_check(device, device->api.cuEventSynchronize(event->end), "a command");
}

qn_status qn_cuda_event_done(qn_driver_device opaque, qn_driver_event asked, bool *done)
{
    qn_cuda_device *device = opaque;
    const qn_cuda_event *event = asked;
    *done = true;
    QN_TRY(qn_cuda_enter(device));
    CUresult state = device->api.cuEventQuery(event->end);
    *done = state != QN_CUDA_ERROR_NOT_READY;
    return *done ? qn_cuda_check(device, state, "a command") : QN_OK;
}

qn_status qn_cuda_event_seconds(qn_driver_device opaque, qn_driver_event timed, double *seconds)
{
    qn_cuda_device *device = opaque;
    const qn_cuda_event *event = timed;
    float milliseconds = 0;
    QN_TRY(qn_cuda_event_wait(device, timed));
    QN_TRY(qn_cuda_check(device, device->api.cuEventElapsedTime(&milliseconds, event->start, event->end),
                         "timing a command"));
    *seconds = milliseconds * 1e-3;
    return QN_OK;
}

void qn_cuda_event_destroy(qn_driver_device opaque, qn_driver_event destroyed)
{
    if (destroyed) keep_event(opaque, destroyed);
}
