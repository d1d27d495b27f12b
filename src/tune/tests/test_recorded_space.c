/* Recorded spaces: reading the three formats as other programs write them, writing them, and the published numbers of
 * the community's recorded spaces. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "tune/recorded/recorded_space.h"

static qn_recorded_space *read_data(const char *name)
{
    char path[512];
    qn_recorded_space *record = NULL;
    snprintf(path, sizeof path, "tune/%s", name);
    CHECK_OK(qn_recorded_space_read(check_data(path), &record));
    return record;
}

/* Find the test of a configuration, given as qn_space_format writes it; outcome QN_TEST_CRASH if there is none. */
static const qn_test *test_of(const qn_recorded_space *record, const char *configuration)
{
    static const qn_test none = {.outcome = QN_TEST_CRASH};
    for (qn_point point = 0; point < qn_space_size(record->space); point++) {
        char text[256];
        qn_space_format(record->space, point, text, sizeof text);
        if (strcmp(text, configuration) == 0) return &record->tests[point];
    }
    fprintf(stderr, "  no configuration \"%s\"\n", configuration);
    return &none;
}

static void t4_is_read_in_both_spellings(void)
{
    qn_recorded_space *r = read_data("small_t4.json");
    if (!r) return;
    CHECK(qn_space_size(r->space) == 6 && qn_space_parameter_count(r->space) == 4);
    CHECK(qn_space_value(r->space, 0, 0)->as.integer == 32 && qn_space_value(r->space, 0, 2)->as.integer == 128);
    const qn_test *test = test_of(r, "block=64 layout=row fast=True scale=0.5");
    CHECK(test->outcome == QN_TEST_CORRECT);
    CHECK_NEAR(test->objective, 10e-6, 1e-18);
    CHECK_NEAR(test->build_seconds, 1e-3, 1e-15);
    CHECK_NEAR(test->run_seconds, 70e-6, 1e-16);
    CHECK_NEAR(test->spread, 1.96e-6 / sqrt(3), 1e-16); /* deviation 1 us, three runs */
    CHECK(r->counter_count == 1 && test->counter_count == 1 && test->counters[0] == 3);
    CHECK_TEXT(r->counter_names[0], "GFLOP/s");
    test = test_of(r, "block=32 layout=tile fast=True scale=0.5");
    CHECK_NEAR(test->objective, 0.5e-3, 1e-15); /* in its own unit; the runtimes differ and are only the cost */
    CHECK_NEAR(test->run_seconds, 300e-6, 1e-15);
    CHECK_NEAR(test->build_seconds, 2e-3, 1e-15);
    CHECK(test->spread == 0 && isnan(test->counters[0]));
    test = test_of(r, "block=128 layout=row fast=False scale=1");
    CHECK(test->outcome == QN_TEST_BUILD && isinf(test->objective));
    CHECK(test_of(r, "block=128 layout=row fast=True scale=1")->outcome == QN_TEST_TIMEOUT);
    CHECK(test_of(r, "block=128 layout=tile fast=True scale=1")->outcome == QN_TEST_WRONG);
    CHECK(isinf(test_of(r, "block=128 layout=tile fast=True scale=1")->objective));
    CHECK(test_of(r, "block=128 layout=tile fast=False scale=1")->outcome == QN_TEST_LIMITS);
    qn_recorded_space_destroy(&r);
}

static void unfinished_caches_are_read(void)
{
    qn_recorded_space *r = read_data("unfinished_cache.json");
    if (!r) return;
    CHECK_TEXT(r->device, "Test device");
    CHECK_TEXT(r->name, "copy");
    CHECK(qn_space_size(r->space) == 4);
    CHECK(qn_space_value(r->space, 0, 0)->as.integer == 128); /* the order of tune_params */
    CHECK_TEXT(qn_space_value(r->space, 1, 0)->as.text, "tile");
    const qn_test *test = test_of(r, "block=32 layout=row");
    CHECK(test->outcome == QN_TEST_CORRECT);
    CHECK_NEAR(test->objective, 2.5e-3, 1e-15);
    CHECK_NEAR(test->build_seconds, 0.1, 1e-15);
    CHECK_NEAR(test->run_seconds, 10.5e-3, 1e-15);
    CHECK_NEAR(test->spread, 1.96 * 0.1e-3 / sqrt(3), 1e-15);
    CHECK(r->counter_count == 1 && test->counters[0] == 12.5);
    CHECK(test_of(r, "block=64 layout=row")->outcome == QN_TEST_BUILD);
    CHECK(test_of(r, "block=64 layout=tile")->outcome == QN_TEST_LAUNCH);
    CHECK(isinf(test_of(r, "block=64 layout=tile")->objective));
    qn_recorded_space_destroy(&r);
}

