#include "runtime/checking/checking_order.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/checking/checking_driver.h"

static uint64_t over_of(const qn_checking_clock *clock, int queue)
{
    return (size_t)queue < clock->count ? clock->over[queue] : 0;
}

static qn_status make_room(qn_checking_clock *clock, size_t count)
{
    if (count <= clock->count) return QN_OK;
    QN_TRY(qn_grow((void **)&clock->over, &clock->capacity, count, sizeof *clock->over));
    memset(clock->over + clock->count, 0, (count - clock->count) * sizeof *clock->over);
    clock->count = count;
    return QN_OK;
}

static qn_status raise_clock(qn_checking_clock *clock, const qn_checking_clock *other)
{
    QN_TRY(make_room(clock, other->count));
    for (size_t i = 0; i < other->count; i++)
        if (clock->over[i] < other->over[i]) clock->over[i] = other->over[i];
    return QN_OK;
}

static void release_transfer(qn_checking_transfer *transfer)
{
    qn_release(&transfer->contents);
    qn_release(&transfer);
}

void qn_checking_order_release(qn_checking_order *order)
{
    while (order->transfers) {
        qn_checking_transfer *first = order->transfers;
        order->transfers = first->next;
        release_transfer(first);
    }
    qn_release(&order->known.over);
    qn_release(&order->taken);
}

qn_status qn_checking_queue_begin(qn_checking_order *order, qn_checking_queue *queue)
{
    size_t number = 0;
    while (number < order->taken_count && order->taken[number]) number++;
    QN_TRY(qn_grow((void **)&order->taken, &order->taken_capacity, number + 1, sizeof *order->taken));
    QN_TRY(make_room(&order->known, number + 1));
    QN_TRY(raise_clock(&queue->before, &order->known));
    if (number == order->taken_count) order->taken_count++;
    order->taken[number] = true;
    queue->number = (int)number;
    return QN_OK;
}

void qn_checking_queue_end(qn_checking_order *order, qn_checking_queue *queue)
{
    for (qn_checking_transfer **link = &order->transfers; *link;) { /* of a queue that could not be finished */
        qn_checking_transfer *transfer = *link;
        if (transfer->queue != queue->number) {
            link = &transfer->next;
            continue;
        }
        *link = transfer->next;
        release_transfer(transfer);
    }
    order->known.over[queue->number] = queue->before.over[queue->number];
    order->taken[queue->number] = false;
    qn_release(&queue->before.over);
}

/* Remove uses of which the host knows that they are over, and those of the same queue for which a new one stands. */
static void remove_old(qn_checking_uses *uses, const qn_checking_clock *known, const qn_checking_use *new)
{
    size_t kept = 0;
    for (size_t i = 0; i < uses->count; i++) {
        const qn_checking_use *use = &uses->uses[i];
        const bool replaced =
            use->queue == new->queue && use->first >= new->first && use->end <= new->end && use->writes <= new->writes;
        if (use->command > over_of(known, use->queue) && !replaced) uses->uses[kept++] = *use;
    }
    uses->count = kept;
}

qn_status qn_checking_use_bytes(qn_checking_device *device, const qn_checking_queue *queue, qn_checking_buffer *buffer,
                                size_t first, size_t bytes, bool writes, const char *name)
{
    qn_checking_uses *uses = &buffer->uses;
    if (bytes == 0) return QN_OK;
    qn_checking_use new = {queue->number, over_of(&queue->before, queue->number) + 1, first, first + bytes, writes, ""};
    snprintf(new.name, sizeof new.name, "%s", name);
    remove_old(uses, &device->order.known, &new);
    for (size_t i = 0; i < uses->count; i++) {
        const qn_checking_use *use = &uses->uses[i];
        if (use->first >= new.end || use->end <= new.first || !(use->writes || new.writes)) continue;
        if (use->command <= over_of(&queue->before, use->queue)) continue;
        return QN_FAIL(QN_CHECK_FAILED,
                       "%s: %s and then %s of another queue use bytes %zu to %zu of a buffer of %zu bytes, %s, and "
                       "neither waits for the other; expected qn_queue_wait_for, or a wait of the host, between them",
                       device->identifier, use->name, new.name, use->first > new.first ? use->first : new.first,
                       use->end < new.end ? use->end : new.end, buffer->bytes,
                       use->writes && writes ? "both write"
                       : writes              ? "the second writes"
                                             : "the first writes");
    }
    QN_TRY(qn_grow((void **)&uses->uses, &uses->capacity, uses->count + 1, sizeof *uses->uses));
    uses->uses[uses->count++] = new;
    return QN_OK;
}

