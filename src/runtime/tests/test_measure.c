/* devices: host opencl:0 cuda:0 checking:host */
/* The kernels of measure are compared with their references on one device, in every corner of their space. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/configuration.h"
#include "runtime/kernels/measure.h"

enum { ELEMENTS = 3 * QN_MEASURE_ELEMENTS_STEP, PARTIALS = 37, CHAINS = 3 * QN_MEASURE_CHAINS_STEP };

static qn_device *device;
static qn_queue *queue;
static int corners;

static qn_buffer *make_buffer(const void *data, size_t bytes)
{
    qn_buffer *buffer = NULL;
    if (!CHECK_OK(qn_buffer_create(device, bytes, &buffer))) return NULL;
    if (data)
        CHECK_OK(qn_queue_write(queue, buffer, 0, data, bytes, NULL));
    else
        CHECK_OK(qn_queue_fill(queue, buffer, 0, bytes, 0x7f, NULL));
    CHECK_OK(qn_queue_finish(queue));
    return buffer;
}

static void take_back(qn_buffer **buffer, void *data, size_t bytes)
{
    CHECK_OK(qn_queue_read(queue, *buffer, 0, data, bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
    qn_buffer_release(buffer);
}

static void check_memory(const qn_configuration *configuration)
{
    static float values[4 * ELEMENTS], copied[4 * ELEMENTS], partial[PARTIALS];
    const qn_measure_problem problem = {.elements = ELEMENTS, .partials = PARTIALS};
    double total = 0;
    /* Small integers, so that float sums are exact in any order; no two neighbours are equal. */
    for (int i = 0; i < 4 * ELEMENTS; i++) values[i] = (float)((i * 7) % 61 - 20);
    qn_buffer *from = make_buffer(values, sizeof values), *to = make_buffer(NULL, sizeof copied);
    CHECK_OK(qn_measure_copy(queue, configuration, &problem, from, to, NULL));
    take_back(&to, copied, sizeof copied);
    CHECK(memcmp(values, copied, sizeof values) == 0);
    qn_buffer *sums = make_buffer(NULL, sizeof partial);
    CHECK_OK(qn_measure_sum(queue, configuration, &problem, from, sums, NULL));
    take_back(&sums, partial, sizeof partial);
    for (int i = 0; i < PARTIALS; i++) total += partial[i];
    CHECK(total == qn_measure_sum_reference(&problem, values));
    CHECK(total != 0);
    qn_buffer_release(&from);
}

static void check_chains(const qn_configuration *configuration)
{
    static float result[CHAINS];
    const qn_measure_problem problem = {.chains = CHAINS, .steps = 5};
    double worst_multiply_add = 0, worst_root = 0;
    qn_buffer *buffer = make_buffer(NULL, sizeof result);
    CHECK_OK(qn_measure_multiply_add(queue, configuration, &problem, buffer, 0.75f, 0.3f, NULL));
    take_back(&buffer, result, sizeof result);
    for (int i = 0; i < CHAINS; i++) {
        double expected = qn_measure_multiply_add_reference(i, problem.steps, 0.75f, 0.3f);
        worst_multiply_add = fmax(worst_multiply_add, fabs(result[i] - expected) / expected);
    }
    /* Each of five steps is rounded once, with a relative error of at most 0.6e-7. Roots have errors of at most 2 ulp,
     * 2.4e-7, which the next step reduces to about a third: less than 5e-7 in all. */
    CHECK(worst_multiply_add < 5 * 0.6e-7);
    buffer = make_buffer(NULL, sizeof result);
    CHECK_OK(qn_measure_reciprocal_root(queue, configuration, &problem, buffer, 0.5f, NULL));
    take_back(&buffer, result, sizeof result);
    for (int i = 0; i < CHAINS; i++) {
        double expected = qn_measure_reciprocal_root_reference(i, problem.steps, 0.5);
        worst_root = fmax(worst_root, fabs(result[i] - expected) / expected);
    }
    CHECK(worst_root < 5e-7);
}

static void check_counters(const qn_configuration *configuration)
{
    static int32_t result[CHAINS];
    const qn_measure_problem problem = {.chains = CHAINS, .steps = 101};
    qn_buffer *buffer = make_buffer(NULL, sizeof result);
    CHECK_OK(qn_measure_local_atomic_add(queue, configuration, &problem, buffer, NULL));
    take_back(&buffer, result, sizeof result);
    int wrong = 0;
    for (int i = 0; i < CHAINS; i++) wrong += result[i] != qn_measure_local_atomic_add_reference(problem.steps);
    CHECK(wrong == 0);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    (void)user;
    corners++;
    check_memory(configuration);
    check_chains(configuration);
    check_counters(configuration);
    return QN_OK;
}

static void every_corner_matches_the_reference(void)
{
    CHECK_OK(qn_family_corners(&qn_runtime_measure_family, qn_device_get_info(device), check_corner, NULL));
    CHECK(corners >= 4);
}

static void wrong_sizes_are_refused(void)
{
    const qn_measure_problem odd = {.elements = 100, .partials = 3, .chains = 100, .steps = 1};
    const qn_measure_problem long_one = {.chains = QN_MEASURE_CHAINS_STEP, .steps = QN_MEASURE_STEPS_MAX + 1};
    qn_buffer *buffer = make_buffer(NULL, 16384);
    CHECK_FAILS(qn_measure_sum(queue, NULL, &odd, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("100 elements");
    CHECK_FAILS(qn_measure_multiply_add(queue, NULL, &odd, buffer, 1, 1, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("multiple of 512");
    CHECK_FAILS(qn_measure_local_atomic_add(queue, NULL, &long_one, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("65537 steps");
    qn_buffer_release(&buffer);
}

static void least_work_is_stated(void)
{
    const qn_measure_problem problem = {.elements = 1000, .partials = 10, .chains = 100, .steps = 7};
    qn_work work;
    for (int i = 0; i < qn_runtime_measure_family.kernel_count; i++) {
        qn_runtime_measure_family.kernels[i].work(&problem, &work);
        CHECK(work.bytes_read + work.bytes_written > 0);
    }
    qn_runtime_measure_family.kernels[0].work(&problem, &work);
    CHECK_NEAR(work.bytes_read, 16000, 0);
    CHECK_NEAR(work.bytes_written, 16000, 0);
}

static void the_slowest_pipe_sets_the_limit(void)
{
    const qn_device_rates rates = {.copy_bytes_per_s = 100, .read_bytes_per_s = 200, .multiply_adds_per_s = 1000};
    const char *pipe;
    /* 50 bytes read and written at 100 per second, and 100 more bytes read at 200 per second */
    CHECK_NEAR(qn_work_limit_seconds(&(qn_work){.bytes_read = 150, .bytes_written = 50}, &rates, &pipe), 1.5, 1e-12);
    CHECK_TEXT(pipe, "memory");
    CHECK_NEAR(qn_work_limit_seconds(&(qn_work){.bytes_read = 200, .multiply_adds = 3000}, &rates, &pipe), 3, 1e-12);
    CHECK_TEXT(pipe, "multiply-add");
    CHECK_NEAR(qn_work_limit_seconds(&(qn_work){.bytes_read = 200, .local_atomics = 1}, &rates, &pipe), 0, 0);
    CHECK_TEXT(pipe, "local atomics");
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(every_corner_matches_the_reference);
    RUN(wrong_sizes_are_refused);
    RUN(least_work_is_stated);
    RUN(the_slowest_pipe_sets_the_limit);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
