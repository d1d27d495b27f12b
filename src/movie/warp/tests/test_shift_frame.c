/* devices: host opencl:0 cuda:0 checking:host */
/* Compare the kernels of shift_frame with their references on one device. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_workload.h"
#include "movie/warp/kernels/shift_frame.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { SIDE_MAX = 80, NUMBERS_MAX = 2 * SIDE_MAX * (SIDE_MAX / 2 + 1), CORNERS_MAX = 6 };

static qn_device *device;
static qn_queue *queue;
static float spectrum[NUMBERS_MAX], found[NUMBERS_MAX], factors[SIDE_MAX + 2], power[NUMBERS_MAX];
static double expected[NUMBERS_MAX];

static size_t numbers_of(const int size[2])
{
    return 2 * (size_t)size[1] * (size_t)(size[0] / 2 + 1);
}

/* The spectrum of a real frame: the columns 0 and width / 2 contain their own conjugates. */
static void make_spectrum(const int size[2], uint64_t seed)
{
    const int columns = size[0] / 2 + 1, height = size[1];
    for (size_t i = 0; i < numbers_of(size); i++) spectrum[i] = qn_workload_input(seed, i);
    for (int x = 0; x < columns; x++)
        for (int y = 0; y < height && (x == 0 || 2 * x == size[0]); y++) {
            float *here = spectrum + 2 * (y * columns + x),
                  *there = spectrum + 2 * ((height - y) % height * columns + x);
            there[0] = here[0];
            there[1] = there == here ? 0 : -here[1];
        }
    for (int i = 0; i < SIDE_MAX + 2; i++) factors[i] = 1 + 0.5f * qn_workload_input(seed + 1, (uint64_t)i);
}

/* |found − expected| / |expected|; infinite for NaN. */
static double error_of(size_t count)
{
    double difference = 0, whole = 1e-300;
    for (size_t i = 0; i < count; i++) {
        difference += ((double)found[i] - expected[i]) * ((double)found[i] - expected[i]);
        whole += expected[i] * expected[i];
    }
    return difference == difference ? sqrt(difference / whole) : INFINITY;
}

static void check_shift(const qn_configuration *configuration, const qn_shift_problem *problem)
{
    qn_buffer *buffers[3] = {NULL};
    make_spectrum(problem->from, 3);
    CHECK_OK(qn_workload_make_buffer(queue, spectrum, 4 * numbers_of(problem->from), &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, factors, sizeof factors, &buffers[1]));
    CHECK_OK(qn_buffer_create(device, 4 * numbers_of(problem->to), &buffers[2]));
    CHECK_OK(qn_workload_fill(queue, buffers[2], 0xff));
    CHECK_OK(qn_shift_frame(queue, configuration, problem, buffers[0], buffers[1], buffers[2], NULL));
    CHECK_OK(qn_workload_read(queue, buffers[2], 0, found, 4 * numbers_of(problem->to)));
    qn_shift_frame_reference(problem, spectrum, factors, expected);
    const double error = error_of(numbers_of(problem->to));
    if (!CHECK(error <= 1e-6))
        fprintf(stderr, "%d x %d to %d x %d, limits %d, %d: %g\n", problem->from[0], problem->from[1], problem->to[0],
                problem->to[1], problem->limit[0], problem->limit[1], error);
    for (int b = 0; b < 3; b++) qn_buffer_release(&buffers[b]);
}

/* Two groups, of two frames and of one. */
static void check_power(const qn_configuration *configuration, const qn_shift_problem *sizes)
{
    static double group[NUMBERS_MAX];
    static const double shifts[3][2] = {{0, 0}, {3.75, -7.2}, {-1.3, 100.5}};
    qn_buffer *buffers[3] = {NULL};
    const size_t numbers = (size_t)(sizes->limit[0] + 1) * (size_t)(2 * sizes->limit[1] + 1);
    memset(power, 0, sizeof power);
    static double sums[NUMBERS_MAX];
    memset(sums, 0, sizeof sums);
    CHECK_OK(qn_buffer_create(device, 4 * numbers_of(sizes->from), &buffers[0]));
    CHECK_OK(qn_buffer_create(device, 8 * numbers, &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, power, 4 * numbers, &buffers[2]));
    CHECK_OK(qn_workload_fill(queue, buffers[1], 0xff));
    for (int t = 0; t < 3; t++) {
        qn_shift_problem problem = *sizes;
        problem.shift_px[0] = shifts[t][0], problem.shift_px[1] = shifts[t][1];
        problem.first = t != 1, problem.last = t != 0;
        make_spectrum(problem.from, 10 + (uint64_t)t);
        CHECK_OK(qn_queue_write(queue, buffers[0], 0, spectrum, 4 * numbers_of(problem.from), NULL));
        CHECK_OK(qn_add_power(queue, configuration, &problem, buffers[0], buffers[1], buffers[2], NULL));
        CHECK_OK(qn_queue_finish(queue));
        qn_add_power_reference(&problem, spectrum, expected);
        for (size_t i = 0; i < 2 * numbers; i++) group[i] = problem.first ? expected[i] : group[i] + expected[i];
        for (size_t i = 0; i < numbers && problem.last; i++) sums[i] += hypot(group[2 * i], group[2 * i + 1]);
    }
    CHECK_OK(qn_workload_read(queue, buffers[2], 0, found, 4 * numbers));
    memcpy(expected, sums, sizeof sums);
    const double error = error_of(numbers);
    if (!CHECK(error <= 1e-6)) fprintf(stderr, "power, limits %d, %d: %g\n", sizes->limit[0], sizes->limit[1], error);
    for (int b = 0; b < 3; b++) qn_buffer_release(&buffers[b]);
}

