/* The order of the commands of a device's queues, and the host memory that they use. For the files of this folder; the
 * caller holds the device's mutex.
 *
 * The checking driver runs one command after the other, so a wait that is missing between two queues changes no result.
 * The driver therefore follows the order that a program asks for, with vector clocks (Mattern, "Virtual time and global
 * states of distributed systems", 1989): a clock says of every queue how many of its commands are over. Each queue has
 * the clock at which its next command begins, each event the clock at which its command is over, and the device that of
 * the commands of which the host knows. Two commands that use the same bytes, one of which writes, must be ordered. */
#ifndef QN_RUNTIME_CHECKING_ORDER_H
#define QN_RUNTIME_CHECKING_ORDER_H

#include <stdint.h>

#include "runtime/driver.h"

typedef struct qn_checking_device qn_checking_device;
typedef struct qn_checking_buffer qn_checking_buffer;

typedef struct qn_checking_clock {
    uint64_t *over; /* [queue] commands that are over */
    size_t count, capacity;
} qn_checking_clock;

typedef struct qn_checking_queue {
    qn_driver_queue inner;
    int number;               /* index of clocks; that of a destroyed queue is used again */
    qn_checking_clock before; /* counts all commands of this queue itself */
} qn_checking_queue;

typedef struct qn_checking_event {
    qn_driver_event inner;
    qn_checking_clock after;
} qn_checking_event;

/* A use of bytes of a buffer by a command. */
typedef struct qn_checking_use {
    int queue;
    uint64_t command; /* its number in the queue, from 1 */
    size_t first, end;
    bool writes;
    char name[64]; /* of the command, for messages */
} qn_checking_use;

typedef struct qn_checking_uses {
    qn_checking_use *uses;
    size_t count, capacity;
} qn_checking_uses;

/* Host memory of a write or read, until the host knows that the command is over. */
typedef struct qn_checking_transfer {
    struct qn_checking_transfer *next;
    int queue;
    uint64_t command;
    bool reads;     /* to host memory */
    void *memory;   /* the caller's */
    void *contents; /* of a write: what `memory` must hold; of a read: what it gets */
    size_t bytes;
} qn_checking_transfer;

/* Of a device. */
typedef struct qn_checking_order {
    qn_checking_clock known; /* to the host */
    bool *taken;             /* [queue] the number belongs to a queue */
    size_t taken_count, taken_capacity;
    qn_checking_transfer *transfers;
} qn_checking_order;

void qn_checking_order_release(qn_checking_order *order);

QN_MUST_CHECK qn_status qn_checking_queue_begin(qn_checking_order *order, qn_checking_queue *queue);
void qn_checking_queue_end(qn_checking_order *order, qn_checking_queue *queue); /* its commands are over */

/* The next command of `queue` uses `bytes` bytes of the buffer. Errors: QN_CHECK_FAILED if another queue has a command
 * that uses some of them too, one of the two writes, and nothing orders them. */
QN_MUST_CHECK qn_status qn_checking_use_bytes(qn_checking_device *device, const qn_checking_queue *queue,
                                              qn_checking_buffer *buffer, size_t first, size_t bytes, bool writes,
                                              const char *name);

/* The next command of `queue` has written `bytes` bytes of host memory to a buffer (`reads` false), or has read them
 * from a buffer. What was read comes to its place when the host knows that the command is over; until then the memory
 * has bytes 0xFF. */
QN_MUST_CHECK qn_status qn_checking_use_memory(qn_checking_order *order, const qn_checking_queue *queue, bool reads,
                                               const void *memory, size_t bytes);

/* The next command of `queue` may use the `bytes` bytes of host memory at `memory` (NULL: all host memory). End the
 * reads and writes of the memory that are over before. Errors: as qn_checking_know. */
QN_MUST_CHECK qn_status qn_checking_hand_over(qn_checking_device *device, const qn_checking_queue *queue,
                                              const void *memory, size_t bytes);

/* Count a command of `queue` and make its event, which owns `inner`, the event of the inner driver. `event` NULL: none
 * is made. Errors: QN_OUT_OF_MEMORY; `inner` stays the caller's then. */
QN_MUST_CHECK qn_status qn_checking_count(qn_checking_queue *queue, qn_driver_event inner, qn_driver_event *event);

/* The host knows that what a clock counts is over. Reads come to their places. Errors: QN_CHECK_FAILED if memory of a
 * write has changed meanwhile. */
QN_MUST_CHECK qn_status qn_checking_know(qn_checking_device *device, const qn_checking_clock *clock);

/* The next command of `queue` begins after the event. */
QN_MUST_CHECK qn_status qn_checking_queue_after(qn_checking_queue *queue, const qn_checking_event *event);

#endif
