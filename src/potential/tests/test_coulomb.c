/* devices: host opencl:0 cuda:0 checking:host */
/* Plain Coulomb potentials on one device, compared with sums in double in a sample of the corners of the space. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "check_workload.h"
#include "potential/maps/coulomb.h"
#include "potential/maps/kernels/coulomb.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { NX = 45, NY = 7, NZ = 11, ATOMS = 141, MANY = QN_COULOMB_ATOMS_MAX + 77, CORNERS_MAX = 16 };

static qn_device *device;
static qn_queue *queue;
static double positions[3 * MANY], charges[MANY];
static float potential[NX * NY * NZ], other[NX * NY * NZ];
static const qn_potential_grid grid = {{NX, NY, NZ}, 0.5, {0}};

static void make_atoms(void)
{
    for (size_t i = 0; i < 3 * MANY; i++)
        positions[i] = (float)(0.5 * grid.points[i % 3] * grid.spacing_angstrom * (double)qn_workload_input(7, i));
    for (size_t i = 0; i < MANY; i++) charges[i] = (double)qn_workload_input(8, i);
}

static void compute(size_t atoms, const qn_configuration *configuration, int planes, double factor, float *map)
{
    qn_coulomb *coulomb = NULL;
    qn_buffer *buffer = NULL;
    if (!CHECK_OK(qn_coulomb_create(queue, &grid, atoms, positions, charges, factor, &coulomb))) return;
    qn_coulomb_configure(coulomb, configuration);
    CHECK_OK(qn_buffer_create(device, (size_t)planes * NX * NY * sizeof(float), &buffer));
    for (int first = 0; first < NZ; first += planes) {
        const int count = NZ - first < planes ? NZ - first : planes;
        CHECK_OK(qn_workload_fill(queue, buffer, 0xff));
        CHECK_OK(qn_coulomb_planes(coulomb, first, count, buffer, NULL));
        CHECK_OK(qn_workload_read(queue, buffer, 0, map + first * NX * NY, (size_t)count * NX * NY * sizeof(float)));
    }
    qn_buffer_release(&buffer);
    qn_coulomb_destroy(&coulomb);
}

/* Largest difference from the sum in double, relative to the sum of magnitudes, at every `stride`-th point. */
static double largest_difference(size_t atoms, double factor, int stride, const float *map)
{
    double largest = 0;
    for (int i = 0; i < NX * NY * NZ; i += stride) {
        const int point[3] = {i % NX, i / NX % NY, i / NX / NY};
        double sum = 0, scale = 0;
        for (size_t a = 0; a < atoms; a++) {
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                const double d = qn_potential_grid_offset(&grid, axis, point[axis]) - positions[3 * a + (size_t)axis];
                square += d * d;
            }
            const double r = fmax(sqrt(square), QN_COULOMB_LEAST_ANGSTROM);
            sum += factor * charges[a] / r;
            scale += factor * fabs(charges[a]) / r;
        }
        largest = qn_workload_larger_error(largest, fabs(map[i] - sum) / scale);
    }
    return largest;
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    compute(ATOMS, configuration, NZ, 332, potential);
    CHECK(largest_difference(ATOMS, 332, 1, potential) < 2e-6); /* roots to 1e-6, 141 additions */
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_potential_coulomb_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 2);
    qn_configuration configuration = qn_family_fallback(&qn_potential_coulomb_family);
    for (int depth = 1; depth <= 8; depth *= 2) { /* every value of the tunable that the host's kernel uses */
        configuration.value[2] = depth;
        CHECK_OK(check_corner(&configuration, &corners));
    }
}

/* More atoms than a launch takes, and slabs of planes. */
static void launches_add_up(void)
{
    compute(MANY, NULL, NZ, 1, potential);
    CHECK(largest_difference(MANY, 1, 17, potential) < 1e-5);
    compute(MANY, NULL, 4, 1, other);
    CHECK(memcmp(potential, other, sizeof potential) == 0);
}

/* A charge of 2 e on the middle point: 2 / 0.001 there, 2 / 0.5 at its neighbour. */
static void points_on_atoms_have_numbers(void)
{
    const double first[4] = {positions[0], positions[1], positions[2], charges[0]};
    const int middle = (NZ / 2 * NY + NY / 2) * NX + NX / 2;
    positions[0] = positions[1] = positions[2] = 0;
    charges[0] = 2;
    compute(1, NULL, NZ, 1, potential);
    CHECK_NEAR(potential[middle], 2000, 0.01);
    CHECK_NEAR(potential[middle + 1], 4, 1e-5);
    CHECK_NEAR(potential[middle + NX * NY], 4, 1e-5);
    for (int axis = 0; axis < 3; axis++) positions[axis] = first[axis];
    charges[0] = first[3];
}

/* Two charges seen from the origin: 2 / 5 − 3 / 13, in units of two. */
static void reference_is_coulombs_law(void)
{
    const float two[8] = {3, 4, 0, 2, 12, 0, 5, -3};
    const qn_coulomb_problem small = {.points = {16, 1, 1}, .atoms = 2, .spacing = 1, .least = 0.001f, .factor = 2};
    double scale;
    CHECK_NEAR(qn_coulomb_reference(&small, two, (const int[3]){0, 0, 0}, &scale), 2 * (0.4 - 3.0 / 13), 1e-15);
    CHECK_NEAR(scale, 2 * (0.4 + 3.0 / 13), 1e-15);
}

static void impossible_problems_are_refused(void)
{
    qn_coulomb *coulomb = NULL;
    qn_buffer *buffer = NULL;
    const qn_coulomb_problem large = {.points = {4, 4, 4}, .atoms = QN_COULOMB_ATOMS_MAX + 1};
    CHECK_OK(qn_buffer_create(device, 1024, &buffer));
    CHECK_FAILS(qn_coulomb_add(queue, NULL, &large, buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("4097 atoms");
    CHECK_FAILS(qn_coulomb_create(queue, &grid, 0, positions, charges, 1, &coulomb), QN_INVALID_ARGUMENT);
    if (CHECK_OK(qn_coulomb_create(queue, &grid, 3, positions, charges, 1, &coulomb)))
        CHECK_FAILS(qn_coulomb_planes(coulomb, 5, NZ, buffer, NULL), QN_INVALID_ARGUMENT);
    qn_coulomb_destroy(&coulomb);
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "potential/coulomb", (const int[]){33, 100, 0}, &work);
    CHECK_NEAR(work.reciprocal_roots, 33.0 * 33 * 33 * 100, 0);
    CHECK_NEAR(work.bytes_written, 33.0 * 33 * 33 * 4, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    make_atoms();
    RUN(reference_is_coulombs_law);
    RUN(sampled_corners_are_right);
    RUN(launches_add_up);
    RUN(points_on_atoms_have_numbers);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
