/* devices: host opencl:0 cuda:0 checking:host */
/* hotspot is compared with its reference on one device, in a sample of the corners of its space, for even and odd
 * sizes. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "benchmark/physics/kernels/hotspot.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { CORNERS_MAX = 24, CORNERS_OPENCL_MAX = 3, MAX = 530 * 150 };

/* Grids larger than the host's tiles, odd sides, fewer cells than steps, and a single line. */
static const qn_hotspot_problem problems[] = {
    {157, 61, 7, 0.11f, 0.07f, 0.01f, 0.05f, 0.5f}, {523, 140, 13, 0.2f, 0.1f, 0.001f, 0.5f, -0.25f},
    {5, 3, 10, 0.11f, 0.07f, 0.01f, 0.05f, 0.5f},   {1, 1, 3, 0.11f, 0.07f, 0.01f, 0.05f, 0.5f},
    {300, 1, 4, 0.11f, 0.07f, 0.01f, 0.05f, 0.5f},  {256, 64, 1, 0.11f, 0.07f, 0.01f, 0.05f, 0.5f},
};

static qn_device *device;
static qn_queue *queue;
static float power[MAX], start[MAX], result[MAX];

static float input(int field, int x, int y, const void *user)
{
    const qn_hotspot_problem *problem = user;
    return (field == 0 ? power : start)[y * problem->width + x];
}

/* Largest error of every stride-th cell, in units of the rounding error. */
static double error_of(const qn_hotspot_problem *problem, const qn_configuration *configuration, int stride)
{
    const size_t cells = (size_t)(problem->width * problem->height), bytes = cells * sizeof(float);
    qn_buffer *power_buffer = NULL, *temperature = NULL, *scratch = NULL, *done = NULL;
    double worst = 0, expected = 0;
    for (size_t i = 0; i < cells; i++) power[i] = qn_workload_input(3, i), start[i] = qn_workload_input(4, i);
    CHECK_OK(qn_workload_make_buffer(queue, power, bytes, &power_buffer));
    CHECK_OK(qn_workload_make_buffer(queue, start, bytes, &temperature));
    CHECK_OK(qn_buffer_create(device, bytes, &scratch));
    CHECK_OK(qn_buffer_create(device, sizeof(int32_t), &done));
    CHECK_OK(qn_workload_fill(queue, scratch, 0xff));
    CHECK_OK(qn_hotspot(queue, configuration, problem, power_buffer, &temperature, &scratch, done, NULL));
    CHECK_OK(qn_queue_read(queue, temperature, 0, result, bytes, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < problem->width * problem->height; i += stride) {
        CHECK_OK(qn_hotspot_reference(problem, input, problem, i % problem->width, i / problem->width, &expected));
        worst = qn_workload_larger_error(worst, fabs(result[i] - expected) / ((problem->steps + 2) * 0x1p-22));
    }
    qn_buffer_release(&power_buffer);
    qn_buffer_release(&temperature);
    qn_buffer_release(&scratch);
    qn_buffer_release(&done);
    return worst;
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    if (!CHECK(error_of(&problems[0], configuration, 3) <= 1))
        name_configuration(&qn_benchmark_hotspot_family, configuration);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    const char *name = qn_device_get_info(device)->identifier;
    /* The host's kernel has one tunable, STEPS: 1, 2 and 10. */
    int most = strstr(name, "host") ? 3 : strstr(name, "opencl") ? CORNERS_OPENCL_MAX : CORNERS_MAX;
    CHECK_OK(qn_family_sample_corners(&qn_benchmark_hotspot_family, qn_device_get_info(device), most, check_corner,
                                      &corners));
    CHECK(corners == most);
}

/* Run with a given configuration, and without one: then each launch reports the number of its steps. */
static void every_size_is_right(void)
{
    qn_configuration configuration = qn_family_fallback(&qn_benchmark_hotspot_family);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        CHECK(error_of(&problems[i], &configuration, 7) <= 1);
        CHECK(error_of(&problems[i], NULL, 7) <= 1);
    }
    configuration.value[QN_HOTSPOT_STEPS] = 7;
    CHECK(error_of(&problems[1], &configuration, 7) <= 1);
}

/* The left one of three cells in a row is hot. In one step it gives 0.1 to its neighbour and loses to the air half of
 * the difference from the air's temperature. */
static float hot_left(int field, int x, int y, const void *user)
{
    (void)y;
    (void)user;
    return field == 0 ? 1 : x == 0 ? 2 : 1;
}

static void reference_agrees_with_the_definition(void)
{
    const qn_hotspot_problem problem = {3, 1, 1, 0.1f, 0.2f, 0.5f, 0.25f, 1};
    double temperature;
    CHECK_OK(qn_hotspot_reference(&problem, hot_left, NULL, 0, 0, &temperature));
    CHECK_NEAR(temperature, 2 - 0.1 - 0.5 + 0.25, 1e-7);
    CHECK_OK(qn_hotspot_reference(&problem, hot_left, NULL, 1, 0, &temperature));
    CHECK_NEAR(temperature, 1 + 0.1 + 0.25, 1e-7);
    CHECK_OK(qn_hotspot_reference(&problem, hot_left, NULL, 2, 0, &temperature));
    CHECK_NEAR(temperature, 1.25, 1e-7);
}

static void impossible_problems_are_refused(void)
{
    const qn_hotspot_problem none = {4, 4, 0, 0.1f, 0.1f, 0, 0, 0}, large = {17, 17, 1, 0.1f, 0.1f, 0, 0, 0};
    qn_buffer *buffer = NULL, *other = NULL;
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_OK(qn_buffer_create(device, 1024, &other));
    CHECK_FAILS(qn_hotspot(queue, NULL, &none, buffer, &buffer, &other, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("0 steps");
    CHECK_FAILS(qn_hotspot(queue, NULL, &large, buffer, &buffer, &other, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("power has 1024 bytes; expected 1156");
    qn_buffer_release(&buffer);
    qn_buffer_release(&other);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/hotspot", (const int[]){300, 100, 10}, &work);
    CHECK_NEAR(work.multiply_adds, 5 * 300.0 * 100 * 10, 0);
    CHECK_NEAR(work.bytes_read, 8 * 300.0 * 100, 0);
    CHECK_NEAR(work.bytes_written, 4 * 300.0 * 100, 0);
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
