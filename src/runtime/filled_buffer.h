/* Buffers that begin with given numbers, such as the lists of a problem. */
#ifndef QN_RUNTIME_FILLED_BUFFER_H
#define QN_RUNTIME_FILLED_BUFFER_H

#include <quern/queue.h>

/* Make a buffer and copy `bytes` bytes of `data` into it. Of 0 bytes the buffer is a few bytes long, since kernels take
 * no empty one. Asynchronous: `data` stays the caller's until the queue is finished. Errors of qn_buffer_create and
 * qn_queue_write. */
QN_MUST_CHECK qn_status qn_buffer_create_filled(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer);

#endif
