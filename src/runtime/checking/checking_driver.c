/* Devices, buffers, queues and events of the checking driver: those of the inner driver, with guard zones and commands
 * in strict order. */
#include "runtime/checking/checking_driver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/objects.h"

/* Bytes that buffers may take together, as on a device whose memory other programs use: QUERN_CHECKING_MEMORY_MIB. */
static qn_status find_most_bytes(size_t *bytes)
{
    enum { MIB_MAX = 1 << 30 };
    const char *text = getenv("QUERN_CHECKING_MEMORY_MIB");
    char *end;
    *bytes = SIZE_MAX;
    if (!text) return QN_OK;
    const long mib = strtol(text, &end, 10);
    if (*end != '\0' || mib < 1 || mib > MIB_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "QUERN_CHECKING_MEMORY_MIB is \"%s\"; expected a whole number from 1 to %d",
                       text, MIB_MAX);
    *bytes = (size_t)mib << 20;
    return QN_OK;
}

static qn_status device_open(qn_context *context, int number, const char *inner, qn_driver_device *opened,
                             qn_device_info *info)
{
    void *memory;
    size_t most_bytes;
    (void)number;
    QN_TRY(find_most_bytes(&most_bytes));
    if (strncmp(inner, "checking", strlen("checking")) == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "device \"checking:%s\": checking wraps host, opencl:N or cuda:N, not itself", inner);
    QN_TRY(qn_allocate(1, sizeof(qn_checking_device), &memory));
    qn_checking_device *device = memory;
    qn_status status = qn_identifier_open(context, inner, &device->driver, &device->inner, info);
    if (status == QN_OK) {
        status = device->driver->queue_create(device->inner, &device->queue);
        if (status != QN_OK) device->driver->device_close(device->inner);
    }
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    /* An OpenCL buffer is an object, not an address, so its native handle cannot point behind a guard zone. */
    device->guard_before = strcmp(device->driver->name, "opencl") == 0 ? 0 : QN_CHECKING_GUARD_BYTES;
    device->largest_group = (size_t)info->largest_group;
    device->most_bytes = most_bytes;
    snprintf(device->identifier, sizeof device->identifier, "checking:%.38s", info->identifier);
    memcpy(info->identifier, device->identifier, sizeof info->identifier);
    strcpy(info->driver, "checking");
    if (info->largest_buffer_bytes > 4 * QN_CHECKING_GUARD_BYTES)
        info->largest_buffer_bytes -= 3 * QN_CHECKING_GUARD_BYTES;
    pthread_mutex_init(&device->mutex, NULL);
    *opened = device;
    return QN_OK;
}

static void device_close(qn_driver_device closed)
{
    qn_checking_device *device = closed;
    if (!device) return;
    device->driver->queue_destroy(device->inner, device->queue);
    device->driver->device_close(device->inner);
    pthread_mutex_destroy(&device->mutex);
    qn_checking_order_release(&device->order);
    qn_release(&device);
}

static qn_status fill_new(qn_checking_device *device, const qn_checking_buffer *buffer)
{
    const qn_driver *driver = device->driver;
    size_t whole = qn_checking_inner_bytes(device, buffer);
    QN_TRY(driver->fill(device->inner, device->queue, buffer->inner, 0, whole, QN_CHECKING_GUARD_VALUE, NULL));
    if (buffer->bytes > 0)
        QN_TRY(driver->fill(device->inner, device->queue, buffer->inner, device->guard_before, buffer->bytes,
                            QN_CHECKING_FIRST_FILL, NULL));
    return driver->queue_finish(device->inner, device->queue);
}

/* Create the inner buffer and fill it. The caller holds the mutex. */
static qn_status create_inner(qn_checking_device *device, qn_checking_buffer *buffer)
{
    const size_t left = device->most_bytes - device->used_bytes;
    if (buffer->bytes > left)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%s: a buffer of %zu bytes was asked for; %zu bytes are left",
                       device->identifier, buffer->bytes, left);
    QN_TRY(device->driver->buffer_create(device->inner, qn_checking_inner_bytes(device, buffer), &buffer->inner));
    const qn_status status = fill_new(device, buffer);
    if (status != QN_OK)
        device->driver->buffer_destroy(device->inner, buffer->inner);
    else
        device->used_bytes += buffer->bytes;
    return status;
}

