#include <quern/family.h>

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/constraint.h"
#include "runtime/kernel_source.h"
#include "runtime/objects.h"
#include "runtime/program_cache.h"

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

qn_configuration qn_family_fallback(const qn_family *family)
{
    qn_configuration configuration = {{0}};
    for (int i = 0; i < family->tunable_count; i++) configuration.value[i] = family->tunables[i].fallback;
    return configuration;
}

qn_status qn_family_allows(const qn_family *family, const qn_device_info *device, const qn_configuration *configuration,
                           bool *allowed, const char **broken)
{
    *allowed = true;
    if (broken) *broken = NULL;
    for (int i = 0; i < family->constraint_count; i++) {
        int64_t value;
        QN_TRY(qn_constraint_evaluate(family->constraints[i], family, configuration, device, &value));
        if (value) continue;
        *allowed = false;
        if (broken) *broken = family->constraints[i];
        return QN_OK;
    }
    return QN_OK;
}

static void destroy_entry(qn_device *device, qn_program_entry *entry)
{
    for (int i = 0; i < entry->family->kernel_count; i++)
        if (entry->kernels[i]) device->driver->kernel_destroy(device->handle, entry->kernels[i]);
    if (entry->program) device->driver->program_destroy(device->handle, entry->program);
    qn_release(&entry->definitions);
    qn_release(&entry);
}

void qn_device_drop_programs(qn_device *device)
{
    while (device->programs) {
        qn_program_entry *entry = device->programs;
        device->programs = entry->next;
        destroy_entry(device, entry);
    }
}

/* From the disk cache when it has it, else compiled and stored there. */
static qn_status build_program(qn_device *device, const qn_program_source *source, qn_driver_program *program)
{
    const qn_driver *driver = device->driver;
    bool use_cache = device->context->use_cache && strcmp(qn_device_inner_driver(device), "host") != 0;
    char key[65];
    void *binary = NULL;
    size_t bytes = 0;
    qn_program_cache_key(&device->info, source->text, source->options, key);
    if (use_cache) qn_program_cache_load(key, &binary, &bytes);
    if (binary) {
        qn_status status = driver->program_build(device->handle, source, binary, bytes, program);
        qn_release(&binary);
        if (status == QN_OK) return QN_OK;
        qn_error_clear(); /* a stale entry: compile */
    }
    QN_TRY(driver->program_build(device->handle, source, NULL, 0, program));
    if (!use_cache) return QN_OK;
    if (driver->program_binary(device->handle, *program, &binary, &bytes) == QN_OK && bytes > 0)
        qn_program_cache_store(key, binary, bytes);
    qn_release(&binary);
    return QN_OK;
}

static qn_status create_entry(qn_device *device, const qn_family *family, const qn_configuration *configuration,
                              const char *definitions, qn_program_entry **out)
{
    void *memory;
    qn_text text = {0};
    QN_TRY(qn_allocate(1, sizeof(qn_program_entry), &memory));
    qn_program_entry *entry = memory;
    entry->family = family;
    entry->configuration = *configuration;
    qn_status status = qn_text_copy(definitions, &entry->definitions);
    if (status == QN_OK)
        status = qn_kernel_source_make(device->context->kernel_folder, qn_device_inner_driver(device), family,
                                       configuration, definitions, &text);
    if (status == QN_OK) {
        qn_program_source source = {family, text.data, "", configuration};
        status = build_program(device, &source, &entry->program);
    }
    for (int i = 0; i < family->kernel_count && status == QN_OK; i++)
        status = device->driver->kernel_create(device->handle, entry->program, &family->kernels[i], &entry->kernels[i]);
    qn_text_clear(&text);
    if (status != QN_OK) {
        destroy_entry(device, entry);
        return qn_error_add_context(status, "%s on %s", family->name, device->info.identifier);
    }
    *out = entry;
    return QN_OK;
}

