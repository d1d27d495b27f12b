/* devices: host opencl:0 cuda:0 */
/* Advice on sizes: limits, the estimate compared with an exhaustive search, measurements, the wanted size among the
 * rows, stored answers. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <quern/fft.h>
#include <quern/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/advise.h"
#include "fft/line_plan.h"

static qn_context *context;
static qn_device *device;
static char warning[1024];

static void on_log(qn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == QN_LOG_WARNING) snprintf(warning, sizeof warning, "%s", message);
}

static qn_fft_advice_options ask(int x, int y, int z, double crop, double grow)
{
    qn_fft_advice_options options = qn_fft_advice_default_options();
    const int size[] = {x, y, z};
    for (int axis = 0; axis < 3; axis++) {
        options.size[axis] = size[axis];
        options.crop_percent[axis] = crop;
        options.grow_percent[axis] = grow;
    }
    options.without_measuring = true;
    return options;
}

/* The limits are computed here with integers: low·100 ≥ n·(100 − crop) > (low − 1)·100. */
static void limits_hold_for_every_size(void)
{
    for (int size = 1; size <= 3000; size++) {
        for (int percent = 0; percent < 100; percent += 5) {
            const long long low = qn_fft_lowest_size(size, percent), high = qn_fft_highest_size(size, percent);
            const bool right = low * 100 >= (long long)size * (100 - percent) && low >= 1 &&
                               (low == 1 || (low - 1) * 100 < (long long)size * (100 - percent)) &&
                               high * 100 <= (long long)size * (100 + percent) &&
                               (high + 1) * 100 > (long long)size * (100 + percent);
            if (!CHECK(right)) printf("size %d, %d %%: %lld to %lld\n", size, percent, low, high);
        }
    }
}

/* Whether the device's engine is VkFFT and refuses a real row of 4093 points, a prime: it needs one pass of 8,185
 * complex points in local memory. */
static bool refuses_4093(void)
{
    return strncmp(qn_device_get_info(device)->identifier, "opencl", 6) == 0 &&
           qn_device_get_info(device)->local_memory_bytes < 8185 * 8;
}

/* The crop limit of a published tool had no effect. So every row of many questions must keep both limits, and some rows
 * must be cropped or grown, or the limits would be untested. */
static void no_row_leaves_the_limits(void)
{
    static const int sizes[][3] = {{101, 211, 307}, {4093, 0, 0}, {1021, 997, 0},
                                   {127, 64, 251},  {83, 1, 89},  {4096, 4092, 1}};
    int cropped = 0, grown = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int way = 0; way < 4; way++) {
            const int crop = way & 1 ? 10 : 0, grow = way & 2 ? 20 : 0;
            qn_fft_advice_options options = ask(sizes[i][0], sizes[i][1], sizes[i][2], crop, grow);
            options.swap_axes = true;
            options.candidates = 31;
            qn_fft_advice_report *report = NULL;
            if (way == 0 && sizes[i][0] == 4093 && refuses_4093()) {
                CHECK_FAILS(qn_fft_advise(device, &options, &report), QN_UNSUPPORTED);
                CHECK_MESSAGE_HAS("rows of odd length");
                continue;
            }
            if (!CHECK_OK(qn_fft_advise(device, &options, &report))) continue;
            for (size_t r = 0; r < report->row_count; r++) {
                const qn_fft_advice *row = &report->rows[r];
                for (int axis = 0; axis < 3; axis++) {
                    const int wanted = sizes[i][row->wanted_axis[axis]] > 0 ? sizes[i][row->wanted_axis[axis]] : 1;
                    CHECK(row->size[axis] * 100 >= wanted * (100 - crop));
                    CHECK(row->size[axis] * 100 <= wanted * (100 + grow));
                    CHECK(wanted > 1 || row->size[axis] == 1);
                    cropped += row->size[axis] < wanted;
                    grown += row->size[axis] > wanted;
                }
            }
            qn_fft_advice_report_destroy(&report);
        }
    }
    CHECK(cropped > 0);
    CHECK(grown > 0);
}

/* Another published fault was that the x size replaced that of y. Here the limits of the three axes do not overlap, so
 * a size of one axis in the place of another is detected. */
