/* Count the tests that the `profile` searcher needs to come within 10 % of the best of recorded spaces:
 *
 *     quern_bench_tune_profile [--repeats N] FILE…
 *
 * Failed configurations count as tests, and so does each repeated run that reads counters. Printed for each space:
 * random (the exact mean of a search without replacement, and its simulation); profile with a model of counters trained
 * on a random half of the space (if the file has counters); the same when no counters can be read while tuning; profile
 * with the static model; and profile with no model (uniformly drawn neighbours of the best). The last columns are
 * processor time per step. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "math/random.h"
#include "tune/model/static_recorded.h"
#include "tune/searcher/searcher.h"

enum { HALF_STREAM = 77, RANDOM_STREAM = 78 };

typedef enum way { RANDOM, COUNTERS, NO_COUNTERS, STATIC, NO_MODEL, WAYS } way;

static const char *const WAY_NAMES[WAYS] = {"random", "profile, model and counters", "profile, model, no counters",
                                            "profile, static model", "profile, no model"};

typedef struct bench {
    const qn_recorded_space *record;
    double goal; /* seconds */
    qn_device_info device;
    qn_device_rates rates;
    qn_tuning_model *statics; /* static model; NULL: the kernel has none */
    double step_seconds, longest_step_seconds;
    uint64_t steps;
} bench;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void time_step(bench *b, double seconds)
{
    b->step_seconds += seconds;
    b->steps++;
    if (seconds > b->longest_step_seconds) b->longest_step_seconds = seconds;
}

/* Draw without replacement until a point is within 10 % of the best. Returns the number of draws. */
static double search_randomly(const bench *b, uint64_t seed)
{
    uint64_t size = qn_space_size(b->record->space), draw = 0;
    uint32_t *order = malloc(size * sizeof *order);
    if (!order) return NAN;
    for (uint64_t i = 0; i < size; i++) order[i] = (uint32_t)i;
    for (;; draw++) {
        double uniform = qn_random_uniform(seed, RANDOM_STREAM, draw);
        uint64_t other = draw + (uint64_t)(uniform * (double)(size - draw));
        uint32_t point = order[other];
        order[other] = order[draw];
        if (b->record->tests[point].objective <= b->goal) break;
    }
    free(order);
    return (double)(draw + 1);
}

static qn_status search(bench *b, way w, const qn_tuning_model *model, uint64_t seed, double *tests)
{
    void *state;
    qn_searcher_problem problem = {
        .space = b->record->space, .seed = seed, .model = model, .device = &b->device, .rates = &b->rates};
    qn_status status = qn_searcher_profile.create(&problem, &state);
    *tests = 0;
    while (status == QN_OK) {
        qn_point point;
        double start = processor_seconds();
        status = qn_searcher_profile.ask(state, &point);
        if (status != QN_OK) break;
        qn_test test = b->record->tests[point];
        ++*tests;
        if (w == COUNTERS) {
            test.counters = b->record->counters + point * b->record->counter_count;
            test.counter_count = b->record->counter_count;
        } else {
            test.counters = NULL;
            test.counter_count = 0;
        }
        status = qn_searcher_profile.tell(state, point, &test);
        time_step(b, processor_seconds() - start);
        if (test.objective <= b->goal) break;
    }
    if (state) *tests += (double)qn_searcher_profile.reruns(state);
    qn_searcher_profile.destroy(&state);
    return status;
}

