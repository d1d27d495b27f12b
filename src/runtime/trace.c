#include "runtime/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/objects.h"

typedef struct traced_command {
    char name[80];
    uint64_t count;
    double seconds;
    qn_work work;
} traced_command;

typedef struct traced_device {
    struct traced_device *next;
    char identifier[64];
    qn_device_rates rates;
    uint64_t waits;
    traced_command *commands;
    size_t count, capacity;
} traced_device;

struct qn_trace {
    pthread_mutex_t mutex;
    traced_device *devices;
};

qn_status qn_trace_create(qn_trace **trace)
{
    const char *setting = getenv("QUERN_TRACE");
    void *memory;
    *trace = NULL;
    if (!setting || strcmp(setting, "1") != 0) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof **trace, &memory));
    *trace = memory;
    pthread_mutex_init(&(*trace)->mutex, NULL);
    return QN_OK;
}

/* ---- the table ---- */

static int compare_commands(const void *a, const void *b)
{
    const double first = ((const traced_command *)a)->seconds, second = ((const traced_command *)b)->seconds;
    return (first < second) - (first > second);
}

static void log_device(const traced_device *device)
{
    double seconds = 0;
    if (device->count > 0) qsort(device->commands, device->count, sizeof *device->commands, compare_commands);
    for (size_t i = 0; i < device->count; i++) seconds += device->commands[i].seconds;
    qn_log(QN_LOG_NOTE, "trace of %s: %.3f s in commands, %llu waits for queues", device->identifier, seconds,
           (unsigned long long)device->waits);
    qn_log(QN_LOG_NOTE, "%-52s %8s %10s %10s %8s %6s", "command", "times", "seconds", "ms each", "GB/s", "limit");
    for (size_t i = 0; i < device->count; i++) {
        const traced_command *c = &device->commands[i];
        const double limit_s = qn_work_limit_seconds(&c->work, &device->rates, NULL);
        char share[16] = "-";
        if (limit_s > 0 && c->seconds > 0) snprintf(share, sizeof share, "%.2f", limit_s / c->seconds);
        qn_log(QN_LOG_NOTE, "%-52s %8llu %10.4f %10.4f %8.1f %6s", c->name, (unsigned long long)c->count, c->seconds,
               1e3 * c->seconds / (double)c->count, 1e-9 * (c->work.bytes_read + c->work.bytes_written) / c->seconds,
               share);
    }
}

void qn_trace_destroy(qn_trace **trace)
{
    if (!*trace) return;
    while ((*trace)->devices) {
        traced_device *device = (*trace)->devices;
        (*trace)->devices = device->next;
        log_device(device);
        qn_release(&device->commands);
        qn_release(&device);
    }
    pthread_mutex_destroy(&(*trace)->mutex);
    qn_release(trace);
}

/* ---- commands ---- */

/* NULL if the device is not traced. */
static traced_device *find_device(const qn_device *device)
{
    qn_trace *trace = device->context->trace;
    traced_device *found;
    if (!trace) return NULL;
    pthread_mutex_lock(&trace->mutex);
    for (found = trace->devices; found; found = found->next)
        if (strcmp(found->identifier, device->info.identifier) == 0) break;
    pthread_mutex_unlock(&trace->mutex);
    return found;
}

bool qn_trace_wants_device(const qn_device *device)
{
    return device->context->trace && !find_device(device);
}

qn_status qn_trace_add_device(qn_device *device, const qn_device_rates *rates)
{
    qn_trace *trace = device->context->trace;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(traced_device), &memory));
    traced_device *added = memory;
    added->rates = *rates;
    snprintf(added->identifier, sizeof added->identifier, "%s", device->info.identifier);
    pthread_mutex_lock(&trace->mutex);
    added->next = trace->devices;
    trace->devices = added;
    pthread_mutex_unlock(&trace->mutex);
    return QN_OK;
}

static qn_status finish(const qn_queue *queue)
{
    return queue->device->driver->queue_finish(queue->device->handle, queue->handle);
}

qn_status qn_trace_begin(qn_queue *queue, qn_trace_mark *mark)
{
    *mark = (qn_trace_mark){0};
    if (!find_device(queue->device)) return QN_OK;
    QN_TRY(finish(queue));
    mark->since_s = qn_clock_s();
    return QN_OK;
}

static qn_status add(traced_device *device, const char *name, double seconds, const qn_work *work)
{
    size_t i = 0;
    while (i < device->count && strcmp(device->commands[i].name, name) != 0) i++;
    if (i == device->count) {
        void *memory = device->commands;
        const qn_status status = qn_grow(&memory, &device->capacity, i + 1, sizeof *device->commands);
        device->commands = memory;
        QN_TRY(status);
        device->commands[device->count++] = (traced_command){.count = 0};
        snprintf(device->commands[i].name, sizeof device->commands[i].name, "%s", name);
    }
    traced_command *command = &device->commands[i];
    command->count++;
    command->seconds += seconds;
    command->work.bytes_read += work->bytes_read;
    command->work.bytes_written += work->bytes_written;
    command->work.multiply_adds += work->multiply_adds;
    command->work.reciprocal_roots += work->reciprocal_roots;
    command->work.local_atomics += work->local_atomics;
    return QN_OK;
}

qn_status qn_trace_end(qn_queue *queue, const qn_trace_mark *mark, const char *name, const qn_work *work)
{
    qn_trace *trace = queue->device->context->trace;
    if (mark->since_s == 0) return QN_OK;
    QN_TRY(finish(queue));
    const double seconds = qn_clock_s() - mark->since_s;
    traced_device *device = find_device(queue->device);
    pthread_mutex_lock(&trace->mutex);
    const qn_status status = add(device, name, seconds, work);
    pthread_mutex_unlock(&trace->mutex);
    return status;
}

void qn_trace_count_wait(qn_queue *queue)
{
    qn_trace *trace = queue->device->context->trace;
    traced_device *device = find_device(queue->device);
    if (!device) return;
    pthread_mutex_lock(&trace->mutex);
    device->waits++;
    pthread_mutex_unlock(&trace->mutex);
}
