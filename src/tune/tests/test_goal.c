/* labels: unsanitized */
#define _DEFAULT_SOURCE
/* alone: it measures times, which other tests would disturb */
/* Tuning for energy, expressions and several objectives, with a simulated meter in place of a device's counter.
 */
#include "check.h"

#include "base/memory.h"
#include "tune/goal.h"
#include "tune/offline/run.h"
#include "tune/tests/planted.h"

static qn_context *context;
static qn_device *device;
static char path[600];

/* With the delays, 400 350 300 450 250 100 200 500 us, a run takes 40 35 30 22.5 10 40 20 15 mJ: DELAY=4 takes the
 * least energy, 5 is the fastest, 6 is between them on the front, and all others are worse than one of these three in
 * both. */
static const double watts[DELAYS] = {100, 100, 100, 50, 40, 400, 100, 30};
enum { LEAST_ENERGY = 4 };

/* Energy counter of the simulated device, which depends on the last configuration and ticks every 20 ms. */
typedef struct planted_counter {
    double joules, last_s, shown, shown_s;
    bool broken;
} planted_counter;

static qn_status read_counter(void *user, double *joules)
{
    planted_counter *counter = user;
    const double now_s = planted_clock_s();
    if (!counter->broken) counter->joules += watts[planted_delay] * (now_s - counter->last_s);
    counter->last_s = now_s;
    if (now_s - counter->shown_s >= 0.02) {
        counter->shown = counter->joules;
        counter->shown_s = now_s;
    }
    *joules = counter->shown;
    return QN_OK;
}

static qn_status tune(const char *objective, qn_tune_store *store, qn_tune_result *result)
{
    static planted_counter counter;
    const qn_tune_meter meter = {read_counter, &counter};
    counter = (planted_counter){.last_s = planted_clock_s()};
    memset(planted_runs, 0, sizeof planted_runs);
    const qn_tune_options options = {.size = sizeof options,
                                     .tuner = {.size = sizeof(qn_tuner_options), .searcher = "full"},
                                     .objective = objective,
                                     .most_repeats = 5,
                                     .store = store};
    qn_workload workload = honest_workload;
    if (!objective || !strstr(objective, "limit")) workload.work = NULL; /* measuring the limit takes seconds */
    return qn_tune_run_metered(device, &workload, &options, &meter, result);
}

static void energy_is_minimised(void)
{
    qn_tune_result result;
    CHECK_OK(tune("joules", NULL, &result));
    CHECK(result.configuration.value[DELAY] == LEAST_ENERGY && result.front_count == 0);
    CHECK(result.best.objective == result.best.joules);
    /* the clocks of the run and of the meter agree, except for the load of other programs */
    CHECK_NEAR(result.best.joules, watts[LEAST_ENERGY] * result.best.seconds, 0.1 * result.best.joules);
    CHECK(result.best.seconds > 200e-6 && result.fallback.joules > result.best.joules);
}

static void expressions_are_minimised(void)
{
    qn_tune_result result;
    CHECK_OK(tune("watts / 10 + 0 * min(seconds, joules)", NULL, &result));
    CHECK(result.configuration.value[DELAY] == 7); /* of 30 W */
    CHECK_NEAR(result.best.objective, 3, 0.3);
    CHECK_OK(tune("seconds / limit_seconds", NULL, &result));
    CHECK(result.configuration.value[DELAY] == BEST_DELAY && result.best.joules == 0);
    CHECK_NEAR(result.best.objective, result.best.seconds / result.limit_seconds, 1e-9 * result.best.objective);
}

static void check_front(const qn_tune_result *result)
{
    CHECK_TEXT(result->text, "FAULT=0 DELAY=5");
    if (!CHECK(result->front_count >= 2 && result->front_count <= 4)) return; /* times of busy machines overlap */
    CHECK_TEXT(result->front[0].text, "FAULT=0 DELAY=5");
    CHECK_TEXT(result->front[result->front_count - 1].text, "FAULT=0 DELAY=4");
    for (size_t i = 1; i < result->front_count; i++)
        CHECK(result->front[i].seconds > result->front[i - 1].seconds &&
              result->front[i].joules < result->front[i - 1].joules);
}

