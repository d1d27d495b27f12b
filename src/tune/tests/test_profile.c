/* The searcher profile on a constructed space; predictions for the recorded direct Coulomb sum; and, if the reference
 * data are there, the number of tests that profile needs on the recorded convolution. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "math/random.h"
#include "tune/model/expert.h"
#include "tune/model/static_recorded.h"
#include "tune/searcher/searcher.h"

enum { SIDE = 12, POINTS = SIDE * SIDE * SIDE, COLUMNS = 2 };

static const char *const NAMES[COLUMNS] = {"dram__sectors_read.sum",
                                           "dram__throughput.avg.pct_of_peak_sustained_elapsed"};

/* The time of every run is that of its reads: sectors (1 + |A - 7|)(1 + |B - 3|)(1 + |C - 9|)·10⁶, a nanosecond
 * each. */
typedef struct valley {
    qn_space *space;
    double columns[POINTS * COLUMNS];
} valley;

static int make_valley(valley *v)
{
    int64_t values[SIDE];
    v->space = NULL;
    for (int i = 0; i < SIDE; i++) values[i] = i;
    if (!CHECK_OK(qn_space_create("valley", &v->space)) ||
        !CHECK_OK(qn_space_add_integers(v->space, "A", values, SIDE, 0)) ||
        !CHECK_OK(qn_space_add_integers(v->space, "B", values, SIDE, 0)) ||
        !CHECK_OK(qn_space_add_integers(v->space, "C", values, SIDE, 0)) || !CHECK_OK(qn_space_solve(v->space)))
        return 0;
    for (qn_point point = 0; point < POINTS; point++) {
        uint16_t n[3];
        qn_space_get(v->space, point, n);
        v->columns[point * COLUMNS] = 1e6 * (1 + abs(n[0] - 7)) * (1 + abs(n[1] - 3)) * (1 + abs(n[2] - 9));
        v->columns[point * COLUMNS + 1] = 90;
    }
    return 1;
}

static qn_test valley_test(const valley *v, qn_point point)
{
    const double *columns = v->columns + point * COLUMNS;
    return (qn_test){
        .outcome = QN_TEST_CORRECT, .objective = 1e-9 * columns[0], .counters = columns, .counter_count = COLUMNS};
}

/* Return the number of tests until the optimum; *reruns gets the number of tests added to read counters. `order` (may
 * be NULL) gets the points. */
static double search_valley(const valley *v, const qn_tuning_model *model, uint64_t seed, uint64_t *reruns,
                            qn_point *order)
{
    void *state;
    double tests = 0;
    qn_searcher_problem problem = {.space = v->space, .seed = seed, .model = model};
    if (!CHECK_OK(qn_searcher_profile.create(&problem, &state))) return INFINITY;
    for (;;) {
        qn_point point;
        if (!CHECK_OK(qn_searcher_profile.ask(state, &point)) || !CHECK(point < POINTS) || tests > POINTS) break;
        if (order) order[(int)tests] = point;
        tests++;
        qn_test test = valley_test(v, point);
        if (test.objective < 1.5e-3 || !CHECK_OK(qn_searcher_profile.tell(state, point, &test))) break;
    }
    *reruns = qn_searcher_profile.reruns(state);
    qn_searcher_profile.destroy(&state);
    return tests;
}

/* Random search needs (1728 + 1) / 2 tests on average for the one optimum; with counters a tenth of that is allowed. */
static void counters_lead_to_the_optimum(void)
{
    static valley v;
    qn_tuning_model *model = NULL;
    if (make_valley(&v) && CHECK_OK(qn_tuning_model_from_table(v.space, NAMES, COLUMNS, v.columns, &model))) {
        double sum = 0;
        for (uint64_t seed = 0; seed < 30; seed++) {
            uint64_t reruns;
            sum += search_valley(&v, model, seed, &reruns, NULL);
            CHECK(reruns > 0);
            sum += (double)reruns;
        }
        printf("%.1f tests to the optimum of the valley\n", sum / 30);
        CHECK(sum / 30 <= 86);
    }
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&v.space);
}

