#include "potential/maps/device_data.h"

#include <string.h>

#include "base/error.h"

qn_status qn_device_data_copy(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    QN_TRY(qn_queue_write(queue, *buffer, 0, data, bytes, NULL));
    return qn_queue_finish(queue);
}

uint64_t qn_device_data_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value == 0 ? 0 : bits;
}
