/* devices: host */
/* labels: threads@host */
/* alone: it measures times, which other tests would disturb */
#define _DEFAULT_SOURCE
/* Online tuning in short runs, each with a context of its own: the store keeps progress and credit. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "tune/online.h"
#include "tune/session.h"
#include "tune/tests/planted.h"

/* Sixteen configurations: the fallback takes 400 us, the last 100 us, all others 1500 us. */
enum { SPEEDS = 16, SLOW_US = 1500, FALLBACK_US = 400, FAST_US = 100, ROUNDS = 300, RUNS = 10, MAX_RUNS = 100 };

static double budget = 0.1;
static double slowest_s; /* slowest of all rounds, because other programs may use the machine */
static double rounds_s;  /* sum of the rounds of the last run */

/* A new problem may begin in debt, 10 ms and three rounds; a trial of up to nine rounds is not stopped once it has
 * begun. */
static double overrun(void)
{
    return 0.01 + (3 + 9) * slowest_s;
}

static qn_status short_host(const qn_host_launch *launch)
{
    const int *x = launch->arguments[0], n = *(const int *)launch->arguments[2];
    int *y = launch->arguments[1], speed = launch->configuration->value[0];
    const int us = speed == 0 ? FALLBACK_US : speed == SPEEDS - 1 ? FAST_US : SLOW_US;
    const double start_s = planted_clock_s();
    while (planted_clock_s() < start_s + 1e-6 * us) {
    }
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + 1;
    return QN_OK;
}

static const qn_kernel_declaration short_kernels[] = {
    {"planted", planted_arguments, 3, planted_geometry, short_host, planted_work}};
static const qn_tunable short_tunables[] = {
    {"SPEED", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, SPEEDS, 0, "how fast it is"}};
static const qn_family short_family = {.name = "test/short",
                                       .source = planted_source,
                                       .source_path = "test/kernels/short.cl",
                                       .kernels = short_kernels,
                                       .kernel_count = 1,
                                       .tunables = short_tunables,
                                       .tunable_count = 1};

static const char *store_path(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    return path;
}

typedef struct short_run {
    const char *store;
    int rounds;
    bool killed; /* the process ends before the tuner is detached */
    uint64_t seed;
} short_run;

/* One run of a program; *sum gets a weighted sum of its results. */
static void run_once(const short_run *run, qn_tune_gain *gain, long *sum)
{
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_queue *queue = NULL;
    qn_tune_store *store = NULL;
    void *state = NULL;
    size_t count = 0;
    int y[COUNT];
    *gain = (qn_tune_gain){0};
    *sum = 0;
    rounds_s = 0;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return;
    CHECK_OK(qn_device_open(context, "host", &device));
    CHECK_OK(qn_queue_create(device, &queue));
    CHECK_OK(qn_tune_store_open(context, run->store, &store));
    const qn_tune_attach_options options = {.size = sizeof options,
                                            .mode = QN_TUNE_ONLINE,
                                            .store = store,
                                            .searcher = "full",
                                            .budget = budget,
                                            .seed = run->seed};
    CHECK_OK(qn_tune_attach(context, &options));
    CHECK_OK(create_of(&short_family, queue, (const int[3]){7}, &state));
    for (int i = 0; i < run->rounds; i++) {
        const double start_s = planted_clock_s();
        CHECK_OK(planted_clear(state, queue));
        CHECK_OK(planted_launch(state, queue, NULL, NULL));
        CHECK_OK(qn_queue_read(queue, ((planted_state *)state)->y, 0, y, sizeof y, NULL));
        CHECK_OK(qn_queue_finish(queue));
        const double round_s = planted_clock_s() - start_s;
        slowest_s = fmax(slowest_s, round_s);
        rounds_s += round_s;
        for (int k = 0; k < COUNT; k++) *sum += y[k] * (k + 1L);
    }
    CHECK_OK(qn_tune_gains(context, gain, 1, &count));
    CHECK(count == 1);
    if (run->killed) _exit(gain->tests == 0);
    planted_destroy(&state);
    qn_tune_detach(context);
    qn_tune_store_close(&store);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
}

