/* devices: host opencl:0 cuda:0 checking:host */
/* Plans on a device, with every engine that runs there: comparison with the defining sums, round trips, refusals. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <dirent.h>
#include <quern/fft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/tests/naive_transform.h"
#include "slow_compiler.h"

static qn_context *context;
static qn_device *device;
static qn_queue *queue;
static qn_fft_engine engine;

/* Transform `input` by a plan. The caller frees the result; NULL: a check failed. */
static float *transform(const qn_fft_options *options, const float *input, size_t input_bytes, size_t output_bytes)
{
    qn_fft_plan *plan = NULL;
    qn_buffer *from = NULL, *to = NULL;
    qn_event *done = NULL;
    float *output = malloc(output_bytes);
    memset(output, 0xFF, output_bytes);
    const int worked = CHECK_OK(qn_fft_plan_create(device, options, &plan)) &&
                       CHECK_OK(qn_buffer_create(device, input_bytes, &from)) &&
                       CHECK_OK(qn_buffer_create(device, output_bytes, &to)) &&
                       CHECK_OK(qn_queue_write(queue, from, 0, input, input_bytes, NULL)) &&
                       CHECK_OK(qn_queue_write(queue, to, 0, output, output_bytes, NULL)) &&
                       CHECK_OK(qn_fft_execute(plan, queue, from, to, &done)) && CHECK_OK(qn_event_wait(done)) &&
                       CHECK_OK(qn_queue_read(queue, to, 0, output, output_bytes, NULL)) &&
                       CHECK_OK(qn_queue_finish(queue));
    if (worked) CHECK(options->engine == QN_FFT_AUTO || qn_fft_plan_engine(plan) == options->engine);
    qn_event_destroy(&done);
    qn_fft_plan_destroy(&plan);
    qn_buffer_release(&from);
    qn_buffer_release(&to);
    if (worked) return output;
    free(output);
    return NULL;
}

static bool inside(const int size[3], const int filled[3], size_t at)
{
    const size_t x = at % (size_t)size[0], row = at / (size_t)size[0];
    const size_t y = row % (size_t)size[1], z = row / (size_t)size[1];
    return (filled[0] == 0 || (int)x < filled[0]) && (filled[1] == 0 || (int)y < filled[1]) &&
           (filled[2] == 0 || (int)z < filled[2]);
}

static double distance(const double *expected, const float *got, size_t count)
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        difference += ((double)got[i] - expected[i]) * ((double)got[i] - expected[i]);
        norm += expected[i] * expected[i];
    }
    return sqrt(difference / (norm > 0 ? norm : 1));
}

static void report(const char *what, const int size[3], int element, double error)
{
    if (!CHECK(error <= naive_tolerance(size)))
        printf("%s, engine %s, size %d %d %d, element %d: relative error %.3g, tolerance %.3g\n", what,
               qn_fft_engine_name(engine), size[0], size[1], size[2], element, error, naive_tolerance(size));
}

static void complex_grids(const int size[3], const int filled[3], int batch)
{
    const size_t count = naive_count(size);
    uint64_t seed = count;
    float *input = calloc(2 * count * (size_t)batch, sizeof(float));
    for (size_t i = 0; i < count * (size_t)batch; i++) {
        if (!inside(size, filled, i % count)) continue;
        input[2 * i] = naive_noise(&seed);
        input[2 * i + 1] = naive_noise(&seed);
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        qn_fft_options options = {
            .size_bytes = sizeof options, .size = {size[0], size[1], size[2]}, .batch = batch, .engine = engine};
        options.kind = sign < 0 ? QN_FFT_COMPLEX_FORWARD : QN_FFT_COMPLEX_INVERSE;
        memcpy(options.filled, filled, sizeof options.filled);
        const size_t bytes = 2 * count * (size_t)batch * sizeof(float);
        float *output = transform(&options, input, bytes, bytes);
        for (int element = 0; output && element < batch; element++) {
            naive_grid grid = {{size[0], size[1], size[2]}, malloc(2 * count * sizeof(double))};
            for (size_t i = 0; i < 2 * count; i++) grid.values[i] = (double)input[2 * count * (size_t)element + i];
            naive_transform(&grid, sign);
            report("complex", size, element, distance(grid.values, output + 2 * count * (size_t)element, 2 * count));
            free(grid.values);
        }
        free(output);
    }
    free(input);
}

