/* devices: host opencl:0 cuda:0 checking:host */
/* Compare warp_frames with its reference on one device, and the reference with known values. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_workload.h"
#include "movie/warp/kernels/warp_frames.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { FINE_MAX = 120 * 110, OUTPUT_MAX = 97 * 85, MOVIE_FRAMES = 11, CORNERS_MAX = 12 };

static qn_device *device;
static qn_queue *queue;
static float grids[QN_WARP_FRAMES_MAX][FINE_MAX], coefficients[MOVIE_FRAMES * QN_WARP_COEFFICIENTS];
static float sums[QN_WARP_SUMS_MAX * OUTPUT_MAX];
static double expected[QN_WARP_SUMS_MAX * OUTPUT_MAX];

static void make_inputs(float reach)
{
    for (int f = 0; f < QN_WARP_FRAMES_MAX; f++)
        for (int i = 0; i < FINE_MAX; i++) grids[f][i] = qn_workload_input(20 + (uint64_t)f, (uint64_t)i);
    for (int i = 0; i < MOVIE_FRAMES * QN_WARP_COEFFICIENTS; i++)
        coefficients[i] = reach * qn_workload_input(7, (uint64_t)i);
    for (int i = 0; i < QN_WARP_SUMS_MAX * OUTPUT_MAX; i++)
        expected[i] = (double)(sums[i] = qn_workload_input(8, (uint64_t)i));
}

/* The second frame covers a part, the others all, also beyond the border of the grid. */
static qn_warp_pass make_pass(const qn_warp_problem *problem, int frames)
{
    qn_warp_pass pass = {.frames = frames};
    for (int f = 0; f < frames; f++) {
        pass.frame[f] = (5 * f + 3) % MOVIE_FRAMES;
        for (int d = 0; d < 2; d++) {
            pass.low[f][d] = f == 1 ? 10.3731f : -20;
            pass.high[f][d] = f == 1 ? 0.61f * (float)problem->fine[d] : 20 + (float)problem->fine[d];
        }
        for (int i = 0; i < problem->sums; i++)
            pass.share[f][i] = qn_workload_input(9, (uint64_t)(f * QN_WARP_SUMS_MAX + i));
    }
    return pass;
}

static void run(const qn_configuration *configuration, const qn_warp_problem *problem, const qn_warp_pass *pass)
{
    qn_buffer *on_device[QN_WARP_FRAMES_MAX] = {NULL}, *others[3] = {NULL};
    const size_t fine = sizeof(float) * (size_t)problem->fine[0] * (size_t)problem->fine[1];
    const size_t all = sizeof(float) * (size_t)problem->sums * (size_t)problem->size[0] * (size_t)problem->size[1];
    for (int f = 0; f < pass->frames; f++) CHECK_OK(qn_workload_make_buffer(queue, grids[f], fine, &on_device[f]));
    CHECK_OK(qn_workload_make_buffer(queue, coefficients, sizeof coefficients, &others[0]));
    CHECK_OK(qn_buffer_create(device, qn_warp_rows_bytes(problem), &others[1]));
    CHECK_OK(qn_workload_make_buffer(queue, sums, all, &others[2]));
    CHECK_OK(qn_workload_fill(queue, others[1], 0xff));
    if (problem->taps > 1) CHECK_OK(qn_warp_field_rows(queue, problem, pass, others[0], others[1], NULL));
    CHECK_OK(qn_warp_frames(queue, configuration, problem, pass, on_device, others[1], others[2], NULL));
    CHECK_OK(qn_workload_read(queue, others[2], 0, sums, all));
    for (int f = 0; f < pass->frames; f++) qn_buffer_release(&on_device[f]);
    for (int b = 0; b < 3; b++) qn_buffer_release(&others[b]);
}

static double sample_of(int f, size_t index, const void *user)
{
    (void)user;
    return (double)grids[f][index];
}

static void add_reference(const qn_warp_problem *problem, const qn_warp_pass *pass)
{
    const int width = problem->size[0], height = problem->size[1];
    double values[QN_WARP_SUMS_MAX];
    for (int i = 0; i < width * height; i++) {
        memset(values, 0, sizeof values);
        qn_warp_frames_reference(problem, pass, coefficients, sample_of, NULL, i % width, i / width, values);
        for (int sum = 0; sum < problem->sums; sum++) expected[sum * width * height + i] += values[sum];
    }
}

static void check_problem(const qn_configuration *configuration, const qn_warp_problem *problem, int frames,
                          float reach)
{
    const size_t count = (size_t)problem->sums * (size_t)problem->size[0] * (size_t)problem->size[1];
    double difference = 0, whole = 0;
    make_inputs(reach);
    const qn_warp_pass pass = make_pass(problem, frames);
    run(configuration, problem, &pass);
    add_reference(problem, &pass);
    for (size_t i = 0; i < count; i++) {
        difference += ((double)sums[i] - expected[i]) * ((double)sums[i] - expected[i]);
        whole += expected[i] * expected[i];
    }
    const double error = difference == difference ? sqrt(difference / whole) : INFINITY;
    if (!CHECK(error <= 2e-6))
        fprintf(stderr, "%d x %d, %d taps, %d of %d frames, %d sums: %g\n", problem->size[0], problem->size[1],
                problem->taps, frames, problem->frames, problem->sums, error);
}