static double counter(const qn_recorded_space *r, const qn_test *test, const char *name)
{
    for (size_t i = 0; i < r->counter_count; i++)
        if (strcmp(r->counter_names[i], name) == 0) return test->counters[i];
    return -1;
}

static void ktt_is_read_with_counters(void)
{
    qn_recorded_space *r = read_data("small_ktt.json");
    if (!r) return;
    const qn_test *test = test_of(r, "A=2 B=1");
    CHECK(qn_space_size(r->space) == 2 && r->counter_count == 7);
    CHECK_NEAR(test->objective, 12.5e-6, 1e-18);
    CHECK_NEAR(test->build_seconds, 800e-6, 1e-16);
    CHECK_NEAR(test->run_seconds, 122.5e-6, 1e-16);
    CHECK(counter(r, test, "dram__sectors_read.sum") == 640 && counter(r, test, "inst_executed.sum") == 99);
    CHECK(counter(r, test, "global_size") == 16 * 4 * 32 * 2 && counter(r, test, "local_size") == 64);
    CHECK(counter(r, test, "registers") == 24 && counter(r, test, "local_memory_bytes") == 256);
    CHECK(counter(r, test, "private_memory_bytes") == 0);
    test = test_of(r, "A=1 B=1");
    CHECK(test->outcome == QN_TEST_WRONG && isinf(test->objective) && isnan(counter(r, test, "registers")));
    CHECK_NEAR(test->build_seconds, 70e-6, 1e-16);
    qn_recorded_space_destroy(&r);
}

static bool close_to(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-12 * fabs(a);
}

static size_t differences(const qn_recorded_space *a, const qn_recorded_space *b, bool with_spread)
{
    size_t wrong = qn_space_size(a->space) != qn_space_size(b->space) || strcmp(a->name, b->name) != 0 ||
                   strcmp(a->device, b->device) != 0 || a->counter_count != b->counter_count;
    for (qn_point point = 0; point < qn_space_size(a->space) && !wrong; point++) {
        char text[512];
        qn_space_format(a->space, point, text, sizeof text);
        const qn_test *x = &a->tests[point], *y = test_of(b, text);
        wrong += x->outcome != y->outcome || !close_to(x->objective, y->objective);
        wrong += !close_to(x->build_seconds, y->build_seconds) || !close_to(x->run_seconds, y->run_seconds);
        wrong += with_spread && !close_to(x->spread, y->spread);
        for (size_t i = 0; i < a->counter_count; i++)
            wrong += !close_to(x->counters[i], counter(b, y, a->counter_names[i]));
    }
    return wrong;
}

/* Written records are read back unchanged. Only KTT's format has no field for the confidence interval, a time-out, or a
 * cost below the objective. */
static void written_records_are_read_back_unchanged(void)
{
    static const char *const names[] = {"small_t4.json", "unfinished_cache.json", "small_ktt.json"};
    for (int i = 0; i < 3; i++)
        for (int format = QN_RECORDED_T4; format <= QN_RECORDED_KTT; format++) {
            qn_recorded_space *first = read_data(names[i]), *again = NULL;
            char *path = NULL;
            if (!first || !CHECK_OK(qn_path_join(check_scratch_folder(), "written.json", &path))) continue;
            for (qn_point point = 0; point < qn_space_size(first->space) && format == QN_RECORDED_KTT; point++) {
                qn_test *test = &first->tests[point];
                if (test->outcome == QN_TEST_TIMEOUT) test->outcome = QN_TEST_LAUNCH;
                if (test->outcome == QN_TEST_CORRECT && test->run_seconds < test->objective)
                    test->run_seconds = test->objective;
            }
            CHECK_OK(qn_recorded_space_write(first, (qn_recorded_space_format)format, path));
            if (CHECK_OK(qn_recorded_space_read(path, &again)) &&
                !CHECK(differences(first, again, format != QN_RECORDED_KTT) == 0))
                fprintf(stderr, "  %s as format %d\n", names[i], format);
            qn_recorded_space_destroy(&first);
            qn_recorded_space_destroy(&again);
            qn_release(&path);
        }
}

