/* Compare the speed of the benchmark set's kernels with a device's limits: quern_bench_benchmark_set DEVICE [NAME …]
 * [options]
 *
 *     --try TEXT    try this configuration: "NAME=VALUE NAME=VALUE …", other tunables as in the fallback; repeatable
 *     --random N    try N random valid configurations beside the fallback (default 0)
 *     --seconds T   stop after T seconds for each workload (default 60)
 *     --seed S      seed of the inputs and of the drawn configurations (default 1)
 *     --sizes A,B,C sizes of the problem (default: those of the workload)
 *     --all         print every tested configuration, not only each new best one
 *
 * Every configuration runs once unmeasured, then three times; the fastest run counts. The outputs of a configuration
 * that would be the new best are checked against the reference first. The limit of a workload is the time of its
 * slowest pipe at the rates that are measured on the device at the start. Random search is also the baseline that
 * searchers are compared with.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <quern/workload.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MEASURED_RUNS = 3, NAMES_MAX = 32, DRAWS_MAX = 1000000 };

typedef struct bench_options {
    const char *device;
    const char *names[NAMES_MAX], *texts[NAMES_MAX];
    int name_count, text_count, tries;
    double seconds;
    uint64_t seed;
    bool show_all;
    int sizes[QN_WORKLOAD_SIZES]; /* 0: the workload's own */
} bench_options;

typedef struct bench_run {
    const bench_options *options;
    const qn_workload *workload;
    qn_queue *queue;
    const qn_device_info *info;
    void *state;
    double limit_s, best_s;
    int tried, failed, wrong;
} bench_run;

static double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Marsaglia's xorshift64* */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* Draw a random valid configuration. Returns false when DRAWS_MAX draws give none. */
static bool draw_configuration(const bench_run *run, uint64_t *random, qn_configuration *configuration)
{
    const qn_family *family = run->workload->family;
    for (int i = 0; i < DRAWS_MAX; i++) {
        bool allowed = false;
        *configuration = qn_family_fallback(family);
        for (int t = 0; t < family->tunable_count; t++) {
            const qn_tunable *tunable = &family->tunables[t];
            configuration->value[t] = tunable->values[(draw(random) >> 33) % (uint64_t)tunable->value_count];
        }
        if (qn_family_allows(family, run->info, configuration, &allowed, NULL) != QN_OK) return false;
        if (allowed) return true;
    }
    return false;
}

/* Read "NAME=VALUE NAME=VALUE …" over the fallback. Returns false for a name that is not a tunable of the family. */
static bool read_configuration(const qn_family *family, const char *text, qn_configuration *configuration)
{
    *configuration = qn_family_fallback(family);
    for (const char *at = text + strspn(text, " "); *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        const size_t length = strcspn(at, "=");
        int t = 0;
        while (t < family->tunable_count &&
               (strlen(family->tunables[t].name) != length || strncmp(family->tunables[t].name, at, length) != 0))
            t++;
        if (t == family->tunable_count || at[length] != '=') return false;
        configuration->value[t] = atoi(at + length + 1);
    }
    return true;
}

static void print_line(const bench_run *run, const qn_configuration *configuration, double seconds)
{
    printf("  %9.4f ms  %5.1f %% ", 1e3 * seconds, 100 * run->limit_s / seconds);
    for (int t = 0; t < run->workload->family->tunable_count; t++)
        printf(" %s=%d", run->workload->family->tunables[t].name, configuration->value[t]);
    printf("\n");
    fflush(stdout);
}

/* Run once more and return whether the outputs agree with the reference. */
static bool is_right(bench_run *run, const qn_configuration *configuration)
{
    double error = 0;
    qn_status status = run->workload->clear(run->state, run->queue);
    if (status == QN_OK) status = run->workload->run(run->state, run->queue, configuration, NULL);
    if (status == QN_OK) status = run->workload->check(run->state, run->queue, &error);
    if (status == QN_OK && error <= 1) return true;
    if (status != QN_OK)
        fprintf(stderr, "%s: %s\n", run->workload->name, qn_error_message());
    else
        fprintf(stderr, "%s: wrong by %g tolerances\n", run->workload->name, error);
    return false;
}

static void try_configuration(bench_run *run, const qn_configuration *configuration)
{
    double fastest_s = 1e30;
    run->tried++;
    for (int i = 0; i <= MEASURED_RUNS; i++) {
        double seconds = 0;
        if (run->workload->run(run->state, run->queue, configuration, &seconds) != QN_OK) {
            if (run->failed++ == 0) fprintf(stderr, "%s: %s\n", run->workload->name, qn_error_message());
            return;
        }
        if (i > 0 && seconds < fastest_s) fastest_s = seconds;
        if (i == 1 && seconds > 3 * run->best_s) break; /* clearly worse */
    }
    if (fastest_s < run->best_s) {
        if (!is_right(run, configuration)) {
            run->wrong++;
            print_line(run, configuration, fastest_s);
            return;
        }
        run->best_s = fastest_s;
        print_line(run, configuration, fastest_s);
    } else if (run->options->show_all) {
        print_line(run, configuration, fastest_s);
    }
}

