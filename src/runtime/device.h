/* Functions of devices and queues for the library's own code, beyond the public headers. */
#ifndef QN_RUNTIME_DEVICE_H
#define QN_RUNTIME_DEVICE_H

#include <quern/family.h>

#include "runtime/context.h"
#include "runtime/driver.h"

qn_context *qn_device_context(qn_device *device);

/* Name of a device's driver; for "checking:X" that of X. FFT back ends are chosen by it. */
const char *qn_device_inner_driver(const qn_device *device);

/* Get the definitions with which a configuration was last built on a device; "": it was not built. Cut to `capacity`
 * bytes. */
void qn_family_built_definitions(const qn_family *family, qn_device *device, const qn_configuration *configuration,
                                 char *definitions, size_t capacity);

/* Native objects for FFT libraries, see driver.h. */
void *qn_device_native(qn_device *device, qn_native_kind kind);
void *qn_queue_native(qn_queue *queue);
void *qn_buffer_native(qn_buffer *buffer);

/* Say that a library's command, given to a queue's native object next, uses the first `bytes` bytes of a buffer.
 * Drivers do not see such commands; the checking driver checks their order with those of other queues. */
QN_MUST_CHECK qn_status qn_queue_note_native_use(qn_queue *queue, qn_buffer *buffer, size_t bytes, bool writes);

/* Uninitialised memory of this process for large copies to and from a device. Copies of other memory work too, but CUDA
 * copies it twice, and waits. Making it is slow, so keep it. */
QN_MUST_CHECK qn_status qn_host_memory_create(qn_device *device, size_t bytes, void **memory);
void qn_host_memory_destroy(qn_device *device, void **memory);

/* Run `function` in queue order on the host driver: it is called with the addresses of `buffers` after the earlier
 * commands are done. Host transforms, which are not a kernel family, use this. QN_UNSUPPORTED on other drivers. */
QN_MUST_CHECK qn_status qn_queue_call_host(qn_queue *queue, qn_host_function function, qn_buffer *const *buffers,
                                           int buffer_count, void *user, qn_event **event);

#endif