/* Ten runs together find what one run cannot afford, within the budget. A machine that other programs use needs more
 * runs: a trial that was interrupted for long spends the budget of several. */
static void short_runs_add_up(void)
{
    const short_run run = {.store = store_path("short.db"), .rounds = ROUNDS};
    double lost_s = 0, device_s = 0;
    uint64_t tests = 0;
    qn_tune_gain gain;
    long sum, first_sum = 0;
    gain.exploring = true;
    for (int i = 0; i < RUNS || (gain.exploring && i < MAX_RUNS); i++) {
        const double credit_s = budget * device_s - lost_s;
        run_once(&run, &gain, &sum);
        if (i == 0) first_sum = sum;
        CHECK(sum == first_sum);
        if (i == 0) CHECK(gain.tests > 0);
        /* One run alone cannot afford all: the slow ones take 4 ms beyond the best's time, or more, together 56 ms. */
        if (i == 0 && budget * gain.device_seconds < 0.03) CHECK(gain.tests < SPEEDS - 1 && gain.exploring);
        if (!CHECK(gain.lost_seconds <= budget * gain.device_seconds + fmax(credit_s, 0) + overrun()))
            fprintf(stderr, "  run %d lost %g of %g s, credit %g s\n", i, gain.lost_seconds, gain.device_seconds,
                    credit_s);
        lost_s += gain.lost_seconds, device_s += gain.device_seconds, tests += gain.tests;
    }
    if (!CHECK(lost_s <= budget * device_s + overrun())) fprintf(stderr, "  lost %g of %g s\n", lost_s, device_s);
    CHECK(tests == SPEEDS - 1);  /* none was repeated */
    run_once(&run, &gain, &sum); /* the search is over, and later runs know it */
    CHECK_TEXT(gain.configuration, "SPEED=15");
    CHECK(gain.origin == QN_TUNE_ORIGIN_STORE);
    CHECK(!gain.exploring && gain.tests == 0 && gain.lost_seconds == 0);
}

/* Nothing is tried before a debt is paid, and one run does not spend a large credit. */
static void accounts_continue_from_run_to_run(void)
{
    const short_run run = {.store = store_path("account.db"), .rounds = 100};
    qn_tune_store *store = NULL;
    qn_tune_account account;
    qn_tune_gain gain;
    long sum;
    run_once(&run, &gain, &sum); /* adds the problem to the store */
    for (int step = 0; step < 2; step++) {
        const double credit_s = step == 0 ? -10 : 10;
        if (!CHECK_OK(qn_tune_store_open(NULL, run.store, &store))) return;
        CHECK_OK(qn_tune_store_settle(store, 1, 0, &account));
        CHECK_OK(qn_tune_store_settle(store, 1, credit_s - account.credit_s, &account));
        run_once(&run, &gain, &sum);
        CHECK(step == 0 ? gain.tests == 0 : gain.tests > 0);
        CHECK(gain.lost_seconds <= 2 * budget * gain.device_seconds + overrun());
        CHECK_OK(qn_tune_store_settle(store, 1, 0, &account));
        /* The device time that the tuner counts includes the launches, which other programs may interrupt. */
        CHECK_NEAR(account.credit_s, credit_s + budget * gain.device_seconds - gain.lost_seconds,
                   1e-3 + budget * fmax(0, rounds_s - gain.device_seconds));
        qn_tune_store_close(&store);
    }
}

/* The gain is relative to the configuration that the run began with, here a stored one: from 1500 us to 100 us is 15
 * times as fast. Relative to the fallback of 400 us it would be 4 times. */
