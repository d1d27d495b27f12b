#define _GNU_SOURCE /* sched_getaffinity */
#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

typedef struct pool_worker {
    qn_pool *pool;
    int number;
    pthread_t thread;
} pool_worker;

struct qn_pool {
    int threads;
    int started;
    pool_worker *workers; /* threads − 1 of them: number 1 … */
    pthread_mutex_t turn; /* held by the thread that runs tasks on the pool */
    pthread_mutex_t mutex;
    pthread_cond_t work_ready;
    pthread_cond_t work_done;
    unsigned long generation; /* counts runs; a worker sleeps until it changes */
    int busy;                 /* workers that have not finished the current run */
    bool closing;
    qn_pool_task task;
    void *user;
    size_t count;
    qn_log_scope log; /* of the thread that runs tasks on the pool */
    atomic_size_t next;
    atomic_bool failed;
    size_t failed_index;
    qn_error_trail trail;
};

static _Thread_local bool inside_task; /* this thread runs a task of a pool */

static void note_failure(qn_pool *pool, size_t index, qn_status status)
{
    pthread_mutex_lock(&pool->mutex);
    if (!atomic_load(&pool->failed) || index < pool->failed_index) {
        pool->failed_index = index;
        qn_error_save(status, &pool->trail);
        atomic_store(&pool->failed, true);
    }
    pthread_mutex_unlock(&pool->mutex);
}

static void work(qn_pool *pool, int worker)
{
    const bool was_inside = inside_task;
    const qn_log_scope outer = qn_log_current();
    inside_task = true;
    qn_log_return(pool->log);
    while (!atomic_load_explicit(&pool->failed, memory_order_relaxed)) {
        size_t index = atomic_fetch_add(&pool->next, 1);
        if (index >= pool->count) break;
        qn_status status = pool->task(index, worker, pool->user);
        if (status != QN_OK) note_failure(pool, index, status);
    }
    qn_log_return(outer);
    inside_task = was_inside;
}

static void *worker_main(void *argument)
{
    pool_worker *self = argument;
    qn_pool *pool = self->pool;
    unsigned long seen = 0;
    (void)qn_locale_enter();
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->closing && pool->generation == seen) pthread_cond_wait(&pool->work_ready, &pool->mutex);
        if (pool->closing) break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->mutex);
        work(pool, self->number);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0) pthread_cond_signal(&pool->work_done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Number of processes that an MPI launcher started on this machine, which its environment variables state; 1 without
 * a launcher. */
static int processes_here(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && atoi(value) > 0) return atoi(value);
    }
    return 1;
}

int qn_usable_processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int count = CPU_COUNT(&set);
    /* MPI processes that their launcher did not bind to processors share the machine's processors. */
    if (count >= sysconf(_SC_NPROCESSORS_ONLN)) count /= processes_here();
    return count > 0 ? count : 1;
}

qn_status qn_pool_create(int threads, qn_pool **out)
{
    *out = NULL;
    if (threads < 0 || threads > 4096)
        return QN_FAIL(QN_INVALID_ARGUMENT, "number of threads is %d; expected 0 (all) to 4096", threads);
    if (threads == 0) threads = qn_usable_processors();
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(qn_pool), &memory));
    qn_pool *pool = memory;
    pool->threads = threads;
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work_ready, NULL);
    pthread_cond_init(&pool->work_done, NULL);
    qn_status status = qn_allocate((size_t)threads, sizeof(pool_worker), &memory);
    if (status != QN_OK) {
        qn_pool_destroy(&pool);
        return status;
    }
    pool->workers = memory;
    for (int number = 1; number < threads; number++) {
        pool_worker *worker = &pool->workers[number - 1];
        worker->pool = pool;
        worker->number = number;
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) {
            qn_pool_destroy(&pool);
            return QN_FAIL(QN_OUT_OF_MEMORY, "cannot start thread %d of %d", number + 1, threads);
        }
        pool->started = number;
    }
    *out = pool;
    return QN_OK;
}

void qn_pool_destroy(qn_pool **pool_pointer)
{
    qn_pool *pool = *pool_pointer;
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->closing = true;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
    for (int number = 0; number < pool->started; number++) pthread_join(pool->workers[number].thread, NULL);
    pthread_cond_destroy(&pool->work_ready);
    pthread_cond_destroy(&pool->work_done);
    pthread_mutex_destroy(&pool->mutex);
    pthread_mutex_destroy(&pool->turn);
    qn_release(&pool->workers);
    qn_release(pool_pointer);
}

int qn_pool_threads(const qn_pool *pool)
{
    return pool ? pool->threads : 1;
}

static qn_status run_serially(size_t count, qn_pool_task task, void *user)
{
    for (size_t index = 0; index < count; index++) QN_TRY(task(index, 0, user));
    return QN_OK;
}

/* A task must not wait for its turn: the turn of its own pool ends only after the task, and tasks of two pools could
 * wait for each other. */
static bool take_turn(qn_pool *pool)
{
    if (inside_task) return pthread_mutex_trylock(&pool->turn) == 0;
    pthread_mutex_lock(&pool->turn);
    return true;
}

qn_status qn_pool_run(qn_pool *pool, size_t count, qn_pool_task task, void *user)
{
    if (!pool || pool->threads == 1 || count <= 1 || !take_turn(pool)) return run_serially(count, task, user);
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->user = user;
    pool->count = count;
    pool->log = qn_log_current();
    atomic_store(&pool->next, 0);
    atomic_store(&pool->failed, false);
    pool->busy = pool->threads - 1;
    pool->generation++;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
    work(pool, 0);
    pthread_mutex_lock(&pool->mutex);
    while (pool->busy > 0) pthread_cond_wait(&pool->work_done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    qn_status status = atomic_load(&pool->failed) ? qn_error_restore(&pool->trail) : QN_OK;
    pthread_mutex_unlock(&pool->turn);
    return status;
}
