/* devices: host opencl:0 cuda:0 checking:host */
/* Correction and sums of frames on one device, compared with the reference in double precision, and with sums in the
 * stated order that must be equal bit by bit. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_workload.h"
#include "movie/correct/kernels/correct_frames.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

#include "movie/correct/kernels/correct_frames.dev.h"

enum { CORNERS_MAX = 12, PIXELS_MAX = 1 << 19, BAD_MAX = 2000, BEYOND = 64 };

static const double TOLERANCE = 1e-6; /* of the largest value */

static qn_device *device;
static qn_queue *queue;
static float samples[PIXELS_MAX]; /* of any kind */
static float gain[PIXELS_MAX], dark[PIXELS_MAX], frame[PIXELS_MAX + BEYOND], sums[PIXELS_MAX];
static double expected[PIXELS_MAX];
static int32_t moves[2 * BAD_MAX];

static size_t pixels_of(const qn_correct_problem *problem)
{
    return (size_t)problem->width * (size_t)problem->height;
}

/* Samples over the whole range of a kind; NaN and infinity where the gain is 0. */
static void make_samples(const qn_correct_problem *problem, uint64_t seed)
{
    for (size_t i = 0; i < pixels_of(problem); i++) {
        const double u = 0.5 + 0.5 * (double)qn_workload_input(seed, i);
        switch (problem->kind) {
        case QN_SAMPLE_UINT8: ((uint8_t *)samples)[i] = (uint8_t)(256 * u); break;
        case QN_SAMPLE_INT8: ((int8_t *)samples)[i] = (int8_t)(256 * u - 128); break;
        case QN_SAMPLE_UINT16: ((uint16_t *)samples)[i] = (uint16_t)(65536 * u); break;
        case QN_SAMPLE_INT16: ((int16_t *)samples)[i] = (int16_t)(65536 * u - 32768); break;
        default: samples[i] = (float)(20 * u - 1); break;
        }
    }
}

static int32_t padded_index(const qn_correct_problem *problem, size_t pixel)
{
    const size_t width = (size_t)problem->width;
    return (int32_t)(pixel / width * (size_t)problem->padded[0] + pixel % width);
}

/* Every 37th pixel is bad; it takes the value of the next one, or for every third the mean. */
static void make_inputs(qn_correct_problem *problem, bool with_bad)
{
    make_samples(problem, 3);
    problem->bad_count = 0;
    for (size_t i = 0; i < pixels_of(problem); i++) {
        gain[i] = 1 + 0.5f * qn_workload_input(4, i);
        dark[i] = 3 * qn_workload_input(5, i);
    }
    for (size_t i = 5; with_bad && i + 1 < pixels_of(problem) && problem->bad_count < BAD_MAX; i += 37) {
        const int bad = problem->bad_count++;
        gain[i] = 0;
        moves[2 * bad] = padded_index(problem, i);
        moves[2 * bad + 1] = bad % 3 == 2 ? -1 : padded_index(problem, i + 1);
        if (problem->kind == QN_SAMPLE_FLOAT32) samples[i] = bad % 2 ? NAN : INFINITY;
    }
}

static void correct_on_device(const qn_configuration *configuration, const qn_correct_problem *problem, float *mean)
{
    const size_t word = sizeof(float), padded = (size_t)problem->padded[0] * (size_t)problem->padded[1];
    qn_correct_buffers b = {.samples_offset = 256, .mean_offset = 256};
    const size_t frame_bytes = (padded + BEYOND) * word, samples_bytes = qn_correct_samples_bytes(problem);
    for (size_t i = 0; i < padded + BEYOND; i++) frame[i] = 7;
    CHECK_OK(qn_workload_make_buffer(queue, NULL, 256 + samples_bytes, &b.samples));
    CHECK_OK(qn_queue_write(queue, b.samples, 256, samples, samples_bytes, NULL));
    CHECK_OK(qn_workload_make_buffer(queue, gain, pixels_of(problem) * word, &b.gain));
    if (problem->dark) CHECK_OK(qn_workload_make_buffer(queue, dark, pixels_of(problem) * word, &b.dark));
    if (problem->bad_count) CHECK_OK(qn_workload_make_buffer(queue, moves, sizeof moves, &b.moves));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, qn_correct_sums(problem) * word, &b.block_sums));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, 256 + word, &b.mean));
    CHECK_OK(qn_workload_make_buffer(queue, frame, frame_bytes, &b.frame));
    CHECK_OK(qn_correct_frame(queue, configuration, problem, &b, NULL));
    CHECK_OK(qn_queue_read(queue, b.frame, 0, frame, frame_bytes, NULL));
    CHECK_OK(qn_queue_read(queue, b.mean, 256, mean, word, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (size_t i = 0; i < BEYOND; i++) CHECK(frame[padded + i] == 7);
    qn_buffer *all[] = {b.samples, b.gain, b.dark, b.moves, b.block_sums, b.mean, b.frame};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) qn_buffer_release(&all[i]);
}