static qn_status train_on_half(const bench *b, uint64_t seed, qn_tuning_model **model)
{
    uint64_t size = qn_space_size(b->record->space);
    unsigned char *half = malloc(size);
    if (!half) return QN_OUT_OF_MEMORY;
    for (uint64_t i = 0; i < size; i++) half[i] = qn_random_uniform(seed, HALF_STREAM, i) < 0.5;
    qn_status status =
        qn_tuning_model_train(b->record, &(qn_tuning_model_options){.seed = seed, .learned = half}, model);
    free(half);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_way(bench *b, const char *name, double *tests, int repeats)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < repeats; i++) sum += tests[i];
    double mean = sum / repeats;
    for (int i = 0; i < repeats; i++) squares += (tests[i] - mean) * (tests[i] - mean);
    double deviation = repeats > 1 ? sqrt(squares / (repeats - 1)) : 0;
    qsort(tests, (size_t)repeats, sizeof *tests, ascending);
    printf("  %-28s %8.1f %6.1f %9.1f %7.0f", name, mean, deviation / sqrt(repeats), deviation, tests[repeats / 2]);
    if (b->steps) printf(" %8.3f %8.3f", 1e3 * b->step_seconds / (double)b->steps, 1e3 * b->longest_step_seconds);
    printf("\n");
    fflush(stdout);
    b->steps = 0;
    b->step_seconds = b->longest_step_seconds = 0;
}

static qn_status run_way(bench *b, way w, int repeats, double *tests)
{
    for (int i = 0; i < repeats; i++) {
        uint64_t seed = (uint64_t)i + 1;
        qn_tuning_model *trained = NULL;
        qn_status status = QN_OK;
        if (w == RANDOM) {
            tests[i] = search_randomly(b, seed);
            continue;
        }
        if (w == COUNTERS || w == NO_COUNTERS) status = train_on_half(b, seed, &trained);
        if (status == QN_OK) status = search(b, w, w == STATIC ? b->statics : trained, seed, &tests[i]);
        qn_tuning_model_destroy(&trained);
        if (status != QN_OK) return status;
    }
    print_way(b, WAY_NAMES[w], tests, repeats);
    return QN_OK;
}

static qn_status run_file(const char *path, int repeats, double *tests)
{
    qn_recorded_space *record = NULL;
    qn_static_limits limits;
    qn_status status = qn_recorded_space_read(path, &record);
    if (status != QN_OK) return status;
    bench b = {.record = record, .goal = INFINITY};
    uint64_t size = qn_space_size(record->space), good = 0;
    for (uint64_t i = 0; i < size; i++)
        if (record->tests[i].objective < b.goal) b.goal = record->tests[i].objective;
    b.goal *= 1.1;
    for (uint64_t i = 0; i < size; i++) good += record->tests[i].objective <= b.goal;
    qn_recorded_device(record->device[0] ? record->device : path, &b.device, &b.rates, &limits);
    if (qn_static_model_of_record(record, &limits, &b.statics) != QN_OK) b.statics = NULL;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    printf("%s: %llu points, %llu within 10 %%; random needs %.1f tests (exact mean)\n", name, (unsigned long long)size,
           (unsigned long long)good, (double)(size + 1) / (double)(good + 1));
    printf("  %-28s %8s %6s %9s %7s %8s %8s\n", "tests to 1.1 of the best", "mean", "+-", "deviation", "median",
           "ms/step", "longest");
    for (way w = RANDOM; w < WAYS && status == QN_OK; w++) {
        if ((w == COUNTERS || w == NO_COUNTERS) && !record->counter_count) continue;
        if (w == STATIC && !b.statics) continue;
        status = run_way(&b, w, repeats, tests);
    }
    qn_tuning_model_destroy(&b.statics);
    qn_recorded_space_destroy(&record);
    return status;
}

int main(int argc, char **argv)
{
    int repeats = 100, first = 1;
    if (argc > 2 && strcmp(argv[1], "--repeats") == 0) {
        repeats = atoi(argv[2]);
        first = 3;
    }
    if (repeats < 1 || first >= argc) {
        fprintf(stderr, "usage: %s [--repeats N] FILE...   (recorded spaces)\n", argv[0]);
        return 2;
    }
    double *tests = malloc((size_t)repeats * sizeof *tests);
    if (!tests) return 1;
    for (int i = first; i < argc; i++)
        if (run_file(argv[i], repeats, tests) != QN_OK) {
            fprintf(stderr, "%s\n", qn_error_message());
            free(tests);
            return 1;
        }
    free(tests);
    return 0;
}
