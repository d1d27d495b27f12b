/* Internals of the CUDA driver: one device, its objects, and the functions that its files share. */
#ifndef QN_RUNTIME_CUDA_DRIVER_H
#define QN_RUNTIME_CUDA_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/cuda/cuda_api.h"
#include "runtime/driver.h"

/* CUDA measures the time between two events, so this is a pair around the command. */
typedef struct qn_cuda_event {
    CUevent start, end;
    struct qn_cuda_event *next; /* in the list of those that are not used */
} qn_cuda_event;

typedef struct qn_cuda_device {
    qn_cuda_api api;
    qn_nvrtc_api compiler;
    CUdevice id;
    CUcontext context; /* the primary context, which FFT libraries share */
    int number;
    int capability;               /* 90 is 9.0 */
    atomic_bool lost;             /* never reset; every later call fails */
    pthread_mutex_t mutex;        /* guards the list */
    qn_cuda_event *unused_events; /* making one takes a lock of all devices in CUDA, so events are used again */
} qn_cuda_device;

/* A queue is the CUstream itself. */
typedef struct qn_cuda_buffer {
    CUdeviceptr address;
    size_t bytes;
} qn_cuda_buffer;

/* cuda_error.c
 * Return QN_OK for CUDA_SUCCESS, else a failure "cuda:N: <doing> failed with CUDA_ERROR_…" and a status for the error.
 */
QN_MUST_CHECK qn_status qn_cuda_check(qn_cuda_device *device, CUresult error, const char *doing);

/* Set the device's context in the calling thread; QN_DEVICE_LOST after the device was lost. */
QN_MUST_CHECK qn_status qn_cuda_enter(qn_cuda_device *device);

/* Record the start of a command's event; *event is NULL if `wanted` is NULL. The second function records its end and
 * stores the event in *wanted. `status` is that of the command in between; after a failure the event is destroyed. */
QN_MUST_CHECK qn_status qn_cuda_event_start(qn_cuda_device *device, CUstream stream, const qn_driver_event *wanted,
                                            qn_cuda_event **event);
QN_MUST_CHECK qn_status qn_cuda_event_end(qn_cuda_device *device, CUstream stream, qn_status status,
                                          qn_cuda_event *event, qn_driver_event *wanted);

/* cuda_device.c */
qn_status qn_cuda_list(qn_device_listing *listings, size_t capacity, size_t *count);
qn_status qn_cuda_device_open(qn_context *context, int number, const char *inner, qn_driver_device *device,
                              qn_device_info *info);
void qn_cuda_device_close(qn_driver_device device);

/* cuda_queue.c
 * The first function destroys the events that are kept for later commands. */
void qn_cuda_events_clear(qn_cuda_device *device);
qn_status qn_cuda_buffer_create(qn_driver_device device, size_t bytes, qn_driver_buffer *buffer);
void qn_cuda_buffer_destroy(qn_driver_device device, qn_driver_buffer buffer);
qn_status qn_cuda_host_memory_create(qn_driver_device device, size_t bytes, void **memory);
void qn_cuda_host_memory_destroy(qn_driver_device device, void *memory);
qn_status qn_cuda_queue_create(qn_driver_device device, qn_driver_queue *queue);
void qn_cuda_queue_destroy(qn_driver_device device, qn_driver_queue queue);
qn_status qn_cuda_queue_finish(qn_driver_device device, qn_driver_queue queue);
qn_status qn_cuda_queue_wait_for(qn_driver_device device, qn_driver_queue queue, qn_driver_event event);
qn_status qn_cuda_write(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                        const void *data, size_t bytes, qn_driver_event *event);
qn_status qn_cuda_read(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                       void *data, size_t bytes, qn_driver_event *event);
qn_status qn_cuda_copy(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer from, size_t from_offset,
                       qn_driver_buffer to, size_t to_offset, size_t bytes, qn_driver_event *event);
qn_status qn_cuda_fill(qn_driver_device device, qn_driver_queue queue, qn_driver_buffer buffer, size_t offset,
                       size_t bytes, unsigned char value, qn_driver_event *event);
qn_status qn_cuda_event_wait(qn_driver_device device, qn_driver_event event);
qn_status qn_cuda_event_done(qn_driver_device device, qn_driver_event event, bool *done);
qn_status qn_cuda_event_seconds(qn_driver_device device, qn_driver_event event, double *seconds);
void qn_cuda_event_destroy(qn_driver_device device, qn_driver_event event);

/* cuda_program.c */
qn_status qn_cuda_program_build(qn_driver_device device, const qn_program_source *source, const void *binary,
                                size_t binary_bytes, qn_driver_program *program);
qn_status qn_cuda_program_binary(qn_driver_device device, qn_driver_program program, void **binary, size_t *bytes);
void qn_cuda_program_destroy(qn_driver_device device, qn_driver_program program);
qn_status qn_cuda_kernel_create(qn_driver_device device, qn_driver_program program,
                                const qn_kernel_declaration *declaration, qn_driver_kernel *kernel);
void qn_cuda_kernel_destroy(qn_driver_device device, qn_driver_kernel kernel);
qn_status qn_cuda_kernel_resources(qn_driver_device device, qn_driver_kernel kernel, qn_kernel_resources *resources);
qn_status qn_cuda_launch(qn_driver_device device, qn_driver_queue queue, qn_driver_kernel kernel,
                         const qn_geometry *geometry, const qn_argument *arguments, const qn_driver_buffer *buffers,
                         int argument_count, size_t local_room_bytes, const qn_configuration *configuration,
                         qn_driver_event *event);

#endif
