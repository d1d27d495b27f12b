/* Print the hardware counters of the kernels of runtime/measure: quern_bench_counters [DEVICE]
 *
 * One column is for a copy of 1 GiB, one for 2^30 multiply-adds. Every failure of CUPTI is printed; counters that the
 * chip does not have are nan. */
#include <quern/log.h>

#include <math.h>
#include <stdio.h>

#include "runtime/counters.h"
#include "runtime/kernels/measure.h"

enum { COUNTERS_MAX = 64 };

typedef struct bench_run {
    qn_queue *queue;
    qn_configuration configuration;
    qn_measure_problem problem;
    qn_buffer *from, *to;
} bench_run;

static void print_log(qn_log_level level, const char *message, void *user)
{
    static const char *const levels[] = {"debug", "note", "warning"};
    (void)user;
    fprintf(stderr, "%s: %s\n", levels[level], message);
}

static bool failed(qn_status status, const char *doing)
{
    if (status != QN_OK) fprintf(stderr, "%s: %s\n", doing, qn_error_message());
    return status != QN_OK;
}

static qn_status run_copy(void *user)
{
    bench_run *run = user;
    qn_status status = qn_measure_copy(run->queue, &run->configuration, &run->problem, run->from, run->to, NULL);
    return status == QN_OK ? qn_queue_finish(run->queue) : status;
}

static qn_status run_multiply_add(void *user)
{
    bench_run *run = user;
    qn_status status =
        qn_measure_multiply_add(run->queue, &run->configuration, &run->problem, run->to, 0.75f, 0.25f, NULL);
    return status == QN_OK ? qn_queue_finish(run->queue) : status;
}

static bool prepare(qn_device *device, bench_run *run)
{
    const size_t bytes = (size_t)1 << 30;
    run->configuration = qn_family_fallback(&qn_runtime_measure_family);
    run->configuration.value[QN_MEASURE_GROUP_SIZE] = 256;
    run->problem =
        (qn_measure_problem){.elements = (int)(bytes / 16), .partials = 1024, .chains = 1 << 20, .steps = 1 << 10};
    return !failed(qn_queue_create(device, &run->queue), "queue") &&
           !failed(qn_buffer_create(device, bytes, &run->from), "buffer") &&
           !failed(qn_buffer_create(device, bytes, &run->to), "buffer") &&
           !failed(qn_queue_fill(run->queue, run->from, 0, bytes, 1, NULL), "fill") &&
           !failed(run_copy(run), "first copy") && !failed(run_multiply_add(run), "first multiply-adds");
}

static int bench(qn_device *device)
{
    bench_run run = {.queue = NULL};
    qn_counters *counters = NULL;
    double copy[COUNTERS_MAX], multiply_add[COUNTERS_MAX];
    size_t count;
    const char *const *names = qn_counters_names(&count);
    for (size_t i = 0; i < count; i++) copy[i] = multiply_add[i] = NAN;
    bool bad = failed(qn_counters_create(device, &counters), "create") || !prepare(device, &run);
    if (!bad) {
        printf("%s, %zu passes\n", qn_device_get_info(device)->name, qn_counters_passes(counters));
        bad = failed(qn_counters_collect(counters, run_copy, &run, copy), "counting the copy");
        bad = failed(qn_counters_collect(counters, run_multiply_add, &run, multiply_add), "counting multiply-adds") ||
              bad;
        printf("%-78s %15s %15s\n", "counter", "copy", "multiply_add");
        for (size_t i = 0; i < count; i++) printf("%-78s %15.8g %15.8g\n", names[i], copy[i], multiply_add[i]);
    }
    qn_counters_destroy(&counters);
    qn_buffer_release(&run.from);
    qn_buffer_release(&run.to);
    qn_queue_destroy(&run.queue);
    return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    int result = 1;
    if (!failed(
            qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .log = print_log}, &context),
            "context") &&
        !failed(qn_device_open(context, argc > 1 ? argv[1] : "cuda:0", &device), "device"))
        result = bench(device);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return result;
}