/* Several objectives give a front. Measured energies are stored: a run for time alone keeps them, and a run for energy
 * repeats the tests without energy. */
static void several_objectives_have_a_front(void)
{
    qn_tune_store *store;
    qn_tune_result result;
    snprintf(path, sizeof path, "%s/goal.db", check_scratch_folder());
    CHECK_OK(qn_tune_store_open(NULL, path, &store));
    CHECK_OK(tune(NULL, store, &result));
    CHECK(result.front_count == 0 && result.best.joules == 0 && result.best.seconds == result.best.objective);
    CHECK_OK(tune("seconds, joules", store, &result));
    check_front(&result);
    for (int i = 0; i < DELAYS; i++) CHECK(planted_runs[0][i] > 20); /* 0.3 s of each, although their times are known */
    CHECK_OK(tune(NULL, store, &result));
    CHECK(result.configuration.value[DELAY] == BEST_DELAY);
    CHECK_OK(tune("seconds,joules", store, &result));
    check_front(&result);
    CHECK(planted_runs[0][LEAST_ENERGY] == 0); /* only the fallback is measured again */
    qn_tune_store_close(&store);
}

/* If a front has more points than a result has room for, both ends are kept. */
static void long_fronts_are_thinned(void)
{
    enum { POINTS = 100 };
    static qn_tune_result result;
    qn_goal goal;
    char text[32];
    CHECK_OK(qn_goal_open("seconds, 1 / seconds", device, 0, NULL, &goal));
    for (int i = 0; i < POINTS; i++) {
        qn_test test = {.objective = 1 + (i * 37) % POINTS}, worse = test;
        snprintf(text, sizeof text, "A=%d", (i * 37) % POINTS);
        CHECK_OK(qn_goal_apply(&goal, &test));
        CHECK_OK(qn_goal_note(&goal, text, &test));
        CHECK_OK(qn_goal_apply(&goal, &worse));
        CHECK_OK(qn_goal_note(&goal, "the same again", &worse));
    }
    CHECK(goal.point_count == POINTS);
    qn_goal_report(&goal, &result);
    CHECK(result.front_count == QN_TUNE_FRONT_MAX);
    CHECK_TEXT(result.front[0].text, "A=0");
    CHECK_TEXT(result.front[QN_TUNE_FRONT_MAX - 1].text, "A=99");
    qn_goal_close(&goal);
}

static void unusable_objectives_are_refused(void)
{
    static planted_counter counter = {.broken = true};
    const qn_tune_meter meter = {read_counter, &counter};
    qn_tune_result result;
    qn_workload bare = honest_workload;
    qn_tune_options options = {.size = sizeof options, .objective = "joule"};
    bare.work = NULL;
    CHECK_FAILS(qn_tune_run(device, &bare, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("joule");
    options.objective = "seconds,";
    CHECK_FAILS(qn_tune_run(device, &bare, &options, &result), QN_INVALID_ARGUMENT);
    options.objective = "-seconds";
    CHECK_FAILS(qn_tune_run(device, &bare, &options, &result), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("expected a positive number");
    options.objective = "seconds / limit_seconds";
    CHECK_FAILS(qn_tune_run(device, &bare, &options, &result), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("limit_seconds");
    options.objective = "joules";
    CHECK_FAILS(qn_tune_run_metered(device, &bare, &options, &meter, &result), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("stands still");
}

int main(void)
{
    setenv("QUERN_TUNING_STORE", "off", 1);
    setenv("QUERN_LOAD", "0", 1); /* the load of this machine would decide which tests are made again */
    if (!CHECK_OK(
            qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 2}, &context)) ||
        !CHECK_OK(qn_device_open(context, "host", &device)))
        return check_finish();
    RUN(energy_is_minimised);
    RUN(expressions_are_minimised);
    RUN(several_objectives_have_a_front);
    RUN(long_fronts_are_thinned);
    RUN(unusable_objectives_are_refused);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
