#define _DEFAULT_SOURCE 1 /* sysconf's names */
#include "tune/exchange/t1_bench.h"

#include <math.h>
#include <quern/version.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/exchange/t1_stand.h"
#include "tune/exchange/t1_worker.h"
#include "tune/session.h"
#include "tune/space/space.h"

enum { TRIED_FOR_REFERENCE = 50 };
/* Seconds after which a worker is killed: for a run, twice the time-out and this long to compile what is compiled at
 * the first launch; for a run while no time-out is known; for compiling or comparing. */
static const double grace_s = 5, unknown_run_s = 60, work_s = 300;

struct qn_t1_bench {
    const qn_t1 *t1;
    const qn_tune_options *options;
    qn_t1_stand stand; /* without a worker */
    qn_t1_worker worker;
    qn_t1_setup setup;
    qn_point reference; /* that made it */
    bool has_reference;
};

static qn_t1_worker_limits limits_of(const qn_t1_bench *bench, double timeout_s)
{
    qn_t1_worker_limits limits = {.run_s = timeout_s > 0 ? 2 * timeout_s + grace_s : unknown_run_s,
                                  .work_s = work_s,
                                  .memory_bytes = bench->options->worker_memory_bytes};
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (limits.memory_bytes == 0 && machine > 0) limits.memory_bytes = (uint64_t)(0.75 * machine);
    return limits;
}

static qn_status make_setup(qn_t1_bench *bench, qn_device *device)
{
    qn_t1_setup *setup = &bench->setup;
    const char *objective = bench->options->objective;
    memset(setup, 0, sizeof *setup);
    if (strlen(bench->t1->path) >= sizeof setup->path)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the path has over %zu bytes", bench->t1->path, sizeof setup->path - 1);
    if (objective && strlen(objective) >= sizeof setup->objective)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the objective has over %zu bytes", sizeof setup->objective - 1);
    snprintf(setup->version, sizeof setup->version, "%s", qn_version());
    snprintf(setup->device, sizeof setup->device, "%s", qn_device_get_info(device)->identifier);
    snprintf(setup->path, sizeof setup->path, "%s", bench->t1->path);
    snprintf(setup->objective, sizeof setup->objective, "%s", objective ? objective : "");
    setup->seed = bench->options->tuner.seed;
    setup->points = qn_space_size(bench->t1->space);
    setup->threads = qn_context_threads(qn_device_context(device));
    return QN_OK;
}

/* ---- Workers ---- */

/* The outcome and the status of a request of a worker that has ended. */
static qn_test_outcome outcome_of_end(qn_t1_end end)
{
    return end == QN_T1_HUNG ? QN_TEST_TIMEOUT : QN_TEST_CRASH;
}

static qn_status status_of_end(qn_t1_end end, const char *why)
{
    return QN_FAIL(end == QN_T1_HUNG ? QN_CANCELLED : QN_DEVICE_LOST, "%s", why);
}

static qn_status ask_for_reference(qn_t1_bench *bench, qn_point point)
{
    const qn_t1_worker_limits limits = limits_of(bench, bench->options->timeout_seconds);
    const qn_t1_request request = {.point = point, .reference = true};
    qn_t1_reply reply;
    char why[QN_MEASURE_REASON_BYTES];
    const qn_t1_end end = qn_t1_worker_ask(&bench->worker, &request, &limits, &reply, why);
    if (end != QN_T1_ANSWERED) return status_of_end(end, why);
    if (reply.status == QN_DEVICE_LOST) qn_t1_worker_stop(&bench->worker);
    if (reply.status == QN_OK && reply.message[0] && !bench->has_reference) qn_log(QN_LOG_WARNING, "%s", reply.message);
    return reply.status == QN_OK ? QN_OK : QN_FAIL(reply.status, "%s", reply.message);
}

/* Start a worker if there is none, with the reference that was found. */
static qn_status need_worker(qn_t1_bench *bench)
{
    if (bench->worker.process > 0) return QN_OK;
    const qn_t1_worker_limits limits = limits_of(bench, 0);
    QN_TRY(qn_t1_worker_start(bench->options->worker, &bench->setup, &limits, &bench->worker));
    if (!bench->has_reference || !qn_t1_lacks_reference(bench->t1)) return QN_OK;
    qn_status status = ask_for_reference(bench, bench->reference);
    if (status == QN_OK) return QN_OK;
    /* not the fault of the configuration that is tested next */
    return qn_error_add_context(status == QN_CANCELLED || status == QN_DEVICE_LOST ? QN_LAUNCH_FAILED : status,
                                "%s: the reference result cannot be computed again", bench->t1->path);
}

static qn_status ask_for_test(qn_t1_bench *bench, qn_point point, const qn_measure_limits *limits, qn_test *test,
                              char reason[QN_MEASURE_REASON_BYTES])
{
    const qn_t1_worker_limits allowed = limits_of(bench, limits->timeout_s);
    qn_t1_request request = {.point = point,
                             .has_best = limits->best != NULL,
                             .timeout_s = limits->timeout_s,
                             .precision = limits->precision,
                             .most_repeats = limits->most_repeats};
    qn_t1_reply reply;
    if (limits->best) request.best = *limits->best;
    QN_TRY(need_worker(bench));
    *test = (qn_test){.objective = INFINITY};
    const qn_t1_end end = qn_t1_worker_ask(&bench->worker, &request, &allowed, &reply, reason);
    if (end != QN_T1_ANSWERED) {
        test->outcome = outcome_of_end(end);
        return QN_OK;
    }
    snprintf(reason, QN_MEASURE_REASON_BYTES, "%s", reply.message);
    if (reply.status == QN_DEVICE_LOST) { /* a fault on a GPU, after which only a new process can use it */
        test->outcome = QN_TEST_CRASH;
        qn_t1_worker_stop(&bench->worker);
        return QN_OK;
    }
    if (reply.status != QN_OK) return QN_FAIL(reply.status, "%s", reply.message);
    *test = reply.test;
    return QN_OK;
}