/* Compare forward transforms of real grids with the sums, and inverse transforms of their half spectra with the grids
 * times the number of cells. */
static void real_grids(const int size[3], const int filled[3], int batch)
{
    const size_t count = naive_count(size), half = (size_t)size[0] / 2 + 1;
    const size_t bins = half * (size_t)size[1] * (size_t)size[2];
    uint64_t seed = count + 1;
    float *input = calloc(count * (size_t)batch, sizeof(float));
    double *back = malloc(count * sizeof(double)), *packed = malloc(2 * bins * sizeof(double));
    for (size_t i = 0; i < count * (size_t)batch; i++)
        if (inside(size, filled, i % count)) input[i] = naive_noise(&seed);
    qn_fft_options options = {
        .size_bytes = sizeof options, .size = {size[0], size[1], size[2]}, .batch = batch, .engine = engine};
    const size_t grid_bytes = count * (size_t)batch * sizeof(float),
                 bin_bytes = 2 * bins * (size_t)batch * sizeof(float);
    options.kind = QN_FFT_REAL_FORWARD;
    memcpy(options.filled, filled, sizeof options.filled);
    float *spectra = transform(&options, input, grid_bytes, bin_bytes);
    for (int element = 0; spectra && element < batch; element++) {
        naive_grid grid = {{size[0], size[1], size[2]}, calloc(2 * count, sizeof(double))};
        for (size_t i = 0; i < count; i++) grid.values[2 * i] = (double)input[count * (size_t)element + i];
        naive_transform(&grid, -1);
        for (size_t i = 0; i < 2 * bins; i++)
            packed[i] = grid.values[2 * (i / 2 / half * (size_t)size[0] + i / 2 % half) + i % 2];
        report("real forward", size, element, distance(packed, spectra + 2 * bins * (size_t)element, 2 * bins));
        free(grid.values);
    }
    options.kind = QN_FFT_REAL_INVERSE;
    memset(options.filled, 0, sizeof options.filled);
    float *grids = spectra ? transform(&options, spectra, bin_bytes, grid_bytes) : NULL;
    for (int element = 0; grids && element < batch; element++) {
        for (size_t i = 0; i < count; i++) back[i] = (double)count * (double)input[count * (size_t)element + i];
        report("real inverse", size, element, distance(back, grids + count * (size_t)element, count));
    }
    free(grids);
    free(spectra);
    free(back);
    free(packed);
    free(input);
}

static const int whole[3] = {0, 0, 0};

/* The first of `count` sizes to test. VkFFT has several kernels for each size; where they compile slowly, only the last
 * `few` sizes are tested. */
static size_t first_size(size_t count, size_t few)
{
    return engine == QN_FFT_VKFFT && compiles_slowly(qn_device_get_info(device)) ? count - few : 0;
}

static void small_sizes(void)
{
    static const int sizes[][3] = {{1, 1, 1},    {2, 1, 1},    {5, 1, 1},   {8, 1, 1},   {12, 1, 1},   {17, 1, 1},
                                   {48, 1, 1},   {64, 1, 1},   {6, 4, 1},   {16, 10, 1}, {30, 21, 1},  {4, 4, 4},
                                   {8, 6, 5},    {15, 16, 9},  {18, 1, 20}, {20, 27, 2}, {30, 24, 20}, {36, 12, 25},
                                   {27, 27, 27}, {16, 15, 14}, {101, 1, 1}, {9, 7, 1},   {13, 11, 7}};
    const size_t count = sizeof sizes / sizeof sizes[0];
    const bool needs_length = engine == QN_FFT_VKFFT || engine == QN_FFT_CUFFT;
    for (size_t i = first_size(count, 3); i < count; i++) {
        if (needs_length && naive_count(sizes[i]) == 1) continue;
        real_grids(sizes[i], whole, 1);
        complex_grids(sizes[i], whole, 1);
    }
}

