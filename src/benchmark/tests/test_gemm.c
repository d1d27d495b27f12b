/* devices: host opencl:0 cuda:0 checking:host */
/* gemm is compared with its reference on one device, in a sample of the corners of its space, for whole and odd sizes.
 * */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmark/algebra/kernels/gemm.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

/* PoCL takes seconds to compile each corner. */
enum { CORNERS_MAX = 24, MAX = 520 * 520 };

/* Sizes that are multiples of every tile, odd sizes, and thin matrices. Some are larger than the blocks of the host's
 * kernel. */
static const qn_gemm_problem problems[] = {{256, 256, 96}, {131, 77, 53}, {1, 3, 300}, {301, 1, 1}, {260, 516, 260}};

static qn_device *device;
static qn_queue *queue;
static float a[MAX], b[MAX], c[MAX];

static void fill(float *to, uint64_t seed, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] = qn_workload_input(seed, i);
}

/* Largest error, in units of the rounding error of a sum of `inner` products of numbers from [-1, 1). */
static double error_of(const qn_gemm_problem *problem, const qn_configuration *configuration)
{
    const size_t rows = (size_t)problem->rows, columns = (size_t)problem->columns, inner = (size_t)problem->inner;
    qn_buffer *buffer_a = NULL, *buffer_b = NULL, *buffer_c = NULL;
    double worst = 0;
    fill(a, 1, inner * rows);
    fill(b, 2, inner * columns);
    CHECK_OK(qn_workload_make_buffer(queue, a, inner * rows * sizeof(float), &buffer_a));
    CHECK_OK(qn_workload_make_buffer(queue, b, inner * columns * sizeof(float), &buffer_b));
    CHECK_OK(qn_buffer_create(device, rows * columns * sizeof(float), &buffer_c));
    CHECK_OK(qn_workload_fill(queue, buffer_c, 0xff));
    CHECK_OK(qn_gemm(queue, configuration, problem, buffer_a, buffer_b, buffer_c, NULL));
    CHECK_OK(qn_queue_read(queue, buffer_c, 0, c, rows * columns * sizeof(float), NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int row = 0; row < problem->rows; row++)
        for (int column = 0; column < problem->columns; column++) {
            const double expected = qn_gemm_reference(problem, a, b, row, column);
            const double error = fabs(c[(size_t)row * columns + (size_t)column] - expected);
            worst = qn_workload_larger_error(worst, error / ((problem->inner + 16) * 0x1p-22));
        }
    qn_buffer_release(&buffer_a);
    qn_buffer_release(&buffer_b);
    qn_buffer_release(&buffer_c);
    return worst;
}

/* Check the first two sizes: one needs no guards at the edges, the other does. */
static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    for (int i = 0; i < 2; i++)
        if (!CHECK(error_of(&problems[i], configuration) <= 1))
            name_configuration(&qn_benchmark_gemm_family, configuration);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    const char *name = qn_device_get_info(device)->identifier;
    /* The host's kernel has no tunables, so one corner is enough. */
    int most = strstr(name, "host") ? 1 : corners_to_visit(qn_device_get_info(device), CORNERS_MAX);
    CHECK_OK(
        qn_family_sample_corners(&qn_benchmark_gemm_family, qn_device_get_info(device), most, check_corner, &corners));
    CHECK(corners == most);
}

static void every_size_is_right(void)
{
    const qn_configuration fallback = qn_family_fallback(&qn_benchmark_gemm_family);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) CHECK(error_of(&problems[i], &fallback) <= 1);
}

/* [1 2; 3 4] · [5; 6] = [17; 39], A by columns */
static void reference_is_the_product(void)
{
    const float left[] = {1, 3, 2, 4}, right[] = {5, 6};
    const qn_gemm_problem problem = {2, 1, 2};
    CHECK_NEAR(qn_gemm_reference(&problem, left, right, 0, 0), 17, 0);
    CHECK_NEAR(qn_gemm_reference(&problem, left, right, 1, 0), 39, 0);
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_FAILS(qn_gemm(queue, NULL, &(qn_gemm_problem){4, 0, 4}, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("0 columns");
    CHECK_FAILS(qn_gemm(queue, NULL, &(qn_gemm_problem){4, 65, 4}, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("B has 1024 bytes");
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/gemm", (const int[]){100, 200, 300}, &work);
    CHECK_NEAR(work.multiply_adds, 100.0 * 200 * 300, 0);
    CHECK_NEAR(work.bytes_read, 4 * 300.0 * (100 + 200), 0);
    CHECK_NEAR(work.bytes_written, 4 * 100.0 * 200, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_is_the_product);
    RUN(sampled_corners_are_right);
    RUN(every_size_is_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
