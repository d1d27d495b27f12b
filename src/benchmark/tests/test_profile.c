/* devices: host opencl:0 */
/* labels: unsanitized */
#define _DEFAULT_SOURCE
/* The searcher profile on workloads of the benchmark set: it has a model of each, and finds a correct configuration. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/log.h>
#include <quern/tune.h>

static qn_device *device;
static int warnings;

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level != QN_LOG_WARNING) return;
    warnings++;
    fprintf(stderr, "  %s\n", message);
}

/* Make only a few tests, because compiling takes long. */
static void tune(const char *name, const int *sizes)
{
    const qn_workload *workload = NULL;
    qn_tune_result result;
    qn_tune_options options = {
        .size = sizeof options,
        .tuner = {.size = sizeof(qn_tuner_options), .searcher = "profile", .seed = 1, .tests = 6},
        .sizes = {sizes[0], sizes[1], sizes[2]},
        .most_repeats = 5};
    if (!CHECK_OK(qn_workload_find(name, &workload)) || !CHECK(workload->problem != NULL)) return;
    CHECK_OK(qn_tune_run(device, workload, &options, &result));
    CHECK(result.best.outcome == QN_TEST_CORRECT && result.best.objective <= result.fallback.objective);
    CHECK(result.tests >= 1 && result.tests <= 6); /* the host's gemm has one configuration */
}

static void small_and_large_spaces_are_modelled(void)
{
    tune("reduction", (const int[3]){1 << 20, 0, 0}); /* of two kernels */
    if (qn_device_get_info(device)->kind == QN_DEVICE_CPU && strstr(qn_device_get_info(device)->identifier, "opencl"))
        return; /* PoCL takes minutes for the other workloads */
    tune("coulomb3d", (const int[3]){32, 64, 0});
    tune("gemm", (const int[3]){128, 128, 128}); /* of millions of configurations */
    CHECK(warnings == 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    setenv("QUERN_TUNING_STORE", "off", 1);
    if (!CHECK_OK(qn_context_create(
            &(qn_context_options){.size = sizeof(qn_context_options), .threads = 2, .log = on_log}, &context)))
        return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    RUN(small_and_large_spaces_are_modelled);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
