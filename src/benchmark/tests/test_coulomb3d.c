/* devices: host opencl:0 cuda:0 checking:host */
/* coulomb3d is compared with its reference on one device, in a sample of the corners of its space. */
#include "check.h"

#include <math.h>

#include "benchmark/physics/kernels/coulomb3d.h"
#include "check_workload.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { NX = 48, NY = 7, NZ = 11, ATOMS = 141, CORNERS_MAX = 16 };

static qn_device *device;
static qn_queue *queue;
static float atoms[4 * ATOMS], components[4 * ATOMS], potential[NX * NY * NZ];
static const qn_coulomb3d_problem problem = {{NX, NY, NZ}, ATOMS, 0.5f};

static void make_atoms(void)
{
    for (int a = 0; a < ATOMS; a++)
        for (int c = 0; c < 4; c++) {
            float number = qn_workload_input(7, (uint64_t)(4 * a + c));
            if (c < 3) number = 0.5f * (number + 1) * (float)problem.points[c] * problem.spacing;
            atoms[4 * a + c] = components[c * ATOMS + a] = number;
        }
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    qn_buffer *atom_buffer = NULL, *component_buffer = NULL, *result = NULL;
    double worst = 0, scale;
    ++*(int *)user;
    CHECK_OK(qn_workload_make_buffer(queue, atoms, sizeof atoms, &atom_buffer));
    CHECK_OK(qn_workload_make_buffer(queue, components, sizeof components, &component_buffer));
    CHECK_OK(qn_buffer_create(device, sizeof potential, &result));
    CHECK_OK(qn_workload_fill(queue, result, 0xff));
    CHECK_OK(qn_coulomb3d(queue, configuration, &problem, atom_buffer, component_buffer, result, NULL));
    CHECK_OK(qn_queue_read(queue, result, 0, potential, sizeof potential, NULL));
    CHECK_OK(qn_queue_finish(queue));
    for (int i = 0; i < NX * NY * NZ; i++) {
        const int point[3] = {i % NX, i / NX % NY, i / NX / NY};
        double expected = qn_coulomb3d_reference(&problem, atoms, point, &scale);
        worst = qn_workload_larger_error(worst, fabs(potential[i] - expected) / scale);
    }
    CHECK(worst < 2e-6); /* roots to 5e-7, and the rounding of 141 additions */
    qn_buffer_release(&atom_buffer);
    qn_buffer_release(&component_buffer);
    qn_buffer_release(&result);
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    make_atoms();
    CHECK_OK(qn_family_sample_corners(&qn_benchmark_coulomb3d_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 2);
    /* Test every value of the tunable that the host's kernel uses. */
    qn_configuration configuration = qn_family_fallback(&qn_benchmark_coulomb3d_family);
    for (int depth = 1; depth <= 8; depth *= 2) {
        configuration.value[2] = depth;
        CHECK_OK(check_corner(&configuration, &corners));
    }
}

/* Two charges seen from the origin: 2 / 5 − 3 / 13. */
static void reference_is_coulombs_law(void)
{
    const float two[8] = {3, 4, 0, 2, 12, 0, 5, -3};
    const qn_coulomb3d_problem small = {{16, 1, 1}, 2, 1};
    double scale;
    CHECK_NEAR(qn_coulomb3d_reference(&small, two, (const int[3]){0, 0, 0}, &scale), 0.4 - 3.0 / 13, 1e-15);
    CHECK_NEAR(scale, 0.4 + 3.0 / 13, 1e-15);
}

static void impossible_problems_are_refused(void)
{
    qn_configuration configuration = qn_family_fallback(&qn_benchmark_coulomb3d_family);
    qn_coulomb3d_problem odd = problem, large = problem;
    qn_buffer *buffer = NULL;
    odd.points[0] = 50;
    large.atoms = QN_COULOMB3D_CONSTANT_ATOMS + 1;
    configuration.value[4] = 1;
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_FAILS(qn_coulomb3d(queue, NULL, &odd, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("50 points along x");
    CHECK_FAILS(qn_coulomb3d(queue, &configuration, &large, buffer, buffer, buffer, NULL), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("4097 atoms");
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "benchmark/coulomb3d", (const int[]){32, 100, 0}, &work);
    CHECK_NEAR(work.reciprocal_roots, 32.0 * 32 * 32 * 100, 0);
    CHECK_NEAR(work.bytes_written, 32.0 * 32 * 32 * 4, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_is_coulombs_law);
    RUN(sampled_corners_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
