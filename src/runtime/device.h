/* What library code above the runtime needs beyond the public headers. */
#ifndef QN_RUNTIME_DEVICE_H
#define QN_RUNTIME_DEVICE_H

#include <quern/family.h>

#include "runtime/context.h"
#include "runtime/driver.h"

qn_context *qn_device_context(qn_device *device);

/* The driver under a device; for "checking:X" that of X. FFT back ends choose by its name. */
const char *qn_device_inner_driver(const qn_device *device);

/* The definitions with which a configuration was last built on a device; "" when it was not. Cut to `capacity`. */
void qn_family_built_definitions(const qn_family *family, qn_device *device, const qn_configuration *configuration,
                                 char *definitions, size_t capacity);

/* Native objects for FFT libraries, see driver.h. */
void *qn_device_native(qn_device *device, qn_native_kind kind);
void *qn_queue_native(qn_queue *queue);
void *qn_buffer_native(qn_buffer *buffer);

/* Run `function` in queue order on the host driver: it is called with the addresses of `buffers` when the commands
 * before it are done. For transforms, which are no kernel family. QN_UNSUPPORTED on other drivers. */
QN_MUST_CHECK qn_status qn_queue_call_host(qn_queue *queue, qn_host_function function, qn_buffer *const *buffers,
                                           int buffer_count, void *user, qn_event **event);

#endif
