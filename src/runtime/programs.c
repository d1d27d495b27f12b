#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/kernel_source.h"
#include "runtime/objects.h"
#include "runtime/program_cache.h"

/* Programs that families were built into, on each device. Compilation does not hold the device's mutex, so that a
 * launch never waits for a build in another thread. */
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

/* Load the program from the disk cache, or compile it and store it there. */
static qn_status load_or_compile(qn_device *device, const qn_program_source *source, const char *key,
                                 qn_driver_program *program)
{
    const qn_driver *driver = device->driver;
    void *binary = NULL;
    size_t bytes = 0;
    qn_program_cache_load(key, &binary, &bytes);
    if (binary) {
        qn_status status = driver->program_build(device->handle, source, binary, bytes, program);
        qn_release(&binary);
        if (status == QN_OK) return QN_OK;
        qn_error_clear(); /* a stale entry: compile */
    }
    QN_TRY(driver->program_build(device->handle, source, NULL, 0, program));
    if (driver->program_binary(device->handle, *program, &binary, &bytes) == QN_OK && bytes > 0)
        qn_program_cache_store(key, binary, bytes);
    qn_release(&binary);
    return QN_OK;
}

static qn_status build_program(qn_device *device, const qn_program_source *source, qn_driver_program *program)
{
    qn_context *context = device->context;
    char key[65];
    if (!context->use_cache || strcmp(qn_device_inner_driver(device), "host") == 0)
        return device->driver->program_build(device->handle, source, NULL, 0, program);
    qn_program_cache_key(&device->info, source->text, source->options, key);
    qn_program_build own = {.key = key};
    qn_program_build_begin(context, &own);
    const qn_status status = load_or_compile(device, source, key, program);
    qn_program_build_end(context, &own);
    return status;
}

/* Build a program and its kernels. Compilers' messages go to the log of the device's context, whichever thread calls.
 */
static qn_status create_entry(qn_device *device, const qn_family *family, const qn_configuration *configuration,
                              const char *definitions, qn_program_entry **out)
{
    void *memory;
    qn_text text = {0};
    QN_TRY(qn_allocate(1, sizeof(qn_program_entry), &memory));
    qn_program_entry *entry = memory;
    entry->family = family;
    entry->configuration = *configuration;
    const qn_log_scope outer = qn_context_enter_log(device->context);
    qn_status status = qn_text_copy(definitions, &entry->definitions);
    if (status == QN_OK)
        status = qn_kernel_source_make(device->context->kernel_folder, qn_device_inner_driver(device), family,
                                       configuration, definitions, &text);
    if (status == QN_OK) {
        qn_program_source source = {family, text.data, family->compiler_options ? family->compiler_options : "",
                                    configuration};
        status = build_program(device, &source, &entry->program);
    }
    for (int i = 0; i < family->kernel_count && status == QN_OK; i++)
        status = device->driver->kernel_create(device->handle, entry->program, &family->kernels[i], &entry->kernels[i]);
    qn_text_clear(&text);
    qn_log_return(outer);
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

/* Check that a configuration is valid. A value outside a tunable's list, such as 0, could be a divisor in a geometry
 * function. */
static qn_status check_allowed(const qn_family *family, const qn_device *device, const qn_configuration *configuration)
{
    bool allowed;
    const char *broken;
    for (int i = 0; i < family->tunable_count; i++) {
        const qn_tunable *tunable = &family->tunables[i];
        bool known = false;
        for (int v = 0; v < tunable->value_count; v++) known |= tunable->values[v] == configuration->value[i];
        if (!known)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s=%d is not one of its values (%d to %d)", family->name,
                           tunable->name, configuration->value[i], tunable->values[0],
                           tunable->values[tunable->value_count - 1]);
    }
    QN_TRY(qn_family_allows(family, &device->info, configuration, &allowed, &broken));
    if (!allowed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the configuration breaks \"%s\" on %s", family->name, broken,
                       device->info.identifier);
    return QN_OK;
}

bool qn_program_matches(const qn_program_entry *entry, const qn_family *family, const qn_configuration *configuration)
{
    return entry->family == family && same_configuration(family, &entry->configuration, configuration);
}

