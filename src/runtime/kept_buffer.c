#include "runtime/kept_buffer.h"

qn_status qn_buffer_reserve(qn_device *device, size_t bytes, qn_buffer **buffer)
{
    if (*buffer && qn_buffer_bytes(*buffer) >= bytes) return QN_OK;
    qn_buffer_release(buffer);
    return qn_buffer_create(device, bytes, buffer);
}
