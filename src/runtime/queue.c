#include "base/error.h"
#include "base/memory.h"
#include "runtime/objects.h"

qn_status qn_buffer_create(qn_device *device, size_t bytes, qn_buffer **out)
{
    void *memory;
    *out = NULL;
    if (bytes == 0) return QN_FAIL(QN_INVALID_ARGUMENT, "a buffer of 0 bytes was requested; expected at least 1");
    QN_TRY(qn_allocate(1, sizeof(qn_buffer), &memory));
    qn_buffer *buffer = memory;
    qn_status status = device->driver->buffer_create(device->handle, bytes, &buffer->handle);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    atomic_init(&buffer->references, 1);
    buffer->device = qn_device_retain(device);
    buffer->bytes = bytes;
    *out = buffer;
    return QN_OK;
}

qn_buffer *qn_buffer_retain(qn_buffer *buffer)
{
    atomic_fetch_add(&buffer->references, 1);
    return buffer;
}

void qn_buffer_release(qn_buffer **pointer)
{
    qn_buffer *buffer = pointer ? *pointer : NULL;
    if (pointer) *pointer = NULL;
    if (!buffer || atomic_fetch_sub(&buffer->references, 1) > 1) return;
    buffer->device->driver->buffer_destroy(buffer->device->handle, buffer->handle);
    qn_device_release(&buffer->device);
    qn_release(&buffer);
}

size_t qn_buffer_bytes(const qn_buffer *buffer)
{
    return buffer->bytes;
}

void *qn_buffer_native(qn_buffer *buffer)
{
    return buffer->device->driver->native_handle(buffer->device->handle, buffer->handle, QN_NATIVE_BUFFER);
}

qn_status qn_host_memory_create(qn_device *device, size_t bytes, void **memory)
{
    size_t capacity = 0;
    *memory = NULL;
    if (device->driver->host_memory_create) return device->driver->host_memory_create(device->handle, bytes, memory);
    return qn_grow(memory, &capacity, bytes, 1);
}

void qn_host_memory_destroy(qn_device *device, void **memory)
{
    if (device->driver->host_memory_destroy && *memory) {
        device->driver->host_memory_destroy(device->handle, *memory);
        *memory = NULL;
    }
    qn_release(memory);
}

qn_status qn_queue_create(qn_device *device, qn_queue **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_queue), &memory));
    qn_queue *queue = memory;
    qn_status status = device->driver->queue_create(device->handle, &queue->handle);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    queue->device = qn_device_retain(device);
    *out = queue;
    return QN_OK;
}

void qn_queue_settle(qn_queue *queue)
{
    if (!queue) return;
    qn_error_trail trail; /* keeps the failure that a caller reports after it has cleaned up */
    qn_error_save(QN_OK, &trail);
    (void)!queue->device->driver->queue_finish(queue->device->handle, queue->handle);
    (void)qn_error_restore(&trail);
}

void qn_queue_destroy(qn_queue **pointer)
{
    qn_queue *queue = pointer ? *pointer : NULL;
    if (!queue) return;
    qn_queue_settle(queue);
    queue->device->driver->queue_destroy(queue->device->handle, queue->handle);
    qn_device_release(&queue->device);
    qn_release(pointer);
}

qn_device *qn_queue_device(const qn_queue *queue)
{
    return queue->device;
}

void *qn_queue_native(qn_queue *queue)
{
    return queue->device->driver->native_handle(queue->device->handle, queue->handle, QN_NATIVE_QUEUE);
}

qn_status qn_event_wrap(qn_device *device, qn_driver_event handle, qn_event **out)
{
    void *memory;
    if (!out) return QN_OK;
    qn_status status = qn_allocate(1, sizeof(qn_event), &memory);
    if (status != QN_OK) {
        device->driver->event_destroy(device->handle, handle);
        return status;
    }
    qn_event *event = memory;
    atomic_init(&event->references, 1);
    event->device = qn_device_retain(device);
    event->handle = handle;
    *out = event;
    return QN_OK;
}

static qn_status check_range(const qn_queue *queue, const qn_buffer *buffer, size_t offset, size_t bytes)
{
    if (buffer->device != queue->device)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the buffer belongs to another device than the queue (%s)",
                       queue->device->info.identifier);
    if (offset > buffer->bytes || bytes > buffer->bytes - offset)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%zu bytes from byte %zu exceed a buffer of %zu bytes", bytes, offset,
                       buffer->bytes);
    return QN_OK;
}

qn_status qn_queue_write(qn_queue *queue, qn_buffer *buffer, size_t offset, const void *data, size_t bytes,
                         qn_event **event)
{
    const qn_driver *driver = queue->device->driver;
    qn_driver_event handle = NULL;
    qn_trace_mark mark;
    if (event) *event = NULL;
    QN_TRY(check_range(queue, buffer, offset, bytes));
    QN_TRY(qn_trace_begin(queue, &mark));
    QN_TRY(driver->write(queue->device->handle, queue->handle, buffer->handle, offset, data, bytes,
                         event ? &handle : NULL));
    const qn_work work = {.bytes_written = (double)bytes};
    QN_TRY(qn_event_wrap(queue->device, handle, event));
    return qn_trace_end(queue, &mark, "write", &work);
}