static void the_seed_determines_the_search(void)
{
    static valley v;
    static qn_point first[POINTS + 1], second[POINTS + 1];
    qn_tuning_model *model = NULL;
    if (make_valley(&v) && CHECK_OK(qn_tuning_model_from_table(v.space, NAMES, COLUMNS, v.columns, &model))) {
        uint64_t reruns, again;
        double tests = search_valley(&v, model, 4, &reruns, first);
        CHECK(search_valley(&v, model, 4, &again, second) == tests && again == reruns);
        CHECK(memcmp(first, second, (size_t)tests * sizeof *first) == 0);
        search_valley(&v, model, 5, &again, second);
        CHECK(memcmp(first, second, 2 * sizeof *first) != 0);
    }
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&v.space);
}

/* A configuration is run again once for its counters, when it is the best; without counters no configuration is. */
static void reruns_for_counters_are_counted(void)
{
    static valley v;
    qn_tuning_model *model = NULL;
    if (make_valley(&v) && CHECK_OK(qn_tuning_model_from_table(v.space, NAMES, COLUMNS, v.columns, &model))) {
        for (int told = 0; told < 2; told++) {
            void *state;
            qn_point point, best = 0;
            qn_searcher_problem problem = {.space = v.space, .seed = 1, .model = model};
            if (!CHECK_OK(qn_searcher_profile.create(&problem, &state))) break;
            CHECK_OK(qn_space_find(v.space, (uint16_t[]){7, 3, 9}, &best) ? QN_OK : QN_NOT_FOUND);
            qn_test test = valley_test(&v, best);
            if (!told) test.counter_count = 0;
            CHECK_OK(qn_searcher_profile.tell(state, best, &test));
            for (int i = 0; i < 20; i++) { /* nothing is better than the first */
                if (!CHECK_OK(qn_searcher_profile.ask(state, &point)) || !CHECK(point != best)) break;
                test = valley_test(&v, point);
                if (!told) test.counter_count = 0;
                CHECK_OK(qn_searcher_profile.tell(state, point, &test));
            }
            CHECK(qn_searcher_profile.reruns(state) == (uint64_t)told);
            qn_searcher_profile.destroy(&state);
        }
    }
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&v.space);
}

/* With and without a model, every point is asked for exactly once. */
static void every_point_is_asked_once(void)
{
    static valley v;
    static unsigned char seen[POINTS];
    qn_tuning_model *model = NULL;
    if (make_valley(&v) && CHECK_OK(qn_tuning_model_from_table(v.space, NAMES, COLUMNS, v.columns, &model)))
        for (int with = 0; with < 2; with++) {
            qn_searcher *searcher = NULL;
            qn_searcher_problem problem = {.space = v.space, .seed = 2, .model = with ? model : NULL};
            uint64_t tests = 0;
            bool found = true;
            memset(seen, 0, sizeof seen);
            if (!CHECK_OK(qn_searcher_create("profile", &problem, &searcher))) break;
            for (; tests <= POINTS && found; tests += found) {
                qn_point point;
                if (!CHECK_OK(qn_searcher_ask(searcher, &point, &found)) || !found) break;
                CHECK(!seen[point]);
                seen[point] = 1;
                qn_test test = valley_test(&v, point);
                if (point % 3 == 0) test = (qn_test){.outcome = QN_TEST_LAUNCH, .objective = INFINITY};
                CHECK_OK(qn_searcher_tell(searcher, point, &test));
            }
            CHECK(tests == POINTS);
            qn_searcher_destroy(&searcher);
        }
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&v.space);
}