static void each_axis_has_its_own_answer(void)
{
    const int wanted[3] = {83, 211, 499};
    qn_fft_advice_options options = ask(wanted[0], wanted[1], wanted[2], 10, 20);
    qn_fft_advice_report *report = NULL;
    if (!CHECK_OK(qn_fft_advise(device, &options, &report))) return;
    for (size_t r = 0; r < report->row_count; r++)
        for (int axis = 0; axis < 3; axis++) {
            const qn_fft_advice *row = &report->rows[r];
            CHECK(row->wanted_axis[axis] == axis);
            CHECK_NEAR(row->change_percent[axis], 100.0 * (row->size[axis] - wanted[axis]) / wanted[axis], 1e-9);
        }
    const int *best = report->rows[0].size;
    CHECK(best[0] < 100 && best[1] > 180 && best[1] < 260 && best[2] > 440);
    for (int axis = 0; axis < 3; axis++) CHECK(qn_fft_without_primes_to(best[axis], 13) == 1);
    qn_fft_advice_report_destroy(&report);
}

/* Return the least cost of all sizes within the limits. */
static double least_cost_of_all(const qn_fft_question *question)
{
    double best = 1e300;
    for (int z = question->low[2]; z <= question->high[2]; z++)
        for (int y = question->low[1]; y <= question->high[1]; y++)
            for (int x = question->low[0]; x <= question->high[0]; x++) {
                qn_fft_advice row = {.size = {x, y, z}};
                const double cost = qn_fft_estimate_row(question, &row);
                if (cost >= 0 && cost < best) best = cost;
            }
    return best;
}

/* The search keeps a dozen values of each axis; an exhaustive search must find nothing better. */
static void search_finds_the_best_estimate(void)
{
    static const int sizes[][3] = {{37, 59, 23}, {1361, 1, 1}, {311, 1, 199}, {1, 509, 1}};
    static const int percents[][2] = {{20, 30}, {0, 30}, {0, 25}, {2, 40}};
    for (int i = 0; i < 4 * 4; i++) {
        const int *wanted = sizes[i / 4], crop = percents[i / 4][0], grow = percents[i / 4][1];
        qn_fft_question question = {.options = ask(wanted[0], wanted[1], wanted[2], crop, grow),
                                    .real = i / 4 != 2,
                                    .threads = 1,
                                    .memory_limit_bytes = UINT64_MAX,
                                    .buffer_limit_bytes = UINT64_MAX,
                                    .models = {qn_fft_model_of((qn_fft_engine)(QN_FFT_OWN + i % 4), 48 << 10)},
                                    .model_count = 1};
        size_t all = 1, count = 0, considered = 0;
        question.options.batch = 1;
        for (int axis = 0; axis < 3; axis++) {
            question.low[axis] = wanted[axis] == 1 ? 1 : qn_fft_lowest_size(wanted[axis], crop);
            question.high[axis] = wanted[axis] == 1 ? 1 : qn_fft_highest_size(wanted[axis], grow);
            all *= (size_t)(question.high[axis] - question.low[axis] + 1);
        }
        qn_fft_advice rows[8];
        if (!CHECK_OK(qn_fft_find_candidates(&question, 8, rows, &count, &considered))) continue;
        CHECK(count == 8 && considered == all);
        CHECK_NEAR(qn_fft_estimate_row(&question, &rows[0]) / least_cost_of_all(&question), 1, 1e-12);
    }
}

static double cost_of(qn_fft_engine engine, int x, bool real)
{
    int passes;
    const qn_fft_model model = qn_fft_model_of(engine, 48 << 10);
    return qn_fft_estimate_axis(&model, x, 0, real, &passes);
}

/* Properties of engines that are known without measurements. */
static void estimates_follow_the_engines(void)
{
    int passes;
    for (int engine = QN_FFT_OWN; engine <= QN_FFT_CUFFT; engine++) {
        CHECK(cost_of((qn_fft_engine)engine, 4093, false) > 2 * cost_of((qn_fft_engine)engine, 4096, false));
        CHECK(cost_of((qn_fft_engine)engine, 1021, true) > 2 * cost_of((qn_fft_engine)engine, 1024, true));
        CHECK(cost_of((qn_fft_engine)engine, 1, false) == 0);
    }
    CHECK(cost_of(QN_FFT_OWN, 1025, true) >
          1.5 * cost_of(QN_FFT_OWN, 1050, true)); /* 1025 = 5·5·41, and rows of odd length cannot be packed */
    /* With 48 KiB of local memory VkFFT transforms up to 6144 points along x in one pass, along the other axes 1536. */
    const qn_fft_model vkfft = qn_fft_model_of(QN_FFT_VKFFT, 48 << 10);
    (void)qn_fft_estimate_axis(&vkfft, 6144, 0, false, &passes);
    CHECK(passes == 1);
    (void)qn_fft_estimate_axis(&vkfft, 6144 + 6, 0, false, &passes);
    CHECK(passes > 1);
    (void)qn_fft_estimate_axis(&vkfft, 1536, 1, false, &passes);
    CHECK(passes == 1);
    (void)qn_fft_estimate_axis(&vkfft, 1540, 1, false, &passes);
    CHECK(passes == 2);
    (void)qn_fft_estimate_axis(&vkfft, 4096, 0, false, &passes);
    CHECK(passes == 1);
    CHECK(qn_fft_estimate_axis(&vkfft, 6144, 1, false, &passes) > 0 && passes == 2);
    CHECK(qn_fft_estimate_axis(&vkfft, 1024, 1, false, &passes) > 0 && passes == 1);
    const qn_fft_model large =
        qn_fft_model_of(QN_FFT_VKFFT, 232448); /* an H200: up to 29,056 points, but only 16,384 for powers of two */
    CHECK(qn_fft_estimate_axis(&large, 28672, 0, false, &passes) > 0 && passes == 1);
    CHECK(qn_fft_estimate_axis(&large, 32768, 0, false, &passes) > 0 && passes == 2);
    CHECK(qn_fft_estimate_axis(&vkfft, 8191, 0, true, &passes) < 0); /* VkFFT refuses long real rows of odd length */
    CHECK(qn_fft_estimate_axis(&vkfft, 8191, 0, false, &passes) > 0);
}