/* Finer and coarser grids, odd and even sizes, limits inside, at the frame's limit and at the grid's. */
static const qn_shift_problem problems[] = {
    {.from = {48, 36}, .to = {60, 50}, .limit = {24, 18}, .shift_px = {2.25, -3.5}},
    {.from = {48, 36}, .to = {48, 36}, .limit = {24, 18}, .shift_px = {-0.4, 11.7}},
    {.from = {47, 35}, .to = {47, 35}, .limit = {23, 17}, .shift_px = {5.5, 0.3}},
    {.from = {47, 35}, .to = {80, 45}, .limit = {23, 17}, .shift_px = {0, 0}},
    {.from = {64, 48}, .to = {32, 24}, .limit = {16, 12}, .shift_px = {-700.2, 41.3}},
    {.from = {64, 48}, .to = {42, 33}, .limit = {16, 12}, .shift_px = {1.5, 1.25}},
    {.from = {64, 47}, .to = {32, 40}, .limit = {16, 11}, .shift_px = {1.5, 1.25}},
    {.from = {5, 4}, .to = {7, 6}, .limit = {2, 2}, .shift_px = {0.1, 0.2}},
    {.from = {4, 3}, .to = {4, 3}, .limit = {1, 0}, .shift_px = {0.1, 0.2}},
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

static void sizes_and_limits_are_right(void)
{
    for (int i = 0; i < PROBLEMS; i++) {
        check_shift(NULL, &problems[i]);
        check_power(NULL, &problems[i]);
    }
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    check_shift(configuration, &problems[0]);
    check_power(configuration, &problems[5]);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_movie_shift_frame_family, info, corners_to_visit(info, CORNERS_MAX),
                                      check_corner, &corners));
    CHECK(corners >= 1);
}

/* A spectrum of one wave, cos(2π (3 x / 48 + 2 y / 36)), whose content moved by a quarter of its period along x: the
 * shifted frame is the wave again. */
static void reference_undoes_a_displacement(void)
{
    const qn_shift_problem problem = {.from = {48, 36}, .to = {60, 50}, .limit = {20, 15}, .shift_px = {4, 0}};
    const size_t at = 2 * (2 * 25 + 3);
    make_spectrum(problem.from, 1);
    for (int i = 0; i < SIDE_MAX + 2; i++) factors[i] = 1;
    memset(spectrum, 0, sizeof spectrum);
    spectrum[at + 1] = -1; /* cos at x − 4 px: a phase of −2π 3 · 4 / 48 = −90° */
    qn_shift_frame_reference(&problem, spectrum, factors, expected);
    CHECK_NEAR(expected[2 * (2 * 31 + 3)], 1, 1e-12);
    CHECK_NEAR(expected[2 * (2 * 31 + 3) + 1], 0, 1e-12);
}

static void impossible_problems_are_refused(void)
{
    const qn_shift_problem wrong[] = {
        {.from = {16, 0}, .to = {20, 20}, .limit = {4, 0}},
        {.from = {16, 16}, .to = {20, 20}, .limit = {9, 4}},
        {.from = {16, 16}, .to = {10, 20}, .limit = {6, 4}},
        {.from = {16, 16}, .to = {20, 20}, .limit = {8, -1}},
        {.from = {16, 16}, .to = {20, 20}, .limit = {8, 8}, .shift_px = {NAN, 0}},
        {.from = {64, 64}, .to = {80, 80}, .limit = {32, 32}}, /* more than the buffer holds */
    };
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1 << 13, &buffer));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(qn_shift_frame(queue, NULL, &wrong[i], buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_add_power(queue, NULL, &wrong[5], buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/shift_frame", (const int[]){70, 45, 0}, &work);
    CHECK(work.bytes_read > 0 && work.bytes_written > 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_undoes_a_displacement);
    RUN(sizes_and_limits_are_right);
    RUN(sampled_corners_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
