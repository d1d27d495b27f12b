#include <quern/family.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "runtime/objects.h"

qn_argument qn_argument_buffer(qn_buffer *buffer)
{
    return (qn_argument){.buffer = buffer};
}

qn_argument qn_argument_range(qn_buffer *buffer, size_t offset, size_t bytes)
{
    return (qn_argument){.buffer = buffer, .offset = offset, .bytes = bytes};
}

qn_argument qn_argument_int32(int32_t value)
{
    return (qn_argument){.value.int32 = value, .element = QN_INT32};
}

qn_argument qn_argument_uint32(uint32_t value)
{
    return (qn_argument){.value.uint32 = value, .element = QN_UINT32};
}

qn_argument qn_argument_float32(float value)
{
    return (qn_argument){.value.float32 = value, .element = QN_FLOAT32};
}

qn_argument qn_argument_int64(int64_t value)
{
    return (qn_argument){.value.int64 = value, .element = QN_INT64};
}

qn_argument qn_argument_struct(const void *value, size_t bytes)
{
    return (qn_argument){.value.structure = value, .bytes = bytes, .element = QN_BYTES};
}

/* Log the origin of a configuration, once per family, device and configuration. The caller holds the device's mutex. */
static void explain(qn_device *device, const qn_program_entry *used, const char *origin)
{
    const qn_family *family = used->family;
    qn_text text = {0};
    for (qn_program_entry *entry = device->programs; entry; entry = entry->next) {
        if (!qn_program_matches(entry, family, &used->configuration)) continue;
        if (entry->explained) return;
        entry->explained = entry == used;
    }
    qn_status status = QN_OK;
    for (int i = 0; i < family->tunable_count && status == QN_OK; i++)
        status = qn_text_append(&text, " %s=%d", family->tunables[i].name, used->configuration.value[i]);
    if (status == QN_OK)
        qn_log(QN_LOG_NOTE, "%s on %s:%s (%s)", family->name, device->info.identifier, text.data ? text.data : "",
               origin);
    qn_text_clear(&text);
}

/* Choose the call's configuration, else the source's, else the fallback; returns its origin. *asked: the source chose
 * it, and gets a report of the launch. */
static const char *choose_configuration(qn_family_launch *launch, const qn_family_call *call, bool *asked)
{
    const qn_configuration_source *source = &launch->queue->device->context->source;
    const char *origin = NULL;
    *asked = false;
    launch->timed = false;
    launch->tag = NULL;
    if (call->configuration) {
        launch->configuration = *call->configuration;
        return "caller";
    }
    launch->configuration = qn_family_fallback(launch->family);
    if (source->choose) origin = source->choose(launch, source->user);
    *asked = origin != NULL;
    if (origin) return origin;
    launch->configuration = qn_family_fallback(launch->family);
    launch->timed = false;
    return "fallback";
}

static qn_status check_value(const qn_family *family, const qn_kernel_declaration *kernel,
                             const qn_argument_declaration *declared, const qn_argument *argument)
{
    if (argument->buffer || argument->element != declared->element)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: argument \"%s\" of %s must be a value of the declared type",
                       family->name, declared->name, kernel->name);
    if (declared->element == QN_BYTES && (argument->bytes != declared->bytes || !argument->value.structure))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: argument \"%s\" of %s must be a struct of %zu bytes, got %zu",
                       family->name, declared->name, kernel->name, declared->bytes,
                       argument->value.structure ? argument->bytes : 0);
    return QN_OK;
}