static qn_status buffer_create(qn_driver_device opaque, size_t bytes, qn_driver_buffer *created)
{
    qn_checking_device *device = opaque;
    void *memory;
    if (bytes > SIZE_MAX / 2) return QN_FAIL(QN_OUT_OF_MEMORY, "a buffer of %zu bytes is too large", bytes);
    QN_TRY(qn_allocate(1, sizeof(qn_checking_buffer), &memory));
    qn_checking_buffer *buffer = memory;
    buffer->bytes = bytes;
    pthread_mutex_lock(&device->mutex);
    const qn_status status = create_inner(device, buffer);
    if (status == QN_OK) {
        buffer->next = device->buffers;
        if (buffer->next) buffer->next->previous = buffer;
        device->buffers = buffer;
    }
    pthread_mutex_unlock(&device->mutex);
    if (status != QN_OK)
        qn_release(&memory);
    else
        *created = buffer;
    return status;
}

static void buffer_destroy(qn_driver_device opaque, qn_driver_buffer destroyed)
{
    qn_checking_device *device = opaque;
    qn_checking_buffer *buffer = destroyed;
    if (!buffer) return;
    pthread_mutex_lock(&device->mutex);
    if (buffer->next) buffer->next->previous = buffer->previous;
    if (buffer->previous)
        buffer->previous->next = buffer->next;
    else
        device->buffers = buffer->next;
    device->used_bytes -= buffer->bytes;
    device->driver->buffer_destroy(device->inner, buffer->inner);
    pthread_mutex_unlock(&device->mutex);
    qn_release(&buffer->uses.uses);
    qn_release(&buffer);
}

static qn_status queue_create(qn_driver_device opaque, qn_driver_queue *created)
{
    qn_checking_device *device = opaque;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_checking_queue), &memory));
    qn_checking_queue *queue = memory;
    pthread_mutex_lock(&device->mutex);
    qn_status status = device->driver->queue_create(device->inner, &queue->inner);
    if (status == QN_OK) {
        status = qn_checking_queue_begin(&device->order, queue);
        if (status != QN_OK) device->driver->queue_destroy(device->inner, queue->inner);
    }
    pthread_mutex_unlock(&device->mutex);
    if (status != QN_OK)
        qn_release(&memory);
    else
        *created = queue;
    return status;
}

static void queue_destroy(qn_driver_device opaque, qn_driver_queue destroyed)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = destroyed;
    if (!queue) return;
    pthread_mutex_lock(&device->mutex);
    device->driver->queue_destroy(device->inner, queue->inner);
    qn_checking_queue_end(&device->order, queue);
    pthread_mutex_unlock(&device->mutex);
    qn_release(&queue);
}

