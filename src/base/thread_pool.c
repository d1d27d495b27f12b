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

/* A call of qn_pool_run, in the pool's list until it returns. */
typedef struct pool_run {
    struct pool_run *next;
    qn_pool_task task;
    void *user;
    size_t count;
    qn_log_scope log; /* of the calling thread */
    atomic_size_t taken;
    atomic_bool failed;
    int working;            /* threads that run its tasks */
    bool waits;             /* the calling thread does */
    pthread_cond_t changed; /* the calling thread may find a number, or the end of the run */
    size_t failed_index;
    qn_error_trail trail;
} pool_run;

struct qn_pool {
    int threads;
    int started;
    pthread_t *helpers;          /* threads − 1 of them */
    pthread_mutex_t mutex;       /* guards the members below, and those of runs that are not atomic */
    pthread_cond_t run_came;     /* a helper may find a run and a number */
    pthread_cond_t number_freed; /* a thread that works alone may find a number */
    pool_run *runs;
    bool *used;        /* [threads]: the number is that of a thread that works */
    int free;          /* numbers that are not used */
    int asleep;        /* helpers that wait */
    int lone;          /* threads that wait to work alone */
    atomic_uint begun; /* number of runs that have begun; changed with the mutex held */
    bool closing;
};

static _Thread_local const qn_pool *inside_task; /* the pool whose task this thread runs; NULL: none */

static void note_failure(qn_pool *pool, pool_run *run, size_t index, qn_status status)
{
    pthread_mutex_lock(&pool->mutex);
    if (!atomic_load(&run->failed) || index < run->failed_index) {
        run->failed_index = index;
        qn_error_save(status, &run->trail);
        atomic_store(&run->failed, true);
    }
    pthread_mutex_unlock(&pool->mutex);
}

/* Work on a run until its tasks end. A helper leaves it when more runs than `*begun` have begun, to go where the fewest
 * threads work: a short run would otherwise wait for the end of a long one. NULL: the thread stays. */
static void work(qn_pool *pool, pool_run *run, int number, const unsigned *begun)
{
    const qn_pool *was_inside = inside_task;
    const qn_log_scope outer = qn_log_current();
    inside_task = pool;
    qn_log_return(run->log);
    while (!atomic_load_explicit(&run->failed, memory_order_relaxed)) {
        const size_t index = atomic_fetch_add(&run->taken, 1);
        if (index >= run->count) break;
        const qn_status status = run->task(index, number, run->user);
        if (status != QN_OK) note_failure(pool, run, index, status);
        if (begun && atomic_load_explicit(&pool->begun, memory_order_relaxed) != *begun) break;
    }
    qn_log_return(outer);
    inside_task = was_inside;
}

/* ---- With the pool's mutex held ---- */

static bool has_tasks(const pool_run *run)
{
    return !atomic_load(&run->failed) && atomic_load(&run->taken) < run->count;
}

/* The run with tasks that the fewest threads work on; NULL: none. */
static pool_run *find_run(const qn_pool *pool)
{
    pool_run *best = NULL;
    for (pool_run *run = pool->runs; run; run = run->next)
        if (has_tasks(run) && (!best || run->working < best->working)) best = run;
    return best;
}

static bool is_over(const pool_run *run)
{
    return !has_tasks(run) && run->working == 0;
}

/* Work on a run with the lowest free number. Threads that work at the same time have different numbers. The caller
 * passes the number on to another thread, or works on. */
static void work_with_number(qn_pool *pool, pool_run *run, bool helps)
{
    int number = 0;
    while (pool->used[number]) number++;
    pool->used[number] = true;
    pool->free--;
    run->working++;
    const unsigned begun = atomic_load(&pool->begun);
    pthread_mutex_unlock(&pool->mutex);
    work(pool, run, number, helps ? &begun : NULL);
    pthread_mutex_lock(&pool->mutex);
    pool->used[number] = false;
    pool->free++;
    run->working--;
    if (run->waits && is_over(run)) pthread_cond_signal(&run->changed);
}

/* Wake one thread that can use a free number. With many threads, waking all that wait would take longer than tasks. */
static void pass_number(qn_pool *pool)
{
    if (pool->free == 0) return;
    if (pool->lone > 0) pthread_cond_signal(&pool->number_freed);
    if (pool->asleep > 0 && find_run(pool)) {
        pthread_cond_signal(&pool->run_came);
        return;
    }
    for (pool_run *run = pool->runs; run; run = run->next)
        if (run->waits && has_tasks(run)) {
            pthread_cond_signal(&run->changed);
            return;
        }
}

