/* The host driver: kernels are C functions, buffers are memory, and commands run at once in the calling thread. */
#define _DEFAULT_SOURCE /* sysconf */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "runtime/driver.h"
#include "runtime/host/host_energy.h"
#include "runtime/host_variant.h"

typedef struct host_device {
    qn_pool *pool; /* the context's pool */
    uint64_t memory_bytes;
} host_device;

typedef struct host_event {
    double seconds;
} host_event;

/* Get the value of the first line of a /proc file that starts with `key`; "": there is none. */
static void read_proc(const char *path, const char *key, char *value, size_t capacity)
{
    char line[512];
    FILE *file = fopen(path, "r");
    value[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        colon += 1 + strspn(colon + 1, " \t");
        size_t length = strcspn(colon, "\n");
        if (length >= capacity) length = capacity - 1;
        memcpy(value, colon, length);
        value[length] = '\0';
        break;
    }
    if (file) fclose(file);
}

static void describe(int threads, qn_device_info *info)
{
    memset(info, 0, sizeof *info);
    strcpy(info->identifier, "host");
    strcpy(info->driver, "host");
    info->kind = QN_DEVICE_CPU;
    read_proc("/proc/cpuinfo", "model name", info->name, sizeof info->name);
    if (!info->name[0]) strcpy(info->name, "CPU");
    read_proc("/proc/cpuinfo", "vendor_id", info->vendor, sizeof info->vendor);
    snprintf(info->architecture, sizeof info->architecture, "x86-64-v%d", qn_host_level());
    snprintf(info->driver_version, sizeof info->driver_version, "quern %s, %s", QN_VERSION, info->architecture);
    info->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    info->largest_buffer_bytes = info->memory_bytes;
    info->local_memory_bytes = 1 << 20; /* host kernels use no local memory: a limit that fits every kernel */
    info->local_room_bytes = info->local_memory_bytes;
    info->compute_units = threads;
    info->largest_group = 1024;
    info->subgroup_size = 1;
    info->rounds_roots = true;
    info->vector_width = qn_host_level() == 4 ? 16 : qn_host_level() == 3 ? 8 : 4;
}

static qn_status list(qn_device_listing *listings, size_t capacity, size_t *count)
{
    *count = 1;
    if (capacity == 0) return QN_OK;
    memset(listings, 0, sizeof *listings);
    listings->usable = true;
    describe(qn_usable_processors(), &listings->info);
    return QN_OK;
}

static qn_status device_open(qn_context *context, int number, const char *inner, qn_driver_device *out,
                             qn_device_info *info)
{
    void *memory;
    (void)inner;
    if (number != 0) return QN_FAIL(QN_NO_DEVICE, "host:%d does not exist; there is one host device", number);
    QN_TRY(qn_allocate(1, sizeof(host_device), &memory));
    describe(qn_context_threads(context), info);
    *(host_device *)memory = (host_device){.pool = qn_context_pool(context), .memory_bytes = info->memory_bytes};
    *out = memory;
    return QN_OK;
}

static void device_close(qn_driver_device device)
{
    qn_release(&device);
}

static qn_status buffer_create(qn_driver_device device, size_t bytes, qn_driver_buffer *buffer)
{
    /* The system would allocate more memory than it has and kill the process when it uses it. */
    uint64_t memory_bytes = ((const host_device *)device)->memory_bytes;
    if (bytes > memory_bytes)
        return QN_FAIL(QN_OUT_OF_MEMORY, "host: a buffer of %zu bytes was asked for; this machine has %llu", bytes,
                       (unsigned long long)memory_bytes);
    size_t capacity = 0;
    return qn_grow(buffer, &capacity, bytes, 1); /* uninitialised, so that the threads that use the pages clear them */
}

static void buffer_destroy(qn_driver_device device, qn_driver_buffer buffer)
{
    (void)device;
    qn_release(&buffer);
}

static qn_status queue_create(qn_driver_device device, qn_driver_queue *queue)
{
    *queue = device; /* commands run at once, so a queue has no state */
    return QN_OK;
}

static void queue_destroy(qn_driver_device device, qn_driver_queue queue)
{
    (void)device, (void)queue;
}

static qn_status queue_finish(qn_driver_device device, qn_driver_queue queue)
{
    (void)device, (void)queue;
    return QN_OK;
}

static qn_status queue_wait_for(qn_driver_device device, qn_driver_queue queue, qn_driver_event event)
{
    (void)device, (void)queue, (void)event;
    return QN_OK;
}

/* Make the event of a finished command that took `seconds`. */
static qn_status make_event(double seconds, qn_driver_event *event)
{
    if (!event) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof(host_event), event));
    ((host_event *)*event)->seconds = seconds;
    return QN_OK;
}

static qn_status transfer(void *to, const void *from, size_t bytes, qn_driver_event *event)
{
    double start_s = qn_clock_s();
    if (bytes > 0) memcpy(to, from, bytes); /* of nothing, the address may be NULL */
    return make_event(qn_clock_s() - start_s, event);
}

