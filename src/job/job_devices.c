/* Threads for the devices of a run. */
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "job/job.h"
#include "runtime/trace.h"

typedef struct device_worker {
    qn_thread thread;
    qn_job *job;
    int device;
    qn_job_device_work work;
    void *user;
    double ended_s;
} device_worker;

static qn_status trace_device(qn_device *device)
{
    qn_device_rates rates;
    if (!qn_trace_wants_device(device)) return QN_OK;
    QN_TRY(qn_device_measure(device, &rates));
    return qn_trace_add_device(device, &rates);
}

qn_status qn_job_devices(qn_job *job)
{
    QN_TRY(qn_devices_open(job->context, job->options->device, job->ranks, job->devices, &job->device_count));
    for (int i = 0; i < job->device_count; i++) QN_TRY(trace_device(job->devices[i]));
    return QN_OK;
}

/* After a failure, cancel the pieces that are left, which stops the other ranks. */
static qn_status run_worker(void *user)
{
    device_worker *worker = user;
    const qn_status status = worker->work(worker->device, worker->user);
    worker->ended_s = qn_clock_s();
    return status == QN_OK ? QN_OK : qn_agreement_cancel(&worker->job->agreement, status);
}

/* Keep the first failure, but let a failure replace QN_CANCELLED: the other devices were only stopped. */
static void keep_failure(qn_status status, qn_error_trail *first)
{
    if (status == QN_OK || (first->status != QN_OK && (first->status != QN_CANCELLED || status == QN_CANCELLED)))
        return;
    qn_error_save(status, first);
}

static void add_times(qn_job_sharing *sharing, double started_s, const device_worker *workers, int count)
{
    double last = workers[0].ended_s, sum = 0;
    for (int i = 0; i < count; i++) {
        if (workers[i].ended_s > last) last = workers[i].ended_s;
        sum += workers[i].ended_s;
    }
    sharing->shared_s += last - started_s;
    sharing->idle_s += last - sum / count;
}

qn_status qn_job_each_device(qn_job *job, qn_job_device_work work, void *user)
{
    return qn_job_each_lane(job, job->device_count, work, user);
}

qn_status qn_job_each_lane(qn_job *job, int lanes, qn_job_device_work work, void *user)
{
    device_worker workers[QN_JOB_LANES_MAX] = {0};
    qn_error_trail failure = {.status = QN_OK};
    const double started_s = qn_clock_s();
    int started = 1;
    for (int i = 0; i < lanes; i++) workers[i] = (device_worker){.job = job, .device = i, .work = work, .user = user};
    for (; started < lanes; started++) {
        const qn_status status = qn_thread_start(&workers[started].thread, run_worker, &workers[started]);
        if (status == QN_OK) continue;
        keep_failure(qn_agreement_cancel(&job->agreement, status), &failure);
        break;
    }
    if (failure.status == QN_OK) keep_failure(run_worker(&workers[0]), &failure);
    for (int i = 1; i < started; i++) keep_failure(qn_thread_join(&workers[i].thread), &failure);
    if (failure.status == QN_OK) add_times(&job->sharing, started_s, workers, lanes);
    return qn_error_restore(&failure);
}
