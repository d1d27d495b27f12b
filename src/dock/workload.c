#include "dock/workload.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum { PIECE = 4 << 20 }; /* floats written at once */

/* The mixing function of SplitMix64 (Steele, Lea & Flood 2014): gigabytes of inputs are made, so it must be cheap. */
float qn_dock_input(uint64_t seed, uint64_t index)
{
    uint64_t x = seed * UINT64_C(0xd1342543de82ef95) + index * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return (float)((int32_t)(x >> 40) - (1 << 23)) * 0x1p-23f;
}

qn_status qn_dock_make_inputs(qn_queue *queue, uint64_t seed, size_t count, qn_buffer **buffer)
{
    void *memory;
    QN_TRY(qn_buffer_create(qn_queue_device(queue), count * sizeof(float), buffer));
    QN_TRY(qn_allocate(count < PIECE ? count : PIECE, sizeof(float), &memory));
    float *piece = memory;
    qn_status status = QN_OK;
    for (size_t done = 0; status == QN_OK && done < count; done += PIECE) {
        const size_t length = count - done < PIECE ? count - done : PIECE;
        for (size_t i = 0; i < length; i++) piece[i] = qn_dock_input(seed, done + i);
        status = qn_queue_write(queue, *buffer, done * sizeof(float), piece, length * sizeof(float), NULL);
        if (status == QN_OK) status = qn_queue_finish(queue);
    }
    qn_release(&piece);
    return status;
}

qn_status qn_dock_make_buffer(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    if (!data) return qn_dock_fill(queue, *buffer, 0);
    QN_TRY(qn_queue_write(queue, *buffer, 0, data, bytes, NULL));
    return qn_queue_finish(queue);
}

qn_status qn_dock_fill(qn_queue *queue, qn_buffer *buffer, unsigned char byte)
{
    QN_TRY(qn_queue_fill(queue, buffer, 0, qn_buffer_bytes(buffer), byte, NULL));
    return qn_queue_finish(queue);
}

qn_status qn_dock_read(qn_queue *queue, qn_buffer *buffer, size_t offset, void *data, size_t bytes)
{
    QN_TRY(qn_queue_read(queue, buffer, offset, data, bytes, NULL));
    return qn_queue_finish(queue);
}

qn_status qn_dock_take_seconds(qn_status status, qn_event **events, int count, double *seconds)
{
    double total = 0;
    for (int i = 0; i < count; i++) {
        double time = 0;
        if (status == QN_OK) status = qn_event_seconds(events[i], &time);
        if (events[i]) qn_event_destroy(&events[i]);
        total += time;
    }
    if (seconds) *seconds = total;
    return status;
}

double qn_dock_larger_error(double largest, double error)
{
    if (isnan(error)) return INFINITY;
    return error > largest ? error : largest;
}

qn_status qn_dock_check_size(const qn_workload *workload, int number, int size, int low, int high)
{
    if (size >= low && size <= high) return QN_OK;
    QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s is %d; expected %d to %d", workload->name, workload->size_names[number], size,
            low, high);
}