/* ---- The reference ---- */

static qn_status compute_reference(qn_t1_bench *bench, qn_point point)
{
    if (!bench->options->worker) return qn_t1_stand_reference(&bench->stand, point);
    QN_TRY(need_worker(bench));
    return ask_for_reference(bench, point);
}

/* Whether no other configuration could make a reference: the user must mend the file or the kernel first. */
static bool is_final(qn_status status)
{
    return status == QN_OK || status == QN_CHECK_FAILED || status == QN_NOT_FOUND || status == QN_CANCELLED ||
           status == QN_IO_ERROR;
}

static qn_status refuse_reference(const qn_t1_bench *bench, qn_status status, const char *whose, qn_point point)
{
    char text[QN_TUNE_CONFIGURATION_BYTES];
    const qn_t1 *t1 = bench->t1;
    qn_tune_point_text(t1->space, point, text, sizeof text);
    if (status == QN_IO_ERROR) return status; /* no worker */
    if (status == QN_NOT_FOUND) return qn_error_add_context(status, "%s: KernelSpecification", t1->path);
    if (status == QN_CANCELLED) status = QN_LAUNCH_FAILED;
    if (status == QN_CHECK_FAILED) status = QN_BAD_FORMAT; /* the kernel is the user's, so its error is too */
    return qn_error_add_context(status, "%s: %s %s (%s) cannot be the reference", t1->path, whose,
                                t1->reference_kernel ? t1->reference_kernel : t1->kernel_name, text);
}

static qn_status make_reference(qn_t1_bench *bench)
{
    const qn_space *space = bench->t1->space;
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    char text[QN_TUNE_CONFIGURATION_BYTES], first[300] = "it breaks a condition";
    const char *whose = bench->t1->reference_kernel ? "the ReferenceKernel" : "the default configuration of kernel";
    qn_point point = 0;
    qn_status status = QN_INVALID_ARGUMENT;
    if (bench->options->worker) QN_TRY(need_worker(bench));
    if (!qn_t1_lacks_reference(bench->t1)) return QN_OK;
    for (size_t i = 0; i < space->parameter_count; i++) numbers[i] = (uint16_t)space->parameters[i].usual;
    if (qn_space_find(space, numbers, &point)) {
        status = compute_reference(bench, point);
        if (is_final(status) && status != QN_OK) return refuse_reference(bench, status, whose, point);
        snprintf(first, sizeof first, "%.290s", status == QN_OK ? "" : qn_error_message());
        first[strcspn(first, "\n")] = '\0'; /* a compiler's further lines are in the log and in the report */
    }
    const uint64_t size = qn_space_size(space), most = size < TRIED_FOR_REFERENCE ? size : TRIED_FOR_REFERENCE;
    for (uint64_t i = 0; i < most && status != QN_OK; i++) {
        point = size / most * i;
        qn_error_clear();
        status = compute_reference(bench, point);
        if (is_final(status) && status != QN_OK) return refuse_reference(bench, status, "kernel", point);
        if (status == QN_DEVICE_LOST && !bench->options->worker) return status;
    }
    bench->reference = point;
    bench->has_reference = status == QN_OK;
    if (status == QN_DEVICE_LOST) status = QN_LAUNCH_FAILED; /* a worker lost it, not this process */
    if (status != QN_OK)
        return qn_error_set(status, __FILE__, __LINE__,
                            "%s: none of %llu configurations runs, so there is no reference result; the default "
                            "configuration: %s",
                            bench->t1->path, (unsigned long long)most, first);
    qn_tune_point_text(space, point, text, sizeof text);
    if (first[0])
        qn_log(QN_LOG_WARNING, "%s: the reference is the result of %s, because the default configuration fails: %s",
               bench->t1->path, text, first);
    return QN_OK;
}

/* ---- The bench ---- */

qn_status qn_t1_bench_open(const qn_t1 *t1, qn_device *device, const qn_tune_options *options, qn_t1_bench **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof(qn_t1_bench), &memory));
    qn_t1_bench *bench = memory;
    bench->t1 = t1;
    bench->options = options;
    qn_status status = qn_t1_fits_device(t1, device);
    if (status == QN_OK && options->worker) status = make_setup(bench, device);
    if (status == QN_OK && !options->worker)
        status = qn_t1_stand_open(t1, device, options->tuner.seed, options->objective, &bench->stand);
    if (status == QN_OK) status = make_reference(bench);
    if (status == QN_OK)
        *out = bench;
    else
        qn_t1_bench_close(&bench);
    return status;
}

void qn_t1_bench_close(qn_t1_bench **bench)
{
    qn_error_trail trail;
    if (!*bench) return;
    qn_error_save(QN_OK, &trail);
    qn_t1_worker_stop(&(*bench)->worker);
    qn_t1_stand_close(&(*bench)->stand);
    (void)qn_error_restore(&trail);
    qn_release(bench);
}

qn_status qn_t1_bench_test(qn_t1_bench *bench, qn_point point, const qn_measure_limits *limits, qn_test *test,
                           char reason[QN_MEASURE_REASON_BYTES])
{
    if (bench->options->worker) return ask_for_test(bench, point, limits, test, reason);
    return qn_t1_stand_test(&bench->stand, point, limits, test, reason);
}
