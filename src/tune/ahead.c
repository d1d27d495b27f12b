#include "tune/ahead.h"

#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread.h"
#include "tune/session.h"

enum { THREADS_MAX = 16 };

struct qn_ahead {
    qn_thread threads[THREADS_MAX];
    int thread_count;
    pthread_mutex_t mutex; /* protects the members below, and `done` of the jobs */
    pthread_cond_t added, finished;
    qn_ahead_job *first, **last;
    bool ending;
};

static void build(qn_ahead_job *job)
{
    double start_s = qn_clock_s();
    job->status = qn_family_fits(job->family, job->device, &job->configuration, job->definitions, NULL);
    snprintf(job->message, sizeof job->message, "%s", job->status == QN_OK ? "" : qn_error_message());
    qn_error_clear();
    job->seconds = qn_clock_s() - start_s;
}

static qn_status work(void *user)
{
    qn_ahead *ahead = user;
    pthread_mutex_lock(&ahead->mutex);
    while (!ahead->ending) {
        qn_ahead_job *job = ahead->first;
        if (!job) {
            pthread_cond_wait(&ahead->added, &ahead->mutex);
            continue;
        }
        ahead->first = job->next;
        if (!ahead->first) ahead->last = &ahead->first;
        pthread_mutex_unlock(&ahead->mutex);
        build(job);
        pthread_mutex_lock(&ahead->mutex);
        job->done = true;
        pthread_cond_broadcast(&ahead->finished);
    }
    pthread_mutex_unlock(&ahead->mutex);
    return QN_OK;
}

qn_status qn_ahead_create(int threads, qn_ahead **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_ahead), &memory));
    qn_ahead *ahead = memory;
    pthread_mutex_init(&ahead->mutex, NULL);
    pthread_cond_init(&ahead->added, NULL);
    pthread_cond_init(&ahead->finished, NULL);
    ahead->last = &ahead->first;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    while (ahead->thread_count < threads && qn_thread_start(&ahead->threads[ahead->thread_count], work, ahead) == QN_OK)
        ahead->thread_count++;
    if (ahead->thread_count < threads) qn_error_clear(); /* if the system starts no more threads, fewer are enough */
    *out = ahead;
    return QN_OK;
}

void qn_ahead_destroy(qn_ahead **pointer)
{
    qn_ahead *ahead = pointer ? *pointer : NULL;
    if (!ahead) return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->ending = true;
    pthread_cond_broadcast(&ahead->added);
    pthread_mutex_unlock(&ahead->mutex);
    (void)qn_threads_join(ahead->threads, (size_t)ahead->thread_count);
    pthread_cond_destroy(&ahead->added);
    pthread_cond_destroy(&ahead->finished);
    pthread_mutex_destroy(&ahead->mutex);
    qn_release(pointer);
}

void qn_ahead_add(qn_ahead *ahead, qn_ahead_job *job)
{
    job->done = false;
    job->next = NULL;
    if (ahead->thread_count == 0) {
        build(job);
        job->done = true;
        return;
    }
    pthread_mutex_lock(&ahead->mutex);
    *ahead->last = job;
    ahead->last = &job->next;
    pthread_cond_signal(&ahead->added);
    pthread_mutex_unlock(&ahead->mutex);
}

bool qn_ahead_done(qn_ahead *ahead, qn_ahead_job *job)
{
    pthread_mutex_lock(&ahead->mutex);
    bool done = job->done;
    pthread_mutex_unlock(&ahead->mutex);
    return done;
}

void qn_ahead_wait(qn_ahead *ahead, qn_ahead_job *job)
{
    pthread_mutex_lock(&ahead->mutex);
    while (!job->done) pthread_cond_wait(&ahead->finished, &ahead->mutex);
    pthread_mutex_unlock(&ahead->mutex);
}
