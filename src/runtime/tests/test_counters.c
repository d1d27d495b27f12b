/* devices: host opencl:0 cuda:0 */
/* labels: unsanitized */
/* Counters of a device, if it has any, compared with known numbers: bytes that a copy reads and writes, instructions of
 * a sequence of multiply-adds. The tables of chips in CUPTI need no GPU and are tested wherever CUPTI is installed. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <quern/log.h>

#include "runtime/counters.h"
#include "runtime/cuda/cuda_counters.h"
#include "runtime/kernels/measure.h"

enum { COUNTERS_MAX = 64 };

static qn_device *device;

typedef struct launch {
    qn_queue *queue;
    qn_configuration configuration;
    qn_measure_problem problem;
    qn_buffer *from, *to;
    bool copies;
    int runs;
} launch;

static qn_status run(void *user)
{
    launch *l = user;
    l->runs++;
    qn_status status =
        l->copies ? qn_measure_copy(l->queue, &l->configuration, &l->problem, l->from, l->to, NULL)
                  : qn_measure_multiply_add(l->queue, &l->configuration, &l->problem, l->to, 0.75f, 0.25f, NULL);
    return status == QN_OK ? qn_queue_finish(l->queue) : status;
}

static qn_status fail(void *user)
{
    (void)user;
    return QN_CANCELLED;
}

static double value_of(const char *name, const double *values)
{
    size_t count;
    const char *const *names = qn_counters_names(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return values[i];
    return NAN;
}

/* Whether a value is near the expected one. Prints both if not, because few machines have counters. */
static bool is_near(const char *name, const double *values, double expected, double tolerance)
{
    double value = value_of(name, values);
    bool near = fabs(value - expected) <= tolerance * expected;
    if (!near) printf("  %s is %.10g, expected %.10g within %g %%\n", name, value, expected, 100 * tolerance);
    return near;
}

static void print_values(const double *values)
{
    size_t count;
    const char *const *names = qn_counters_names(&count);
    for (size_t i = 0; i < count; i++) printf("  %-80s %.10g\n", names[i], values[i]);
}

static void print_log(qn_log_level level, const char *message, void *user)
{
    (void)level;
    (void)user;
    printf("  %s\n", message);
}

static bool prepare(launch *l)
{
    const qn_device_info *info = qn_device_get_info(device);
    /* 2 GiB are many times the largest cache (about 0.1 GB), so a run finds hardly any data of the run before it there.
     */
    l->problem = (qn_measure_problem){.elements = 1 << 27, .partials = 1024, .chains = 1 << 20, .steps = 1024};
    l->configuration = qn_family_fallback(&qn_runtime_measure_family);
    if (info->largest_group >= 256) l->configuration.value[QN_MEASURE_GROUP_SIZE] = 256;
    size_t bytes = (size_t)l->problem.elements * 16;
    return CHECK_OK(qn_queue_create(device, &l->queue)) && CHECK_OK(qn_buffer_create(device, bytes, &l->from)) &&
           CHECK_OK(qn_buffer_create(device, bytes, &l->to)) &&
           CHECK_OK(qn_queue_fill(l->queue, l->from, 0, bytes, 1, NULL)) && CHECK_OK(run(l)) &&
           CHECK_OK(qn_queue_finish(l->queue));
}

static void count_copy(qn_counters *counters, launch *l)
{
    double values[COUNTERS_MAX], bytes = 16.0 * l->problem.elements;
    l->copies = true;
    l->runs = 0;
    if (!CHECK_OK(qn_counters_collect(counters, run, l, values))) return;
    CHECK(l->runs >= 1 && (size_t)l->runs <= 2 * qn_counters_passes(counters) + 2);
    bool good =
        CHECK(is_near("dram__bytes_read.sum", values, bytes, 0.05)) &&
        CHECK(is_near("dram__sectors_read.sum", values, bytes / 32, 0.05)) &&
        /* data that are still in the cache at the end are written during the next run */
        CHECK(is_near("dram__bytes_write.sum", values, bytes, 0.1)) &&
        /* GH100 counts a sector twice if it passes from one half of the cache to the other */
        CHECK(value_of("lts__t_sectors_op_write.sum", values) > 0.95 * bytes / 32) &&
        CHECK(value_of("lts__t_sectors_op_write.sum", values) < 2.05 * bytes / 32) &&
        /* a warp reads 32 elements with one request */
        CHECK(is_near("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", values, l->problem.elements / 32.0, 0.01)) &&
        CHECK(value_of("dram__throughput.avg.pct_of_peak_sustained_elapsed", values) > 50);
    if (!good) print_values(values);
}