static bool same_configuration(const qn_family *family, const qn_configuration *a, const qn_configuration *b)
{
    return memcmp(a->value, b->value, (size_t)family->tunable_count * sizeof a->value[0]) == 0;
}

/* Values that are none of a tunable's would reach geometry functions as divisors. */
static qn_status check_allowed(const qn_family *family, const qn_device *device, const qn_configuration *configuration)
{
    bool allowed;
    const char *broken;
    for (int i = 0; i < family->tunable_count; i++) {
        const qn_tunable *tunable = &family->tunables[i];
        bool known = false;
        for (int v = 0; v < tunable->value_count; v++) known |= tunable->values[v] == configuration->value[i];
        if (!known)
            QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s=%d is none of its values (%d to %d)", family->name, tunable->name,
                    configuration->value[i], tunable->values[0], tunable->values[tunable->value_count - 1]);
    }
    QN_TRY(qn_family_allows(family, &device->info, configuration, &allowed, &broken));
    if (!allowed)
        QN_FAIL(QN_INVALID_ARGUMENT, "%s: the configuration breaks \"%s\" on %s", family->name, broken,
                device->info.identifier);
    return QN_OK;
}

static qn_status find_or_create(qn_device *device, const qn_family *family, const qn_configuration *configuration,
                                const char *definitions, qn_program_entry **out)
{
    qn_program_entry *entry;
    if (!definitions) definitions = "";
    pthread_mutex_lock(&device->mutex);
    for (entry = device->programs; entry; entry = entry->next)
        if (entry->family == family && same_configuration(family, &entry->configuration, configuration) &&
            strcmp(entry->definitions, definitions) == 0)
            break;
    qn_status status = QN_OK;
    if (!entry) {
        status = check_allowed(family, device, configuration);
        if (status == QN_OK) status = create_entry(device, family, configuration, definitions, &entry);
        if (status == QN_OK) {
            entry->next = device->programs;
            device->programs = entry;
        }
    }
    pthread_mutex_unlock(&device->mutex);
    *out = status == QN_OK ? entry : NULL;
    return status;
}

qn_status qn_family_build(const qn_family *family, qn_device *device, const qn_configuration *configuration,
                          const char *definitions)
{
    qn_program_entry *entry;
    qn_configuration chosen = configuration ? *configuration : qn_family_fallback(family);
    return find_or_create(device, family, &chosen, definitions, &entry);
}