static qn_warp_problem problem_of(int width, int height, int fine_x, int fine_y, int taps, int frames, int sum_count)
{
    qn_warp_problem problem = {.size = {width, height},
                               .fine = {fine_x, fine_y},
                               .intervals = {4.0 / (width - 1), 4.0 / (height - 1)},
                               .frames = frames,
                               .sums = sum_count,
                               .taps = taps};
    problem.step[0] = taps > 1 ? (double)fine_x / (width + 1) : 1;
    problem.step[1] = taps > 1 ? (double)fine_y / height : 1;
    if (taps > 1) problem.window = qn_window_make(taps, 1.25);
    return problem;
}

static void sizes_taps_and_counts_are_right(void)
{
    qn_warp_problem problem = problem_of(97, 85, 120, 110, 4, 3, 7);
    check_problem(NULL, &problem, 3, 3);
    check_problem(NULL, &problem, 1, 0);
    problem = problem_of(97, 85, 120, 110, 6, 2, 8);
    check_problem(NULL, &problem, 2, 3);
    problem = problem_of(33, 70, 44, 90, 6, 8, 12);
    check_problem(NULL, &problem, 8, 1);
    problem = problem_of(33, 70, 44, 90, 4, 4, 1);
    check_problem(NULL, &problem, 2, 1);
    problem = problem_of(64, 40, 64, 44, 1, 4, 2);
    check_problem(NULL, &problem, 4, 0);
    problem = problem_of(2, 2, 7, 6, 4, 1, 1);
    check_problem(NULL, &problem, 1, 0.5f);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    const qn_warp_problem problem = problem_of(70, 37, 90, 44, 4, 2, 3);
    ++*(int *)user;
    check_problem(configuration, &problem, 2, 2);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_movie_warp_frames_family, info, corners_to_visit(info, CORNERS_MAX),
                                      check_corner, &corners));
    CHECK(corners >= 1);
}

/* One launch with four frames, and four launches with one: the same bits. */
static void launches_may_take_any_number_of_frames(void)
{
    static float together[QN_WARP_SUMS_MAX * OUTPUT_MAX];
    const qn_warp_problem four = problem_of(70, 37, 90, 44, 4, 4, 3), one = problem_of(70, 37, 90, 44, 4, 1, 3);
    const qn_warp_pass pass = make_pass(&four, 4);
    const size_t count = 3 * 70 * 37;
    make_inputs(2);
    run(NULL, &four, &pass);
    memcpy(together, sums, sizeof sums);
    make_inputs(2);
    for (int f = 0; f < 4; f++) {
        qn_warp_pass single = {.frames = 1, .frame = {pass.frame[f]}};
        memcpy(single.low[0], pass.low[f], sizeof single.low[0]);
        memcpy(single.high[0], pass.high[f], sizeof single.high[0]);
        memcpy(single.share[0], pass.share[f], sizeof single.share[0]);
        if (f > 0) memcpy(grids[0], grids[f], sizeof grids[0]);
        run(NULL, &one, &single);
    }
    CHECK(memcmp(together, sums, count * sizeof(float)) == 0);
}

/* A grid that is 3 everywhere, divided by the sum of the weights, is 3; a field of one column is that column. */
static void reference_agrees_with_the_definition(void)
{
    qn_warp_problem problem = problem_of(40, 30, 50, 40, 6, 1, 1);
    qn_warp_pass pass = {.frames = 1, .low = {{-9, -9}}, .high = {{99, 99}}, .share = {{2}}};
    make_inputs(0);
    for (int i = 0; i < FINE_MAX; i++) grids[0][i] = 3;
    memset(expected, 0, sizeof expected);
    add_reference(&problem, &pass);
    const double whole = qn_window_transform(&problem.window, 0);
    for (int i = 0; i < 40 * 30; i += 7) CHECK_NEAR(expected[i] / (whole * whole), 6, 1e-3);
    problem = problem_of(64, 40, 64, 44, 1, 1, 1);
    for (int i = 0; i < FINE_MAX; i++) grids[0][i] = (float)i;
    memset(expected, 0, sizeof expected);
    pass.low[0][0] = 3;
    add_reference(&problem, &pass);
    CHECK_NEAR(expected[5 * 64 + 7], 2 * (5 * 64 + 7), 0);
    CHECK_NEAR(expected[5 * 64 + 2], 0, 0);
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    const qn_warp_problem right = problem_of(30, 20, 40, 30, 4, 2, 3);
    qn_warp_problem wrong[7];
    const qn_warp_pass pass = make_pass(&right, 1);
    for (int i = 0; i < 7; i++) wrong[i] = right;
    wrong[0].frames = 9;
    wrong[1].sums = 0;
    wrong[2].taps = 5;
    wrong[3].taps = 1; /* with steps that are not whole */
    wrong[4].step[0] = 2;
    wrong[5].fine[0] = wrong[5].fine[1] = 1 << 16;
    wrong[6].size[0] = 0;
    CHECK_OK(qn_buffer_create(device, 1 << 14, &buffer));
    for (int i = 0; i < 7; i++)
        CHECK_FAILS(qn_warp_frames(queue, NULL, &wrong[i], &pass, &buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    const qn_warp_pass many = make_pass(&right, 3);
    CHECK_FAILS(qn_warp_frames(queue, NULL, &right, &many, &buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload_sizes(queue, "movie/warp_frames", (const int[QN_WORKLOAD_SIZES]){70, 45, 3, 2, 4}, &work);
    CHECK(work.multiply_adds > 0 && work.bytes_read > work.bytes_written);
    check_workload_sizes(queue, "movie/warp_frames", (const int[QN_WORKLOAD_SIZES]){70, 45, 3, 2, 1}, &work);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_agrees_with_the_definition);
    RUN(sizes_taps_and_counts_are_right);
    RUN(launches_may_take_any_number_of_frames);
    RUN(sampled_corners_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