/* Check the call against the declaration. A range of 0 bytes becomes the rest of the buffer. */
static qn_status check_arguments(const qn_family *family, const qn_kernel_declaration *kernel, const qn_device *device,
                                 const qn_family_call *call, qn_argument *arguments, qn_driver_buffer *buffers)
{
    enum { ALIGNMENT = 256 };
    if (call->argument_count != kernel->argument_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s takes %d arguments, got %d", family->name, kernel->name,
                       kernel->argument_count, call->argument_count);
    for (int i = 0; i < call->argument_count; i++) {
        const qn_argument_declaration *declared = &kernel->arguments[i];
        qn_argument *argument = &arguments[i];
        *argument = call->arguments[i];
        buffers[i] = NULL;
        if (declared->access == QN_VALUE) {
            QN_TRY(check_value(family, kernel, declared, argument));
            continue;
        }
        if (!argument->buffer || argument->buffer->device != device)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: argument \"%s\" of %s must be a buffer of %s", family->name,
                           declared->name, kernel->name, device->info.identifier);
        size_t size = argument->buffer->bytes;
        if (argument->offset > size || argument->offset % ALIGNMENT != 0 || argument->bytes > size - argument->offset)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s: argument \"%s\" of %s has %zu bytes from byte %zu of a buffer of %zu bytes; the "
                           "offset must be a multiple of %d",
                           family->name, declared->name, kernel->name, argument->bytes, argument->offset, size,
                           ALIGNMENT);
        if (argument->bytes == 0) argument->bytes = size - argument->offset;
        if (argument->bytes % qn_element_bytes(declared->element) != 0)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: argument \"%s\" of %s has %zu bytes; its elements have %zu each",
                           family->name, declared->name, kernel->name, argument->bytes,
                           qn_element_bytes(declared->element));
        buffers[i] = argument->buffer->handle;
    }
    return QN_OK;
}

static qn_status check_geometry(const qn_family *family, const qn_kernel_declaration *kernel, const qn_device *device,
                                const qn_geometry *geometry)
{
    size_t group = 1;
    for (int d = 0; d < 3; d++) {
        if (geometry->group[d] == 0 || geometry->items[d] == 0 || geometry->items[d] % geometry->group[d] != 0)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s would run %zu work-items in groups of %zu along dimension %d",
                           family->name, kernel->name, geometry->items[d], geometry->group[d], d);
        group *= geometry->group[d];
    }
    if (group > (size_t)device->info.largest_group)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s would run groups of %zu work-items; %s has at most %d",
                       family->name, kernel->name, group, device->info.identifier, device->info.largest_group);
    return QN_OK;
}

/* Compute the bytes of the local room, 0 for most kernels, and check that the device has them. */
static qn_status find_local_room(const qn_family *family, int kernel, const qn_device *device,
                                 const qn_configuration *configuration, const void *problem, size_t *bytes)
{
    *bytes = family->local_room ? family->local_room(kernel, configuration, problem) : 0;
    if (*bytes > device->info.local_room_bytes)
        return QN_FAIL(QN_UNSUPPORTED, "%s: %s needs %zu bytes of local memory; %s has %llu", family->name,
                       family->kernels[kernel].name, *bytes, device->info.identifier,
                       (unsigned long long)device->info.local_room_bytes);
    return QN_OK;
}

/* Build and launch with the chosen configuration. */
static qn_status launch_chosen(const qn_family_launch *chosen, const char *origin, const qn_argument *arguments,
                               const qn_driver_buffer *buffers, int argument_count, qn_driver_event *event)
{
    const qn_family *family = chosen->family;
    const qn_kernel_declaration *kernel = &family->kernels[chosen->kernel];
    qn_device *device = chosen->queue->device;
    qn_program_entry *entry;
    QN_TRY(qn_program_acquire(device, family, &chosen->configuration, chosen->definitions, &entry));
    if (device->context->explain) {
        pthread_mutex_lock(&device->mutex);
        explain(device, entry, origin);
        pthread_mutex_unlock(&device->mutex);
    }
    qn_geometry geometry = kernel->geometry(&chosen->configuration, chosen->problem);
    size_t local_room_bytes = 0;
    qn_status status = check_geometry(family, kernel, device, &geometry);
    if (status == QN_OK)
        status =
            find_local_room(family, chosen->kernel, device, &chosen->configuration, chosen->problem, &local_room_bytes);
    if (status == QN_OK) {
        status =
            device->driver->launch(device->handle, chosen->queue->handle, entry->kernels[chosen->kernel], &geometry,
                                   arguments, buffers, argument_count, local_room_bytes, &chosen->configuration, event);
        if (status != QN_OK) qn_error_add_context(status, "%s: %s", family->name, kernel->name);
    }
    qn_program_done(device, entry);
    return status;
}

/* Report the launch to the source that chose its configuration. Returns whether the source chooses again. */
static bool report_launch(const qn_family_launch *launch, qn_status status, qn_event *event)
{
    const qn_configuration_source *source = &launch->queue->device->context->source;
    qn_error_trail trail; /* the launch's failure must remain the reported one */
    if (!source->report) {
        qn_event_destroy(&event);
        return false;
    }
    qn_error_save(status, &trail);
    bool again = source->report(launch, status, event, source->user);
    (void)qn_error_restore(&trail);
    return again && status != QN_OK && status != QN_DEVICE_LOST;
}

