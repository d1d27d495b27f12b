/* The driver contract: all functions that the runtime calls on a driver. The folders host, opencl, cuda and checking
 * implement the contract, and no other folder includes their headers. The opaque pointers below point to the drivers'
 * own structs.
 *
 * Rules: the commands of a queue run in order and asynchronously. A command returns an event if `event` is not NULL.
 * Every function reports failures through the error trail. After a device is lost, its commands fail with
 * QN_DEVICE_LOST.
 */
#ifndef QN_RUNTIME_DRIVER_H
#define QN_RUNTIME_DRIVER_H

#include <quern/family.h>

#include "base/thread_pool.h"

typedef struct qn_driver qn_driver;
typedef void *qn_driver_device, *qn_driver_buffer, *qn_driver_queue, *qn_driver_event, *qn_driver_program,
    *qn_driver_kernel;

/* Input of a program's build. */
typedef struct qn_program_source {
    const qn_family *family;
    const char *text;    /* full source: prelude, definitions, family source */
    const char *options; /* compiler options, part of the cache key; "": none */
    const qn_configuration *configuration;
} qn_program_source;

/* A function that the host driver runs in the order of a queue (qn_queue_call_host). */
typedef qn_status (*qn_host_function)(void *const *addresses, qn_pool *pool, void *user);

static inline size_t qn_element_bytes(qn_element element)
{
    return element == QN_INT64 ? 8 : element == QN_BYTES ? 1 : 4;
}

/* Return the address of an argument that is a value, and its size. */
static inline const void *qn_argument_value(const qn_argument *argument, size_t *bytes)
{
    *bytes = argument->element == QN_BYTES ? argument->bytes : qn_element_bytes(argument->element);
    return argument->element == QN_BYTES ? argument->value.structure : &argument->value;
}

typedef enum qn_native_kind {
    QN_NATIVE_DEVICE,  /* cl_device_id, CUdevice */
    QN_NATIVE_CONTEXT, /* cl_context, CUcontext */
    QN_NATIVE_QUEUE,   /* cl_command_queue, CUstream */
    QN_NATIVE_BUFFER,  /* cl_mem, CUdeviceptr, host address */
    QN_NATIVE_LIBRARY, /* dlopen's handle of libOpenCL, libcuda */
    QN_NATIVE_COMPILER /* that of libnvrtc */
} qn_native_kind;

/* Optional group: the energy that devices have used, as the hardware counts it. A group may also count for devices of
 * other drivers, because several drivers can open the same hardware. The runtime uses the group of the first driver of
 * the table whose `counts` returns true. */
typedef struct qn_driver_energy {
    bool (*counts)(const qn_device_info *info);
    /* Errors: QN_UNSUPPORTED, in one sentence with the reason, if this machine or this user has no such counter. */
    qn_status (*open)(const qn_device_info *info, void **meter);
    qn_status (*read)(void *meter, double *joules); /* since some moment in the past */
    void (*close)(void *meter);
} qn_driver_energy;

/* Optional group: hardware counters of a device while it runs kernels, with the functions of runtime/counters.h. The
 * runtime adds the device's identifier to failure messages. */
typedef struct qn_driver_counters {
    const char *const *(*names)(size_t *count);
    qn_status (*create)(qn_driver_device device, void **counters);
    void (*destroy)(void *counters);
    size_t (*passes)(const void *counters);
    qn_status (*collect)(void *counters, qn_status (*run)(void *user), void *user, double *values);
} qn_driver_counters;

struct qn_driver {
    const char *name;

    /* Optional groups; NULL: none. */
    const qn_driver_energy *energy;
    const qn_driver_counters *counters;

    /* Load libraries and write the devices into `listings`, `capacity` at most; *count is the number of all devices. A
     * driver whose library is absent writes one listing that is not usable, with the reason, and does not fail. NULL:
     * the driver has no devices of its own. */
    qn_status (*list)(qn_device_listing *listings, size_t capacity, size_t *count);
    /* `number`: index among this driver's devices; `inner`: the identifier after "checking:", NULL for other drivers.
     */
    qn_status (*device_open)(qn_context *context, int number, const char *inner, qn_driver_device *device,
                             qn_device_info *info);
    void (*device_close)(qn_driver_device device);

    qn_status (*buffer_create)(qn_driver_device device, size_t bytes, qn_driver_buffer *buffer);
    void (*buffer_destroy)(qn_driver_device device, qn_driver_buffer buffer);

    /* Memory of this process that is copied to and from the device without a detour, so that copies are asynchronous.
     * NULL: all memory is alike. */
    qn_status (*host_memory_create)(qn_driver_device device, size_t bytes, void **memory);
    void (*host_memory_destroy)(qn_driver_device device, void *memory);

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

    /* `binary`: the bytes that program_binary returned earlier for the same key; NULL: none. QN_BUILD_FAILED if they
     * do not load. */
    qn_status (*program_build)(qn_driver_device device, const qn_program_source *source, const void *binary,
                               size_t binary_bytes, qn_driver_program *program);
    /* Return the program as bytes for the cache; the caller releases them with qn_release. *bytes = 0: the driver has
     * nothing to cache. */
    qn_status (*program_binary)(qn_driver_device device, qn_driver_program program, void **binary, size_t *bytes);
    void (*program_destroy)(qn_driver_device device, qn_driver_program program);
    qn_status (*kernel_create)(qn_driver_device device, qn_driver_program program,
                               const qn_kernel_declaration *declaration, qn_driver_kernel *kernel);
    void (*kernel_destroy)(qn_driver_device device, qn_driver_kernel kernel);
    /* Set the fields that the driver knows; the others keep their values. */
    qn_status (*kernel_resources)(qn_driver_device device, qn_driver_kernel kernel, qn_kernel_resources *resources);

    /* Launch with the arguments in declared order; `buffers[i]` is the driver's buffer of argument i, NULL for a value.
     * The function reads values before it returns; a struct stays the caller's. */
    qn_status (*launch)(qn_driver_device device, qn_driver_queue queue, qn_driver_kernel kernel,
                        const qn_geometry *geometry, const qn_argument *arguments, const qn_driver_buffer *buffers,
                        int argument_count, size_t local_room_bytes, const qn_configuration *configuration,
                        qn_driver_event *event);

    qn_status (*event_wait)(qn_driver_device device, qn_driver_event event);
    qn_status (*event_done)(qn_driver_device device, qn_driver_event event, bool *done); /* never waits */
    qn_status (*event_seconds)(qn_driver_device device, qn_driver_event event, double *seconds);
    void (*event_destroy)(qn_driver_device device, qn_driver_event event);

    /* Run a host function in queue order; it gets the addresses of `count` buffers. NULL, or QN_UNSUPPORTED from the
     * checking driver, if kernels do not run in this process's memory. */
    qn_status (*call_host)(qn_driver_device device, qn_driver_queue queue, qn_host_function function,
                           void *const *addresses, int count, void *user, qn_driver_event *event);

    /* A library's command uses the first `bytes` bytes of a buffer; the library gives the command to the native queue
     * next. NULL: the driver need not know. */
    qn_status (*note_native_use)(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t bytes,
                                 bool writes);

    /* Return a native object, for FFT libraries only. `object` is the driver's queue or buffer (NULL for other kinds).
     * The checking driver returns the objects of its inner driver. Returns NULL if the kind has no native object. */
    void *(*native_handle)(qn_driver_device device, void *object, qn_native_kind kind);
};

/* The driver table (drivers.c); it ends with NULL. */
extern const qn_driver *const qn_drivers[];

#endif