static void refuse(const char *text, const char *part)
{
    qn_recorded_space *record;
    char *path;
    if (!CHECK_OK(qn_path_join(check_scratch_folder(), "wrong.json", &path))) return;
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    if (!CHECK_FAILS(qn_recorded_space_read(path, &record), QN_BAD_FORMAT)) fprintf(stderr, "  %s\n", text);
    CHECK(record == NULL);
    CHECK_MESSAGE_HAS(part);
    CHECK_MESSAGE_HAS("wrong.json");
    qn_release(&path);
}

static void mistakes_are_located(void)
{
    qn_recorded_space *record;
    CHECK_FAILS(qn_recorded_space_read("no/such/file.json", &record), QN_NOT_FOUND);
    refuse("", "wrong.json:1: no JSON");
    refuse("{\"results\": [\n{]", "wrong.json:2: no JSON");
    refuse("[1, 2]", "expected recorded results");
    refuse("{\"results\": []}", "no configurations");
    refuse("{\"metadata\": {\"timeunit\": \"fortnights\"}, \"results\": []}", "timeunit \"fortnights\" is not known");
    refuse("{\"results\": [{}]}", "result 1: no configuration");
    refuse("{\"results\": [{\"configuration\": {\"a\": [1]}}]}", "parameter a has a list or object");
    refuse("{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"sad\"}]}", "invalidity is \"sad\"");
    refuse("{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"correct\"}]}", "no measurement \"time\"");
    refuse("{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"correct\", \"measurements\": "
           "[{\"name\": \"time\", \"value\": \"x\"}]}]}",
           "not a positive number");
    refuse("{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"correct\", \"objectives\": [\"P\"], "
           "\"measurements\": [{\"name\": \"P\", \"value\": 3, \"unit\": \"W\"}]}]}",
           "is in \"W\"");
    refuse(
        "{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"compile\"}, {\"configuration\": {\"a\": 1, "
        "\"b\": 2}}]}",
        "result 2 has 2 parameters; expected the 1 of the first");
    refuse("{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"compile\"}, {\"configuration\": {\"b\": "
           "1}}]}",
           "result 2: parameter a has no value");
    refuse("{\"cache\": {}}", "no tune_params_keys");
    refuse("{\"tune_params_keys\": [\"a\"], \"cache\": {}}", "no configurations");
    refuse("{\"tune_params_keys\": [\"a\"], \"cache\": {\"1\": {\"a\": null}}}", "entry \"1\": parameter a has null");
    refuse("{\"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": [1, 2]}, \"cache\": {\"3\": {\"a\": 3, \"time\": "
           "1}}}",
           "configuration 1 has a = 3, which is none of its listed values");
    refuse("{\"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": [1, 1]}, \"cache\": {\"1\": {\"a\": 1, \"time\": "
           "1}}}",
           "the value 1 twice");
    refuse("{\"objective\": \"GFLOP/s\", \"tune_params_keys\": [\"a\"], \"cache\": {}}",
           "the objective is \"GFLOP/s\"");
    refuse("{\"Results\": [{\"Configuration\": [{\"Name\": \"a\", \"Value\": 1}], \"Status\": \"Fine\"}]}",
           "Status is \"Fine\"");
    refuse("{\"Results\": [{\"Status\": \"Ok\"}]}", "result 1 has no Configuration");
    refuse("{\"Results\": [{\"Configuration\": [{\"Name\": \"a\", \"Value\": 1}], \"Status\": \"Ok\"}]}",
           "TotalDuration");
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Check a row of the table in the reference data's README: number of points and of valid ones, best (seconds), median /
 * best, numbers of points within 1.05 and 1.10 times the best, and the expected number of random tests until one of the
 * latter. */
