/* devices: host opencl:0 cuda:0 checking:cuda:0 */
/* alone: it measures times, which other tests would disturb */
#define _DEFAULT_SOURCE
/* Offline tuning of a family with faults: each fault is recorded with its kind, and no faulty configuration is
 * chosen. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "tune/measure.h"
#include "tune/model/nominal.h"
#include "tune/session.h"
#include "tune/tests/planted.h"

static const char *name;
static qn_context *context;
static qn_device *device;
static char path[512];

static bool open_device(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return false;
    return qn_device_open(context, name, &device) == QN_OK;
}

static void close_device(void)
{
    qn_device_release(&device);
    qn_context_destroy(&context);
}

static void new_store(const char *file, qn_tune_store **store)
{
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), file);
    CHECK_OK(qn_tune_store_open(NULL, path, store));
}

/* Last outcome that the progress callback reported, by configuration. */
static qn_test_outcome told[FAULTS][DELAYS];
static int tests_told, improvements, stop_after, earlier_told, again_told;
static double earlier_objective[DELAYS];
static int order[DELAYS * FAULTS]; /* DELAY of each test */

static int on_progress(const qn_tune_progress *progress, void *user)
{
    qn_configuration configuration = qn_tune_configuration(progress->space, progress->point);
    (void)user;
    told[configuration.value[FAULT]][configuration.value[DELAY]] = progress->test->outcome;
    order[tests_told++] = configuration.value[DELAY];
    improvements += progress->improved;
    return stop_after > 0 && tests_told >= stop_after;
}

static int on_known(const qn_tune_progress *progress, void *user)
{
    (void)user;
    if (progress->earlier)
        earlier_objective[qn_tune_configuration(progress->space, progress->point).value[DELAY]] =
            progress->test->objective;
    earlier_told += progress->earlier;
    again_told += !progress->earlier;
    return 0;
}

/* Workloads that do not state their work: measuring the device's limit takes seconds. */
static qn_workload planted, honest;

static qn_tune_options options_of(const char *searcher, qn_tune_store *store)
{
    memset(planted_runs, 0, sizeof planted_runs);
    tests_told = improvements = stop_after = earlier_told = again_told = 0;
    return (qn_tune_options){.size = sizeof(qn_tune_options),
                             .tuner = {.size = sizeof(qn_tuner_options), .searcher = searcher, .seed = 3},
                             .timeout_seconds = 1,
                             .most_repeats = 15,
                             .store = store,
                             .progress = on_progress,
                             .known = on_known};
}

static void faults_are_recorded_and_never_chosen(void)
{
    static const qn_test_outcome expected[FAULTS] = {QN_TEST_CORRECT, QN_TEST_WRONG,  QN_TEST_LAUNCH,
                                                     QN_TEST_BUILD,   QN_TEST_LIMITS, QN_TEST_TIMEOUT};
    qn_tune_store *store;
    qn_tune_result result;
    new_store("faults.db", &store);
    qn_tune_options options = options_of("full", store);
    CHECK_OK(qn_tune_run(device, &planted, &options, &result));
    CHECK(result.tests == DELAYS + FAULTS - 1 && tests_told == DELAYS + FAULTS - 1);
    for (int f = 1; f < FAULTS; f++) {
        if (!CHECK(told[f][2] == expected[f]))
            fprintf(stderr, "  fault %d was recorded as %s, expected %s\n", f, qn_test_outcome_name(told[f][2]),
                    qn_test_outcome_name(expected[f]));
        CHECK(result.failed[expected[f]] == 1);
    }
    CHECK(result.configuration.value[FAULT] == FAULT_NONE && result.configuration.value[DELAY] == BEST_DELAY);
    CHECK_TEXT(result.text, "FAULT=0 DELAY=5");
    CHECK_TEXT(result.finished, "the space is exhausted");
    CHECK(result.fallback.outcome == QN_TEST_CORRECT && result.fallback.objective > result.best.objective);
    CHECK(result.best.spread >= 0 && result.best.objective > 0);
    /* clearly slower configurations are not run as often as allowed */
    CHECK(planted_runs[0][7] < 16 && planted_runs[FAULT_SLOW][2] == 2);
    qn_tune_store_close(&store);
}

static int runs(void)
{
    int total = 0;
    for (int d = 0; d < DELAYS; d++) total += planted_runs[0][d] > 0;
    return total;
}

