/* Buffers, queues and events: moving data and waiting.
 *
 * A queue runs its commands in order and asynchronously; commands of different queues overlap unless one waits for the
 * other's event. Host memory given to qn_queue_write and qn_queue_read must stay valid until the queue is finished or
 * the command's event was waited for, and bytes to write must stay the same. The device checking:X reports commands of
 * two queues that use the same bytes without a wait between them.
 *
 * Life cycle: buffer and queue create → commands → qn_queue_finish → release. Buffers are reference counted; a queue
 * holds what its commands need. Every `event` argument may be NULL; an event is destroyed by its owner.
 * Thread rule: one thread at a time per queue.
 *
 *     qn_buffer *buffer;
 *     qn_queue *queue;
 *     if (qn_buffer_create(device, bytes, &buffer) != QN_OK || qn_queue_create(device, &queue) != QN_OK) return 1;
 *     if (qn_queue_write(queue, buffer, 0, data, bytes, NULL) != QN_OK || qn_queue_finish(queue) != QN_OK) return 1;
 *     printf("%zu bytes are on the device\n", qn_buffer_bytes(buffer));
 *     qn_queue_destroy(&queue), qn_buffer_release(&buffer);
 */
#ifndef QUERN_QUEUE_H
#define QUERN_QUEUE_H

#include <quern/device.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_buffer qn_buffer;
typedef struct qn_queue qn_queue;
typedef struct qn_event qn_event;

QN_MUST_CHECK qn_status qn_buffer_create(qn_device *device, size_t bytes, qn_buffer **buffer);
qn_buffer *qn_buffer_retain(qn_buffer *buffer);
void qn_buffer_release(qn_buffer **buffer);
size_t qn_buffer_bytes(const qn_buffer *buffer);

QN_MUST_CHECK qn_status qn_queue_create(qn_device *device, qn_queue **queue);
void qn_queue_destroy(qn_queue **queue); /* finishes it first; errors of its commands are lost then */
/* Finish a queue whose errors do not matter any more, before host memory of its commands is released. NULL: nothing. */
void qn_queue_settle(qn_queue *queue);
qn_device *qn_queue_device(const qn_queue *queue);

QN_MUST_CHECK qn_status qn_queue_write(qn_queue *queue, qn_buffer *buffer, size_t offset, const void *data,
                                       size_t bytes, qn_event **event);
QN_MUST_CHECK qn_status qn_queue_read(qn_queue *queue, qn_buffer *buffer, size_t offset, void *data, size_t bytes,
                                      qn_event **event);
QN_MUST_CHECK qn_status qn_queue_copy(qn_queue *queue, qn_buffer *from, size_t from_offset, qn_buffer *to,
                                      size_t to_offset, size_t bytes, qn_event **event);
/* Set every byte to `value`. */
QN_MUST_CHECK qn_status qn_queue_fill(qn_queue *queue, qn_buffer *buffer, size_t offset, size_t bytes,
                                      unsigned char value, qn_event **event);
/* Later commands of `queue` start after `event`, which may be of another queue of the same device. */
QN_MUST_CHECK qn_status qn_queue_wait_for(qn_queue *queue, qn_event *event);
QN_MUST_CHECK qn_status qn_queue_finish(qn_queue *queue);

QN_MUST_CHECK qn_status qn_event_wait(qn_event *event);
/* Whether the command is over, without waiting. Errors: those of the command. */
QN_MUST_CHECK qn_status qn_event_done(qn_event *event, bool *done);
/* Device seconds between start and end of the command; waits for it. */
QN_MUST_CHECK qn_status qn_event_seconds(qn_event *event, double *seconds);
void qn_event_destroy(qn_event **event);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