static void reference(const char *file, size_t size, size_t valid, double best, double best_digit, double median,
                      double median_digit, size_t within_5, size_t within_10, double expected_tests)
{
    char name[256];
    qn_recorded_space *r;
    snprintf(name, sizeof name, "tuning/%s.json.gz", file);
    const char *path = check_reference_data(name);
    void *memory;
    if (!path || !CHECK_OK(qn_recorded_space_read(path, &r))) return;
    size_t count = 0, total = (size_t)qn_space_size(r->space), near_5 = 0, near_10 = 0;
    CHECK_OK(qn_allocate(total, sizeof(double), &memory));
    double *times = memory;
    for (size_t i = 0; i < total; i++)
        if (r->tests[i].outcome == QN_TEST_CORRECT) times[count++] = r->tests[i].objective;
    qsort(times, count, sizeof *times, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        near_5 += times[i] <= 1.05 * times[0];
        near_10 += times[i] <= 1.10 * times[0];
    }
    bool right = CHECK(total == size) && CHECK(count == valid) && CHECK_NEAR(times[0], best, best_digit / 2 * 1.001);
    double middle = (times[(count - 1) / 2] + times[count / 2]) / 2;
    right = right && CHECK_NEAR(middle / times[0], median, median_digit / 2 * 1.001);
    right = right && CHECK(near_5 == within_5) && CHECK(near_10 == within_10);
    right = right && CHECK_NEAR((double)(total + 1) / (double)(near_10 + 1), expected_tests, 0.5);
    if (!right) fprintf(stderr, "  of %s\n", file);
    qn_release(&times);
    qn_recorded_space_destroy(&r);
}

static void published_spaces_have_the_published_numbers(void)
{
    CHECK(true); /* nothing else is checked without the reference data */
    reference("benchmark_hub/convolution_A100_T4", 4362, 4201, 0.5536e-3, 1e-7, 3.31, 0.01, 1, 2, 1454);
    reference("benchmark_hub/convolution_MI250X_T4", 4362, 4362, 0.6588e-3, 1e-7, 30.1, 0.1, 9, 9, 436);
    reference("benchmark_hub/dedispersion_A100_T4", 11130, 11130, 68.12e-3, 1e-5, 1.06, 0.01, 4405, 7396, 2);
    reference("benchmark_hub/dedispersion_MI250X_T4", 11130, 11130, 49.57e-3, 1e-5, 2.38, 0.01, 19, 53, 206);
    reference("benchmark_hub/gemm_clblast_RTX_2080_Ti_kerneltuner", 17956, 17956, 11.483e-3, 1e-6, 2.49, 0.01, 10, 34,
              513);
    reference("benchmark_hub/pnpoly_RTX_2080_Ti_T4", 4092, 3722, 8.024e-3, 1e-6, 1.80, 0.01, 32, 84, 48);
    reference("ktt_counters/convolution_RTX_2080_Ti_ktt", 6768, 5280, 706.1e-6, 1e-7, 3.19, 0.01, 12, 22, 294);
    reference("ktt_counters/coulomb3d_RTX_2080_Ti_ktt", 210, 210, 769.7e-6, 1e-7, 2.92, 0.01, 30, 35, 6);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "cache") == 0) { /* for a manual check with Kernel Tuner */
        qn_recorded_space *record;
        if (qn_recorded_space_read(argv[2], &record) != QN_OK ||
            qn_recorded_space_write(record, QN_RECORDED_KERNEL_TUNER, argv[3]) != QN_OK)
            fprintf(stderr, "%s\n", qn_error_message());
        return 0;
    }
    RUN(t4_is_read_in_both_spellings);
    RUN(unfinished_caches_are_read);
    RUN(ktt_is_read_with_counters);
    RUN(written_records_are_read_back_unchanged);
    RUN(mistakes_are_located);
    RUN_LONG(published_spaces_have_the_published_numbers);
    return check_finish();
}