/* Measured rows contain the wanted size and have times and memory. The advice comes first, and its measured time is
 * never above that of the wanted size. */
static void measured_rows_are_ranked(void)
{
    qn_fft_advice_options options = ask(211, 0, 0, 10, 20);
    options.without_measuring = false;
    options.without_cache = true;
    options.batch = 64;
    options.candidates = 3;
    qn_fft_advice_report *report = NULL;
    if (!CHECK_OK(qn_fft_advise(device, &options, &report))) return;
    CHECK(report->row_count == 4 && !report->from_cache);
    CHECK(report->rows[report->wanted].is_wanted && report->rows[report->wanted].size[0] == 211);
    for (size_t i = 0; i < report->row_count; i++) {
        const qn_fft_advice *row = &report->rows[i];
        CHECK(row->measured && row->usable && row->seconds > 0 && row->spread_seconds >= 0);
        CHECK(row->engine != QN_FFT_AUTO);
        CHECK(row->data_bytes == 64u * (unsigned)(row->size[0] * 4 + (row->size[0] / 2 + 1) * 8));
        CHECK_NEAR(row->speed_up, report->rows[report->wanted].seconds / row->seconds, 1e-9);
        if (i > 1) CHECK(row->seconds >= report->rows[i - 1].seconds);
    }
    CHECK(report->rows[0].seconds <= report->rows[report->wanted].seconds);
    qn_fft_advice_report_destroy(&report);
}

/* If only the order of the axes may change, the other order is found and reported. On the host it is the better one,
 * because rows of even length can be packed. */
static void swapped_axes_are_named(void)
{
    const int wanted[][3] = {{81, 64, 1}, {81, 1, 64}};
    for (int i = 0; i < 2; i++) {
        qn_fft_advice_options options = ask(wanted[i][0], wanted[i][1], wanted[i][2], 0, 0);
        options.swap_axes = true;
        qn_fft_advice_report *report = NULL;
        if (!CHECK_OK(qn_fft_advise(device, &options, &report))) continue;
        CHECK(report->row_count == 2);
        const qn_fft_advice *other = &report->rows[1 - report->wanted];
        const int second = i == 0 ? 1 : 2;
        CHECK(other->size[0] == 64 && other->size[second] == 81 && other->size[3 - second] == 1);
        CHECK(other->wanted_axis[0] == second && other->wanted_axis[second] == 0);
        CHECK(other->change_percent[0] == 0 && other->change_percent[second] == 0);
        if (strcmp(qn_device_get_info(device)->driver, "host") == 0) CHECK(report->wanted == 1);
        qn_fft_advice_report_destroy(&report);
    }
}

/* If the best estimate promises a gain of less than 5 %, the advice is the wanted size, otherwise it is not. Both cases
 * occur. */
static void wanted_size_wins_ties(void)
{
    int ties = 0, wins = 0;
    for (int size = 1000; size <= 1200; size += 2) {
        qn_fft_advice_options options = ask(size, 0, 0, 1, 3);
        qn_fft_advice_report *report = NULL;
        if (!CHECK_OK(qn_fft_advise(device, &options, &report))) continue;
        double best = 1;
        for (size_t i = 0; i < report->row_count; i++)
            if (report->rows[i].predicted_ratio < best) best = report->rows[i].predicted_ratio;
        if (!CHECK(report->rows[0].is_wanted == (best >= 0.95)))
            printf("size %d: %.3f promised, advised %d\n", size, best, report->rows[0].size[0]);
        CHECK(report->rows[report->wanted].is_wanted && report->rows[report->wanted].speed_up == 1);
        ties += best < 1 && best >= 0.95;
        wins += best < 0.95;
        qn_fft_advice_report_destroy(&report);
    }
    CHECK(ties > 0 && wins > 0);
}

