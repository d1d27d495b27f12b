/* Copies to a device from memory that several threads fill, in pieces that stay in the processor's caches on their way.
 * Each worker has two pieces of memory from which the device copies fast, and a queue of its own: one piece is filled
 * while the other is copied.
 *
 * Life cycle: create → take, fill and send, again and again → join or finish → … → destroy. Thread rule: one thread at
 * a time for each worker; join, finish and destroy while no worker is at work. */
#ifndef QN_RUNTIME_PIECE_COPIES_H
#define QN_RUNTIME_PIECE_COPIES_H

#include <quern/queue.h>

typedef struct qn_piece_copies qn_piece_copies;

/* `workers`: numbers 0 … workers − 1 are used. Pieces are made at first use. */
QN_MUST_CHECK qn_status qn_piece_copies_create(qn_device *device, int workers, size_t piece_bytes,
                                               qn_piece_copies **copies);
void qn_piece_copies_destroy(qn_piece_copies **copies); /* waits for all copies */

size_t qn_piece_copies_bytes(const qn_piece_copies *copies); /* of a piece */

/* The memory of the worker's next piece. Waits until what it held before is copied. */
QN_MUST_CHECK qn_status qn_piece_copies_take(qn_piece_copies *copies, int worker, void **memory);

/* Copy the first `bytes` bytes of the piece that was taken last. Asynchronous. */
QN_MUST_CHECK qn_status qn_piece_copies_send(qn_piece_copies *copies, int worker, qn_buffer *buffer, size_t offset,
                                             size_t bytes);

/* Later commands of `queue` start after all copies so far. */
QN_MUST_CHECK qn_status qn_piece_copies_join(qn_piece_copies *copies, qn_queue *queue);

/* Wait for all copies. */
QN_MUST_CHECK qn_status qn_piece_copies_finish(qn_piece_copies *copies);

#endif
