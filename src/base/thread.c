#include "base/thread.h"

#include <string.h>

static void *run(void *user)
{
    qn_thread *thread = user;
    (void)qn_locale_enter();
    qn_log_return(thread->log);
    qn_error_save(thread->work(thread->user), &thread->trail);
    return NULL;
}

qn_status qn_thread_start(qn_thread *thread, qn_thread_work work, void *user)
{
    *thread = (qn_thread){.work = work, .user = user, .log = qn_log_current()};
    const int failure = pthread_create(&thread->handle, NULL, run, thread);
    thread->started = failure == 0;
    if (failure == 0) return QN_OK;
    qn_status status =
        qn_error_set(QN_OUT_OF_MEMORY, __FILE__, __LINE__, "cannot start another thread: %s", strerror(failure));
    qn_error_save(status, &thread->trail);
    return status;
}

qn_status qn_thread_join(qn_thread *thread)
{
    if (thread->started) pthread_join(thread->handle, NULL);
    thread->started = false;
    return thread->trail.status == QN_OK ? QN_OK : qn_error_restore(&thread->trail);
}

qn_status qn_threads_join(qn_thread *threads, size_t count)
{
    qn_status status = QN_OK;
    for (size_t i = count; i-- > 0;) { /* backwards, so that the trail that remains is that of the first failure */
        const qn_status joined = qn_thread_join(&threads[i]);
        if (joined != QN_OK) status = joined;
    }
    return status;
}