static qn_status queue_finish(qn_driver_device opaque, qn_driver_queue finished)
{
    qn_checking_device *device = opaque;
    const qn_checking_queue *queue = finished;
    pthread_mutex_lock(&device->mutex);
    qn_status status = device->driver->queue_finish(device->inner, queue->inner);
    if (status == QN_OK) status = qn_checking_know(device, &queue->before);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static qn_status queue_wait_for(qn_driver_device opaque, qn_driver_queue waiting, qn_driver_event awaited)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = waiting;
    const qn_checking_event *event = awaited;
    pthread_mutex_lock(&device->mutex);
    qn_status status = device->driver->queue_wait_for(device->inner, queue->inner, event->inner);
    if (status == QN_OK) status = qn_checking_queue_after(queue, event);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static void drop(const qn_checking_device *device, qn_driver_event *event)
{
    if (*event) device->driver->event_destroy(device->inner, *event);
    *event = NULL;
}

/* End a command that has status `status` and, of the inner driver, event `inner`: wait for it, count it and make the
 * caller's event, NULL: none. */
static qn_status end_command(const qn_checking_device *device, qn_checking_queue *queue, qn_status status,
                             qn_driver_event inner, qn_driver_event *event)
{
    if (status == QN_OK) status = device->driver->queue_finish(device->inner, queue->inner);
    if (status == QN_OK) status = qn_checking_count(queue, inner, event);
    if (status != QN_OK) drop(device, &inner);
    return status;
}

static qn_status checked_write(qn_driver_device opaque, qn_driver_queue to, qn_driver_buffer written, size_t offset,
                               const void *data, size_t bytes, qn_driver_event *event)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = to;
    qn_checking_buffer *buffer = written;
    qn_driver_event inner = NULL;
    pthread_mutex_lock(&device->mutex);
    qn_status status = qn_checking_use_bytes(device, queue, buffer, offset, bytes, true, "a write");
    if (status == QN_OK) status = qn_checking_hand_over(device, queue, data, bytes);
    if (status == QN_OK)
        status = device->driver->write(device->inner, queue->inner, buffer->inner, device->guard_before + offset, data,
                                       bytes, event ? &inner : NULL);
    if (status == QN_OK) status = qn_checking_use_memory(&device->order, queue, false, data, bytes);
    status = end_command(device, queue, status, inner, event);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static qn_status checked_read(qn_driver_device opaque, qn_driver_queue of, qn_driver_buffer read, size_t offset,
                              void *data, size_t bytes, qn_driver_event *event)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = of;
    qn_checking_buffer *buffer = read;
    qn_driver_event inner = NULL;
    pthread_mutex_lock(&device->mutex);
    qn_status status = qn_checking_use_bytes(device, queue, buffer, offset, bytes, false, "a read");
    if (status == QN_OK) status = qn_checking_hand_over(device, queue, data, bytes);
    if (status == QN_OK)
        status = device->driver->read(device->inner, queue->inner, buffer->inner, device->guard_before + offset, data,
                                      bytes, event ? &inner : NULL);
    if (status == QN_OK) status = device->driver->queue_finish(device->inner, queue->inner);
    if (status == QN_OK) status = qn_checking_use_memory(&device->order, queue, true, data, bytes);
    status = end_command(device, queue, status, inner, event);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static qn_status checked_copy(qn_driver_device opaque, qn_driver_queue of, qn_driver_buffer from, size_t from_offset,
                              qn_driver_buffer to, size_t to_offset, size_t bytes, qn_driver_event *event)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = of;
    qn_checking_buffer *source = from, *target = to;
    qn_driver_event inner = NULL;
    pthread_mutex_lock(&device->mutex);
    qn_status status = qn_checking_use_bytes(device, queue, source, from_offset, bytes, false, "a copy");
    if (status == QN_OK) status = qn_checking_use_bytes(device, queue, target, to_offset, bytes, true, "a copy");
    if (status == QN_OK)
        status = device->driver->copy(device->inner, queue->inner, source->inner, device->guard_before + from_offset,
                                      target->inner, device->guard_before + to_offset, bytes, event ? &inner : NULL);
    status = end_command(device, queue, status, inner, event);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static qn_status checked_fill(qn_driver_device opaque, qn_driver_queue of, qn_driver_buffer filled, size_t offset,
                              size_t bytes, unsigned char value, qn_driver_event *event)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = of;
    qn_checking_buffer *buffer = filled;
    qn_driver_event inner = NULL;
    pthread_mutex_lock(&device->mutex);
    qn_status status = qn_checking_use_bytes(device, queue, buffer, offset, bytes, true, "a fill");
    if (status == QN_OK)
        status = device->driver->fill(device->inner, queue->inner, buffer->inner, device->guard_before + offset, bytes,
                                      value, event ? &inner : NULL);
    status = end_command(device, queue, status, inner, event);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static qn_status program_build(qn_driver_device opaque, const qn_program_source *source, const void *binary,
                               size_t binary_bytes, qn_driver_program *built)
{
    const qn_checking_device *device = opaque;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_checking_program), &memory));
    qn_checking_program *program = memory;
    program->family = source->family;
    qn_status status = device->driver->program_build(device->inner, source, binary, binary_bytes, &program->inner);
    if (status != QN_OK)
        qn_release(&memory);
    else
        *built = program;
    return status;
}

static qn_status program_binary(qn_driver_device opaque, qn_driver_program program, void **binary, size_t *bytes)
{
    const qn_checking_device *device = opaque;
    return device->driver->program_binary(device->inner, ((qn_checking_program *)program)->inner, binary, bytes);
}

static void program_destroy(qn_driver_device opaque, qn_driver_program destroyed)
{
    const qn_checking_device *device = opaque;
    qn_checking_program *program = destroyed;
    if (!program) return;
    device->driver->program_destroy(device->inner, program->inner);
    qn_release(&program);
}

