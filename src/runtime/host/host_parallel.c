/* Threads for host kernels in programs that use the library. */
#include <quern/family.h>

#include "base/thread_pool.h"

int qn_host_workers(const qn_host_launch *launch)
{
    return qn_pool_threads(launch->pool);
}

qn_status qn_host_parallel(const qn_host_launch *launch, size_t count, qn_host_task task, void *user)
{
    return qn_pool_run(launch->pool, count, task, user);
}