/* The mean in single precision, in the order of correct_frames.dev.h, written down again. */
static float ordered_mean(const qn_correct_problem *problem)
{
    float total[64] = {0};
    int block = 0;
    for (int first_row = 0; first_row < problem->height; first_row += 4)
        for (int first = 0; first < problem->width; first += 1024, block++) {
            float lanes[64] = {0};
            for (int y = first_row; y < first_row + 4 && y < problem->height; y++)
                for (int x = first; x < first + 1024 && x < problem->width; x++) {
                    const size_t i = (size_t)y * (size_t)problem->width + (size_t)x;
                    const float sample = (float)qn_correct_sample(problem->kind, samples, i);
                    const float value = (problem->dark ? sample - dark[i] : sample) * gain[i];
                    if (gain[i] != 0) lanes[(x - first) % 64] += value;
                }
            for (int half = 32; half > 0; half /= 2)
                for (int l = 0; l < half; l++) lanes[l] += lanes[l + half];
            total[block % 64] += lanes[0];
        }
    for (int half = 32; half > 0; half /= 2)
        for (int l = 0; l < half; l++) total[l] += total[l + half];
    return total[0] * (float)(1 / ((double)pixels_of(problem) - problem->bad_count));
}

static void check_correction(const qn_configuration *configuration, const qn_correct_problem *problem)
{
    const size_t padded = (size_t)problem->padded[0] * (size_t)problem->padded[1];
    double mean, worst = 0, largest = 0;
    float got;
    qn_correct_frames_reference(problem, samples, gain, problem->dark ? dark : NULL, moves, expected, &mean);
    correct_on_device(configuration, problem, &got);
    for (size_t i = 0; i < padded; i++) {
        worst = qn_workload_larger_error(worst, fabs((double)frame[i] - expected[i]));
        largest = fmax(largest, fabs(expected[i]));
    }
    if (!CHECK(worst <= TOLERANCE * largest) || !CHECK_NEAR((double)got, mean, TOLERANCE * largest) ||
        !CHECK(got == ordered_mean(problem)))
        fprintf(stderr, "%d x %d, kind %d, dark %d, bad %d: %g\n", problem->width, problem->height, (int)problem->kind,
                problem->dark, problem->bad_count, worst / largest);
}

static void every_kind_is_corrected(void)
{
    static const int sizes[][4] = {{64, 8, 64, 8}, {1024, 4, 1056, 6},   {37, 29, 40, 30},  {1, 1, 2, 3},
                                   {1, 9, 1, 12},  {2111, 13, 2160, 15}, {130, 67, 130, 70}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = QN_SAMPLE_UINT8; kind <= QN_SAMPLE_FLOAT32; kind++)
            for (int variant = 0; variant < 4; variant++) {
                qn_correct_problem problem = {sizes[i][0],          sizes[i][1],      {sizes[i][2], sizes[i][3]},
                                              (qn_sample_kind)kind, variant % 2 == 1, 0};
                make_inputs(&problem, variant >= 2);
                check_correction(NULL, &problem);
            }
}

