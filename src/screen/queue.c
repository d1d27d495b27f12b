#define _POSIX_C_SOURCE 200809L
#include "screen/queue.h"

#include "base/memory.h"

void qn_screen_batch_destroy(qn_screen_batch **pointer)
{
    qn_screen_batch *batch = *pointer;
    if (!batch) return;
    for (uint32_t i = 0; i < batch->count; i++) {
        qn_screen_molecule_clear(&batch->molecules[i]);
        qn_release(&batch->poses[i]);
    }
    qn_release(pointer);
}

void qn_screen_queue_create(size_t most_jobs, qn_screen_queue *queue)
{
    *queue = (qn_screen_queue){.most_jobs = most_jobs};
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
}

void qn_screen_queue_destroy(qn_screen_queue *queue)
{
    while (queue->first) {
        qn_screen_batch *batch = queue->first;
        queue->first = batch->next;
        qn_screen_batch_destroy(&batch);
    }
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->mutex);
}

bool qn_screen_queue_has_room(qn_screen_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    while (!queue->failed && queue->first && queue->jobs >= queue->most_jobs)
        pthread_cond_wait(&queue->changed, &queue->mutex);
    const bool room = !queue->failed;
    pthread_mutex_unlock(&queue->mutex);
    return room;
}

void qn_screen_queue_push(qn_screen_queue *queue, qn_screen_batch *batch)
{
    pthread_mutex_lock(&queue->mutex);
    batch->next = NULL;
    if (queue->first)
        queue->last->next = batch;
    else
        queue->first = batch;
    queue->last = batch;
    queue->jobs += batch->jobs;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

qn_screen_batch *qn_screen_queue_pop(qn_screen_queue *queue, bool waits)
{
    pthread_mutex_lock(&queue->mutex);
    while (waits && !queue->failed && !queue->ended && !queue->first) pthread_cond_wait(&queue->changed, &queue->mutex);
    qn_screen_batch *batch = queue->failed ? NULL : queue->first;
    if (batch) {
        queue->first = batch->next;
        queue->jobs -= batch->jobs;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->mutex);
    return batch;
}

static void set(qn_screen_queue *queue, bool *mark)
{
    pthread_mutex_lock(&queue->mutex);
    *mark = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

void qn_screen_queue_end(qn_screen_queue *queue)
{
    set(queue, &queue->ended);
}

void qn_screen_queue_fail(qn_screen_queue *queue)
{
    set(queue, &queue->failed);
}

bool qn_screen_queue_failed(qn_screen_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    const bool failed = queue->failed;
    pthread_mutex_unlock(&queue->mutex);
    return failed;
}