static void *help(void *argument)
{
    qn_pool *pool = argument;
    (void)qn_locale_enter();
    pthread_mutex_lock(&pool->mutex);
    while (!pool->closing) {
        pool_run *run = pool->free > 0 ? find_run(pool) : NULL;
        if (run) {
            work_with_number(pool, run, true);
            continue;
        }
        pass_number(pool); /* to a thread that works alone */
        pool->asleep++;
        pthread_cond_wait(&pool->run_came, &pool->mutex);
        pool->asleep--;
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
    pool->threads = pool->free = threads;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->run_came, NULL);
    pthread_cond_init(&pool->number_freed, NULL);
    qn_status status = qn_allocate((size_t)threads, sizeof *pool->used, (void **)&pool->used);
    if (status == QN_OK) status = qn_allocate((size_t)threads, sizeof *pool->helpers, (void **)&pool->helpers);
    for (int i = 0; i < threads - 1 && status == QN_OK; i++) {
        if (pthread_create(&pool->helpers[i], NULL, help, pool) == 0)
            pool->started = i + 1;
        else
            status = QN_FAIL(QN_OUT_OF_MEMORY, "cannot start thread %d of %d", i + 2, threads);
    }
    *out = pool;
    if (status != QN_OK) qn_pool_destroy(out);
    return status;
}

void qn_pool_destroy(qn_pool **pool_pointer)
{
    qn_pool *pool = *pool_pointer;
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->closing = true;
    pthread_cond_broadcast(&pool->run_came);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->helpers[i], NULL);
    pthread_cond_destroy(&pool->run_came);
    pthread_cond_destroy(&pool->number_freed);
    pthread_mutex_destroy(&pool->mutex);
    qn_release(&pool->used);
    qn_release(&pool->helpers);
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

/* Wake as many helpers as there are tasks for. Those that wake up late find nothing to do, and nobody waits for them.
 */
static void wake_helpers(qn_pool *pool, size_t tasks)
{
    if (tasks >= (size_t)pool->asleep)
        pthread_cond_broadcast(&pool->run_came);
    else
        for (size_t i = 0; i < tasks; i++) pthread_cond_signal(&pool->run_came);
}

static void take_out(qn_pool *pool, const pool_run *run)
{
    pool_run **place = &pool->runs;
    while (*place != run) place = &(*place)->next;
    *place = run->next;
}

static void await_change(qn_pool *pool, pool_run *run)
{
    pass_number(pool); /* the one that this thread had */
    run->waits = true;
    pthread_cond_wait(&run->changed, &pool->mutex);
    run->waits = false;
}

qn_status qn_pool_run(qn_pool *pool, size_t count, qn_pool_task task, void *user)
{
    if (!pool || pool->threads == 1 || count <= 1 || inside_task == pool) return run_serially(count, task, user);
    pool_run run = {.task = task, .user = user, .count = count, .log = qn_log_current()};
    pthread_mutex_lock(&pool->mutex);
    if (inside_task && pool->free == 0) { /* tasks of two pools could wait for each other's numbers */
        pthread_mutex_unlock(&pool->mutex);
        return run_serially(count, task, user);
    }
    pthread_cond_init(&run.changed, NULL);
    run.next = pool->runs;
    pool->runs = &run;
    atomic_fetch_add(&pool->begun, 1);
    wake_helpers(pool, count - 1);
    while (!is_over(&run)) {
        if (has_tasks(&run) && pool->free > 0)
            work_with_number(pool, &run, false);
        else
            await_change(pool, &run);
    }
    take_out(pool, &run);
    pass_number(pool);
    pthread_mutex_unlock(&pool->mutex);
    pthread_cond_destroy(&run.changed);
    return atomic_load(&run.failed) ? qn_error_restore(&run.trail) : QN_OK;
}

qn_status qn_pool_run_alone(qn_pool *pool, qn_pool_task task, void *user)
{
    if (!pool || pool->threads == 1 || inside_task) return run_serially(1, task, user);
    pool_run run = {.task = task, .user = user, .count = 1, .log = qn_log_current()};
    pthread_mutex_lock(&pool->mutex);
    while (pool->free == 0) {
        pool->lone++;
        pthread_cond_wait(&pool->number_freed, &pool->mutex);
        pool->lone--;
    }
    work_with_number(pool, &run, false);
    pass_number(pool);
    pthread_mutex_unlock(&pool->mutex);
    return atomic_load(&run.failed) ? qn_error_restore(&run.trail) : QN_OK;
}
