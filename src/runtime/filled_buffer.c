#include "runtime/filled_buffer.h"

#include "base/error.h"

enum { LEAST_BYTES = 4 };

qn_status qn_buffer_create_filled(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes > 0 ? bytes : LEAST_BYTES, buffer));
    return bytes > 0 ? qn_queue_write(queue, *buffer, 0, data, bytes, NULL) : QN_OK;
}