static void gains_are_relative_to_the_start(void)
{
    const short_run run = {.store = store_path("start.db"), .rounds = 2 * ROUNDS};
    const qn_test stored = {.outcome = QN_TEST_CORRECT, .objective = 1e-6 * SLOW_US};
    const double usual = budget;
    qn_context *context = NULL;
    qn_device *device = NULL;
    qn_tune_store *store = NULL;
    qn_tune_account account;
    qn_tune_key key;
    qn_tune_gain gain;
    int64_t problem;
    long sum;
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return;
    CHECK_OK(qn_device_open(context, "host", &device));
    CHECK_OK(qn_tune_key_make(&short_family, device, "n=7", &key));
    CHECK_OK(qn_tune_store_open(context, run.store, &store));
    CHECK_OK(qn_tune_store_problem(store, &key, &problem));
    CHECK_OK(qn_tune_store_finish(store, problem, "SPEED=2", &stored, 0));
    CHECK_OK(qn_tune_store_settle(store, problem, 10, &account));
    qn_tune_store_close(&store);
    qn_device_release(&device);
    qn_context_destroy(&context);
    budget = 0.9;
    run_once(&run, &gain, &sum);
    budget = usual;
    CHECK_TEXT(gain.configuration, "SPEED=15");
    CHECK(gain.origin == QN_TUNE_ORIGIN_RUN);
    if (!CHECK(gain.speedup > 8 && gain.speedup < 30)) fprintf(stderr, "  %gx\n", gain.speedup);
}

/* A killed process leaves its finished trials and its account in the store. */
static void a_killed_run_keeps_its_trials(void)
{
    const short_run run = {.store = store_path("killed.db"), .rounds = ROUNDS, .killed = true};
    const short_run next = {.store = run.store, .rounds = 1};
    qn_tune_store *store = NULL;
    qn_tune_account account;
    qn_tune_gain gain;
    qn_tune_row *rows;
    size_t count;
    long sum;
    int how;
    fflush(NULL);
    if (fork() == 0) run_once(&run, &gain, &sum);
    CHECK(wait(&how) > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    if (!CHECK_OK(qn_tune_store_open(NULL, run.store, &store))) return;
    CHECK_OK(qn_tune_store_tests(store, 1, &rows, &count));
    CHECK(count >= 2 && count < SPEEDS); /* with the fallback */
    qn_release(&rows);
    CHECK_OK(qn_tune_store_settle(store, 1, 0, &account));
    CHECK(account.credit_s != 0);
    qn_tune_store_close(&store);
    run_once(&next, &gain, &sum); /* the store can still be used */
    CHECK(gain.exploring);
}

/* The remaining time follows from the progress. Before the first report it is the time that has passed, at most what is
 * left of the program's estimate. */
static void the_remaining_time_is_measured(void)
{
    qn_online_length length = {.started_s = 100};
    CHECK_NEAR(qn_online_length_left(&length, 103), 3, 1e-12);
    length.expected_s = 4;
    CHECK_NEAR(qn_online_length_left(&length, 103), 1, 1e-12);
    CHECK(qn_online_length_left(&length, 105) == 0);
    qn_online_length_report(&length, "docking", 0.5, 110); /* resumed: half was done before */
    qn_online_length_report(&length, "docking", 0.6, 112);
    CHECK_NEAR(qn_online_length_left(&length, 112), 8, 1e-9);
    CHECK_NEAR(qn_online_length_left(&length, 115), 5, 1e-9);
    qn_online_length_report(&length, "refining", 0, 120);
    qn_online_length_report(&length, "refining", 0.75, 123);
    CHECK_NEAR(qn_online_length_left(&length, 123), 1, 1e-9);
    CHECK(qn_online_length_left(&length, 130) == 0);
}

int main(void)
{
    setenv("QUERN_TUNING_STORE", "off", 1);
    RUN(the_remaining_time_is_measured);
    RUN(short_runs_add_up);
    RUN(accounts_continue_from_run_to_run);
    RUN(gains_are_relative_to_the_start);
    RUN(a_killed_run_keeps_its_trials);
    return check_finish();
}
