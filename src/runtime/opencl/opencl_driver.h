/* Internals of the OpenCL driver: one device, its objects, and the functions that its files share. */
#ifndef QN_RUNTIME_OPENCL_DRIVER_H
#define QN_RUNTIME_OPENCL_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/driver.h"
#include "runtime/opencl/opencl_api.h"

typedef struct qn_opencl_device {
    qn_opencl_api api;
    cl_device_id id;
    cl_context context;
    int number;
    uint64_t memory_bytes;
    size_t alignment;            /* bytes; sub-buffers begin at multiples of it */
    bool rounds_divide_and_root; /* the compiler has an option that rounds / and sqrt correctly */
    atomic_bool lost;            /* never reset; every later call fails */
} qn_opencl_device;

typedef struct qn_opencl_buffer {
    cl_mem memory;
    size_t bytes;
} qn_opencl_buffer;

/* Queues, programs and events are the cl_ objects themselves. */

/* opencl_error.c
 * Return QN_OK for CL_SUCCESS, else a failure "opencl:N: <doing> failed with CL_…" and a status for the error. */
QN_MUST_CHECK qn_status qn_opencl_check(qn_opencl_device *device, cl_int error, const char *doing);

/* Fail with QN_DEVICE_LOST if the device was lost. */
QN_MUST_CHECK qn_status qn_opencl_alive(const qn_opencl_device *device);

/* opencl_device.c */
qn_status qn_opencl_list(qn_device_listing *listings, size_t capacity, size_t *count);
qn_status qn_opencl_device_open(qn_context *context, int number, const char *inner, qn_driver_device *device,
                                qn_device_info *info);
void qn_opencl_device_close(qn_driver_device device);

/* opencl_queue.c */
qn_status qn_opencl_buffer_create(qn_driver_device device, size_t bytes, qn_driver_buffer *buffer);
void qn_opencl_buffer_destroy(qn_driver_device device, qn_driver_buffer buffer);
qn_status qn_opencl_queue_create(qn_driver_device device, qn_driver_queue *queue);
void qn_opencl_queue_destroy(qn_driver_device device, qn_driver_queue queue);
qn_status qn_opencl_queue_finish(qn_driver_device device, qn_driver_queue queue);
qn_status qn_opencl_queue_wait_for(qn_driver_device device, qn_driver_queue queue, qn_driver_event event);
qn_status qn_opencl_write(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                          const void *data, size_t bytes, qn_driver_event *event);
qn_status qn_opencl_read(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                         void *data, size_t bytes, qn_driver_event *event);
qn_status qn_opencl_copy(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer from, size_t from_offset,
                         qn_driver_buffer to, size_t to_offset, size_t bytes, qn_driver_event *event);
qn_status qn_opencl_fill(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                         size_t bytes, unsigned char value, qn_driver_event *event);
qn_status qn_opencl_event_wait(qn_driver_device device, qn_driver_event event);
qn_status qn_opencl_event_done(qn_driver_device device, qn_driver_event event, bool *done);
qn_status qn_opencl_event_seconds(qn_driver_device device, qn_driver_event event, double *seconds);
void qn_opencl_event_destroy(qn_driver_device device, qn_driver_event event);

/* opencl_program.c */
qn_status qn_opencl_program_build(qn_driver_device device, const qn_program_source *source, const void *binary,
                                  size_t binary_bytes, qn_driver_program *program);
qn_status qn_opencl_program_binary(qn_driver_device device, qn_driver_program program, void **binary, size_t *bytes);
void qn_opencl_program_destroy(qn_driver_device device, qn_driver_program program);

/* opencl_kernel.c */
qn_status qn_opencl_kernel_create(qn_driver_device device, qn_driver_program program,
                                  const qn_kernel_declaration *declaration, qn_driver_kernel *kernel);
void qn_opencl_kernel_destroy(qn_driver_device device, qn_driver_kernel kernel);
qn_status qn_opencl_kernel_resources(qn_driver_device device, qn_driver_kernel kernel, qn_kernel_resources *resources);
qn_status qn_opencl_launch(qn_driver_device device, qn_driver_queue queue, qn_driver_kernel kernel,
                           const qn_geometry *geometry, const qn_argument *arguments, const qn_driver_buffer *buffers,
                           int argument_count, size_t local_room_bytes, const qn_configuration *configuration,
                           qn_driver_event *event);

#endif