static bool overlaps(const qn_checking_transfer *transfer, const void *memory, size_t bytes)
{
    const uintptr_t first = (uintptr_t)transfer->memory, other = (uintptr_t)memory;
    return !memory || (first < other + bytes && other < first + transfer->bytes);
}

static qn_status report_change(const qn_checking_device *device, const qn_checking_transfer *write)
{
    const unsigned char *memory = write->memory, *contents = write->contents;
    size_t place = 0;
    while (memory[place] == contents[place]) place++;
    return QN_FAIL(QN_CHECK_FAILED,
                   "%s: byte %zu of the %zu bytes of host memory of a write changed before the host waited for the "
                   "write; expected qn_event_wait or qn_queue_finish before the memory is used again",
                   device->identifier, place, write->bytes);
}

/* End the transfers that a clock counts as over and that use some of `bytes` bytes at `memory` (NULL: all), oldest
 * first, so that of two reads to the same memory the younger one stays. */
static qn_status end_transfers(qn_checking_device *device, const qn_checking_clock *clock, const void *memory,
                               size_t bytes)
{
    qn_checking_transfer **link = &device->order.transfers;
    qn_status status = QN_OK;
    while (*link) {
        qn_checking_transfer *transfer = *link;
        if (transfer->command > over_of(clock, transfer->queue) || !overlaps(transfer, memory, bytes)) {
            link = &transfer->next;
            continue;
        }
        if (transfer->reads)
            memcpy(transfer->memory, transfer->contents, transfer->bytes);
        else if (status == QN_OK && memcmp(transfer->memory, transfer->contents, transfer->bytes) != 0)
            status = report_change(device, transfer);
        *link = transfer->next;
        release_transfer(transfer);
    }
    return status;
}

qn_status qn_checking_know(qn_checking_device *device, const qn_checking_clock *clock)
{
    QN_TRY(raise_clock(&device->order.known, clock));
    return end_transfers(device, &device->order.known, NULL, 0);
}

qn_status qn_checking_hand_over(qn_checking_device *device, const qn_checking_queue *queue, const void *memory,
                                size_t bytes)
{
    return end_transfers(device, &queue->before, memory, bytes);
}

qn_status qn_checking_use_memory(qn_checking_order *order, const qn_checking_queue *queue, bool reads,
                                 const void *host_memory, size_t bytes)
{
    void *memory, *contents;
    if (bytes == 0) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof(qn_checking_transfer), &memory));
    const qn_status status = qn_allocate(bytes, 1, &contents);
    if (status != QN_OK) {
        qn_release(&memory);
        return status;
    }
    qn_checking_transfer *transfer = memory;
    *transfer = (qn_checking_transfer){.queue = queue->number,
                                       .command = over_of(&queue->before, queue->number) + 1,
                                       .reads = reads,
                                       .memory = (void *)(uintptr_t)host_memory,
                                       .contents = contents,
                                       .bytes = bytes};
    memcpy(contents, host_memory, bytes);
    if (reads) memset(transfer->memory, QN_CHECKING_FIRST_FILL, bytes);
    qn_checking_transfer **last = &order->transfers;
    while (*last) last = &(*last)->next;
    *last = transfer;
    return QN_OK;
}

qn_status qn_checking_count(qn_checking_queue *queue, qn_driver_event inner, qn_driver_event *event)
{
    queue->before.over[queue->number]++;
    if (!event) return QN_OK;
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_checking_event), &memory));
    qn_checking_event *new = memory;
    new->inner = inner;
    const qn_status status = raise_clock(&new->after, &queue->before);
    if (status != QN_OK)
        qn_release(&memory);
    else
        *event = new;
    return status;
}

qn_status qn_checking_queue_after(qn_checking_queue *queue, const qn_checking_event *event)
{
    return raise_clock(&queue->before, &event->after);
}