/* Say once per family, device and configuration where it came from; the device's mutex is held. */
static void explain(qn_device *device, const qn_program_entry *used, const char *origin)
{
    const qn_family *family = used->family;
    qn_text text = {0};
    for (qn_program_entry *entry = device->programs; entry; entry = entry->next) {
        if (entry->family != family || !same_configuration(family, &entry->configuration, &used->configuration))
            continue;
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

/* The call's configuration, else the source's, else the fallback; returns where it came from. */
static const char *choose_configuration(const qn_family *family, qn_device *device, const qn_family_call *call,
                                        qn_configuration *configuration)
{
    const qn_context *context = device->context;
    const char *origin = NULL;
    *configuration = qn_family_fallback(family);
    if (call->configuration) {
        *configuration = *call->configuration;
        return "caller";
    }
    if (context->source)
        origin = context->source(family, device, call->problem_class, configuration, context->source_user);
    if (origin) return origin;
    *configuration = qn_family_fallback(family);
    return "fallback";
}

static size_t element_bytes(qn_element element)
{
    return element == QN_INT64 ? 8 : element == QN_BYTES ? 1 : 4;
}

/* Fill in whole-buffer sizes and hold the call to the declaration. */
static qn_status check_arguments(const qn_family *family, const qn_kernel_declaration *kernel, const qn_device *device,
                                 const qn_family_call *call, qn_argument *arguments, qn_driver_buffer *buffers)
{
    enum { ALIGNMENT = 256 };
    if (call->argument_count != kernel->argument_count)
        QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s takes %d arguments, got %d", family->name, kernel->name,
                kernel->argument_count, call->argument_count);
    for (int i = 0; i < call->argument_count; i++) {
        const qn_argument_declaration *declared = &kernel->arguments[i];
        qn_argument *argument = &arguments[i];
        *argument = call->arguments[i];
        buffers[i] = NULL;
        if (declared->access == QN_VALUE) {
            if (argument->buffer || argument->element != declared->element)
                QN_FAIL(QN_INVALID_ARGUMENT, "%s: argument \"%s\" of %s must be a value of the declared type",
                        family->name, declared->name, kernel->name);
            continue;
        }
        if (!argument->buffer || argument->buffer->device != device)
            QN_FAIL(QN_INVALID_ARGUMENT, "%s: argument \"%s\" of %s must be a buffer of %s", family->name,
                    declared->name, kernel->name, device->info.identifier);
        size_t size = argument->buffer->bytes;
        if (argument->offset > size || argument->offset % ALIGNMENT != 0 || argument->bytes > size - argument->offset)
            QN_FAIL(QN_INVALID_ARGUMENT,
                    "%s: argument \"%s\" of %s asks for %zu bytes from %zu of a buffer of %zu; the "
                    "offset must be a multiple of %d",
                    family->name, declared->name, kernel->name, argument->bytes, argument->offset, size, ALIGNMENT);
        if (argument->bytes == 0) argument->bytes = size - argument->offset;
        if (argument->bytes % element_bytes(declared->element) != 0)
            QN_FAIL(QN_INVALID_ARGUMENT, "%s: argument \"%s\" of %s has %zu bytes; its elements have %zu each",
                    family->name, declared->name, kernel->name, argument->bytes, element_bytes(declared->element));
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
            QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s would run %zu work-items in groups of %zu along dimension %d",
                    family->name, kernel->name, geometry->items[d], geometry->group[d], d);
        group *= geometry->group[d];
    }
    if (group > (size_t)device->info.largest_group)
        QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s would run groups of %zu work-items; %s has at most %d", family->name,
                kernel->name, group, device->info.identifier, device->info.largest_group);
    return QN_OK;
}

qn_status qn_family_run(const qn_family *family, qn_queue *queue, const qn_family_call *call, qn_event **event)
{
    qn_device *device = queue->device;
    qn_configuration configuration;
    qn_program_entry *entry;
    qn_argument arguments[QN_ARGUMENT_MAX];
    qn_driver_buffer buffers[QN_ARGUMENT_MAX];
    qn_driver_event handle = NULL;
    if (event) *event = NULL;
    if (call->kernel < 0 || call->kernel >= family->kernel_count || call->argument_count > QN_ARGUMENT_MAX)
        QN_FAIL(QN_INVALID_ARGUMENT, "%s: kernel %d with %d arguments does not exist", family->name, call->kernel,
                call->argument_count);
    const qn_kernel_declaration *kernel = &family->kernels[call->kernel];
    QN_TRY(check_arguments(family, kernel, device, call, arguments, buffers));
    const char *origin = choose_configuration(family, device, call, &configuration);
    QN_TRY(find_or_create(device, family, &configuration, call->definitions, &entry));
    if (device->context->explain) {
        pthread_mutex_lock(&device->mutex);
        explain(device, entry, origin);
        pthread_mutex_unlock(&device->mutex);
    }
    qn_geometry geometry = kernel->geometry(&configuration, call->problem);
    QN_TRY(check_geometry(family, kernel, device, &geometry));
    qn_status status =
        device->driver->launch(device->handle, queue->handle, entry->kernels[call->kernel], &geometry, arguments,
                               buffers, call->argument_count, &configuration, event ? &handle : NULL);
    if (status != QN_OK) return qn_error_add_context(status, "%s: %s", family->name, kernel->name);
    return qn_event_wrap(device, handle, event);
}