static void batches(void)
{
    static const int sizes[][3] = {{24, 1, 1}, {15, 1, 1}, {20, 18, 1}, {9, 5, 7}, {12, 10, 8}};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = first_size(count, 1); i < count; i++) {
        real_grids(sizes[i], whole, 5);
        complex_grids(sizes[i], whole, 3);
    }
}

static void zero_padded_grids(void)
{
    static const int sizes[][3] = {{24, 24, 24}, {36, 20, 1}, {40, 1, 1}, {32, 30, 28}};
    static const int filled[][3] = {{7, 8, 6}, {9, 20, 1}, {11, 1, 1}, {12, 9, 28}};
    const size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = first_size(count, 1); i < count; i++) {
        real_grids(sizes[i], filled[i], 3);
        complex_grids(sizes[i], filled[i], 2);
    }
}

/* This grid is too large for the sums. Check Parseval's theorem forward, and that the inverse gives the grid again. */
static void large_grid(void)
{
    const int size[3] = {108, 96, 100};
    const size_t count = naive_count(size), half = 55, bins = count / 108 * half;
    uint64_t seed = 7;
    float *input = malloc(count * sizeof(float));
    double energy = 0, spectrum_energy = 0;
    for (size_t i = 0; i < count; i++) {
        input[i] = naive_noise(&seed);
        energy += (double)input[i] * (double)input[i];
    }
    qn_fft_options options = {
        .size_bytes = sizeof options, .size = {108, 96, 100}, .kind = QN_FFT_REAL_FORWARD, .engine = engine};
    float *spectrum = transform(&options, input, count * sizeof(float), 2 * bins * sizeof(float));
    for (size_t i = 0; spectrum && i < 2 * bins; i++) {
        const size_t x = i / 2 % half;
        spectrum_energy += (x == 0 || x == 54 ? 1 : 2) * (double)spectrum[i] * (double)spectrum[i];
    }
    CHECK_NEAR(spectrum_energy / (double)count / energy, 1.0, 1e-6);
    options.kind = QN_FFT_REAL_INVERSE;
    float *back = spectrum ? transform(&options, spectrum, 2 * bins * sizeof(float), count * sizeof(float)) : NULL;
    double difference = 0;
    for (size_t i = 0; back && i < count; i++) {
        const double off = (double)back[i] / (double)count - (double)input[i];
        difference += off * off;
    }
    CHECK(back && sqrt(difference / energy) < naive_tolerance(size));
    free(back);
    free(spectrum);
    free(input);
}

