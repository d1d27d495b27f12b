/* Buffers that are kept from one piece of work to the next. */
#ifndef QN_RUNTIME_KEPT_BUFFER_H
#define QN_RUNTIME_KEPT_BUFFER_H

#include <quern/queue.h>

/* Keep *buffer if it has at least `bytes` bytes; otherwise release it and make one of `bytes` bytes, whose content is
 * not defined. *buffer is NULL at first. Errors of qn_buffer_create; *buffer is NULL then. */
QN_MUST_CHECK qn_status qn_buffer_reserve(qn_device *device, size_t bytes, qn_buffer **buffer);

#endif
