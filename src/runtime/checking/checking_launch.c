/* A launch that is checked against its declaration. The contents of all its buffers are copied to the host before and
 * after:
 *
 *   OUT ranges are filled with 0xFF first. An element that is still 0xFF… was not written, or was written with this
 *   value, which can be valid (−1 as int). The launch is therefore repeated from the same start with another fill. An
 *   element that has the fill's value both times was not written; only a random result could be mistaken for one.
 *   Bytes outside the OUT and INOUT ranges must not change: IN arguments, guard zones, the rest of the buffers.
 *   Ranges of one launch may overlap only if all of them are IN. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/checking/checking_driver.h"

/* One buffer of the launch; several arguments may use it. */
typedef struct snapshot {
    qn_checking_buffer *buffer;
    unsigned char *before, *after; /* the whole inner buffer */
    size_t bytes;
} snapshot;

typedef struct checked_launch {
    qn_checking_device *device;
    qn_driver_queue queue; /* of the inner driver */
    const qn_checking_kernel *kernel;
    const qn_geometry *geometry;
    const qn_configuration *configuration;
    int argument_count;
    size_t local_room_bytes;
    const qn_argument_declaration *declared;
    qn_argument arguments[QN_ARGUMENT_MAX]; /* offsets within the inner buffers */
    qn_driver_buffer inner[QN_ARGUMENT_MAX];
    int snapshot_of[QN_ARGUMENT_MAX]; /* −1 for values */
    snapshot snapshots[QN_ARGUMENT_MAX];
    int snapshot_count;
} checked_launch;

static bool is_written(const checked_launch *launch, int argument)
{
    return launch->declared[argument].access == QN_OUT || launch->declared[argument].access == QN_INOUT;
}

static qn_status check_geometry(const checked_launch *launch)
{
    const qn_geometry *geometry = launch->geometry;
    const char *family = launch->kernel->family->name, *kernel = launch->kernel->declaration->name;
    size_t group = 1;
    for (int d = 0; d < 3; d++) {
        if (geometry->group[d] == 0 || geometry->items[d] == 0 || geometry->items[d] % geometry->group[d] != 0)
            return QN_FAIL(QN_CHECK_FAILED, "%s: %s runs %zu work-items in groups of %zu along dimension %d", family,
                           kernel, geometry->items[d], geometry->group[d], d);
        group *= geometry->group[d];
    }
    if (group > launch->device->largest_group)
        return QN_FAIL(QN_CHECK_FAILED, "%s: %s runs groups of %zu work-items; %s has at most %zu", family, kernel,
                       group, launch->device->identifier, launch->device->largest_group);
    return QN_OK;
}

static qn_status check_overlap(const checked_launch *launch)
{
    for (int i = 0; i < launch->argument_count; i++)
        for (int j = i + 1; j < launch->argument_count; j++) {
            const qn_argument *a = &launch->arguments[i], *b = &launch->arguments[j];
            if (launch->snapshot_of[i] < 0 || launch->snapshot_of[i] != launch->snapshot_of[j]) continue;
            if (a->offset >= b->offset + b->bytes || b->offset >= a->offset + a->bytes) continue;
            int written = is_written(launch, i) ? i : j;
            if (!is_written(launch, written)) continue;
            return QN_FAIL(QN_CHECK_FAILED, "%s: arguments \"%s\" and \"%s\" of %s share memory, but \"%s\" is written",
                           launch->kernel->family->name, launch->declared[i].name, launch->declared[j].name,
                           launch->kernel->declaration->name, launch->declared[written].name);
        }
    return QN_OK;
}

