/* The driver contract: everything the runtime asks of a back end. host/, opencl/, cuda/ and checking/ implement it and
 * nothing else includes them. A driver's own structs stand behind the opaque pointers below.
 *
 * Rules: commands on a queue are in order and asynchronous; an event of a command is asked for by a non-NULL `event`;
 * every function reports through the error trail; a lost device gives QN_DEVICE_LOST from then on.
 */
#ifndef QN_RUNTIME_DRIVER_H
#define QN_RUNTIME_DRIVER_H

#include <quern/family.h>

#include "base/thread_pool.h"

typedef struct qn_driver qn_driver;
typedef void *qn_driver_device, *qn_driver_buffer, *qn_driver_queue, *qn_driver_event, *qn_driver_program,
    *qn_driver_kernel;

/* What a program is built from. */
typedef struct qn_program_source {
    const qn_family *family;
    const char *text;    /* full source: prelude, definitions, family source */
    const char *options; /* compiler options, part of the cache key; "" */
    const qn_configuration *configuration;
} qn_program_source;

/* A function that host drivers run in queue order, see qn_queue_call_host. */
typedef qn_status (*qn_host_function)(void *const *addresses, qn_pool *pool, void *user);

static inline size_t qn_element_bytes(qn_element element)
{
    return element == QN_INT64 ? 8 : element == QN_BYTES ? 1 : 4;
}

typedef enum qn_native_kind {
    QN_NATIVE_DEVICE,  /* cl_device_id, CUdevice */
    QN_NATIVE_CONTEXT, /* cl_context, CUcontext */
    QN_NATIVE_QUEUE,   /* cl_command_queue, CUstream */
    QN_NATIVE_BUFFER,  /* cl_mem, CUdeviceptr, host address */
    QN_NATIVE_LIBRARY, /* dlopen's handle of libOpenCL, libcuda */
    QN_NATIVE_COMPILER /* that of libnvrtc */
} qn_native_kind;

struct qn_driver {
    const char *name;

    /* Load libraries and list devices into `listings` (up to capacity), *count in all. A driver whose library is absent
     * gives one listing that is not usable, with the reason. Never fails for absence. */
    qn_status (*list)(qn_device_listing *listings, size_t capacity, size_t *count);
    /* `number` counts this driver's devices; `inner` is what follows "checking:" and is NULL elsewhere. */
    qn_status (*device_open)(qn_context *context, int number, const char *inner, qn_driver_device *device,
                             qn_device_info *info);
    void (*device_close)(qn_driver_device device);

    qn_status (*buffer_create)(qn_driver_device device, size_t bytes, qn_driver_buffer *buffer);
    void (*buffer_destroy)(qn_driver_device device, qn_driver_buffer buffer);

    qn_status (*queue_create)(qn_driver_device device, qn_driver_queue *queue);
    void (*queue_destroy)(qn_driver_device device, qn_driver_queue queue);
    qn_status (*queue_finish)(qn_driver_device device, qn_driver_queue queue);
    qn_status (*queue_wait_for)(qn_driver_device device, qn_driver_queue queue, qn_driver_event event);

    qn_status (*write)(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                       const void *data, size_t bytes, qn_driver_event *event);
    qn_status (*read)(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                      void *data, size_t bytes, qn_driver_event *event);
    qn_status (*copy)(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer from, size_t from_offset,
                      qn_driver_buffer to, size_t to_offset, size_t bytes, qn_driver_event *event);
    qn_status (*fill)(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                      size_t bytes, unsigned char value, qn_driver_event *event);

    /* `binary` (may be NULL) is what program_binary gave earlier for the same key; QN_BUILD_FAILED on a stale one. */
    qn_status (*program_build)(qn_driver_device device, const qn_program_source *source, const void *binary,
                               size_t binary_bytes, qn_driver_program *program);
    /* Bytes to cache, released with qn_release; *bytes = 0 when this driver has nothing to cache. */
    qn_status (*program_binary)(qn_driver_device device, qn_driver_program program, void **binary, size_t *bytes);
    void (*program_destroy)(qn_driver_device device, qn_driver_program program);
    qn_status (*kernel_create)(qn_driver_device device, qn_driver_program program,
                               const qn_kernel_declaration *declaration, qn_driver_kernel *kernel);
    void (*kernel_destroy)(qn_driver_device device, qn_driver_kernel kernel);
    /* Fill in what is known; the rest keeps its value. */
    qn_status (*kernel_resources)(qn_driver_device device, qn_driver_kernel kernel, qn_kernel_resources *resources);

    /* Arguments in declared order; `buffers[i]` is the driver's buffer of argument i, or NULL for a value. */
    qn_status (*launch)(qn_driver_device device, qn_driver_queue queue, qn_driver_kernel kernel,
                        const qn_geometry *geometry, const qn_argument *arguments, const qn_driver_buffer *buffers,
                        int argument_count, size_t local_room_bytes, const qn_configuration *configuration,
                        qn_driver_event *event);

    qn_status (*event_wait)(qn_driver_device device, qn_driver_event event);
    qn_status (*event_done)(qn_driver_device device, qn_driver_event event, bool *done); /* never waits */
    qn_status (*event_seconds)(qn_driver_device device, qn_driver_event event, double *seconds);
    void (*event_destroy)(qn_driver_device device, qn_driver_event event);

    /* NULL where kernels do not run in this process's memory. */
    qn_status (*call_host)(qn_driver_device device, qn_driver_queue queue, qn_host_function function,
                           void *const *addresses, void *user, qn_driver_event *event);

    /* For FFT libraries alone. `object` is the driver's queue or buffer (NULL for other kinds). `checking`
     * hands out its inner driver's objects. NULL where the kind has no native object. */
    void *(*native_handle)(qn_driver_device device, void *object, qn_native_kind kind);
};

/* The driver table (drivers.c), ended by NULL. */
extern const qn_driver *const qn_drivers[];

#endif