qn_status qn_queue_read(qn_queue *queue, qn_buffer *buffer, size_t offset, void *data, size_t bytes, qn_event **event)
{
    const qn_driver *driver = queue->device->driver;
    qn_driver_event handle = NULL;
    qn_trace_mark mark;
    if (event) *event = NULL;
    QN_TRY(check_range(queue, buffer, offset, bytes));
    QN_TRY(qn_trace_begin(queue, &mark));
    QN_TRY(driver->read(queue->device->handle, queue->handle, buffer->handle, offset, data, bytes,
                        event ? &handle : NULL));
    const qn_work work = {.bytes_read = (double)bytes};
    QN_TRY(qn_event_wrap(queue->device, handle, event));
    return qn_trace_end(queue, &mark, "read", &work);
}

qn_status qn_queue_copy(qn_queue *queue, qn_buffer *from, size_t from_offset, qn_buffer *to, size_t to_offset,
                        size_t bytes, qn_event **event)
{
    const qn_driver *driver = queue->device->driver;
    qn_driver_event handle = NULL;
    qn_trace_mark mark;
    if (event) *event = NULL;
    QN_TRY(check_range(queue, from, from_offset, bytes));
    QN_TRY(check_range(queue, to, to_offset, bytes));
    if (from == to && from_offset < to_offset + bytes && to_offset < from_offset + bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a copy within one buffer overlaps itself");
    QN_TRY(qn_trace_begin(queue, &mark));
    QN_TRY(driver->copy(queue->device->handle, queue->handle, from->handle, from_offset, to->handle, to_offset, bytes,
                        event ? &handle : NULL));
    const qn_work work = {.bytes_read = (double)bytes, .bytes_written = (double)bytes};
    QN_TRY(qn_event_wrap(queue->device, handle, event));
    return qn_trace_end(queue, &mark, "copy", &work);
}

qn_status qn_queue_fill(qn_queue *queue, qn_buffer *buffer, size_t offset, size_t bytes, unsigned char value,
                        qn_event **event)
{
    const qn_driver *driver = queue->device->driver;
    qn_driver_event handle = NULL;
    qn_trace_mark mark;
    if (event) *event = NULL;
    QN_TRY(check_range(queue, buffer, offset, bytes));
    QN_TRY(qn_trace_begin(queue, &mark));
    QN_TRY(driver->fill(queue->device->handle, queue->handle, buffer->handle, offset, bytes, value,
                        event ? &handle : NULL));
    const qn_work work = {.bytes_written = (double)bytes};
    QN_TRY(qn_event_wrap(queue->device, handle, event));
    return qn_trace_end(queue, &mark, "fill", &work);
}

qn_status qn_queue_note_native_use(qn_queue *queue, qn_buffer *buffer, size_t bytes, bool writes)
{
    const qn_driver *driver = queue->device->driver;
    QN_TRY(check_range(queue, buffer, 0, bytes));
    if (!driver->note_native_use) return QN_OK;
    return driver->note_native_use(queue->device->handle, queue->handle, buffer->handle, bytes, writes);
}

qn_status qn_queue_wait_for(qn_queue *queue, qn_event *event)
{
    if (event->device != queue->device)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the event belongs to another device than the queue (%s)",
                       queue->device->info.identifier);
    return queue->device->driver->queue_wait_for(queue->device->handle, queue->handle, event->handle);
}

qn_status qn_queue_finish(qn_queue *queue)
{
    qn_trace_count_wait(queue);
    return queue->device->driver->queue_finish(queue->device->handle, queue->handle);
}

qn_status qn_event_wait(qn_event *event)
{
    return event->device->driver->event_wait(event->device->handle, event->handle);
}

qn_status qn_event_seconds(qn_event *event, double *seconds)
{
    return event->device->driver->event_seconds(event->device->handle, event->handle, seconds);
}

void qn_event_destroy(qn_event **pointer)
{
    qn_event *event = pointer ? *pointer : NULL;
    if (pointer) *pointer = NULL;
    if (!event || atomic_fetch_sub(&event->references, 1) > 1) return;
    event->device->driver->event_destroy(event->device->handle, event->handle);
    qn_device_release(&event->device);
    qn_release(&event);
}

qn_event *qn_event_retain(qn_event *event)
{
    atomic_fetch_add(&event->references, 1);
    return event;
}

qn_status qn_event_done(qn_event *event, bool *done)
{
    return event->device->driver->event_done(event->device->handle, event->handle, done);
}

qn_status qn_queue_call_host(qn_queue *queue, qn_host_function function, qn_buffer *const *buffers, int buffer_count,
                             void *user, qn_event **event)
{
    void *addresses[QN_ARGUMENT_MAX];
    qn_driver_event handle = NULL;
    if (event) *event = NULL;
    const qn_driver *driver = queue->device->driver;
    if (!driver->call_host) return QN_FAIL(QN_UNSUPPORTED, "%s runs no host functions", queue->device->info.identifier);
    if (buffer_count > QN_ARGUMENT_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d buffers for a host function; expected at most %d", buffer_count,
                       QN_ARGUMENT_MAX);
    for (int i = 0; i < buffer_count; i++) {
        QN_TRY(check_range(queue, buffers[i], 0, 0));
        addresses[i] = qn_buffer_native(buffers[i]);
    }
    QN_TRY(driver->call_host(queue->device->handle, queue->handle, function, addresses, buffer_count, user,
                             event ? &handle : NULL));
    return qn_event_wrap(queue->device, handle, event);
}