/* Translate the arguments and find the distinct buffers. */
static qn_status take_arguments(checked_launch *launch, const qn_argument *arguments, const qn_driver_buffer *buffers)
{
    for (int i = 0; i < launch->argument_count; i++) {
        qn_checking_buffer *buffer = buffers[i];
        launch->arguments[i] = arguments[i];
        launch->inner[i] = NULL;
        launch->snapshot_of[i] = -1;
        if (!buffer) continue;
        launch->arguments[i].offset += launch->device->guard_before;
        launch->inner[i] = buffer->inner;
        int s = 0;
        while (s < launch->snapshot_count && launch->snapshots[s].buffer != buffer) s++;
        launch->snapshot_of[i] = s;
        if (s < launch->snapshot_count) continue;
        snapshot *taken = &launch->snapshots[launch->snapshot_count++];
        *taken = (snapshot){.buffer = buffer, .bytes = qn_checking_inner_bytes(launch->device, buffer)};
        void *memory;
        QN_TRY(qn_allocate(taken->bytes, 2, &memory));
        taken->before = memory;
        taken->after = taken->before + taken->bytes;
    }
    return QN_OK;
}

static qn_status read_all(const checked_launch *launch, bool after)
{
    const qn_checking_device *device = launch->device;
    for (int s = 0; s < launch->snapshot_count; s++) {
        const snapshot *taken = &launch->snapshots[s];
        QN_TRY(device->driver->read(device->inner, launch->queue, taken->buffer->inner, 0,
                                    after ? taken->after : taken->before, taken->bytes, NULL));
    }
    return device->driver->queue_finish(device->inner, launch->queue);
}

/* Fill OUT ranges, launch and wait. `again`: first restore the INOUT ranges. */
static qn_status run(const checked_launch *launch, unsigned char fill, bool again, qn_driver_event *event)
{
    const qn_checking_device *device = launch->device;
    const qn_driver *driver = device->driver;
    for (int i = 0; i < launch->argument_count; i++) {
        const qn_argument *argument = &launch->arguments[i];
        if (launch->declared[i].access == QN_OUT)
            QN_TRY(driver->fill(device->inner, launch->queue, launch->inner[i], argument->offset, argument->bytes, fill,
                                NULL));
        if (launch->declared[i].access == QN_INOUT && again)
            QN_TRY(driver->write(device->inner, launch->queue, launch->inner[i], argument->offset,
                                 launch->snapshots[launch->snapshot_of[i]].before + argument->offset, argument->bytes,
                                 NULL));
    }
    QN_TRY(driver->launch(device->inner, launch->queue, launch->kernel->inner, launch->geometry, launch->arguments,
                          launch->inner, launch->argument_count, launch->local_room_bytes, launch->configuration,
                          event));
    qn_status status = driver->queue_finish(device->inner, launch->queue);
    if (status != QN_OK && event) {
        driver->event_destroy(device->inner, *event);
        *event = NULL;
    }
    return status;
}

/* Fail because the kernel changed the byte at `place` of an inner buffer; the message says where this byte is. */
static qn_status report_stray_write(const checked_launch *launch, int s, size_t place)
{
    const snapshot *taken = &launch->snapshots[s];
    const char *family = launch->kernel->family->name, *kernel = launch->kernel->declaration->name;
    const size_t start = launch->device->guard_before, end = start + taken->buffer->bytes;
    int of = -1; /* the argument named: the last written one that begins before `place`, else the first */
    for (int i = 0; i < launch->argument_count; i++) {
        const qn_argument *argument = &launch->arguments[i];
        if (launch->snapshot_of[i] != s) continue;
        if (place >= argument->offset && place < argument->offset + argument->bytes)
            return QN_FAIL(QN_CHECK_FAILED, "%s: %s wrote to its IN argument \"%s\" at byte %zu", family, kernel,
                           launch->declared[i].name, place - argument->offset);
        if (of < 0 || (argument->offset <= place && is_written(launch, i))) of = i;
    }
    const char *name = launch->declared[of].name;
    if (place < start)
        return QN_FAIL(QN_CHECK_FAILED, "%s: %s wrote %zu bytes before the start of the buffer of argument \"%s\"",
                       family, kernel, start - place, name);
    if (place >= end)
        return QN_FAIL(QN_CHECK_FAILED,
                       "%s: %s wrote past the end of the buffer of argument \"%s\": at byte %zu of %zu", family, kernel,
                       name, place - start, taken->buffer->bytes);
    return QN_FAIL(QN_CHECK_FAILED,
                   "%s: %s wrote at byte %zu of the buffer of argument \"%s\", which has bytes %zu to %zu", family,
                   kernel, place - start, name, launch->arguments[of].offset - start,
                   launch->arguments[of].offset - start + launch->arguments[of].bytes);
}

