#include "tune/workload_inputs.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* The numbers repeat after this many: a prime, so that no two rows of a matrix are equal, and an index that is wrong by
 * a power of two gives other numbers. */
enum { PERIOD = (4 << 20) - 3 };

/* The mixing function of SplitMix64 (Steele, Lea & Flood 2014): it makes good random numbers from a counter. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

float qn_workload_input(uint64_t seed, uint64_t index)
{
    const uint64_t bits = mix(seed * UINT64_C(0xd1342543de82ef95) + index % PERIOD * UINT64_C(0x9e3779b97f4a7c15));
    return (float)((int32_t)(bits >> 40) - (1 << 23)) * 0x1p-23f;
}

float qn_workload_whole_number(uint64_t seed, uint64_t index)
{
    const int number = (int)floorf(8.0f * qn_workload_input(seed, index));
    return (float)(number < 0 ? number : number + 1);
}

/* Fill the buffer from its first period by copies on the device, which double the filled part each time. */
static qn_status repeat(qn_queue *queue, qn_buffer *buffer, size_t count)
{
    for (size_t done = PERIOD; done < count; done *= 2) {
        const size_t more = count - done < done ? count - done : done;
        QN_TRY(qn_queue_copy(queue, buffer, 0, buffer, done * sizeof(float), more * sizeof(float), NULL));
    }
    return QN_OK;
}

static qn_status write_periods(qn_queue *queue, qn_buffer *buffer, float (*make)(uint64_t seed, uint64_t index),
                               uint64_t seed, uint64_t first, size_t count, double *sum)
{
    const size_t length = count < PERIOD ? count : PERIOD;
    double whole = 0, part = 0; /* sum of a period; sum of the numbers after the last whole period */
    void *memory;
    QN_TRY(qn_allocate(length, sizeof(float), &memory));
    float *numbers = memory;
    for (size_t i = 0; i < length; i++) {
        if (i == count % PERIOD) part = whole;
        whole += numbers[i] = make(seed, first + i);
    }
    *sum = (double)(count / PERIOD) * whole + (count < PERIOD ? whole : part);
    qn_status status = qn_queue_write(queue, buffer, 0, numbers, length * sizeof(float), NULL);
    if (status == QN_OK) status = repeat(queue, buffer, count);
    qn_status finished = qn_queue_finish(queue); /* the write still reads `numbers` */
    qn_release(&numbers);
    return status == QN_OK ? finished : status;
}

qn_status qn_workload_write_inputs(qn_queue *queue, qn_buffer *buffer, uint64_t seed, uint64_t first, size_t count)
{
    double sum;
    return write_periods(queue, buffer, qn_workload_input, seed, first, count, &sum);
}

qn_status qn_workload_write_whole_numbers(qn_queue *queue, qn_buffer *buffer, uint64_t seed, size_t count, double *sum)
{
    return write_periods(queue, buffer, qn_workload_whole_number, seed, 0, count, sum);
}

qn_status qn_workload_make_inputs(qn_queue *queue, uint64_t seed, size_t count, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), count * sizeof(float), buffer));
    qn_status status = qn_workload_write_inputs(queue, *buffer, seed, 0, count);
    if (status != QN_OK) qn_buffer_release(buffer);
    return status;
}

qn_status qn_workload_make_buffer(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    qn_status status =
        data ? qn_queue_write(queue, *buffer, 0, data, bytes, NULL) : qn_workload_fill(queue, *buffer, 0);
    if (status == QN_OK) status = qn_queue_finish(queue);
    if (status != QN_OK) qn_buffer_release(buffer);
    return status;
}

qn_status qn_workload_fill(qn_queue *queue, qn_buffer *buffer, unsigned char byte)
{
    QN_TRY(qn_queue_fill(queue, buffer, 0, qn_buffer_bytes(buffer), byte, NULL));
    return qn_queue_finish(queue);
}

qn_status qn_workload_read(qn_queue *queue, qn_buffer *buffer, size_t offset, void *data, size_t bytes)
{
    QN_TRY(qn_queue_read(queue, buffer, offset, data, bytes, NULL));
    return qn_queue_finish(queue);
}

qn_status qn_workload_take_seconds(qn_status status, qn_event **events, int count, double *seconds)
{
    double total = 0;
    for (int i = 0; i < count; i++) {
        double time = 0;
        if (status == QN_OK && events[i]) status = qn_event_seconds(events[i], &time);
        if (events[i]) qn_event_destroy(&events[i]);
        total += time;
    }
    if (status == QN_OK && seconds) *seconds += total;
    return status;
}

double qn_workload_larger_error(double largest, double error)
{
    if (isnan(error)) return INFINITY;
    return error > largest ? error : largest;
}

qn_status qn_workload_check_size(const char *workload, const char *name, int size, int low, int high, int step)
{
    if (size >= low && size <= high && size % step == 0) return QN_OK;
    if (step == 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s is %d; expected %d to %d", workload, name, size, low, high);
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s: %s is %d; expected %d to %d, a multiple of %d", workload, name, size, low,
                   high, step);
}