static qn_status host_write(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                            const void *data, size_t bytes, qn_driver_event *event)
{
    (void)device, (void)queue;
    return transfer((char *)buffer + offset, data, bytes, event);
}

static qn_status host_read(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                           void *data, size_t bytes, qn_driver_event *event)
{
    (void)device, (void)queue;
    return transfer(data, (char *)buffer + offset, bytes, event);
}

static qn_status host_copy(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer from, size_t from_offset,
                           qn_driver_buffer to, size_t to_offset, size_t bytes, qn_driver_event *event)
{
    (void)device, (void)queue;
    return transfer((char *)to + to_offset, (char *)from + from_offset, bytes, event);
}

static qn_status host_fill(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                           size_t bytes, unsigned char value, qn_driver_event *event)
{
    double start_s = qn_clock_s();
    (void)device, (void)queue;
    memset((char *)buffer + offset, value, bytes);
    return make_event(qn_clock_s() - start_s, event);
}

static qn_status program_build(qn_driver_device device, const qn_program_source *source, const void *binary,
                               size_t binary_bytes, qn_driver_program *program)
{
    (void)device, (void)binary, (void)binary_bytes;
    *program = (void *)source->family; /* compiled with the library */
    return QN_OK;
}

static qn_status program_binary(qn_driver_device device, qn_driver_program program, void **binary, size_t *bytes)
{
    (void)device, (void)program;
    *binary = NULL;
    *bytes = 0;
    return QN_OK;
}

static void program_destroy(qn_driver_device device, qn_driver_program program)
{
    (void)device, (void)program;
}

static qn_status kernel_create(qn_driver_device device, qn_driver_program program,
                               const qn_kernel_declaration *declaration, qn_driver_kernel *kernel)
{
    (void)device, (void)program;
    *kernel = (void *)declaration;
    return QN_OK;
}

static void kernel_destroy(qn_driver_device device, qn_driver_kernel kernel)
{
    (void)device, (void)kernel;
}

static qn_status kernel_resources(qn_driver_device device, qn_driver_kernel kernel, qn_kernel_resources *resources)
{
    (void)device, (void)kernel, (void)resources; /* a C function has no limits of its own */
    return QN_OK;
}

static qn_status launch(qn_driver_device device, qn_driver_queue queue, qn_driver_kernel kernel,
                        const qn_geometry *geometry, const qn_argument *arguments, const qn_driver_buffer *buffers,
                        int argument_count, size_t local_room_bytes, const qn_configuration *configuration,
                        qn_driver_event *event)
{
    const qn_kernel_declaration *declaration = kernel;
    void *pointers[QN_ARGUMENT_MAX];
    size_t bytes[QN_ARGUMENT_MAX];
    (void)queue;
    (void)local_room_bytes; /* host kernels share no local memory */
    if (!declaration->host) return QN_FAIL(QN_UNSUPPORTED, "kernel %s has no host version", declaration->name);
    for (int i = 0; i < argument_count; i++) {
        size_t value_bytes;
        pointers[i] = buffers[i] ? (char *)buffers[i] + arguments[i].offset
                                 : (void *)qn_argument_value(&arguments[i], &value_bytes);
        bytes[i] = buffers[i] ? arguments[i].bytes : 0;
    }
    qn_host_launch call = {pointers, bytes, *geometry, configuration, ((host_device *)device)->pool};
    double start_s = qn_clock_s();
    QN_TRY(declaration->host(&call));
    return make_event(qn_clock_s() - start_s, event);
}

static qn_status event_wait(qn_driver_device device, qn_driver_event event)
{
    (void)device, (void)event;
    return QN_OK;
}

static qn_status event_done(qn_driver_device device, qn_driver_event event, bool *done)
{
    (void)device, (void)event;
    *done = true;
    return QN_OK;
}

static qn_status event_seconds(qn_driver_device device, qn_driver_event event, double *seconds)
{
    (void)device;
    *seconds = ((const host_event *)event)->seconds;
    return QN_OK;
}

static void event_destroy(qn_driver_device device, qn_driver_event event)
{
    (void)device;
    qn_release(&event);
}

static qn_status call_host(qn_driver_device device, qn_driver_queue queue, qn_host_function function,
                           void *const *addresses, int count, void *user, qn_driver_event *event)
{
    double start_s = qn_clock_s();
    (void)queue, (void)count;
    QN_TRY(function(addresses, ((host_device *)device)->pool, user));
    return make_event(qn_clock_s() - start_s, event);
}

static void *native_handle(qn_driver_device device, void *object, qn_native_kind kind)
{
    (void)device;
    return kind == QN_NATIVE_BUFFER ? object : NULL;
}

const qn_driver qn_host_driver = {
    .name = "host",
    .energy = &qn_host_energy,
    .list = list,
    .device_open = device_open,
    .device_close = device_close,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .queue_finish = queue_finish,
    .queue_wait_for = queue_wait_for,
    .write = host_write,
    .read = host_read,
    .copy = host_copy,
    .fill = host_fill,
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
    .native_handle = native_handle,
};