/* End of the writable range of snapshot `s` that contains `place`; 0: none. */
static size_t writable_until(const checked_launch *launch, int s, size_t place)
{
    for (int i = 0; i < launch->argument_count; i++) {
        const qn_argument *argument = &launch->arguments[i];
        if (launch->snapshot_of[i] == s && is_written(launch, i) && place >= argument->offset &&
            place < argument->offset + argument->bytes)
            return argument->offset + argument->bytes;
    }
    return 0;
}

static qn_status check_stray_writes(const checked_launch *launch)
{
    for (int s = 0; s < launch->snapshot_count; s++) {
        const snapshot *taken = &launch->snapshots[s];
        for (size_t place = 0; place < taken->bytes;) {
            size_t end = taken->before[place] == taken->after[place] ? place + 1 : writable_until(launch, s, place);
            if (end == 0) return report_stray_write(launch, s, place);
            place = end;
        }
    }
    return QN_OK;
}

static bool holds_fill(const unsigned char *element, size_t size, unsigned char fill)
{
    for (size_t i = 0; i < size; i++)
        if (element[i] != fill) return false;
    return true;
}

/* Find the next element of OUT argument `i`, from byte `*place` of its range on, whose bytes all are `fill`. Returns
 * whether there is one. */
static bool find_fill(const checked_launch *launch, int i, const unsigned char *content, unsigned char fill,
                      size_t *place)
{
    size_t size = qn_element_bytes(launch->declared[i].element), bytes = launch->arguments[i].bytes;
    const unsigned char *range = content + launch->arguments[i].offset;
    for (; *place < bytes; *place += size)
        if (holds_fill(range + *place, size < bytes - *place ? size : bytes - *place, fill)) return true;
    return false;
}

/* Whether an OUT range may have been left unwritten by the first run. */
static bool is_suspicious(const checked_launch *launch)
{
    for (int i = 0; i < launch->argument_count; i++) {
        size_t place = 0;
        if (launch->declared[i].access == QN_OUT &&
            find_fill(launch, i, launch->snapshots[launch->snapshot_of[i]].after, QN_CHECKING_FIRST_FILL, &place))
            return true;
    }
    return false;
}

/* Fail if an element of an OUT range has the fill's value after both runs. first[s]: snapshot s after the first run. */
static qn_status check_unwritten(const checked_launch *launch, unsigned char *const *first)
{
    for (int i = 0; i < launch->argument_count; i++) {
        if (launch->declared[i].access != QN_OUT) continue;
        size_t size = qn_element_bytes(launch->declared[i].element);
        const unsigned char *second = launch->snapshots[launch->snapshot_of[i]].after + launch->arguments[i].offset;
        for (size_t place = 0; find_fill(launch, i, first[launch->snapshot_of[i]], QN_CHECKING_FIRST_FILL, &place);
             place += size) {
            size_t bytes = launch->arguments[i].bytes;
            if (!holds_fill(second + place, size < bytes - place ? size : bytes - place, QN_CHECKING_SECOND_FILL))
                continue;
            return QN_FAIL(QN_CHECK_FAILED,
                           "%s: %s did not write its OUT argument \"%s\" at byte %zu (element %zu of %zu)",
                           launch->kernel->family->name, launch->kernel->declaration->name, launch->declared[i].name,
                           place, place / size, bytes / size);
        }
    }
    return QN_OK;
}