static qn_status trace_launch(const qn_family_launch *launch, const qn_trace_mark *mark)
{
    const qn_kernel_declaration *kernel = &launch->family->kernels[launch->kernel];
    char name[80];
    qn_work work = {0};
    if (mark->since_s == 0) return QN_OK;
    snprintf(name, sizeof name, "%s: %s", launch->family->name, kernel->name);
    if (kernel->work) kernel->work(launch->problem, &work);
    return qn_trace_end(launch->queue, mark, name, &work);
}

static qn_status run_launch(const qn_family *family, qn_queue *queue, const qn_family_call *call, qn_event **event)
{
    qn_device *device = queue->device;
    qn_argument arguments[QN_ARGUMENT_MAX];
    qn_driver_buffer buffers[QN_ARGUMENT_MAX];
    qn_family_launch launch = {.family = family,
                               .queue = queue,
                               .kernel = call->kernel,
                               .problem_class = call->problem_class,
                               .definitions = call->definitions,
                               .problem = call->problem};
    qn_event *made = NULL;
    qn_status status;
    bool asked;
    if (event) *event = NULL;
    if (call->kernel < 0 || call->kernel >= family->kernel_count || call->argument_count > QN_ARGUMENT_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: kernel %d with %d arguments does not exist", family->name,
                       call->kernel, call->argument_count);
    QN_TRY(check_arguments(family, &family->kernels[call->kernel], device, call, arguments, buffers));
    do {
        const char *origin = choose_configuration(&launch, call, &asked);
        qn_driver_event handle = NULL;
        qn_trace_mark mark;
        bool wanted = event || launch.timed;
        QN_TRY(qn_trace_begin(queue, &mark));
        status = launch_chosen(&launch, origin, arguments, buffers, call->argument_count, wanted ? &handle : NULL);
        if (status == QN_OK) status = trace_launch(&launch, &mark);
        if (status == QN_OK && wanted) status = qn_event_wrap(device, handle, &made);
    } while (status != QN_OK && asked && report_launch(&launch, status, NULL));
    if (status != QN_OK) return status;
    if (asked) report_launch(&launch, QN_OK, launch.timed ? qn_event_retain(made) : NULL);
    if (event)
        *event = made;
    else
        qn_event_destroy(&made);
    return QN_OK;
}

qn_status qn_family_run(const qn_family *family, qn_queue *queue, const qn_family_call *call, qn_event **event)
{
    const qn_log_scope outer = qn_context_enter_log(queue->device->context);
    const qn_status status = run_launch(family, queue, call, event);
    qn_log_return(outer);
    return status;
}

qn_status qn_family_fits(const qn_family *family, qn_device *device, const qn_configuration *configuration,
                         const char *definitions, const void *problem)
{
    for (int i = 0; i < family->kernel_count; i++) {
        const qn_kernel_declaration *kernel = &family->kernels[i];
        qn_kernel_resources needs;
        QN_TRY(qn_family_resources(family, device, configuration, definitions, i, &needs));
        if (needs.local_bytes > device->info.local_memory_bytes)
            return QN_FAIL(QN_UNSUPPORTED, "%s: %s needs %zu bytes of local memory; %s has %llu", family->name,
                           kernel->name, needs.local_bytes, device->info.identifier,
                           (unsigned long long)device->info.local_memory_bytes);
        if (!problem) continue;
        qn_geometry geometry = kernel->geometry(configuration, problem);
        QN_TRY(check_geometry(family, kernel, device, &geometry));
        size_t local_room_bytes;
        QN_TRY(find_local_room(family, i, device, configuration, problem, &local_room_bytes));
        size_t group = geometry.group[0] * geometry.group[1] * geometry.group[2];
        if (group > (size_t)needs.largest_group)
            return QN_FAIL(QN_UNSUPPORTED,
                           "%s: %s needs groups of %zu work-items; compiled for %s it runs with at most %d",
                           family->name, kernel->name, group, device->info.identifier, needs.largest_group);
    }
    return QN_OK;
}
