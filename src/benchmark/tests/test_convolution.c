/* devices: host opencl:0 cuda:0 checking:host */
/* convolution is compared with its reference on one device, in a sample of the corners of its space, for even and odd
 * sizes. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "benchmark/physics/kernels/convolution.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { CORNERS_MAX = 24, MAX = 320 * 150 };

static const qn_convolution_problem problems[] = {{300, 70, 15, 15}, {127, 61, 15, 15}, {1, 1, 15, 15},
                                                  {65, 33, 17, 17},  {200, 40, 3, 5},   {64, 64, 1, 1},
                                                  {90, 7, 2, 15}};

static qn_device *device;
static qn_queue *queue;
static float in[MAX], filter[MAX], out[MAX];

/* Largest error, in units of the rounding error of a sum of products of numbers from [-1, 1). */
static double error_of(const qn_convolution_problem *problem, const qn_configuration *configuration)
{
    const size_t weights = (size_t)(problem->filter_width * problem->filter_height);
    const size_t outputs = (size_t)(problem->width * problem->height);
    const size_t inputs =
        (size_t)((problem->width + problem->filter_width - 1) * (problem->height + problem->filter_height - 1));
    qn_buffer *in_buffer = NULL, *filter_buffer = NULL, *out_buffer = NULL;
    double worst = 0;
    for (size_t i = 0; i < inputs; i++) in[i] = qn_workload_input(3, i);
    for (size_t i = 0; i < weights; i++) filter[i] = qn_workload_input(4, i);
    CHECK_OK(qn_workload_make_buffer(queue, in, inputs * sizeof(float), &in_buffer));
    CHECK_OK(qn_workload_make_buffer(queue, filter, weights * sizeof(float), &filter_buffer));
    CHECK_OK(qn_buffer_create(device, outputs * sizeof(float), &out_buffer));
    CHECK_OK(qn_workload_fill(queue, out_buffer, 0xff));
    CHECK_OK(qn_convolution(queue, configuration, problem, in_buffer, filter_buffer, out_buffer, NULL));
    CHECK_OK(qn_queue_read(queue, out_buffer, 0, out, outputs * sizeof(float), NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int y = 0; y < problem->height; y++)
        for (int x = 0; x < problem->width; x++) {
            const double error =
                fabs(out[y * problem->width + x] - qn_convolution_reference(problem, in, filter, x, y));
            worst = qn_workload_larger_error(worst, error / ((double)(weights + 16) * 0x1p-22));
        }
    qn_buffer_release(&in_buffer);
    qn_buffer_release(&filter_buffer);
    qn_buffer_release(&out_buffer);
    return worst;
}

/* Check the first two sizes, which share a program. */
static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    for (int i = 0; i < 2; i++)
        if (!CHECK(error_of(&problems[i], configuration) <= 1))
            name_configuration(&qn_benchmark_convolution_family, configuration);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    const char *name = qn_device_get_info(device)->identifier;
    /* The host's kernel has no tunables, so one corner is enough. */
    int most = strstr(name, "host") ? 1 : corners_to_visit(qn_device_get_info(device), CORNERS_MAX);
    CHECK_OK(qn_family_sample_corners(&qn_benchmark_convolution_family, qn_device_get_info(device), most, check_corner,
                                      &corners));
    CHECK(corners == most);
}

static void every_size_is_right(void)
{
    const qn_configuration fallback = qn_family_fallback(&qn_benchmark_convolution_family);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) CHECK(error_of(&problems[i], &fallback) <= 1);
}

/* An image of three by two and the filter (1, 10) give two by two: 1 + 20, 2 + 30; 4 + 50, 5 + 60. */
static void reference_agrees_with_the_definition(void)
{
    const float image[] = {1, 2, 3, 4, 5, 6}, weights[] = {1, 10};
    const qn_convolution_problem problem = {2, 2, 2, 1};
    CHECK_NEAR(qn_convolution_reference(&problem, image, weights, 0, 0), 21, 0);
    CHECK_NEAR(qn_convolution_reference(&problem, image, weights, 1, 1), 65, 0);
}

static void impossible_problems_are_refused(void)
{
    const qn_convolution_problem wide = {4, 4, 18, 3}, large = {16, 16, 2, 1};
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_FAILS(qn_convolution(queue, NULL, &wide, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("a filter of 18 x 3");
    CHECK_FAILS(qn_convolution(queue, NULL, &large, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("the image has 1024 bytes; expected 1088");
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/convolution", (const int[]){200, 100, 15}, &work);
    CHECK_NEAR(work.multiply_adds, 200.0 * 100 * 225, 0);
    CHECK_NEAR(work.bytes_read, 4 * (214.0 * 114 + 225), 0);
    CHECK_NEAR(work.bytes_written, 4 * 200.0 * 100, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_agrees_with_the_definition);
    RUN(sampled_corners_are_right);
    RUN(every_size_is_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