/* Run a second time and compare with copies of the first run's contents. */
static qn_status run_again(checked_launch *launch, qn_driver_event *event)
{
    unsigned char *first[QN_ARGUMENT_MAX] = {0};
    qn_status status = QN_OK;
    for (int s = 0; s < launch->snapshot_count && status == QN_OK; s++) {
        void *memory;
        status = qn_allocate(launch->snapshots[s].bytes, 1, &memory);
        if (status != QN_OK) break;
        first[s] = memory;
        memcpy(first[s], launch->snapshots[s].after, launch->snapshots[s].bytes);
    }
    if (status == QN_OK) status = run(launch, QN_CHECKING_SECOND_FILL, true, event);
    if (status == QN_OK) {
        status = read_all(launch, true);
        if (status == QN_OK) status = check_unwritten(launch, first);
        if (status != QN_OK && event) {
            launch->device->driver->event_destroy(launch->device->inner, *event);
            *event = NULL;
        }
    }
    for (int s = 0; s < launch->snapshot_count; s++) qn_release(&first[s]);
    return status;
}

static qn_status run_checked(checked_launch *launch, qn_driver_event *event)
{
    const qn_checking_device *device = launch->device;
    QN_TRY(read_all(launch, false));
    QN_TRY(run(launch, QN_CHECKING_FIRST_FILL, false, event));
    qn_status status = read_all(launch, true);
    if (status == QN_OK) status = check_stray_writes(launch);
    bool again = status == QN_OK && is_suspicious(launch);
    if ((status != QN_OK || again) && event) {
        device->driver->event_destroy(device->inner, *event);
        *event = NULL;
    }
    return again ? run_again(launch, event) : status;
}

/* Every argument is used in the right order with commands of other queues. */
static qn_status check_order(const checked_launch *launch, const qn_checking_queue *queue)
{
    char name[64];
    snprintf(name, sizeof name, "%s of %s", launch->kernel->declaration->name, launch->kernel->family->name);
    for (int i = 0; i < launch->argument_count; i++) {
        const qn_argument *argument = &launch->arguments[i];
        if (launch->snapshot_of[i] < 0) continue;
        QN_TRY(qn_checking_use_bytes(launch->device, queue, launch->snapshots[launch->snapshot_of[i]].buffer,
                                     argument->offset - launch->device->guard_before, argument->bytes,
                                     is_written(launch, i), name));
    }
    return QN_OK;
}

qn_status qn_checking_launch(qn_checking_device *device, const qn_checking_queue *queue,
                             const qn_checking_kernel *kernel, const qn_geometry *geometry,
                             const qn_argument *arguments, const qn_driver_buffer *buffers, int argument_count,
                             size_t local_room_bytes, const qn_configuration *configuration, qn_driver_event *event)
{
    checked_launch launch = {.device = device,
                             .queue = queue->inner,
                             .kernel = kernel,
                             .geometry = geometry,
                             .configuration = configuration,
                             .argument_count = argument_count,
                             .local_room_bytes = local_room_bytes,
                             .declared = kernel->declaration->arguments};
    if (argument_count != kernel->declaration->argument_count || argument_count > QN_ARGUMENT_MAX)
        return QN_FAIL(QN_CHECK_FAILED, "%s: %s takes %d arguments, got %d", kernel->family->name,
                       kernel->declaration->name, kernel->declaration->argument_count, argument_count);
    QN_TRY(check_geometry(&launch));
    qn_status status = take_arguments(&launch, arguments, buffers);
    if (status == QN_OK) status = check_overlap(&launch);
    if (status == QN_OK) status = check_order(&launch, queue);
    if (status == QN_OK) status = run_checked(&launch, event);
    for (int s = 0; s < launch.snapshot_count; s++) qn_release(&launch.snapshots[s].before);
    return status;
}
