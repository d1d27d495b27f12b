/* Compare online tuning with an oracle: quern_bench_tune_online DEVICE WORKLOAD SECONDS [CONFIGURATION
 * [SEARCH_SECONDS]]
 *
 * Runs the workload for SECONDS three times: from an empty store, with the first run's results as a prior, and from the
 * oracle's configuration. Prints the throughput of each run as a share of the oracle's in the same time, and the time
 * that trials lost. The oracle is CONFIGURATION ("NAME=VALUE …", "-" for none) or the best of an offline search of
 * SEARCH_SECONDS (default 300).
 */
#define _POSIX_C_SOURCE 200809L
#include <quern/tune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/device.h"
#include "tune/session.h"

static qn_device *device;
static qn_queue *queue;
static const qn_workload *workload;
static int sizes[QN_WORKLOAD_SIZES];
static qn_configuration oracle;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void need(qn_status status)
{
    if (status == QN_OK) return;
    fprintf(stderr, "tune_online: %s\n", qn_error_message());
    exit(1);
}

/* Return runs per second; configuration NULL: the tuner chooses. */
static double runs_per_second(void *state, const qn_configuration *configuration, double seconds)
{
    double start_s = now_s();
    long runs = 0;
    while (now_s() - start_s < seconds) {
        need(workload->run(state, queue, configuration, NULL));
        runs++;
    }
    return (double)runs / (now_s() - start_s);
}

/* The oracle's rate is measured before and after the tuner's run, so that a drift of the clock rate cancels. */
static void compare(const char *name, void *state, qn_tune_store *store, double seconds)
{
    qn_context *context = qn_device_context(device);
    const qn_tune_attach_options options = {
        .size = sizeof options, .mode = QN_TUNE_ONLINE, .store = store, .seed = 1, .expected_seconds = seconds};
    qn_tune_gain gain = {0};
    size_t count;
    double before = runs_per_second(state, &oracle, 3);
    need(qn_tune_attach(context, &options));
    double rate = runs_per_second(state, NULL, seconds);
    need(qn_tune_gains(context, &gain, 1, &count));
    qn_tune_detach(context);
    double of_oracle = 0.5 * (before + runs_per_second(state, &oracle, 3));
    if (count == 0) gain = (qn_tune_gain){.origin = QN_TUNE_ORIGIN_FALLBACK};
    char origin[256];
    qn_tune_origin_text(gain.origin, gain.nearness, gain.found_on, origin, sizeof origin);
    printf("%-12s %6.2f %% of the oracle, %llu tests, %llu failed, %.2f %% of device time lost, %.2f s compiling, %s "
           "(%s)\n",
           name, 100 * rate / of_oracle, (unsigned long long)gain.tests, (unsigned long long)gain.failed,
           gain.device_seconds > 0 ? 100 * gain.lost_seconds / gain.device_seconds : 0, gain.build_seconds,
           gain.configuration, origin);
    fflush(stdout);
}

static void find_oracle(const char *given, double seconds)
{
    qn_tune_options options = {.size = sizeof options,
                               .tuner = {.size = sizeof(qn_tuner_options), .seed = 9, .seconds = seconds}};
    qn_tune_result result;
    if (given && strcmp(given, "-") != 0) {
        if (qn_tune_configuration_read(workload->family, given, &oracle)) return;
        fprintf(stderr, "tune_online: \"%s\" is not a configuration of %s\n", given, workload->family->name);
        exit(2);
    }
    need(qn_tune_run(device, workload, &options, &result));
    oracle = result.configuration;
    printf("oracle       %s, %.4g ms, %llu tests in %.0f s, fallback %.4g ms\n", result.text,
           1e3 * result.best.objective, (unsigned long long)result.tests, result.seconds,
           1e3 * result.fallback.objective);
}

/* Fill a store with the oracle's configuration alone. */
static void fill_with_oracle(qn_tune_store *store)
{
    char text[QN_TUNE_CONFIGURATION_BYTES], class[64];
    qn_tune_key key;
    int64_t problem;
    const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = 1e-30};
    workload->problem_class(sizes, class);
    need(qn_tune_key_make(workload->family, device, class, &key));
    need(qn_tune_store_problem(store, &key, &problem));
    qn_tune_configuration_text(workload->family, &oracle, text, sizeof text);
    need(qn_tune_store_finish(store, problem, text, &test, 0));
}

int main(int argc, char **argv)
{
    char folder[512], path[600];
    const char *temporary = getenv("TMPDIR");
    qn_context *context = NULL;
    qn_tune_store *store = NULL;
    void *state = NULL;
    if (argc < 4) {
        fprintf(stderr, "usage: %s DEVICE WORKLOAD SECONDS [CONFIGURATION [SEARCH_SECONDS]]\n", argv[0]);
        return 2;
    }
    double seconds = atof(argv[3]);
    need(qn_workload_find(argv[2], &workload));
    need(qn_context_create(NULL, &context));
    need(qn_device_open(context, argv[1], &device));
    need(qn_queue_create(device, &queue));
    qn_tune_workload_sizes(workload, qn_device_get_info(device), (const int[QN_WORKLOAD_SIZES]){0}, sizes);
    find_oracle(argc > 4 ? argv[4] : NULL, argc > 5 ? atof(argv[5]) : 300);
    need(workload->create(queue, sizes, 1, &state));
    snprintf(folder, sizeof folder, "%s/quern-tune-online-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    snprintf(path, sizeof path, "%s/run.db", folder);
    need(qn_tune_store_open(NULL, path, &store));
    compare("cold", state, store, seconds);
    compare("prior", state, store, seconds);
    qn_tune_store_close(&store);
    snprintf(path, sizeof path, "%s/oracle.db", folder);
    need(qn_tune_store_open(NULL, path, &store));
    fill_with_oracle(store);
    compare("at the best", state, store, seconds);
    qn_tune_store_close(&store);
    workload->destroy(&state);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return 0;
}