static void wrong_requests_are_refused(void)
{
    qn_fft_plan *plan = NULL;
    qn_buffer *small = NULL, *large = NULL;
    CHECK_FAILS(
        qn_fft_plan_create(device, &(qn_fft_options){.size_bytes = sizeof(qn_fft_options), .size = {0, 8, 8}}, &plan),
        QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("along x");
    CHECK_FAILS(
        qn_fft_plan_create(device, &(qn_fft_options){.size_bytes = sizeof(qn_fft_options), .size = {8, -1, 8}}, &plan),
        QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_fft_plan_create(
                    device, &(qn_fft_options){.size_bytes = sizeof(qn_fft_options), .size = {8}, .filled = {9}}, &plan),
                QN_INVALID_ARGUMENT);
    CHECK(plan == NULL);
    if (engine == QN_FFT_VKFFT) {
        CHECK_FAILS(
            qn_fft_plan_create(
                device, &(qn_fft_options){.size_bytes = sizeof(qn_fft_options), .size = {1}, .engine = engine}, &plan),
            QN_UNSUPPORTED);
        CHECK_MESSAGE_HAS("length 1");
    }
    CHECK_OK(qn_fft_plan_create(
        device, &(qn_fft_options){.size_bytes = sizeof(qn_fft_options), .size = {8}, .batch = 2, .engine = engine},
        &plan));
    CHECK_OK(qn_buffer_create(device, 64, &small));
    CHECK_OK(qn_buffer_create(device, 128, &large));
    CHECK_FAILS(qn_fft_execute(plan, queue, large, large, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_fft_execute(plan, queue, small, large, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("needs 128");
    CHECK_FAILS(qn_fft_execute(plan, queue, large, small, NULL), QN_INVALID_ARGUMENT);
    qn_fft_plan_destroy(&plan);
    CHECK(plan == NULL);
    qn_buffer_release(&small);
    qn_buffer_release(&large);
}

static void fast_sizes(void)
{
    for (int kind = QN_FFT_AUTO; kind <= QN_FFT_CUFFT; kind++) {
        CHECK(qn_fft_next_fast_size((qn_fft_engine)kind, 0) == 1);
        CHECK(qn_fft_next_fast_size((qn_fft_engine)kind, 108) == 108);
        CHECK(qn_fft_next_fast_size((qn_fft_engine)kind, 121) == 126);
    }
    CHECK_TEXT(qn_fft_engine_name(QN_FFT_VKFFT), "vkfft");
}

static bool engine_runs_here(void)
{
    qn_fft_plan *plan = NULL;
    qn_status status = qn_fft_plan_create(
        device, &(qn_fft_options){.size_bytes = sizeof(qn_fft_options), .size = {8}, .engine = engine}, &plan);
    if (status != QN_OK) {
        CHECK(status == QN_UNSUPPORTED || status == QN_NO_DEVICE);
        printf("engine %s is not tested: %s\n", qn_fft_engine_name(engine), qn_error_message());
    }
    qn_fft_plan_destroy(&plan);
    return status == QN_OK;
}

/* Add up the numbers of the files in a folder, which change when a file is written again. */
static uint64_t numbers_of_files(const char *folder, int *count)
{
    uint64_t sum = 0;
    DIR *opened = opendir(folder);
    *count = 0;
    for (struct dirent *entry; opened && (entry = readdir(opened));) {
        if (entry->d_name[0] == '.') continue;
        sum += (uint64_t)entry->d_ino;
        *count += 1;
    }
    if (opened) closedir(opened);
    return sum;
}

/* VkFFT compiles its kernels at run time. A later plan finds them in the cache, and does the same. */
static void kernels_are_kept(void)
{
    static const int size[3] = {42, 10, 1};
    char folder[640];
    int first_count, second_count;
    setenv("XDG_CACHE_HOME", check_scratch_folder(), 1);
    snprintf(folder, sizeof folder, "%s/quern", check_scratch_folder());
    complex_grids(size, whole, 3);
    const uint64_t first = numbers_of_files(folder, &first_count);
    complex_grids(size, whole, 3);
    const uint64_t second = numbers_of_files(folder, &second_count);
    CHECK(first_count >= 2);
    CHECK(second_count == first_count && second == first);
}

static void test_engine(void)
{
    if (engine == QN_FFT_VKFFT && strcmp(qn_device_get_info(device)->driver, "cuda") == 0) RUN(kernels_are_kept);
    RUN(small_sizes);
    RUN(batches);
    RUN(zero_padded_grids);
    RUN(large_grid);
    RUN(wrong_requests_are_refused);
}

int main(int argc, char **argv)
{
    const char *identifier = argc > 1 ? argv[1] : "host";
    CHECK_OK(qn_context_create(NULL, &context));
    if (qn_device_open(context, identifier, &device) != QN_OK) {
        printf("%s\n", qn_error_message());
        check_skip(identifier, qn_error_message());
    }
    CHECK_OK(qn_queue_create(device, &queue));
    int engines = 0;
    for (int kind = QN_FFT_OWN; kind <= QN_FFT_CUFFT; kind++) {
        engine = (qn_fft_engine)kind;
        if (!engine_runs_here()) continue;
        engines++;
        test_engine();
    }
    if (engines == 0) check_skip(identifier, "no transform engine runs on it");
    engine = QN_FFT_AUTO;
    RUN(large_grid);
    RUN(fast_sizes);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
