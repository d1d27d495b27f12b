/* devices: host opencl:0 cuda:0 checking:host */
/* reduction is compared with its reference on one device, in a sample of the corners of its space. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "benchmark/algebra/kernels/reduction.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { MAX = 70000, CORNERS_MAX = 16 };

static qn_device *device;
static qn_queue *queue;
static float numbers[MAX];

static void check_sum(const qn_configuration *configuration, int count)
{
    const qn_reduction_problem problem = {count, qn_device_get_info(device)->compute_units};
    qn_buffer *from = NULL, *scratch = NULL, *result = NULL;
    float sum = 0;
    double seconds = -1;
    CHECK_OK(qn_workload_make_buffer(queue, numbers, (size_t)count * sizeof(float), &from));
    CHECK_OK(qn_buffer_create(device, qn_reduction_scratch_bytes(&problem), &scratch));
    CHECK_OK(qn_buffer_create(device, sizeof sum, &result));
    CHECK_OK(qn_workload_fill(queue, scratch, 0xff));
    CHECK_OK(qn_workload_fill(queue, result, 0xff));
    CHECK_OK(qn_reduction(queue, configuration, &problem, from, scratch, result, &seconds));
    CHECK(seconds >= 0);
    CHECK_OK(qn_queue_read(queue, result, 0, &sum, sizeof sum, NULL));
    CHECK_OK(qn_queue_finish(queue));
    CHECK_NEAR(sum, qn_reduction_reference(numbers, count), 0); /* exact, because all numbers are small integers */
    qn_buffer_release(&from);
    qn_buffer_release(&scratch);
    qn_buffer_release(&result);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    check_sum(configuration, MAX);
    check_sum(configuration, 16);
    check_sum(configuration, 4096 + 16);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    for (int i = 0; i < MAX; i++) numbers[i] = qn_workload_whole_number(3, (uint64_t)i);
    CHECK_OK(qn_family_sample_corners(&qn_benchmark_reduction_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 2);
    /* Test every number of streams, the tunable that the host's kernel uses. */
    qn_configuration configuration = qn_family_fallback(&qn_benchmark_reduction_family);
    for (int streams = 1; streams <= 8; streams *= 2) {
        configuration.value[3] = streams;
        check_sum(&configuration, MAX);
    }
    check_sum(NULL, MAX);
}

static void inputs_are_as_promised(void)
{
    int seen[17] = {0}, low = 0;
    double sum = 0;
    for (uint64_t i = 0; i < 16000; i++) {
        const float number = qn_workload_whole_number(9, i), other = qn_workload_input(9, i);
        low += other < -0.5f;
        sum += number;
        if (CHECK(number == floorf(number) && number >= -8 && number <= 8)) seen[(int)number + 8]++;
        CHECK(other >= -1 && other < 1);
    }
    for (int i = 0; i < 17; i++)
        CHECK(i == 8 ? seen[i] == 0 : abs(seen[i] - 1000) < 160); /* five standard deviations */
    CHECK(low > 3700 && low < 4300);
    CHECK(fabs(sum) <
          5 * 5.05 * sqrt(16000)); /* five standard deviations; the numbers have a root mean square of 5.05 */
    CHECK(qn_workload_input(1, 5) == qn_workload_input(1, 5) && qn_workload_input(1, 5) != qn_workload_input(2, 5));
}

/* Buffers longer than the period of the numbers hold the same numbers as the functions that make them one by one, and
 * the returned sum is right. */
static void long_buffers_hold_the_same_numbers(void)
{
    enum { COUNT = 9000000, FIRST = 1234, STEP = 997 };
    qn_buffer *buffer = NULL;
    float *held = malloc(COUNT * sizeof *held);
    double sum = 0, expected = 0;
    int wrong = 0;
    if (!CHECK(held != NULL) || !CHECK_OK(qn_buffer_create(device, COUNT * sizeof(float), &buffer))) return;
    CHECK_OK(qn_workload_write_whole_numbers(queue, buffer, 5, COUNT, &sum));
    CHECK_OK(qn_queue_read(queue, buffer, 0, held, COUNT * sizeof(float), NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < COUNT; i++) expected += held[i];
    CHECK_NEAR(sum, expected, 0);
    for (int i = 0; i < COUNT; i += STEP) wrong += held[i] != qn_workload_whole_number(5, (uint64_t)i);
    CHECK_OK(qn_workload_write_inputs(queue, buffer, 6, FIRST, COUNT));
    CHECK_OK(qn_queue_read(queue, buffer, 0, held, COUNT * sizeof(float), NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < COUNT; i += STEP) wrong += held[i] != qn_workload_input(6, FIRST + (uint64_t)i);
    CHECK(wrong == 0);
    qn_buffer_release(&buffer);
    free(held);
}

static void reference_adds_up(void)
{
    const float few[3] = {1, 16777216, 1};
    CHECK_NEAR(qn_reduction_reference(few, 3), 16777218, 0);
}

static void wrong_sizes_are_refused(void)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_FAILS(qn_reduction(queue, NULL, &(qn_reduction_problem){100, 1}, buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("100 floats");
    CHECK_FAILS(qn_reduction(queue, NULL, &(qn_reduction_problem){1 << 20, 4}, buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("1024 bytes for partial sums of 4 units");
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/reduction", (const int[]){100016, 0, 0}, &work);
    CHECK_NEAR(work.bytes_read, 4 * 100016.0, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(inputs_are_as_promised);
    RUN(long_buffers_hold_the_same_numbers);
    RUN(reference_adds_up);
    RUN(sampled_corners_are_right);
    RUN(wrong_sizes_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
