#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "deform/live_device.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"

enum { NEWTON_STEPS_MAX = 12, GATHER_NS = 300000 };

/* A thread that waits for its state. */
typedef struct request {
    struct request *next;
    qn_batch_state *state;
    bool is_done;
    qn_status status;
} request;

struct qn_live_device {
    qn_queue *queue;
    qn_batch *batch;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    request *first;       /* waiting */
    bool has_leader;      /* a thread is working on a batch */
    qn_error_trail trail; /* of a batch that failed */
};

qn_status qn_live_device_create(qn_device *device, const qn_problem *problem, double tolerance, qn_pool *pool,
                                qn_live_device **live)
{
    const qn_batch_options of_batch = {.tolerance = tolerance, .newton_steps_max = NEWTON_STEPS_MAX, .pool = pool};
    QN_TRY(qn_allocate(1, sizeof **live, (void **)live));
    pthread_mutex_init(&(*live)->mutex, NULL);
    pthread_cond_init(&(*live)->changed, NULL);
    qn_status status = qn_queue_create(device, &(*live)->queue);
    if (status == QN_OK)
        status = qn_batch_create((*live)->queue, problem, QN_LIVE_DEVICE_WORKERS, &of_batch, &(*live)->batch);
    if (status != QN_OK) qn_live_device_destroy(live);
    return status;
}

void qn_live_device_destroy(qn_live_device **live)
{
    if (!*live) return;
    qn_batch_destroy(&(*live)->batch);
    qn_queue_destroy(&(*live)->queue);
    pthread_cond_destroy(&(*live)->changed);
    pthread_mutex_destroy(&(*live)->mutex);
    qn_release(live);
}

/* Take those that wait, work on them without the lock, and tell them. The lock is held on entry and on return. */
static void lead(qn_live_device *live)
{
    qn_batch_state states[QN_LIVE_DEVICE_WORKERS];
    request *taken[QN_LIVE_DEVICE_WORKERS];
    int count = 0;
    live->has_leader = true;
    pthread_mutex_unlock(&live->mutex);
    nanosleep(&(struct timespec){0, GATHER_NS}, NULL); /* others come at the same moment of the scheduler */
    pthread_mutex_lock(&live->mutex);
    while (live->first && count < QN_LIVE_DEVICE_WORKERS) {
        taken[count] = live->first;
        states[count] = *live->first->state;
        live->first = live->first->next;
        count++;
    }
    pthread_mutex_unlock(&live->mutex);
    const qn_status status = qn_batch_solve(live->batch, states, count);
    pthread_mutex_lock(&live->mutex);
    if (status != QN_OK) qn_error_save(status, &live->trail);
    for (int i = 0; i < count; i++) {
        *taken[i]->state = states[i];
        taken[i]->status = status;
        taken[i]->is_done = true;
    }
    live->has_leader = false;
    pthread_cond_broadcast(&live->changed);
}

qn_status qn_live_device_solve(qn_live_device *live, qn_batch_state *state)
{
    request own = {.state = state};
    pthread_mutex_lock(&live->mutex);
    own.next = live->first;
    live->first = &own;
    while (!own.is_done) {
        if (live->has_leader)
            pthread_cond_wait(&live->changed, &live->mutex);
        else
            lead(live);
    }
    const qn_status status = own.status == QN_OK ? QN_OK : qn_error_restore(&live->trail);
    pthread_mutex_unlock(&live->mutex);
    return status;
}