/* Four frames, of which the first is not added, in a launch of two and one of one. */
static void check_sum(const qn_configuration *configuration, const qn_correct_problem *problem)
{
    const size_t pixels = pixels_of(problem), word = sizeof(float), bytes = qn_correct_samples_bytes(problem);
    const size_t step = (bytes + 511) / 256 * 256;
    qn_buffer *of_sums = NULL, *of_samples = NULL;
    memset(expected, 0, pixels * sizeof *expected);
    CHECK_OK(qn_workload_make_buffer(queue, NULL, pixels * word, &of_sums));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, 3 * step + bytes, &of_samples));
    for (uint64_t t = 0; t < 4; t++) {
        make_samples(problem, 7 + t);
        CHECK_OK(qn_queue_write(queue, of_samples, t * step, samples, bytes, NULL));
        CHECK_OK(qn_queue_finish(queue));
        for (size_t i = 0; i < pixels && t > 0; i++) expected[i] += qn_correct_sample(problem->kind, samples, i);
    }
    const qn_stored_frames two = {of_samples, step, 1, 2}, last = {of_samples, step, 3, 1};
    CHECK_OK(qn_sum_frames(queue, configuration, problem, &two, of_sums, NULL));
    CHECK_OK(qn_sum_frames(queue, configuration, problem, &last, of_sums, NULL));
    CHECK_OK(qn_workload_read(queue, of_sums, 0, sums, pixels * word));
    double worst = 0;
    for (size_t i = 0; i < pixels; i++) worst = fmax(worst, fabs((double)sums[i] - expected[i]));
    CHECK(worst <= (problem->kind == QN_SAMPLE_FLOAT32 ? 1e-5 : 0)); /* sums of whole numbers are exact */
    qn_buffer_release(&of_sums);
    qn_buffer_release(&of_samples);
}

static void frames_are_added_up(void)
{
    for (int kind = QN_SAMPLE_UINT8; kind <= QN_SAMPLE_FLOAT32; kind++) {
        check_sum(NULL, &(qn_correct_problem){1031, 13, {1031, 13}, (qn_sample_kind)kind, false, 0});
        check_sum(NULL, &(qn_correct_problem){64, 64, {64, 64}, (qn_sample_kind)kind, false, 0});
    }
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    qn_correct_problem problem = {1100, 22, {1120, 24}, QN_SAMPLE_INT16, true, 0};
    ++*(int *)user;
    make_inputs(&problem, true);
    check_correction(configuration, &problem);
    check_sum(configuration, &problem);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    const bool host = strstr(info->identifier, "host") != NULL;
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_movie_correct_frames_family, info,
                                      host ? 1 : corners_to_visit(info, CORNERS_MAX), check_corner, &corners));
    CHECK(corners > 0);
}

static void impossible_problems_are_refused(void)
{
    static const qn_correct_problem wrong[] = {
        {0, 8, {8, 8}, QN_SAMPLE_UINT8, false, 0},         {8, 8, {8, 7}, QN_SAMPLE_UINT8, false, 0},
        {8, 65537, {8, 65537}, QN_SAMPLE_UINT8, false, 0}, {8, 8, {8, 8}, QN_SAMPLE_UINT8, false, 64},
        {8, 8, {8, 8}, QN_SAMPLE_UINT8, false, -1},        {65536, 8, {65536, 65536}, QN_SAMPLE_UINT8, false, 0},
        {64, 64, {64, 64}, QN_SAMPLE_UINT8, false, 0}, /* larger than the buffers */
    };
    qn_buffer *buffer = NULL, *sum = NULL;
    CHECK_OK(qn_buffer_create(device, 4 * 64, &buffer));
    CHECK_OK(qn_workload_make_buffer(queue, NULL, 4 * 64, &sum));
    const qn_correct_buffers b = {buffer, 0, buffer, buffer, buffer, buffer, buffer, 0, buffer};
    const qn_stored_frames frames = {buffer, 256, 0, 1}, apart = {buffer, 64, 0, 1}, none = {buffer, 256, 0, 0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(qn_correct_frame(queue, NULL, &wrong[i], &b, NULL), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_sum_frames(queue, NULL, &wrong[i], &frames, buffer, NULL), QN_INVALID_ARGUMENT);
    }
    const qn_correct_problem right = {8, 8, {8, 8}, QN_SAMPLE_UINT8, false, 0};
    CHECK_OK(qn_sum_frames(queue, NULL, &right, &frames, sum, NULL));
    CHECK_FAILS(qn_sum_frames(queue, NULL, &right, &apart, sum, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_sum_frames(queue, NULL, &right, &none, sum, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&sum);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/correct_frames", (const int[]){533, 411, 0}, &work);
    CHECK(work.bytes_read > 5 * 533 * 411 && work.bytes_written > 4 * 533 * 411);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(every_kind_is_corrected);
    RUN(frames_are_added_up);
    RUN(sampled_corners_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