/* The caller holds the device's mutex. Returns NULL if there is no such program. */
static qn_program_entry *find(qn_device *device, const qn_family *family, const qn_configuration *configuration,
                              const char *definitions)
{
    qn_program_entry *entry = device->programs;
    while (entry && !(qn_program_matches(entry, family, configuration) && strcmp(entry->definitions, definitions) == 0))
        entry = entry->next;
    return entry;
}

qn_status qn_program_acquire(qn_device *device, const qn_family *family, const qn_configuration *configuration,
                             const char *definitions, qn_program_entry **out)
{
    qn_program_entry *made = NULL;
    if (!definitions) definitions = "";
    *out = NULL;
    pthread_mutex_lock(&device->mutex);
    qn_program_entry *entry = find(device, family, configuration, definitions);
    if (entry) entry->users++;
    pthread_mutex_unlock(&device->mutex);
    if (!entry) {
        QN_TRY(check_allowed(family, device, configuration));
        QN_TRY(create_entry(device, family, configuration, definitions, &made));
        pthread_mutex_lock(&device->mutex);
        entry = find(device, family, configuration, definitions); /* another thread may have been faster */
        if (!entry) {
            entry = made;
            made = NULL;
            entry->next = device->programs;
            device->programs = entry;
        }
        entry->users++;
        pthread_mutex_unlock(&device->mutex);
        if (made) destroy_entry(device, made);
    }
    *out = entry;
    return QN_OK;
}

void qn_program_done(qn_device *device, qn_program_entry *entry)
{
    pthread_mutex_lock(&device->mutex);
    bool unused = --entry->users == 0 && entry->forgotten;
    pthread_mutex_unlock(&device->mutex);
    if (unused) destroy_entry(device, entry);
}

qn_status qn_family_build(const qn_family *family, qn_device *device, const qn_configuration *configuration,
                          const char *definitions)
{
    qn_program_entry *entry;
    qn_configuration chosen = configuration ? *configuration : qn_family_fallback(family);
    QN_TRY(qn_program_acquire(device, family, &chosen, definitions, &entry));
    qn_program_done(device, entry);
    return QN_OK;
}

void qn_family_forget(const qn_family *family, qn_device *device, const qn_configuration *configuration)
{
    qn_program_entry *unused = NULL;
    pthread_mutex_lock(&device->mutex);
    for (qn_program_entry **at = &device->programs; *at;) {
        qn_program_entry *entry = *at;
        if (!qn_program_matches(entry, family, configuration)) {
            at = &entry->next;
            continue;
        }
        *at = entry->next;
        entry->forgotten = true;
        if (entry->users > 0) continue; /* the last user destroys it */
        entry->next = unused;
        unused = entry;
    }
    pthread_mutex_unlock(&device->mutex);
    while (unused) {
        qn_program_entry *entry = unused;
        unused = entry->next;
        destroy_entry(device, entry);
    }
}

void qn_family_built_definitions(const qn_family *family, qn_device *device, const qn_configuration *configuration,
                                 char *definitions, size_t capacity)
{
    if (capacity > 0) definitions[0] = '\0';
    pthread_mutex_lock(&device->mutex);
    for (const qn_program_entry *entry = device->programs; entry; entry = entry->next) {
        if (!qn_program_matches(entry, family, configuration)) continue;
        snprintf(definitions, capacity, "%s", entry->definitions);
        break;
    }
    pthread_mutex_unlock(&device->mutex);
}

qn_status qn_family_resources(const qn_family *family, qn_device *device, const qn_configuration *configuration,
                              const char *definitions, int kernel, qn_kernel_resources *resources)
{
    qn_program_entry *entry;
    if (kernel < 0 || kernel >= family->kernel_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: kernel %d does not exist", family->name, kernel);
    QN_TRY(qn_program_acquire(device, family, configuration, definitions, &entry));
    *resources = (qn_kernel_resources){.largest_group = device->info.largest_group};
    qn_status status = device->driver->kernel_resources(device->handle, entry->kernels[kernel], resources);
    qn_program_done(device, entry);
    return status;
}
