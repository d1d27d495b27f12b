#include "runtime/piece_copies.h"

#include "base/error.h"
#include "base/memory.h"
#include "runtime/device.h"

enum { PIECES = 2 };

typedef struct copy_worker {
    qn_queue *queue; /* NULL: the worker has not begun */
    void *pieces[PIECES];
    qn_event *copied[PIECES]; /* set when the device has its copy; NULL: none was begun */
    int next;
} copy_worker;

struct qn_piece_copies {
    qn_device *device;
    int worker_count;
    size_t piece_bytes;
    copy_worker *workers;
};

qn_status qn_piece_copies_create(qn_device *device, int workers, size_t piece_bytes, qn_piece_copies **out)
{
    void *memory, *of_workers = NULL;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_piece_copies *copies = memory;
    const qn_status status = qn_allocate((size_t)workers, sizeof *copies->workers, &of_workers);
    *copies = (qn_piece_copies){qn_device_retain(device), workers, piece_bytes, of_workers};
    *out = copies;
    if (status != QN_OK) qn_piece_copies_destroy(out);
    return status;
}

void qn_piece_copies_destroy(qn_piece_copies **pointer)
{
    qn_piece_copies *copies = *pointer;
    if (!copies) return;
    for (int i = 0; copies->workers && i < copies->worker_count; i++) {
        copy_worker *worker = &copies->workers[i];
        qn_queue_destroy(&worker->queue); /* waits for the copies, which read the pieces */
        for (int k = 0; k < PIECES; k++) {
            qn_event_destroy(&worker->copied[k]);
            qn_host_memory_destroy(copies->device, &worker->pieces[k]);
        }
    }
    qn_release(&copies->workers);
    qn_device_release(&copies->device);
    qn_release(pointer);
}

size_t qn_piece_copies_bytes(const qn_piece_copies *copies)
{
    return copies->piece_bytes;
}

qn_status qn_piece_copies_take(qn_piece_copies *copies, int number, void **memory)
{
    copy_worker *worker = &copies->workers[number];
    qn_event **copied = &worker->copied[worker->next];
    void **piece = &worker->pieces[worker->next];
    if (!worker->queue) QN_TRY(qn_queue_create(copies->device, &worker->queue));
    if (!*piece) QN_TRY(qn_host_memory_create(copies->device, copies->piece_bytes, piece));
    if (*copied) QN_TRY(qn_event_wait(*copied));
    qn_event_destroy(copied);
    *memory = *piece;
    return QN_OK;
}

qn_status qn_piece_copies_send(qn_piece_copies *copies, int number, qn_buffer *buffer, size_t offset, size_t bytes)
{
    copy_worker *worker = &copies->workers[number];
    const int piece = worker->next;
    worker->next = (piece + 1) % PIECES;
    return qn_queue_write(worker->queue, buffer, offset, worker->pieces[piece], bytes, &worker->copied[piece]);
}

qn_status qn_piece_copies_join(qn_piece_copies *copies, qn_queue *queue)
{
    for (int i = 0; i < copies->worker_count; i++)
        for (int k = 0; k < PIECES; k++)
            if (copies->workers[i].copied[k]) QN_TRY(qn_queue_wait_for(queue, copies->workers[i].copied[k]));
    return QN_OK;
}

qn_status qn_piece_copies_finish(qn_piece_copies *copies)
{
    qn_error_trail trail = {.status = QN_OK};
    for (int i = 0; i < copies->worker_count; i++) {
        if (!copies->workers[i].queue) continue;
        const qn_status status = qn_queue_finish(copies->workers[i].queue);
        if (status != QN_OK && trail.status == QN_OK) qn_error_save(status, &trail);
    }
    return qn_error_restore(&trail);
}