static void bench_workload(bench_run *run, const qn_device_rates *rates)
{
    const qn_workload *workload = run->workload;
    const bench_options *options = run->options;
    const int *own = run->info->kind == QN_DEVICE_CPU ? workload->cpu_sizes : workload->gpu_sizes;
    const char *pipe = "";
    int sizes[QN_WORKLOAD_SIZES];
    uint64_t random = options->seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    qn_work work;
    qn_configuration configuration = qn_family_fallback(workload->family);
    for (int i = 0; i < QN_WORKLOAD_SIZES; i++) sizes[i] = options->sizes[i] ? options->sizes[i] : own[i];
    if (workload->create(run->queue, sizes, options->seed, &run->state) != QN_OK) {
        fprintf(stderr, "%s: %s\n", workload->name, qn_error_message());
        return;
    }
    workload->work(run->state, &work);
    run->limit_s = qn_work_limit_seconds(&work, rates, &pipe);
    run->best_s = 1e30;
    run->tried = run->failed = run->wrong = 0;
    printf("%s", workload->name);
    for (int i = 0; i < QN_WORKLOAD_SIZES && workload->size_names[i]; i++)
        printf(" %s=%d", workload->size_names[i], sizes[i]);
    printf(": limit %.4f ms (%s)\n", 1e3 * run->limit_s, pipe);
    const double start_s = clock_s();
    try_configuration(run, &configuration);
    for (int i = 0; i < options->text_count; i++)
        if (read_configuration(workload->family, options->texts[i], &configuration))
            try_configuration(run, &configuration);
        else
            fprintf(stderr, "%s: \"%s\" is not a configuration\n", workload->name, options->texts[i]);
    for (int i = 0; i < options->tries && clock_s() - start_s < options->seconds; i++)
        if (draw_configuration(run, &random, &configuration)) try_configuration(run, &configuration);
    printf("  best %.4f ms, %.1f %% of the limit (%s); %d tried, %d failed, %d wrong\n", 1e3 * run->best_s,
           100 * run->limit_s / run->best_s, pipe, run->tried, run->failed, run->wrong);
    workload->destroy(&run->state);
}

static bool is_wanted(const bench_options *options, const char *name)
{
    static const char prefix[] = "benchmark/";
    if (strncmp(name, prefix, strlen(prefix)) != 0) return false;
    for (int i = 0; i < options->name_count; i++)
        if (strcmp(options->names[i], name + strlen(prefix)) == 0) return true;
    return options->name_count == 0;
}

static bool parse(int argc, char **argv, bench_options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--all") == 0) {
            options->show_all = true;
        } else if (strncmp(argv[i], "--", 2) != 0) {
            if (!options->device)
                options->device = argv[i];
            else if (options->name_count < NAMES_MAX)
                options->names[options->name_count++] = argv[i];
        } else {
            if (!value) return false;
            if (strcmp(argv[i], "--random") == 0)
                options->tries = atoi(value);
            else if (strcmp(argv[i], "--seconds") == 0)
                options->seconds = atof(value);
            else if (strcmp(argv[i], "--try") == 0 && options->text_count < NAMES_MAX)
                options->texts[options->text_count++] = value;
            else if (strcmp(argv[i], "--seed") == 0)
                options->seed = strtoull(value, NULL, 10);
            else if (strcmp(argv[i], "--sizes") != 0 ||
                     sscanf(value, "%d,%d,%d", &options->sizes[0], &options->sizes[1], &options->sizes[2]) < 1)
                return false;
            i++;
        }
    }
    return options->device != NULL;
}

int main(int argc, char **argv)
{
    bench_options options = {.seconds = 60, .seed = 1};
    bench_run run = {.options = &options};
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_device_rates rates;
    size_t count;
    const qn_workload *const *workloads = qn_workload_list(&count);
    if (!parse(argc, argv, &options)) {
        fprintf(
            stderr,
            "usage: %s DEVICE [NAME …] [--try TEXT]… [--random N] [--seconds T] [--seed S] [--sizes A,B,C] [--all]\n",
            argv[0]);
        return 2;
    }
    qn_status status = qn_context_create(NULL, &context);
    if (status == QN_OK) status = qn_device_open(context, options.device, &device);
    if (status == QN_OK) status = qn_device_measure(device, &rates);
    if (status == QN_OK) status = qn_queue_create(device, &run.queue);
    if (status != QN_OK) {
        fprintf(stderr, "%s: %s\n", options.device, qn_error_message());
        return 1;
    }
    run.info = qn_device_get_info(device);
    printf("%s %s: copy %.1f GB/s, read %.1f GB/s, %.1f G multiply-adds/s, %.2f G roots/s\n", run.info->identifier,
           run.info->name, 1e-9 * rates.copy_bytes_per_s, 1e-9 * rates.read_bytes_per_s,
           1e-9 * rates.multiply_adds_per_s, 1e-9 * rates.reciprocal_roots_per_s);
    for (size_t i = 0; i < count; i++)
        if (is_wanted(&options, workloads[i]->name)) {
            run.workload = workloads[i];
            bench_workload(&run, &rates);
        }
    qn_queue_destroy(&run.queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return 0;
}
