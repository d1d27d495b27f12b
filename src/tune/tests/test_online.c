/* devices: host opencl:0 cuda:0 checking:cuda:0 */
/* labels: threads@host */
/* alone: it measures times, which other tests would disturb */
#define _DEFAULT_SOURCE
/* Online tuning of live work: it finds the fastest configuration, keeps results correct, keeps to its budget, and
 * stores results. */
#include "check.h"

#include "base/memory.h"
#include "tune/model/nominal.h"
#include "tune/online.h"
#include "tune/session.h"
#include "tune/tests/planted.h"

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static qn_tune_store *store;

/* Run at least `least` rounds and until the search is over, but at most a minute; results are checked. */
static void run_rounds(const qn_family *family, int least, qn_tune_gain *gain)
{
    double start_s = planted_clock_s();
    void *state = NULL;
    size_t count = 0;
    int wrong = 0;
    double error;
    CHECK_OK(create_of(family, queue, (const int[3]){7}, &state));
    for (int i = 0; i < least || (gain->exploring && planted_clock_s() - start_s < 60); i++) {
        if (!CHECK_OK(planted_clear(state, queue)) || !CHECK_OK(planted_launch(state, queue, NULL, NULL))) break;
        if (i % 8 == 0) {
            CHECK_OK(planted_check(state, queue, &error));
            wrong += error > 0;
            CHECK_OK(qn_tune_gains(context, gain, 1, &count));
        }
    }
    CHECK_OK(qn_queue_finish(queue));
    CHECK(wrong == 0);
    CHECK_OK(qn_tune_gains(context, gain, 1, &count));
    CHECK(count == 1);
    planted_destroy(&state);
}

/* The result is one of the two fastest, 100 and 200 us: if other programs use the machine, medians of a few rounds can
 * be that far off. */
static bool is_fast(const qn_tune_gain *gain)
{
    if (strcmp(gain->configuration, "FAULT=0 DELAY=5") == 0 || strcmp(gain->configuration, "FAULT=0 DELAY=6") == 0)
        return true;
    fprintf(stderr, "  found %s, %s\n", gain->configuration,
            gain->origin == QN_TUNE_ORIGIN_RUN ? "found in this run" : "known before");
    return false;
}

static void the_fastest_is_found_within_the_budget(void)
{
    const qn_tune_attach_options options = {
        .size = sizeof options, .mode = QN_TUNE_ONLINE, .store = store, .searcher = "full", .budget = 0.05};
    qn_tune_gain gain;
    CHECK_OK(qn_tune_attach(context, &options));
    run_rounds(&honest_family, 400, &gain);
    CHECK(is_fast(&gain));
    CHECK(gain.origin == QN_TUNE_ORIGIN_RUN);
    CHECK_TEXT(gain.problem_class, "n=7");
    /* builds for an OpenCL CPU are paid from the budget too, which a busy machine exhausts */
    CHECK(gain.tests >= (strcmp(qn_device_get_info(device)->driver, "opencl") == 0 ? 2 : DELAYS - 1) &&
          gain.failed == 0);
    CHECK(gain.speedup > 1.5); /* 400 us to 100 us, with the time of a launch on top */
    /* the allowance at the start is 10 ms and three rounds */
    if (!CHECK(gain.lost_seconds <= 0.05 * gain.device_seconds + 0.02))
        fprintf(stderr, "  lost %g of %g s\n", gain.lost_seconds, gain.device_seconds);
    qn_tune_detach(context);
}

/* The gain is that over the configuration of the start on the same machine, also if the machine is slower later. */
static void the_gain_is_measured_against_the_start(void)
{
    const qn_tune_attach_options options = {
        .size = sizeof options, .mode = QN_TUNE_ONLINE, .store = NULL, .searcher = "full", .budget = 0.5};
    qn_tune_gain gain;
    size_t count;
    void *state = NULL;
    CHECK_OK(qn_tune_attach(context, &options));
    run_rounds(&honest_family, 400, &gain);
    CHECK(gain.origin == QN_TUNE_ORIGIN_RUN && !gain.exploring);
    CHECK_OK(create_of(&honest_family, queue, (const int[3]){7}, &state));
    planted_slowness = 4;
    for (int i = 0; i < 800; i++) /* one in 32 rounds is timed, and medians are of 15 */
        if (!CHECK_OK(planted_launch(state, queue, NULL, NULL))) break;
    CHECK_OK(qn_queue_finish(queue));
    CHECK_OK(qn_tune_gains(context, &gain, 1, &count));
    planted_slowness = 1;
    if (!CHECK(gain.speedup > 1.5)) fprintf(stderr, "  %gx\n", gain.speedup);
    planted_destroy(&state);
    qn_tune_detach(context);
}

/* Rows hold the seconds of a round and its work, as those of offline tuning do. */
static void check_rows(void)
{
    qn_tune_key key;
    qn_tune_row *rows;
    qn_work work;
    int64_t problem;
    size_t count;
    planted_work(NULL, &work);
    CHECK_OK(qn_tune_key_make(&honest_family, device, "n=7", &key));
    CHECK_OK(qn_tune_store_problem(store, &key, &problem));
    CHECK_OK(qn_tune_store_tests(store, problem, &rows, &count));
    CHECK(count >= 3);
    for (size_t i = 0; i < count; i++) {
        CHECK_NEAR(rows[i].scale / qn_tune_nominal_seconds(&work), 1, 1e-9);
        CHECK(rows[i].test.objective > 50e-6 && rows[i].test.objective < 0.1);
    }
    qn_release(&rows);
}

