/* devices: host opencl:0 cuda:0 checking:host */
/* Compare field_value with its reference on one device, and the reference with known functions. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "check_workload.h"
#include "movie/motion/kernels/field_value.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

#include <quern/device.h>

enum { WINDOWS = 131, SIDE_MAX = 21, AREA_MAX = SIDE_MAX * SIDE_MAX, CORNERS_MAX = 8 };

static qn_device *device;
static qn_queue *queue;
static float windows[WINDOWS * AREA_MAX], coefficients[WINDOWS * AREA_MAX], places[2 * WINDOWS], values[3 * WINDOWS];

/* Places within a window, exactly on samples, at the edges and far outside. */
static void make_inputs(int side)
{
    for (uint64_t i = 0; i < (uint64_t)(WINDOWS * side * side); i++) windows[i] = qn_workload_input(3, i);
    for (uint64_t i = 0; i < 2 * WINDOWS; i++) {
        places[i] = 0.55f * (float)side * qn_workload_input(4, i);
        if (i % 7 == 0) places[i] = rintf(places[i]);
        if (i % 11 == 0) places[i] = (float)(side / 2 - 1) * (i % 2 ? -1.0f : 1.0f);
    }
    places[5] = 1e6f;
}

static void run_on_device(const qn_configuration *configuration, const qn_field_problem *problem)
{
    const size_t numbers = (size_t)(problem->side * problem->side) * (size_t)problem->windows;
    const size_t count = (size_t)problem->windows;
    qn_buffer *window_buffer = NULL, *place_buffer = NULL, *value_buffer = NULL;
    CHECK_OK(qn_workload_make_buffer(queue, windows, 4 * numbers, &window_buffer));
    CHECK_OK(qn_workload_make_buffer(queue, places, 8 * count, &place_buffer));
    CHECK_OK(qn_buffer_create(device, 12 * count, &value_buffer));
    CHECK_OK(qn_field_filter(queue, configuration, problem, window_buffer));
    CHECK_OK(qn_field_value(queue, configuration, problem, window_buffer, place_buffer, value_buffer, NULL));
    CHECK_OK(qn_workload_read(queue, window_buffer, 0, coefficients, 4 * numbers));
    CHECK_OK(qn_workload_read(queue, value_buffer, 0, values, 12 * count));
    qn_buffer_release(&window_buffer);
    qn_buffer_release(&place_buffer);
    qn_buffer_release(&value_buffer);
}

/* Samples are within ±1 and coefficients within ±9; errors are those of some 60 roundings of numbers of that size. */
static void check_problem(const qn_configuration *configuration, int side)
{
    const qn_field_problem problem = {WINDOWS, side};
    const int area = side * side;
    make_inputs(side);
    run_on_device(configuration, &problem);
    for (int w = 0; w < WINDOWS; w++) {
        double samples[AREA_MAX], expected[AREA_MAX], value[3];
        for (int k = 0; k < area; k++) samples[k] = (double)windows[w * area + k];
        qn_field_filter_reference(side, samples, expected);
        for (int k = 0; k < area; k++) CHECK_NEAR((double)coefficients[w * area + k], expected[k], 1e-5);
        qn_field_value_reference(side, expected, (double)places[2 * w], (double)places[2 * w + 1], value);
        for (int k = 0; k < 3; k++) CHECK_NEAR((double)values[3 * w + k], value[k], 1e-5);
    }
}

static void sides_are_right(void)
{
    check_problem(NULL, 9);
    check_problem(NULL, 17);
    check_problem(NULL, 21);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    check_problem(configuration, 17);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    const qn_device_info *info = qn_device_get_info(device);
    const int most = strstr(info->identifier, "host") ? 1 : corners_to_visit(info, CORNERS_MAX);
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_movie_field_value_family, info, most, check_corner, &corners));
    CHECK(corners >= 1);
}

/* The spline takes the values of the samples, and is a parabola where the samples are those of one, except near the
 * edges, where samples are reflected. */
static void reference_interpolates(void)
{
    double samples[17 * 17], spline[17 * 17], value[3];
    for (int k = 0; k < 17 * 17; k++) {
        const double x = k % 17 - 8, y = k / 17 - 8;
        samples[k] = 3 - 0.5 * x * x + 0.25 * x * y - y * y + y;
    }
    qn_field_filter_reference(17, samples, spline);
    for (int y = -7; y <= 7; y++)
        for (int x = -7; x <= 7; x++) {
            qn_field_value_reference(17, spline, x, y, value);
            CHECK_NEAR(value[0], samples[17 * (y + 8) + x + 8], 1e-11);
        }
    const double x = 0.3, y = -0.85;
    qn_field_value_reference(17, spline, x, y, value);
    CHECK_NEAR(value[0], 3 - 0.5 * x * x + 0.25 * x * y - y * y + y, 1e-3);
    CHECK_NEAR(value[1], -x + 0.25 * y, 1e-3);
    CHECK_NEAR(value[2], 0.25 * x - 2 * y + 1, 1e-3);
    qn_field_value_reference(17, spline, 9.5, 2.2, value); /* beyond the edge: constant along x */
    CHECK(value[1] == 0 && value[2] != 0);
    const double at_edge = value[0];
    qn_field_value_reference(17, spline, 7, 2.2, value);
    CHECK(value[0] == at_edge && value[1] != 0);
}

/* Slopes against differences of values. */
static void slopes_are_derivatives(void)
{
    const double step = 1e-5;
    double samples[17 * 17], spline[17 * 17], value[3], low[3], high[3];
    for (uint64_t k = 0; k < 17 * 17; k++) samples[k] = (double)qn_workload_input(9, k);
    qn_field_filter_reference(17, samples, spline);
    for (int k = 0; k < 20; k++) {
        const double x = 6.9 * (double)qn_workload_input(10, (uint64_t)(2 * k)),
                     y = 6.9 * (double)qn_workload_input(10, (uint64_t)(2 * k + 1));
        qn_field_value_reference(17, spline, x, y, value);
        qn_field_value_reference(17, spline, x - step, y, low);
        qn_field_value_reference(17, spline, x + step, y, high);
        CHECK_NEAR(value[1], (high[0] - low[0]) / (2 * step), 1e-7);
        qn_field_value_reference(17, spline, x, y - step, low);
        qn_field_value_reference(17, spline, x, y + step, high);
        CHECK_NEAR(value[2], (high[0] - low[0]) / (2 * step), 1e-7);
    }
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1000, &buffer));
    CHECK_FAILS(qn_field_filter(queue, NULL, &(qn_field_problem){1, 8}, buffer), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("windows of side 8; expected an odd side, 9 to 63");
    CHECK_FAILS(qn_field_filter(queue, NULL, &(qn_field_problem){0, 9}, buffer), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_field_filter(queue, NULL, &(qn_field_problem){4, 9}, buffer), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("windows: 1000 bytes; expected 1296");
    CHECK_FAILS(qn_field_value(queue, NULL, &(qn_field_problem){2, 65}, buffer, buffer, buffer, NULL),
                QN_INVALID_ARGUMENT);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "movie/field_value", (const int[]){300, 0, 0}, &work);
    CHECK_NEAR(work.multiply_adds, 80 * 300, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_interpolates);
    RUN(slopes_are_derivatives);
    RUN(sides_are_right);
    RUN(sampled_corners_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
