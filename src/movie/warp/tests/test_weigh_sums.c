/* devices: host opencl:0 cuda:0 checking:host */
/* Compare the kernels of weigh_sums with their definitions on one device. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_workload.h"
#include "movie/warp/kernels/weigh_sums.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 160, SUMS = 3, ROWS = 4, BINS = 50, NUMBERS_MAX = SIDE_MAX * (SIDE_MAX + 2), CORNERS_MAX = 6 };

static qn_device *device;
static qn_queue *queue;
static float sums[SUMS * NUMBERS_MAX], padded[NUMBERS_MAX], spectra[2][NUMBERS_MAX], weights[ROWS * BINS];
static float found[SUMS * NUMBERS_MAX];

static void fill(float *numbers, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) numbers[i] = qn_workload_input(seed, i);
}

static void check_padding(const qn_configuration *configuration, const qn_weigh_problem *problem, int index)
{
    const int width = problem->size[0], height = problem->size[1];
    const size_t count = (size_t)problem->sums * (size_t)width * (size_t)height;
    const size_t padded_count = (size_t)problem->padded[0] * (size_t)problem->padded[1];
    qn_buffer *buffers[2] = {NULL};
    int wrong = 0;
    fill(sums, count, 1);
    CHECK_OK(qn_workload_make_buffer(queue, sums, 4 * count, &buffers[0]));
    CHECK_OK(qn_buffer_create(device, 4 * padded_count, &buffers[1]));
    CHECK_OK(qn_workload_fill(queue, buffers[1], 0xff));
    CHECK_OK(qn_pad_sum(queue, configuration, problem, index, buffers[0], buffers[1], NULL));
    CHECK_OK(qn_workload_read(queue, buffers[1], 0, padded, 4 * padded_count));
    for (int y = 0; y < problem->padded[1]; y++)
        for (int x = 0; x < problem->padded[0]; x++) {
            const bool inside = x < width && y < height;
            const float value = inside ? sums[(index * height + y) * width + x] : 0;
            wrong += !(padded[y * problem->padded[0] + x] == value);
        }
    CHECK(wrong == 0);
    fill(padded, padded_count, 2);
    CHECK_OK(qn_queue_write(queue, buffers[1], 0, padded, 4 * padded_count, NULL));
    CHECK_OK(qn_crop_sum(queue, configuration, problem, index, 0.25, buffers[1], buffers[0], NULL));
    CHECK_OK(qn_workload_read(queue, buffers[0], 0, found, 4 * count));
    for (int i = 0; i < (int)count; i++) {
        const int sum = i / (width * height), y = i / width % height, x = i % width;
        const float value = sum == index ? 0.25f * padded[y * problem->padded[0] + x] : sums[i];
        wrong += !(found[i] == value);
        sums[i] = value + (sum == index ? 0.5f : 0);
    }
    CHECK(wrong == 0);
    CHECK_OK(qn_raise_sum(queue, configuration, problem, index, 0.5, buffers[0], NULL));
    CHECK_OK(qn_workload_read(queue, buffers[0], 0, found, 4 * count));
    for (int i = 0; i < (int)count; i++) wrong += !(found[i] == sums[i]);
    CHECK(wrong == 0);
    for (int b = 0; b < 2; b++) qn_buffer_release(&buffers[b]);
}

/* Two spectra with different rows of weights, added. */
static void check_weights(const qn_configuration *configuration, const qn_weigh_problem *problem)
{
    const int columns = problem->padded[0] / 2 + 1, height = problem->padded[1];
    const size_t count = 2 * (size_t)columns * (size_t)height;
    qn_buffer *buffers[3] = {NULL};
    double worst = 0;
    fill(weights, ROWS * BINS, 3);
    CHECK_OK(qn_buffer_create(device, 4 * count, &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, weights, sizeof weights, &buffers[1]));
    CHECK_OK(qn_buffer_create(device, 4 * count, &buffers[2]));
    CHECK_OK(qn_workload_fill(queue, buffers[2], 0xff));
    for (int i = 0; i < 2; i++) {
        fill(spectra[i], count, 4 + (uint64_t)i);
        CHECK_OK(qn_queue_write(queue, buffers[0], 0, spectra[i], 4 * count, NULL));
        CHECK_OK(
            qn_weigh_sum(queue, configuration, problem, 3 - 2 * i, i == 0, buffers[0], buffers[1], buffers[2], NULL));
        CHECK_OK(qn_queue_finish(queue));
    }
    CHECK_OK(qn_workload_read(queue, buffers[2], 0, found, 4 * count));
    for (int row = 0; row < height; row++)
        for (int x = 0; x < columns; x++) {
            const int y = row <= height / 2 ? row : row - height;
            const double first = qn_weigh_reference(problem, weights + 3 * BINS, x, y);
            const double second = qn_weigh_reference(problem, weights + BINS, x, y);
            for (int part = 0; part < 2; part++) {
                const int i = 2 * (row * columns + x) + part;
                const double error = (double)found[i] - first * (double)spectra[0][i] - second * (double)spectra[1][i];
                worst = error == error ? fmax(worst, fabs(error)) : INFINITY;
            }
        }
    if (!CHECK(worst <= 2e-5)) /* a place of 50 bins has an error of 2e-6, the slope of a weight is at most 2 a bin */
        fprintf(stderr, "%d x %d: %g\n", problem->padded[0], problem->padded[1], worst);
    for (int b = 0; b < 3; b++) qn_buffer_release(&buffers[b]);
}

