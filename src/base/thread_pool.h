/* The one thread pool of a context. The calling thread works too, so a pool of 1 starts no thread.
 *
 * Thread rule: any thread may call qn_pool_run. Runs of several threads share the pool: a helper goes to the run that
 * the fewest threads work on, and chooses again after its task when another run has begun. A call from inside a task,
 * for its own pool or for another pool that is busy, runs serially on the task's thread.
 */
#ifndef QN_BASE_THREAD_POOL_H
#define QN_BASE_THREAD_POOL_H

#include <quern/status.h>
#include <stddef.h>

typedef struct qn_pool qn_pool;

/* One task: `index` below `count`, on worker `worker` (0 … threads − 1, for scratch memory: no two tasks that run at
 * the same time have the same worker, except those of runs of one task and of runs inside tasks, which have 0). */
typedef qn_status (*qn_pool_task)(size_t index, int worker, void *user);

/* Number of processors that this process may use (its affinity mask). Ranks of one machine that are not bound to
 * processors share them evenly. */
int qn_usable_processors(void);

/* `threads` ≥ 1, or 0 for qn_usable_processors(). */
QN_MUST_CHECK qn_status qn_pool_create(int threads, qn_pool **pool);
void qn_pool_destroy(qn_pool **pool);
int qn_pool_threads(const qn_pool *pool);

/* Run task(0) … task(count − 1), handed out in order. After a failure no new task starts; the failure with the lowest
 * index is returned, with its trail on the calling thread. A NULL pool runs serially. */
QN_MUST_CHECK qn_status qn_pool_run(qn_pool *pool, size_t count, qn_pool_task task, void *user);

/* Run task(0) on the calling thread as one of the pool's workers, when one of their numbers is free. So a thread of its
 * own that works for long adds nothing to the number of threads that work, and runs inside the task are serial. */
QN_MUST_CHECK qn_status qn_pool_run_alone(qn_pool *pool, qn_pool_task task, void *user);

#endif