/* A configuration that needs too much local memory is not asked for while others are left. */
static void configurations_that_do_not_fit_come_last(void)
{
    static const char *const names[1] = {"local_memory_bytes"};
    int64_t values[40];
    double bytes[40];
    bool asked[40] = {false};
    qn_space *space = NULL;
    qn_tuning_model *model = NULL;
    void *state = NULL;
    for (int i = 0; i < 40; i++) values[i] = i;
    if (!CHECK_OK(qn_space_create("sizes", &space)) || !CHECK_OK(qn_space_add_integers(space, "KIB", values, 40, 0)) ||
        !CHECK_OK(qn_space_solve(space)))
        return;
    for (qn_point point = 0; point < 40; point++) bytes[point] = 4096 * (double)point;
    qn_device_info device = {.local_memory_bytes = 49152};
    if (CHECK_OK(qn_tuning_model_from_table(space, names, 1, bytes, &model))) {
        qn_searcher_problem problem = {.space = space, .seed = 3, .model = model, .device = &device};
        CHECK_OK(qn_searcher_profile.create(&problem, &state));
        for (int i = 0; i < 13 && state; i++) { /* 0 to 12 fit */
            qn_point point;
            CHECK_OK(qn_searcher_profile.ask(state, &point));
            CHECK(bytes[point] <= 49152 && !asked[point]);
            asked[point] = true;
            CHECK_OK(qn_searcher_profile.tell(
                state, point, &(qn_test){.outcome = QN_TEST_CORRECT, .objective = 1 + (double)(point % 5)}));
        }
        qn_searcher_profile.destroy(&state);
    }
    qn_tuning_model_destroy(&model);
    qn_space_destroy(&space);
}

/* ---- Recorded spaces ---- */

/* Mean relative error of the counts (columns *.sum that are above 0) of the points that were not used for training. */
static double held_out_error(const qn_recorded_space *record, const qn_tuning_model *model,
                             const unsigned char *learned)
{
    qn_tuning_model_binding *binding;
    size_t columns = record->counter_count;
    double sum = 0, *predicted = malloc(columns * sizeof *predicted);
    uint64_t count = 0;
    if (!predicted || !CHECK_OK(qn_tuning_model_bind(model, record->space, &binding))) return INFINITY;
    for (qn_point point = 0; point < qn_space_size(record->space); point++) {
        if (learned[point] || record->tests[point].outcome != QN_TEST_CORRECT) continue;
        qn_tuning_model_predict(model, binding, point, predicted);
        for (size_t c = 0; c < columns; c++) {
            double value = record->counters[point * columns + c];
            if (!strstr(record->counter_names[c], ".sum") || !(value > 0)) continue;
            sum += fabs(predicted[c] - value) / value;
            count++;
        }
    }
    qn_tuning_model_unbind(&binding);
    free(predicted);
    return count ? sum / (double)count : INFINITY;
}

/* Five-fold: each fifth is predicted from the other four. */
static void counts_of_the_coulomb_sum_are_predicted(void)
{
    enum { FOLDS = 5 };
    qn_recorded_space *record = NULL;
    if (!CHECK_OK(qn_recorded_space_read(check_data("tune/coulomb3d_RTX_2080_Ti_ktt.json.gz"), &record))) return;
    CHECK(qn_space_size(record->space) == 210 && record->counter_count == 38);
    unsigned char learned[210];
    double error = 0;
    for (unsigned fold = 0; fold < FOLDS; fold++) {
        qn_tuning_model *model;
        for (uint64_t i = 0; i < 210; i++) learned[i] = (unsigned)(FOLDS * qn_random_uniform(11, 0, i)) != fold;
        if (!CHECK_OK(
                qn_tuning_model_train(record, &(qn_tuning_model_options){.seed = fold, .learned = learned}, &model)))
            break;
        error += held_out_error(record, model, learned) / FOLDS;
        qn_tuning_model_destroy(&model);
    }
    printf("mean relative error of counts, five-fold: %.3f\n", error);
    CHECK(error < 0.08);
    qn_recorded_space_destroy(&record);
}