static void count_multiply_adds(qn_counters *counters, launch *l)
{
    double values[COUNTERS_MAX], steps = (double)l->problem.chains * l->problem.steps;
    l->copies = false;
    if (!CHECK_OK(qn_counters_collect(counters, run, l, values))) return;
    /* GH100 counts few of these instructions as op_ffma, and all of them as op_fp32. */
    bool good = CHECK(is_near("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", values, steps, 0.01)) &&
                /* counted once for each warp; loops and addresses add a few for every 16 · 8 multiply-adds */
                CHECK(value_of("smsp__inst_executed.sum", values) >= steps / 32) &&
                CHECK(value_of("smsp__inst_executed.sum", values) < 1.25 * steps / 32) &&
                CHECK(is_near("smsp__thread_inst_executed_per_inst_executed.ratio", values, 32, 0.01)) &&
                CHECK(value_of("dram__throughput.avg.pct_of_peak_sustained_elapsed", values) < 20);
    if (!good) print_values(values);
}

static void devices_count_or_give_a_reason(void)
{
    qn_counters *counters = NULL;
    launch l = {.copies = true};
    double values[COUNTERS_MAX];
    qn_status status = qn_counters_create(device, &counters);
    if (status != QN_OK) {
        printf("  %s\n", qn_error_message());
        CHECK(status == QN_UNSUPPORTED);
        CHECK_MESSAGE_HAS("counters of ");
        CHECK(counters == NULL);
        /* CUPTI or the permission may be missing on any machine; devices of other drivers never have counters */
        CHECK(strcmp(qn_device_get_info(device)->driver, "cuda") == 0 || strstr(qn_error_message(), "driver cuda"));
        return;
    }
    printf("  %zu passes\n", qn_counters_passes(counters));
    CHECK(strcmp(qn_device_get_info(device)->driver, "cuda") == 0);
    if (prepare(&l)) {
        count_copy(counters, &l);
        count_multiply_adds(counters, &l);
        CHECK(qn_counters_collect(counters, fail, NULL, values) == QN_CANCELLED);
        count_multiply_adds(counters, &l); /* counting works again after a failure */
    }
    qn_counters_destroy(&counters);
    CHECK(counters == NULL);
    qn_buffer_release(&l.from);
    qn_buffer_release(&l.to);
    qn_queue_destroy(&l.queue);
}

/* Every chip since Turing has all counters, some under other names. An unknown chip is refused with a message. */
static void chips_have_the_counters(void)
{
    static const char *const chips[] = {"TU102", "GA100", "GH100", "AD102", "GB100", "GB202"};
    qn_cupti_api api;
    qn_counter_plan plan;
    size_t count;
    qn_counters_names(&count);
    CHECK(count == QN_CUDA_COUNTERS && count <= COUNTERS_MAX);
    if (qn_cupti_load(&api) != QN_OK) {
        printf("  %s\n", qn_error_message());
        CHECK_MESSAGE_HAS("libcupti");
        return;
    }
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        if (!CHECK_OK(qn_counter_plan_make(&api, chips[i], NULL, &plan))) {
            printf("  %s\n", chips[i]);
            continue;
        }
        if (!CHECK(plan.count == count)) printf("  %s has %zu counters of %zu\n", chips[i], plan.count, count);
        CHECK(plan.passes >= 1 && plan.passes <= 64);
        CHECK(plan.time_metric >= 0 && strcmp(plan.metrics[plan.time_metric], "gpu__time_duration.sum") == 0);
        qn_counter_plan_clear(&api, &plan);
    }
    CHECK(qn_counter_plan_make(&api, "GX999", NULL, &plan) == QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("cuptiProfilerHostInitialize failed with CUPTI_ERROR_");
    qn_cupti_unload(&api);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(
            qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .log = print_log}, &context)))
        return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (CHECK(device != NULL)) {
        RUN(devices_count_or_give_a_reason);
        if (strcmp(name, "host") == 0) RUN(chips_have_the_counters);
    }
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
