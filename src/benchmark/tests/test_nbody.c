/* devices: host opencl:0 cuda:0 checking:host */
/* nbody is compared with its reference on one device, in a sample of the corners of its space. */
#include "check.h"

#include <math.h>

#include "benchmark/physics/kernels/nbody.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { COUNT = 176, CORNERS_MAX = 16 };

static qn_device *device;
static qn_queue *queue;
static float bodies[4 * COUNT], components[4 * COUNT], acceleration[3 * COUNT];
static const qn_nbody_problem problem = {COUNT, 0.05f};

static void make_bodies(void)
{
    for (int i = 0; i < 4 * COUNT; i++)
        bodies[i] = components[i % 4 * COUNT + i / 4] = qn_workload_input(5, (uint64_t)i) + (i % 4 == 3 ? 1.0f : 0.0f);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    qn_buffer *body_buffer = NULL, *component_buffer = NULL, *result = NULL;
    double worst = 0, expected[3];
    ++*(int *)user;
    CHECK_OK(qn_workload_make_buffer(queue, bodies, sizeof bodies, &body_buffer));
    CHECK_OK(qn_workload_make_buffer(queue, components, sizeof components, &component_buffer));
    CHECK_OK(qn_buffer_create(device, sizeof acceleration, &result));
    CHECK_OK(qn_workload_fill(queue, result, 0xff));
    CHECK_OK(qn_nbody(queue, configuration, &problem, body_buffer, component_buffer, result, NULL));
    CHECK_OK(qn_queue_read(queue, result, 0, acceleration, sizeof acceleration, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < COUNT; i++) {
        double scale = qn_nbody_reference(&problem, bodies, i, expected);
        for (int c = 0; c < 3; c++)
            worst = qn_workload_larger_error(worst, fabs(acceleration[c * COUNT + i] - expected[c]) / scale);
    }
    CHECK(worst < 3e-6); /* three times the error of a root, 5e-7, and the rounding of 176 additions */
    qn_buffer_release(&body_buffer);
    qn_buffer_release(&component_buffer);
    qn_buffer_release(&result);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    make_bodies();
    CHECK_OK(qn_family_sample_corners(&qn_benchmark_nbody_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
    /* Test every value of the tunable that the host's kernel uses. */
    qn_configuration configuration = qn_family_fallback(&qn_benchmark_nbody_family);
    for (int vectors = 1; vectors <= 4; vectors *= 2) {
        configuration.value[2] = vectors;
        CHECK_OK(check_corner(&configuration, &corners));
    }
}

/* Two bodies at distance 3 with softening length 4: 1 / (3² + 4²)^(3/2) = 1 / 125, times mass and distance. */
static void reference_is_newtons_law(void)
{
    const float two[8] = {1, 0, 0, 10, 1, 3, 0, 5};
    const qn_nbody_problem pair = {2, 4};
    double acceleration_of[3];
    CHECK_NEAR(qn_nbody_reference(&pair, two, 0, acceleration_of), 15.0 / 125, 1e-15);
    CHECK_NEAR(acceleration_of[0], 0, 0);
    CHECK_NEAR(acceleration_of[1], 15.0 / 125, 1e-15);
    CHECK_NEAR(qn_nbody_reference(&pair, two, 1, acceleration_of), 30.0 / 125, 1e-15);
    CHECK_NEAR(acceleration_of[1], -30.0 / 125, 1e-15);
}

static void odd_counts_are_refused(void)
{
    qn_buffer *buffer = NULL;
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_FAILS(qn_nbody(queue, NULL, &(qn_nbody_problem){100, 1}, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("100 bodies");
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/nbody", (const int[]){992, 0, 0}, &work);
    CHECK_NEAR(work.multiply_adds, 12 * 992.0 * 992, 0);
    CHECK_NEAR(work.reciprocal_roots, 992.0 * 992, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_is_newtons_law);
    RUN(sampled_corners_are_right);
    RUN(odd_counts_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