static void a_stopped_run_is_resumed(void)
{
    qn_tune_store *store;
    qn_tune_result result;
    new_store("resumed.db", &store);
    qn_tune_options options = options_of("full", store);
    stop_after = 4;
    CHECK_FAILS(qn_tune_run(device, &honest, &options, &result), QN_CANCELLED);
    CHECK(result.tests == 4 && runs() == 4);
    qn_tune_store_close(&store);
    CHECK_OK(qn_tune_store_open(NULL, path, &store));
    options = options_of("full", store);
    CHECK_OK(qn_tune_run(device, &honest, &options, &result));
    CHECK(result.tests == DELAYS && tests_told == DELAYS - 2); /* fallback and best again, and the missing ones */
    CHECK(result.configuration.value[DELAY] == BEST_DELAY);
    options = options_of("full", store);
    options.restart = true;
    CHECK_OK(qn_tune_run(device, &honest, &options, &result));
    CHECK(tests_told == DELAYS && runs() == DELAYS);
    options = options_of("full", NULL); /* nothing is kept without a store; the number of tests is limited */
    options.tuner.tests = 3;
    CHECK_OK(qn_tune_run(device, &honest, &options, &result));
    CHECK(result.tests == 3 && tests_told == 3);
    CHECK_TEXT(result.finished, "3 tests are done");
    qn_tune_store_close(&store);
}

/* Times of another size of the same problem class are scaled by the ratio of the work. */
static void times_of_other_sizes_are_scaled_by_their_work(void)
{
    qn_tune_store *store;
    qn_tune_result result;
    qn_tune_key key;
    qn_work work;
    int64_t problem;
    const qn_test test = {.outcome = QN_TEST_CORRECT, .objective = 1},
                  slow = {.outcome = QN_TEST_CORRECT, .objective = 1e-7};
    new_store("sizes.db", &store);
    planted_work(NULL, &work);
    const double scale = qn_tune_nominal_seconds(&work);
    CHECK_OK(qn_tune_key_make(&honest_family, device, "n=7", &key));
    CHECK_OK(qn_tune_store_problem(store, &key, &problem));
    CHECK_OK(qn_tune_store_finish(store, problem, "FAULT=0 DELAY=7", &test, 1e6 * scale));
    CHECK_OK(qn_tune_store_finish(store, problem, "FAULT=0 DELAY=6", &slow, 1e-6 * scale));
    qn_tune_options options = options_of("full", store);
    options.tuner.tests = 4; /* the two stored ones, the fallback, which is slower, and another */
    CHECK_OK(qn_tune_run(device, &honest_workload, &options, &result));
    CHECK(result.tests == 4 && result.failed[QN_TEST_BUILD] == 0);
    CHECK(earlier_told == 2);
    CHECK_NEAR(earlier_objective[7], 1e-6, 1e-12);
    CHECK_NEAR(earlier_objective[6], 0.1, 1e-7);
    qn_tune_store_close(&store);
}

/* The time of the best is never that of an earlier run, when the machine may have been faster: it is timed again beside
 * the fallback, and so is every other one that an untrue time puts in front. */
static void the_best_is_timed_again_beside_the_fallback(void)
{
    qn_tune_store *store;
    qn_tune_result result;
    qn_tune_key key;
    int64_t problem;
    const qn_test untrue = {.outcome = QN_TEST_CORRECT, .objective = 1e-9};
    new_store("again.db", &store);
    CHECK_OK(qn_tune_key_make(&honest_family, device, "n=7", &key));
    CHECK_OK(qn_tune_store_problem(store, &key, &problem));
    CHECK_OK(qn_tune_store_finish(store, problem, "FAULT=0 DELAY=7", &untrue, 0));
    CHECK_OK(qn_tune_store_finish(store, problem, "FAULT=0 DELAY=6", &untrue, 0));
    qn_tune_options options = options_of("full", store);
    CHECK_OK(qn_tune_run(device, &honest, &options, &result));
    CHECK(result.tests == DELAYS && result.configuration.value[DELAY] == BEST_DELAY);
    CHECK(result.best.objective > 1e-5 && planted_runs[0][6] > 0 && planted_runs[0][7] > 0);
    CHECK(again_told >= 4); /* fallback, in use, the other untrue one, the best */
    qn_tune_store_close(&store);
}