static const qn_weigh_problem problems[] = {
    {{97, 85}, {128, 96}, SUMS, ROWS, BINS, {0.5, 0.7}},
    {{160, 33}, {160, 33}, SUMS, ROWS, BINS, {0.3, 2.5}},
    {{1, 1}, {5, 4}, 1, ROWS, BINS, {1, 1}},
};

static void sizes_are_right(void)
{
    for (int i = 0; i < 3; i++) {
        for (int index = 0; index < problems[i].sums; index++) check_padding(NULL, &problems[i], index);
        check_weights(NULL, &problems[i]);
    }
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    check_padding(configuration, &problems[0], 1);
    check_weights(configuration, &problems[0]);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_movie_weigh_sums_family, info, corners_to_visit(info, CORNERS_MAX),
                                      check_corner, &corners));
    CHECK(corners >= 1);
}

/* Bins 3 and 4 of the weights, half way between them at the frequency (3, 4) · 0.7 = 3.5 bins. */
static void reference_agrees_with_hand_calculation(void)
{
    const qn_weigh_problem problem = {{10, 10}, {10, 10}, 1, 1, 6, {0.7, 0.7}};
    const float row[6] = {0, 0, 0, 2, 5, 7};
    CHECK_NEAR(qn_weigh_reference(&problem, row, 3, -4), 3.5, 1e-12);
    CHECK_NEAR(qn_weigh_reference(&problem, row, 0, 10), 11, 1e-12); /* 7 bins: beyond the last one */
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    qn_weigh_problem wrong = problems[2];
    CHECK_OK(qn_buffer_create(device, 1 << 12, &buffer));
    CHECK_FAILS(qn_pad_sum(queue, NULL, &wrong, 1, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_weigh_sum(queue, NULL, &wrong, ROWS, true, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_crop_sum(queue, NULL, &problems[0], 0, 1, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    wrong.padded[1] = 0;
    CHECK_FAILS(qn_crop_sum(queue, NULL, &wrong, 0, 1, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    wrong = problems[2];
    wrong.bins = 1;
    CHECK_FAILS(qn_weigh_sum(queue, NULL, &wrong, 0, true, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/weigh_sums", (const int[]){70, 45, 0}, &work);
    CHECK(work.bytes_read > 0 && work.bytes_written > 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_agrees_with_hand_calculation);
    RUN(sizes_are_right);
    RUN(sampled_corners_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
