/* The one thread pool of a context. The calling thread works too, so a pool of 1 starts no thread.
 *
 * Thread rule: any thread may call qn_pool_run; runs of one pool take turns. A run that a task starts on its own pool,
 * or on another pool that is at work, is done serially by the task's thread.
 */
#ifndef QN_BASE_THREAD_POOL_H
#define QN_BASE_THREAD_POOL_H

#include <quern/status.h>
#include <stddef.h>

typedef struct qn_pool qn_pool;

/* One piece of work: `index` of the run's `count`, on worker `worker` (0 … threads − 1, for scratch memory). */
typedef qn_status (*qn_pool_task)(size_t index, int worker, void *user);

/* How many processors this process may run on (its affinity mask); those that ranks of one machine are not bound to are
 * shared out among them. */
int qn_usable_processors(void);

/* `threads` ≥ 1, or 0 for qn_usable_processors(). */
QN_MUST_CHECK qn_status qn_pool_create(int threads, qn_pool **pool);
void qn_pool_destroy(qn_pool **pool);
int qn_pool_threads(const qn_pool *pool);

/* Run task(0) … task(count − 1), handed out in order. After a failure no new piece starts; the failure with the
 * lowest index is returned and its trail belongs to the caller's thread. A NULL pool runs serially. */
QN_MUST_CHECK qn_status qn_pool_run(qn_pool *pool, size_t count, qn_pool_task task, void *user);

#endif