static qn_status kernel_create(qn_driver_device opaque, qn_driver_program program,
                               const qn_kernel_declaration *declaration, qn_driver_kernel *created)
{
    const qn_checking_device *device = opaque;
    const qn_checking_program *of = program;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_checking_kernel), &memory));
    qn_checking_kernel *kernel = memory;
    *kernel = (qn_checking_kernel){.family = of->family, .declaration = declaration};
    qn_status status = device->driver->kernel_create(device->inner, of->inner, declaration, &kernel->inner);
    if (status != QN_OK)
        qn_release(&memory);
    else
        *created = kernel;
    return status;
}

static void kernel_destroy(qn_driver_device opaque, qn_driver_kernel destroyed)
{
    const qn_checking_device *device = opaque;
    qn_checking_kernel *kernel = destroyed;
    if (!kernel) return;
    device->driver->kernel_destroy(device->inner, kernel->inner);
    qn_release(&kernel);
}

static qn_status kernel_resources(qn_driver_device opaque, qn_driver_kernel kernel, qn_kernel_resources *resources)
{
    const qn_checking_device *device = opaque;
    return device->driver->kernel_resources(device->inner, ((const qn_checking_kernel *)kernel)->inner, resources);
}

static qn_status launch(qn_driver_device opaque, qn_driver_queue of, qn_driver_kernel kernel,
                        const qn_geometry *geometry, const qn_argument *arguments, const qn_driver_buffer *buffers,
                        int argument_count, size_t local_room_bytes, const qn_configuration *configuration,
                        qn_driver_event *event)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = of;
    qn_driver_event inner = NULL;
    pthread_mutex_lock(&device->mutex);
    qn_status status = qn_checking_launch(device, queue, kernel, geometry, arguments, buffers, argument_count,
                                          local_room_bytes, configuration, event ? &inner : NULL);
    status = end_command(device, queue, status, inner, event);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static qn_status event_wait(qn_driver_device opaque, qn_driver_event awaited)
{
    qn_checking_device *device = opaque;
    const qn_checking_event *event = awaited;
    pthread_mutex_lock(&device->mutex);
    qn_status status = device->driver->event_wait(device->inner, event->inner);
    if (status == QN_OK) status = qn_checking_know(device, &event->after);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static qn_status event_done(qn_driver_device opaque, qn_driver_event asked, bool *done)
{
    qn_checking_device *device = opaque;
    const qn_checking_event *event = asked;
    pthread_mutex_lock(&device->mutex);
    qn_status status = device->driver->event_done(device->inner, event->inner, done);
    if (status == QN_OK && *done) status = qn_checking_know(device, &event->after);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

static qn_status event_seconds(qn_driver_device opaque, qn_driver_event of, double *seconds)
{
    const qn_checking_device *device = opaque;
    const qn_checking_event *event = of;
    QN_TRY(event_wait(opaque, of));
    return device->driver->event_seconds(device->inner, event->inner, seconds);
}

static void event_destroy(qn_driver_device opaque, qn_driver_event destroyed)
{
    const qn_checking_device *device = opaque;
    qn_checking_event *event = destroyed;
    if (!event) return;
    device->driver->event_destroy(device->inner, event->inner);
    qn_release(&event->after.over);
    qn_release(&event);
}

static qn_status note_native_use(qn_driver_device opaque, qn_driver_queue of, qn_driver_buffer used, size_t bytes,
                                 bool writes)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = of;
    qn_checking_buffer *buffer = used;
    pthread_mutex_lock(&device->mutex);
    qn_status status = qn_checking_use_bytes(device, queue, buffer, 0, bytes, writes, "a library's command");
    if (status == QN_OK) status = qn_checking_count(queue, NULL, NULL);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

/* Check the guard zones of every buffer. A host function declares no arguments, but it may not write guard zones. */
static qn_status check_guards(qn_checking_device *device)
{
    unsigned char guard[2 * QN_CHECKING_GUARD_BYTES];
    const qn_driver *driver = device->driver;
    for (const qn_checking_buffer *buffer = device->buffers; buffer; buffer = buffer->next) {
        size_t end = device->guard_before + buffer->bytes;
        size_t after = qn_checking_inner_bytes(device, buffer) - end, before = device->guard_before;
        if (before > 0) QN_TRY(driver->read(device->inner, device->queue, buffer->inner, 0, guard, before, NULL));
        QN_TRY(driver->queue_finish(device->inner, device->queue));
        for (size_t i = 0; i < before; i++)
            if (guard[i] != QN_CHECKING_GUARD_VALUE)
                return QN_FAIL(QN_CHECK_FAILED,
                               "%s: a host function wrote %zu bytes before the start of a buffer of %zu bytes",
                               device->identifier, before - i, buffer->bytes);
        QN_TRY(driver->read(device->inner, device->queue, buffer->inner, end, guard, after, NULL));
        QN_TRY(driver->queue_finish(device->inner, device->queue));
        for (size_t i = 0; i < after; i++)
            if (guard[i] != QN_CHECKING_GUARD_VALUE)
                return QN_FAIL(QN_CHECK_FAILED,
                               "%s: a host function wrote past the end of a buffer: at byte %zu of %zu",
                               device->identifier, buffer->bytes + i, buffer->bytes);
    }
    return QN_OK;
}

static void *native_handle(qn_driver_device opaque, void *object, qn_native_kind kind)
{
    const qn_checking_device *device = opaque;
    if (kind == QN_NATIVE_QUEUE && object) object = ((qn_checking_queue *)object)->inner;
    if (kind != QN_NATIVE_BUFFER || !object) return device->driver->native_handle(device->inner, object, kind);
    char *handle = device->driver->native_handle(device->inner, ((qn_checking_buffer *)object)->inner, kind);
    return handle ? handle + device->guard_before : NULL; /* if guard_before is not 0, the handle is an address */
}

/* A host function uses the buffers at `addresses`. It does not say which of them it writes, and functions of several
 * queues may read one buffer, so all count as read. */
static qn_status use_addresses(qn_checking_device *device, const qn_checking_queue *queue, void *const *addresses,
                               int count)
{
    for (int i = 0; i < count; i++)
        for (qn_checking_buffer *buffer = device->buffers; buffer; buffer = buffer->next)
            if (native_handle(device, buffer, QN_NATIVE_BUFFER) == addresses[i])
                QN_TRY(qn_checking_use_bytes(device, queue, buffer, 0, buffer->bytes, false, "a host function"));
    return QN_OK;
}

static qn_status call_host(qn_driver_device opaque, qn_driver_queue of, qn_host_function function,
                           void *const *addresses, int count, void *user, qn_driver_event *event)
{
    qn_checking_device *device = opaque;
    qn_checking_queue *queue = of;
    qn_driver_event inner = NULL;
    if (!device->driver->call_host) return QN_FAIL(QN_UNSUPPORTED, "%s runs no host functions", device->identifier);
    pthread_mutex_lock(&device->mutex);
    qn_status status = use_addresses(device, queue, addresses, count);
    if (status == QN_OK) status = qn_checking_hand_over(device, queue, NULL, 0);
    if (status == QN_OK)
        status = device->driver->call_host(device->inner, queue->inner, function, addresses, count, user,
                                           event ? &inner : NULL);
    if (status == QN_OK) status = device->driver->queue_finish(device->inner, queue->inner);
    if (status == QN_OK) status = check_guards(device);
    status = end_command(device, queue, status, inner, event);
    pthread_mutex_unlock(&device->mutex);
    return status;
}

extern const qn_driver qn_checking_driver;
const qn_driver qn_checking_driver = {
    .name = "checking",
    .list = NULL, /* has no devices of its own */
    .device_open = device_open,
    .device_close = device_close,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .queue_finish = queue_finish,
    .queue_wait_for = queue_wait_for,
    .write = checked_write,
    .read = checked_read,
    .copy = checked_copy,
    .fill = checked_fill,
    .program_build = program_build,
    .program_binary = program_binary,
    .program_destroy = program_destroy,
    .kernel_create = kernel_create,
    .kernel_destroy = kernel_destroy,
    .kernel_resources = kernel_resources,
    .launch = launch,
    .event_wait = event_wait,
    .event_done = event_done,
    .event_seconds = event_seconds,
    .event_destroy = event_destroy,
    .call_host = call_host,
    .note_native_use = note_native_use,
    .native_handle = native_handle,
};