/* Failures of an earlier run are known in the next one: counted, told, and not repeated. */
static void earlier_failures_are_known(void)
{
    qn_tune_store *store;
    qn_tune_result result;
    new_store("failures.db", &store);
    qn_tune_options options = options_of("full", store);
    CHECK_OK(qn_tune_run(device, &planted, &options, &result));
    CHECK(earlier_told == 0);
    options = options_of("full", store);
    CHECK_OK(qn_tune_run(device, &planted, &options, &result));
    CHECK(result.tests == DELAYS + FAULTS - 1 && earlier_told == DELAYS + FAULTS - 1 && tests_told == 2);
    for (int f = 1; f < FAULTS; f++) CHECK(planted_runs[f][2] == 0);
    for (int kind = QN_TEST_WRONG; kind < QN_TEST_CRASH; kind++) CHECK(result.failed[kind] == 1);
    qn_tune_store_close(&store);
}

/* A shipped configuration is in use: it is tested before any other except the fallback, and stays in use. */
static void the_configuration_in_use_is_tested_first(void)
{
    qn_tune_store *store;
    qn_tune_result result;
    char folder[600], file[640];
    const int sizes[QN_WORKLOAD_SIZES] = {0};
    new_store("shipping.db", &store);
    qn_tune_options options = options_of("full", store);
    CHECK_OK(qn_tune_run(device, &honest, &options, &result));
    snprintf(folder, sizeof folder, "%s/tuned", check_scratch_folder());
    snprintf(file, sizeof file, "%s/here.txt", folder);
    CHECK_OK(qn_folder_create(folder));
    CHECK_OK(qn_tune_export(device, store, &honest, sizes, QN_TUNE_SHIPPED, file));
    qn_tune_store_close(&store);
    setenv("QUERN_TUNED_DIR", folder, 1);
    for (int tests = 1; tests <= 3; tests++) {
        snprintf(file, sizeof file, "in-use-%d.db", tests);
        new_store(file, &store);
        options = options_of("full", store);
        options.tuner.tests = (uint64_t)tests;
        CHECK_OK(qn_tune_run(device, &honest, &options, &result));
        CHECK(result.tests == (uint64_t)tests && tests_told == tests);
        CHECK(order[tests == 1 ? 0 : 1] == BEST_DELAY && result.configuration.value[DELAY] == BEST_DELAY);
        qn_tune_store_close(&store);
    }
    unsetenv("QUERN_TUNED_DIR");
}

/* Load of the store's test of the best; -1: not known. */
static double load_of_best(qn_tune_store *store)
{
    qn_tune_key key;
    qn_tune_row *rows = NULL;
    size_t count = 0;
    int64_t problem;
    double load = -1;
    CHECK_OK(qn_tune_key_make(&honest_family, device, "n=7", &key));
    CHECK_OK(qn_tune_store_problem(store, &key, &problem));
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].configuration, "FAULT=0 DELAY=5") == 0 && rows[i].load >= 0) load = rows[i].load;
    qn_release(&rows);
    return load;
}

/* Tests under load are made again on a quiet machine, and do not replace those without load. */
static void tests_under_load_give_way(void)
{
    static const struct {
        const char *share;
        double load;
        int told, earlier;
    } turns[] = {{"0.5", 0.5, DELAYS, 0},
                 {"0.6", 0.6, 2, DELAYS},
                 {"0", 0, DELAYS, 0},
                 {"0", 0, 2, DELAYS},
                 {"0.7", 0, 2, DELAYS}};
    qn_tune_store *store;
    qn_tune_result result;
    new_store("load.db", &store);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        qn_tune_options options = options_of("full", store);
        setenv("QUERN_LOAD", turns[i].share, 1);
        CHECK_OK(qn_tune_run(device, &honest, &options, &result));
        if (qn_device_get_info(device)->kind != QN_DEVICE_CPU) break; /* other work does not disturb it */
        if (!CHECK(tests_told == turns[i].told && earlier_told == turns[i].earlier))
            fprintf(stderr, "  turn %zu: %d tests, %d of earlier runs\n", i, tests_told, earlier_told);
        CHECK_NEAR(load_of_best(store), turns[i].load, 0);
        CHECK(result.tests == DELAYS && result.configuration.value[DELAY] == BEST_DELAY);
    }
    setenv("QUERN_LOAD", "0", 1);
    qn_tune_store_close(&store);
}

