/* A worker: tests configurations of a user's kernel for a tuning in another process. */
#define _GNU_SOURCE /* MSG_NOSIGNAL */
#include <errno.h>
#include <fcntl.h>
#include <quern/tune.h>
#include <quern/version.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "runtime/device.h"
#include "tune/exchange/t1_message.h"
#include "tune/exchange/t1_stand.h"

typedef struct worker {
    qn_context *context;
    qn_device *device;
    qn_t1 *t1;
    qn_t1_stand stand;
    int runs;                              /* of this request */
    double shown_s;                        /* when the other process last heard of a run */
    char warning[QN_MEASURE_REASON_BYTES]; /* of this request */
} worker;

static bool receive(void *message, size_t bytes)
{
    ssize_t got;
    do got = recv(QN_TUNE_WORKER_DESCRIPTOR, message, bytes, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)bytes;
}

static bool answer(qn_t1_state state, qn_status status, const qn_test *test, const char *message)
{
    qn_t1_reply reply;
    memset(&reply, 0, sizeof reply);
    reply.state = state;
    reply.status = status;
    if (test) reply.test = *test;
    snprintf(reply.message, sizeof reply.message, "%s", status == QN_OK ? message : qn_error_message());
    if (status != QN_OK) qn_error_clear();
    return send(QN_TUNE_WORKER_DESCRIPTOR, &reply, sizeof reply, MSG_NOSIGNAL) == (ssize_t)sizeof reply;
}

/* Show that a run begins or has ended. A message for each of a thousand short runs would disturb them, so after the
 * first runs, which are checked, only the begin of a run is shown, and not more often than every 0.1 s. */
static void show_phase(void *user, bool running)
{
    enum { CHECKED_RUNS = 4 };
    static const double least_s = 0.1;
    worker *w = user;
    const double now_s = qn_clock_s();
    w->runs += running;
    if (w->runs > CHECKED_RUNS && (!running || now_s - w->shown_s < least_s)) return;
    w->shown_s = now_s;
    (void)!answer(running ? QN_T1_RUNNING : QN_T1_WORKING, QN_OK, NULL, "");
}

static void on_log(qn_log_level level, const char *message, void *user)
{
    worker *w = user;
    if (level == QN_LOG_WARNING) snprintf(w->warning, sizeof w->warning, "%s", message);
}

static qn_status open_worker(worker *w, const qn_t1_setup *setup)
{
    /* PoCL 3 ends the process when it loads the stored binaries of some kernels of users; and a configuration is built
     * once in a tuning, so storing it would only fill the disk. */
    const qn_context_options options = {
        .size = sizeof options, .threads = setup->threads, .without_kernel_cache = true, .log = on_log, .log_user = w};
    if (strcmp(setup->version, qn_version()) != 0)
        return QN_FAIL(QN_UNSUPPORTED, "the worker has version %s of the library; expected %s", qn_version(),
                       setup->version);
    QN_TRY(qn_context_create(&options, &w->context));
    QN_TRY(qn_device_open(w->context, setup->device, &w->device));
    QN_TRY(qn_t1_read(setup->path, &w->t1));
    if (qn_space_size(w->t1->space) != setup->points)
        return QN_FAIL(QN_BAD_FORMAT, "%s changed while it was tuned", setup->path);
    QN_TRY(qn_t1_stand_open(w->t1, w->device, setup->seed, setup->objective[0] ? setup->objective : NULL, &w->stand));
    qn_t1_target_watch(w->stand.target, show_phase, w);
    return QN_OK;
}

static bool serve_request(worker *w, const qn_t1_request *request)
{
    char reason[QN_MEASURE_REASON_BYTES] = "";
    qn_test test = {0};
    qn_status status;
    const qn_log_scope outer = qn_context_enter_log(w->context);
    w->runs = 0;
    w->warning[0] = 0;
    if (request->point >= qn_space_size(w->t1->space))
        status =
            QN_FAIL(QN_INVALID_ARGUMENT, "%s: there is no point %llu", w->t1->path, (unsigned long long)request->point);
    else if (request->reference) {
        status = qn_t1_stand_reference(&w->stand, request->point);
        snprintf(reason, sizeof reason, "%s", w->warning);
    } else {
        const qn_measure_limits limits = {.timeout_s = request->timeout_s,
                                          .precision = request->precision,
                                          .most_repeats = request->most_repeats,
                                          .best = request->has_best ? &request->best : NULL};
        status = qn_t1_stand_test(&w->stand, request->point, &limits, &test, reason);
    }
    qn_log_return(outer);
    test.counters = NULL; /* of this process */
    test.counter_count = 0;
    return answer(QN_T1_DONE, status, &test, reason);
}

qn_status qn_tune_serve(void)
{
    worker w = {0};
    qn_t1_setup setup;
    qn_t1_request request;
    const struct rlimit none = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);                      /* a kernel that hangs must not outlive the tuning */
    setrlimit(RLIMIT_CORE, &none);                         /* a crash is expected, and writing its memory takes long */
    fcntl(QN_TUNE_WORKER_DESCRIPTOR, F_SETFD, FD_CLOEXEC); /* compilers that a driver starts must not hold it open */
    if (!receive(&setup, sizeof setup))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "descriptor %d is no socket of a tuning; expected to be started as qn_tune_options.worker",
                       QN_TUNE_WORKER_DESCRIPTOR);
    qn_status status = open_worker(&w, &setup);
    if (answer(QN_T1_DONE, status, NULL, "") && status == QN_OK)
        while (receive(&request, sizeof request))
            if (!serve_request(&w, &request)) break;
    qn_t1_stand_close(&w.stand);
    qn_t1_destroy(&w.t1);
    qn_device_release(&w.device);
    qn_context_destroy(&w.context);
    return QN_OK;
}