static void bad_questions_are_refused(void)
{
    qn_fft_advice_report *report = NULL;
    const struct {
        qn_fft_advice_options options;
        qn_status status;
        const char *message;
    } cases[] = {
        {ask(0, 1, 1, 0, 20), QN_INVALID_ARGUMENT, "SIZE is \"0x1x1\"; expected 1 to 3 whole numbers from 1 to"},
        {ask(4, -1, 1, 0, 20), QN_INVALID_ARGUMENT, "SIZE is \"4x-1x1\""},
        {ask(1 << 29, 1, 1, 0, 20), QN_INVALID_ARGUMENT, "SIZE is \"536870912x1x1\""},
        {ask(1 << 27, 1 << 27, 1, 0, 20), QN_INVALID_ARGUMENT, "more points than any memory holds"},
        {ask(64, 1, 1, 100, 20), QN_INVALID_ARGUMENT, "--crop is \"100\"; expected percents from 0 to 99.9"},
        {ask(64, 1, 1, -1, 20), QN_INVALID_ARGUMENT, "--crop is \"-1\""},
        {ask(64, 1, 1, NAN, 20), QN_INVALID_ARGUMENT, "--crop is \"nan\""},
        {ask(64, 1, 1, 0, 401), QN_INVALID_ARGUMENT, "--grow is \"401\""},
        {ask(4093, 1, 1, 0, 0), QN_INVALID_ARGUMENT, "nothing to choose"},
        {ask(1, 1, 1, 50, 100), QN_INVALID_ARGUMENT, "nothing to choose"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_FAILS(qn_fft_advise(device, &cases[i].options, &report), cases[i].status);
        CHECK_MESSAGE_HAS(cases[i].message);
        CHECK(report == NULL);
    }
    qn_fft_advice_options options = ask(64, 64, 1, 0, 20);
    options.run.memory_bytes = 1000;
    CHECK_FAILS(qn_fft_advise(device, &options, &report), QN_OUT_OF_MEMORY);
    CHECK_MESSAGE_HAS("no size allowed for 64 x 64 x 1");
    options = ask(64, 64, 1, 0, 20);
    options.candidates = QN_FFT_ADVICE_ROWS_MAX;
    CHECK_FAILS(qn_fft_advise(device, &options, &report), QN_INVALID_ARGUMENT);
    options = ask(64, 64, 1, 0, 20);
    options.engine = strcmp(qn_device_get_info(device)->driver, "host") == 0 ? QN_FFT_VKFFT : QN_FFT_OWN;
    CHECK_FAILS(qn_fft_advise(device, &options, &report), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("does not run on");
}

/* Sizes that need more memory than the limit are left out. The wanted size needs more, so it comes last, with the
 * reason. */
static void memory_limit_excludes_the_wanted_size(void)
{
    qn_fft_advice_options options = ask(512, 512, 1, 5, 20);
    options.candidates = 31;
    options.engine = strcmp(qn_device_get_info(device)->driver, "host") == 0 ? QN_FFT_OWN : QN_FFT_VKFFT;
    options.run.memory_bytes = 2050000; /* 512 × 512 real numbers and their half spectrum are 2.1 MB */
    qn_fft_advice_report *report = NULL;
    if (!CHECK_OK(qn_fft_advise(device, &options, &report))) return;
    CHECK(report->wanted == report->row_count - 1 && !report->rows[report->wanted].usable);
    CHECK(strstr(report->rows[report->wanted].reason, "more than the 2.0 MiB allowed") != NULL);
    for (size_t i = 0; i + 1 < report->row_count; i++) {
        CHECK(report->rows[i].usable && report->rows[i].data_bytes + report->rows[i].work_bytes <= 2050000);
        CHECK(report->rows[i].speed_up == 0); /* nothing to compare with */
    }
    qn_fft_advice_report_destroy(&report);
}

/* Find a file of the cache whose name begins with `start` and ends with `end`. Returns false if there is none. */
static bool find_file(const char *start, const char *end, char path[1024])
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s/quern", getenv("XDG_CACHE_HOME"));
    DIR *entries = opendir(folder);
    bool found = false;
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries)) {
        const size_t length = strlen(entry->d_name), tail = strlen(end);
        if (strncmp(entry->d_name, start, strlen(start)) != 0 || length < tail ||
            strcmp(entry->d_name + length - tail, end) != 0)
            continue;
        snprintf(path, 1024, "%s/%s", folder, entry->d_name);
        found = true;
    }
    if (entries) closedir(entries);
    return found;
}