/* Mean number of tests until 1.1 times the best; failures and reruns count. */
static double mean_tests(const qn_recorded_space *record, bool counted, int repeats)
{
    qn_device_info device;
    qn_device_rates rates;
    qn_static_limits limits;
    double best = INFINITY, sum = 0;
    uint64_t size = qn_space_size(record->space);
    unsigned char *half = malloc(size);
    for (uint64_t i = 0; i < size; i++) best = fmin(best, record->tests[i].objective);
    CHECK(qn_recorded_device(record->device, &device, &rates, &limits));
    for (int repeat = 0; repeat < repeats && half; repeat++) {
        uint64_t seed = 1000 + (uint64_t)repeat;
        qn_tuning_model *model = NULL;
        void *state = NULL;
        for (uint64_t i = 0; i < size; i++) half[i] = qn_random_uniform(seed, 5, i) < 0.5;
        if (counted)
            CHECK_OK(qn_tuning_model_train(record, &(qn_tuning_model_options){.seed = seed, .learned = half}, &model));
        else
            CHECK_OK(qn_static_model_of_record(record, &limits, &model));
        qn_searcher_problem problem = {
            .space = record->space, .seed = seed, .model = model, .device = &device, .rates = &rates};
        if (!CHECK_OK(qn_searcher_profile.create(&problem, &state))) break;
        for (qn_point point; qn_searcher_profile.ask(state, &point) == QN_OK;) {
            qn_test test = record->tests[point];
            sum++;
            test.counters = counted ? record->counters + point * record->counter_count : NULL;
            test.counter_count = counted ? record->counter_count : 0;
            if (test.objective <= 1.1 * best || !CHECK_OK(qn_searcher_profile.tell(state, point, &test))) break;
        }
        sum += (double)qn_searcher_profile.reruns(state);
        qn_searcher_profile.destroy(&state);
        qn_tuning_model_destroy(&model);
    }
    free(half);
    return sum / repeats;
}

/* Random search needs 294 tests on average; with counters at most 25 are allowed, with the static model a third of
 * random search. The bounds leave room for the scatter of 16 and 48 repeats. */
static void the_best_convolution_is_found_in_few_tests(void)
{
    const char *path = check_reference_data("tuning/ktt_counters/convolution_RTX_2080_Ti_ktt.json.gz");
    qn_recorded_space *record = NULL;
    if (!path) {
        CHECK(path == NULL);
        return;
    }
    if (!CHECK_OK(qn_recorded_space_read(path, &record))) return;
    double counted = mean_tests(record, true, 16), statics = mean_tests(record, false, 48);
    printf("convolution: %.1f tests with counters, %.1f with the static model\n", counted, statics);
    CHECK(counted <= 25);
    CHECK(statics <= 98);
    qn_recorded_space_destroy(&record);
}

/* The static model computes the number of work-items that the file has for each launch. */
static void static_sizes_equal_the_recorded_ones(void)
{
    qn_recorded_space *record = NULL;
    qn_tuning_model *model = NULL;
    qn_tuning_model_binding *binding = NULL;
    qn_static_limits limits = qn_static_limits_of(NULL);
    if (!CHECK_OK(qn_recorded_space_read(check_data("tune/coulomb3d_RTX_2080_Ti_ktt.json.gz"), &record))) return;
    size_t size = 0;
    while (size < record->counter_count && strcmp(record->counter_names[size], "global_size") != 0) size++;
    if (CHECK(size < record->counter_count) && CHECK_OK(qn_static_model_of_record(record, &limits, &model)) &&
        CHECK_OK(qn_tuning_model_bind(model, record->space, &binding)))
        for (qn_point point = 0; point < qn_space_size(record->space); point++) {
            double columns[QN_STATIC_COLUMNS];
            qn_tuning_model_predict(model, binding, point, columns);
            for (size_t c = 0; c < QN_STATIC_COLUMNS; c++)
                if (strcmp(qn_static_column(c), "global_size") == 0)
                    CHECK_NEAR(columns[c], record->counters[point * record->counter_count + size], 0);
        }
    qn_tuning_model_unbind(&binding);
    qn_tuning_model_destroy(&model);
    qn_recorded_space_destroy(&record);
}

int main(void)
{
    RUN(counters_lead_to_the_optimum);
    RUN(the_seed_determines_the_search);
    RUN(reruns_for_counters_are_counted);
    RUN(every_point_is_asked_once);
    RUN(configurations_that_do_not_fit_come_last);
    RUN(counts_of_the_coulomb_sum_are_predicted);
    RUN(static_sizes_equal_the_recorded_ones);
    RUN_LONG(the_best_convolution_is_found_in_few_tests);
    return check_finish();
}