/* Continue tuning in a child process, because drivers do not survive a fork. Returns its exit status, or minus the
 * signal that ended it. `crashes`: expected number of crashes in the result. */
static int tune_in_child(int crashes)
{
    qn_tune_store *store;
    qn_tune_result result;
    pid_t child = fork();
    if (child == 0) {
        if (!open_device() || qn_tune_store_open(NULL, path, &store) != QN_OK) _exit(1);
        qn_tune_options options = options_of("full", store);
        qn_status status = qn_tune_run(device, &honest, &options, &result);
        bool right = status == QN_OK && result.failed[QN_TEST_CRASH] == (uint64_t)crashes && result.tests == DELAYS &&
                     result.configuration.value[DELAY] == BEST_DELAY && (planted_runs[0][6] == 0) == (crashes > 0);
        _exit(right ? 0 : 1);
    }
    int how = 0;
    waitpid(child, &how, 0);
    return WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how);
}

/* A configuration that ended two processes counts as a crash in the third one, which does not run it. */
static void a_configuration_that_ends_two_processes_is_not_run_again(void)
{
    qn_tune_store *store;
    new_store("crash.db", &store);
    qn_tune_store_close(&store);
    crash_at = 6;
    CHECK(tune_in_child(0) == 9);
    CHECK(tune_in_child(0) == 9);
    CHECK(tune_in_child(1) == 0);
}

/* A configuration that runs when the user kills the process does not count as a crash. */
static void a_configuration_whose_process_is_killed_is_tried_again(void)
{
    qn_tune_store *store;
    new_store("kill.db", &store);
    qn_tune_store_close(&store);
    crash_at = 6;
    crash_signal = SIGKILL;
    CHECK(tune_in_child(0) == -SIGKILL);
    crash_at = -1;
    CHECK(tune_in_child(0) == 0);
}

static qn_status slow_create(qn_queue *queue, const int sizes[3], uint64_t seed, void **out)
{
    const double end_s = planted_clock_s() + 1.5;
    while (planted_clock_s() < end_s) {
    }
    return honest_create(queue, sizes, seed, out);
}

/* Making the problem and measuring the fallback take nothing from the budget of the search. */
static void the_budget_excludes_the_preparation(void)
{
    qn_workload workload = honest;
    qn_tune_result result;
    qn_tune_options options = options_of("full", NULL);
    workload.create = slow_create;
    options.tuner.seconds = 1.2;
    CHECK_OK(qn_tune_run(device, &workload, &options, &result));
    CHECK(result.tests > 1);
}

static void intervals_are_robust(void)
{
    double times[21], middle, spread;
    for (int i = 0; i < 20; i++) times[i] = 1 + 0.001 * i;
    times[20] = 50; /* an outlier */
    qn_measure_summarise(times, 21, &middle, &spread);
    CHECK_NEAR(middle, 1.010, 1e-9);
    CHECK(spread < 0.011);
    qn_measure_summarise(times, 1, &middle, &spread);
    CHECK(middle == 1 && isinf(spread));
}

int main(int argc, char **argv)
{
    name = argc > 1 ? argv[1] : "host";
    setenv("QUERN_TUNING_STORE", "off", 1);
    setenv("QUERN_LOAD", "0", 1); /* the load of this machine would decide which tests are made again */
    planted = planted_workload;
    honest = honest_workload;
    planted.work = honest.work = NULL;
    RUN(a_configuration_that_ends_two_processes_is_not_run_again);
    RUN(a_configuration_whose_process_is_killed_is_tried_again);
    if (!open_device()) check_skip(name, qn_error_message());
    RUN(faults_are_recorded_and_never_chosen);
    RUN_LONG(a_stopped_run_is_resumed);
    RUN_LONG(times_of_other_sizes_are_scaled_by_their_work);
    RUN(the_best_is_timed_again_beside_the_fallback);
    RUN(earlier_failures_are_known);
    RUN(the_configuration_in_use_is_tested_first);
    RUN(tests_under_load_give_way);
    RUN_LONG(the_budget_excludes_the_preparation);
    RUN(intervals_are_robust);
    close_device();
    return check_finish();
}