static bool replace_text(const char *path, const char *old, const char *with)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[length] = '\0';
    char *at = strstr(text, old);
    if (!at) return false;
    file = fopen(path, "w");
    fprintf(file, "%.*s%s%s", (int)(at - text), text, with, at + strlen(old));
    return fclose(file) == 0;
}

static bool advise_from_cache(const qn_fft_advice_options *options)
{
    qn_fft_advice_report *report = NULL;
    if (!CHECK_OK(qn_fft_advise(device, options, &report))) return false;
    const bool from_cache = report->from_cache;
    CHECK(report->rows[report->wanted].is_wanted && report->rows[0].measured);
    qn_fft_advice_report_destroy(&report);
    return from_cache;
}

static void answers_are_kept(void)
{
    char path[1024];
    qn_fft_advice_options options = ask(97, 0, 0, 10, 20);
    options.without_measuring = false;
    options.candidates = 1;
    setenv("XDG_CACHE_HOME", check_scratch_folder(), 1);
    CHECK(!advise_from_cache(&options));
    CHECK(advise_from_cache(&options));
    options.measure_again = true;
    CHECK(!advise_from_cache(&options));
    options.measure_again = false;
    options.batch = 2; /* another question */
    CHECK(!advise_from_cache(&options));
    options.batch = 1;
    options.engine = strcmp(qn_device_get_info(device)->driver, "host") == 0 ? QN_FFT_OWN : QN_FFT_VKFFT;
    CHECK(!advise_from_cache(&options));
    options.engine = QN_FFT_AUTO;
    CHECK(advise_from_cache(&options));
    CHECK(warning[0] == '\0');

    /* A file with one of three kinds of damage is set aside with a warning, and the sizes are measured again. */
    const struct {
        const char *old, *with, *why;
    } damages[] = {{"\"answers\": [", "\"answers\": [{,", "line"},
                   {"\"quern_fft_advice\": 1", "\"quern_fft_advice\": 7", "is not 1"},
                   {"\"size\": [\n      97,", "\"size\": [\n      300,", "does not fit its question"}};
    /* Elsewhere plans take seconds to compile, so only the first kind is tested. */
    const bool host = strcmp(qn_device_get_info(device)->driver, "host") == 0;
    for (size_t i = 0; i < (host ? sizeof damages / sizeof damages[0] : 1); i++) {
        warning[0] = '\0';
        if (!CHECK(find_file("fft-advice-", ".json", path))) return;
        if (!CHECK(replace_text(path, damages[i].old, damages[i].with))) continue;
        CHECK(!advise_from_cache(&options));
        CHECK(strstr(warning, damages[i].why) != NULL && strstr(warning, "set aside as") != NULL);
        CHECK(find_file("fft-advice-", ".corrupt", path));
        CHECK(advise_from_cache(&options)); /* the new file is whole */
    }
}

/* Docking grids must not change: compare with the rule for their sides, even and without prime factors above 7. */
static void fast_sizes_are_the_rule_of_docking(void)
{
    for (int least = 2; least <= 1100; least++) {
        int expected = least;
        for (;; expected++) {
            int rest = expected;
            while (rest % 2 == 0) rest /= 2;
            while (rest % 3 == 0) rest /= 3;
            while (rest % 5 == 0) rest /= 5;
            while (rest % 7 == 0) rest /= 7;
            if (rest == 1 && expected % 2 == 0) break;
        }
        CHECK(qn_fft_next_fast_size(QN_FFT_AUTO, least) == expected);
    }
    CHECK(qn_fft_next_fast_size(QN_FFT_CUFFT, 1) == 1 && qn_fft_next_fast_size(QN_FFT_OWN, -3) == 1);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1, .log = on_log},
                          &context) != QN_OK ||
        qn_device_open(context, name, &device) != QN_OK)
        check_skip(name, qn_error_message());
    RUN(limits_hold_for_every_size);
    RUN(no_row_leaves_the_limits);
    RUN(each_axis_has_its_own_answer);
    RUN(search_finds_the_best_estimate);
    RUN(estimates_follow_the_engines);
    RUN(measured_rows_are_ranked);
    RUN(swapped_axes_are_named);
    RUN(wanted_size_wins_ties);
    RUN(bad_questions_are_refused);
    RUN(memory_limit_excludes_the_wanted_size);
    RUN(answers_are_kept);
    RUN(fast_sizes_are_the_rule_of_docking);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
