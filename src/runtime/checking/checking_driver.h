/* The checking driver wraps another driver and checks every launch against its family's declaration, and the order of
 * commands of different queues. For the files of this folder.
 *
 * Commands run one after the other; each is finished before the next one of any queue begins, so that every change of
 * memory can be attributed to one launch. Buffers get additional guard zones, which no kernel may write. */
#ifndef QN_RUNTIME_CHECKING_DRIVER_H
#define QN_RUNTIME_CHECKING_DRIVER_H

#include <pthread.h>

#include "runtime/checking/checking_order.h"

enum {
    QN_CHECKING_GUARD_BYTES = 256, /* keeps ranges aligned to 256 bytes, as launches require */
    QN_CHECKING_GUARD_VALUE = 0xC5,
    QN_CHECKING_FIRST_FILL = 0xFF, /* of new buffers and OUT ranges: a NaN as float, -1 as int */
    QN_CHECKING_SECOND_FILL = 0x5A
};

struct qn_checking_buffer {
    struct qn_checking_buffer *previous, *next; /* of the device */
    qn_driver_buffer inner;
    size_t bytes; /* without guard zones */
    qn_checking_uses uses;
};

struct qn_checking_device {
    const qn_driver *driver; /* the inner driver; "inner" in names means its objects */
    qn_driver_device inner;
    qn_driver_queue queue; /* for commands that belong to no queue of a caller */
    char identifier[48];
    size_t largest_group;
    size_t guard_before;   /* bytes of the inner buffer in front of the caller's: 0 or QN_CHECKING_GUARD_BYTES */
    pthread_mutex_t mutex; /* one command at a time */
    qn_checking_buffer *buffers;
    size_t most_bytes, used_bytes; /* that all buffers together may take, and take */
    qn_checking_order order;
};

typedef struct qn_checking_program {
    qn_driver_program inner;
    const qn_family *family;
} qn_checking_program;

typedef struct qn_checking_kernel {
    qn_driver_kernel inner;
    const qn_family *family;
    const qn_kernel_declaration *declaration;
} qn_checking_kernel;

/* Bytes of the inner buffer: the guard zones, and the caller's bytes rounded up to a multiple of a guard zone. */
static inline size_t qn_checking_inner_bytes(const qn_checking_device *device, const qn_checking_buffer *buffer)
{
    const size_t guard = QN_CHECKING_GUARD_BYTES;
    return device->guard_before + (buffer->bytes + guard - 1) / guard * guard + guard;
}

/* checking_launch.c. The caller holds the device's mutex. `event`: of the inner driver. */
QN_MUST_CHECK qn_status qn_checking_launch(qn_checking_device *device, const qn_checking_queue *queue,
                                           const qn_checking_kernel *kernel, const qn_geometry *geometry,
                                           const qn_argument *arguments, const qn_driver_buffer *buffers,
                                           int argument_count, size_t local_room_bytes,
                                           const qn_configuration *configuration, qn_driver_event *event);

#endif