/* The next run begins with the result, and has nothing left to try. */
static void the_next_run_uses_the_result(void)
{
    check_rows();
    const qn_tune_attach_options options = {
        .size = sizeof options, .mode = QN_TUNE_ONLINE, .store = store, .searcher = "full"};
    qn_tune_gain gain;
    CHECK_OK(qn_tune_attach(context, &options));
    run_rounds(&honest_family, 50, &gain);
    CHECK(is_fast(&gain));
    CHECK(gain.origin == QN_TUNE_ORIGIN_STORE && gain.nearness == QN_TUNE_THIS_DEVICE);
    CHECK(gain.tests == 0 && gain.lost_seconds == 0 && gain.speedup == 1);
    qn_tune_detach(context);
}

/* Failures of builds and launches never reach the application. A wrong result would, so a family that is tuned online
 * needs tests of its extreme configurations; here a constraint excludes FAULT=1. */
static void failures_never_reach_the_application(void)
{
    static const char *const constraints[] = {"FAULT != 1 && FAULT != 5", "FAULT == 0 || DELAY == 2"};
    static qn_family family; /* outlives the device, which keeps its programs */
    qn_tune_gain gain;
    const qn_tune_attach_options options = {
        .size = sizeof options, .mode = QN_TUNE_ONLINE, .store = NULL, .searcher = "full", .budget = 0.5};
    family = planted_family;
    family.name = "test/failing";
    family.constraints = constraints;
    family.constraint_count = 2;
    CHECK_OK(qn_tune_attach(context, &options));
    run_rounds(&family, 400, &gain);
    CHECK(gain.failed == 3); /* launch, build, limits */
    CHECK(is_fast(&gain));
    qn_tune_detach(context);
}

/* A round of the first configuration that is tried takes two seconds: the budget is gone, and nothing else is tried. */
static void an_exhausted_budget_ends_trials(void)
{
    static const char *const constraints[] = {"FAULT == 0 || DELAY == 2"};
    /* static: they outlive the device, which keeps their programs */
    static qn_tunable slow_first[2];
    static qn_family family;
    const qn_tunable values[] = {{"FAULT", {FAULT_SLOW, FAULT_NONE}, 2, 0, "what is wrong"}, planted_tunables[DELAY]};
    const qn_tune_attach_options options = {
        .size = sizeof options, .mode = QN_TUNE_ONLINE, .searcher = "full", .budget = 0.05};
    qn_tune_gain gain = {0};
    size_t count;
    void *state = NULL;
    memcpy(slow_first, values, sizeof slow_first);
    family = planted_family;
    family.name = "test/slow";
    family.tunables = slow_first;
    family.constraints = constraints;
    CHECK_OK(qn_tune_attach(context, &options));
    CHECK_OK(create_of(&family, queue, (const int[3]){7}, &state));
    double start_s = planted_clock_s();
    while (gain.lost_seconds < 1 && planted_clock_s() - start_s < 60) {
        if (!CHECK_OK(planted_launch(state, queue, NULL, NULL)) || !CHECK_OK(qn_queue_finish(queue))) break;
        CHECK_OK(qn_tune_gains(context, &gain, 1, &count));
    }
    CHECK(gain.tests == 1 && gain.lost_seconds > 1);
    for (int i = 0; i < 400; i++) {
        if (!CHECK_OK(planted_launch(state, queue, NULL, NULL)) || !CHECK_OK(qn_queue_finish(queue))) break;
    }
    CHECK_OK(qn_tune_gains(context, &gain, 1, &count));
    CHECK(gain.tests == 1 && gain.exploring);
    planted_destroy(&state);
    qn_tune_detach(context);
}

static void medians_use_the_latest_values(void)
{
    qn_recent recent = {0};
    CHECK(isinf(qn_recent_median(&recent)));
    for (int i = 0; i < 40; i++) qn_recent_add(&recent, i < 25 ? 100 : i);
    CHECK(qn_recent_median(&recent) == 32); /* of 25 to 39 */
    CHECK(qn_recent_spread(&recent) > 0);
}

static void options_are_checked(void)
{
    qn_tune_attach_options options = qn_tune_attach_default_options();
    CHECK_OK(qn_tune_attach(context, &options));
    CHECK_OK(qn_tune_attach(context, NULL));
    qn_tune_detach(context);
    options.budget = (double)NAN;
    CHECK_FAILS(qn_tune_attach(context, &options), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the tuning budget is nan; expected a share, 0 to 1");
    qn_tuner_options tuning = qn_tuner_default_options();
    qn_space *space;
    qn_tuner *tuner = NULL;
    tuning.reserved[1] = 1;
    if (!CHECK_OK(qn_space_create("checked", &space))) return;
    CHECK_OK(qn_space_add_integers(space, "TILE", (const int64_t[]){1, 2}, 2, 1));
    CHECK_OK(qn_space_solve(space));
    CHECK_FAILS(qn_tuner_create(space, &tuning, &tuner), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("in reserved[1]; expected 0");
    CHECK(tuner == NULL);
    qn_space_destroy(&space);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    char path[600];
    setenv("QUERN_TUNING_STORE", "off", 1);
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)))
        return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    snprintf(path, sizeof path, "%s/online.db", check_scratch_folder());
    if (!CHECK_OK(qn_queue_create(device, &queue)) || !CHECK_OK(qn_tune_store_open(NULL, path, &store)))
        return check_finish();
    RUN(options_are_checked);
    RUN(the_fastest_is_found_within_the_budget);
    RUN(the_next_run_uses_the_result);
    RUN(the_gain_is_measured_against_the_start);
    RUN(failures_never_reach_the_application);
    RUN(an_exhausted_budget_ends_trials);
    RUN(medians_use_the_latest_values);
    qn_tune_store_close(&store);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
