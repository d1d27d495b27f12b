/* How fast slices are inserted: quern_bench_reconstruct [DEVICE [SIDE [IMAGES [KEY=VALUE …]]]]
 *
 * IMAGES transformed images of padded side SIDE at random views, resident on the device, gathered into the volume
 * (reconstruct/insert_slices) and scattered into it (reconstruct/scatter_slices), with the same blob and half volume.
 * Prints the median of five launches by the device's own clock, insertions per second, what the slowest pipe of the
 * device allows and how much of that is reached. KEY=VALUE sets tunables of the first; without any, the configuration
 * is the tuned one where there is one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reconstruct/kernels/insert_slices.h"

#include <quern/tune.h>
#include <quern/workload.h>

enum { REPEATS = 5 };

typedef struct bench_run {
    qn_queue *queue;
    qn_device_rates rates;
    int sizes[QN_WORKLOAD_SIZES]; /* side, images, operators */
} bench_run;

static bool failed(qn_status status, const char *doing)
{
    if (status != QN_OK) fprintf(stderr, "%s: %s\n", doing, qn_error_message());
    return status != QN_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first run compiles and warms up, and is checked against the reference. */
static bool time_workload(const bench_run *run, const char *name, const qn_configuration *configuration)
{
    const qn_workload *workload = NULL;
    void *state = NULL;
    double times[REPEATS] = {0}, error = 0;
    qn_work work = {0};
    const char *pipe = "";
    qn_status status = qn_workload_find(name, &workload);
    if (status == QN_OK) status = workload->create(run->queue, run->sizes, 1, &state);
    if (status == QN_OK) status = workload->run(state, run->queue, configuration, NULL);
    if (status == QN_OK) status = workload->check(state, run->queue, &error);
    for (int i = 0; i < REPEATS && status == QN_OK; i++)
        status = workload->run(state, run->queue, configuration, &times[i]);
    if (status == QN_OK) {
        workload->work(state, &work);
        qsort(times, REPEATS, sizeof *times, compare);
        const double seconds = times[REPEATS / 2], limit = qn_work_limit_seconds(&work, &run->rates, &pipe);
        const double insertions = (double)run->sizes[1] * run->sizes[2];
        printf("%-28s side %4d %6.0f slices %10.3f ms %10.0f insertions/s", name, run->sizes[0], insertions,
               1e3 * seconds, insertions / seconds);
        if (limit > 0) printf("   %5.1f %% of %.0f (%s)", 100 * limit / seconds, insertions / limit, pipe);
        printf("%s\n", error <= 1 ? "" : "   WRONG");
    }
    if (state) workload->destroy(&state);
    return !failed(status, name) && error <= 1;
}

/* The fallback with what KEY=VALUE say; NULL when they say nothing. */
static bool read_configuration(char **pairs, int count, qn_configuration *configuration)
{
    const qn_family *family = &qn_reconstruct_insert_slices_family;
    *configuration = qn_family_fallback(family);
    for (int i = 0; i < count; i++) {
        const char *value = strchr(pairs[i], '=');
        int t = 0;
        while (t < family->tunable_count &&
               (!value || strncmp(family->tunables[t].name, pairs[i], (size_t)(value - pairs[i])) != 0 ||
                family->tunables[t].name[value - pairs[i]] != 0))
            t++;
        if (t == family->tunable_count) {
            fprintf(stderr, "%s: expected a tunable of %s and a value\n", pairs[i], family->name);
            return false;
        }
        configuration->value[t] = atoi(value + 1);
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    bench_run run = {.sizes = {argc > 2 ? atoi(argv[2]) : 312, argc > 3 ? atoi(argv[3]) : 64, 1}};
    qn_configuration configuration;
    qn_context *context = NULL;
    qn_device *device = NULL;
    const int pairs = argc > 4 ? argc - 4 : 0;
    bool right = false;
    if (!read_configuration(argv + (argc > 4 ? 4 : argc), pairs, &configuration)) return 2;
    if (failed(qn_context_create(&(qn_context_options){0}, &context), "context") ||
        failed(qn_device_open(context, name, &device), name) || failed(qn_queue_create(device, &run.queue), name))
        return 1;
    if (!failed(qn_tune_attach(context, &(qn_tune_attach_options){.mode = QN_TUNE_KNOWN}), "tuning results") &&
        !failed(qn_device_measure(device, &run.rates), "measuring the device"))
        right = time_workload(&run, "reconstruct/insert_slices", pairs > 0 ? &configuration : NULL);
    qn_queue_destroy(&run.queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return right ? 0 : 1;
}
