/* devices: host opencl:0 cuda:0 checking:host */
/* Compare reference_distances with its reference on one device, over corners of the tunables and odd sizes. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check_workload.h"
#include "collective/kernels/reference_distances.h"
#include "math/random.h"
#include "math/rotation.h"
#include "math/superpose.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { COUNT_MAX = 300, STRIDE_MAX = 352, CORNERS_MAX = 16 };

static const double TOLERANCE = 1e-6; /* of positions up to 1 */

static qn_device *device;
static qn_queue *queue;
static float references[COUNT_MAX * 3 * STRIDE_MAX], frame[4 * STRIDE_MAX], found[COUNT_MAX + 1];

static double uniform(uint64_t stream, uint64_t index)
{
    return 2 * qn_random_uniform(21, stream, index) - 1;
}

/* Put points into rows about their weighted centre. */
static void centre(const double *points, const double *weights, size_t atoms, size_t stride, float *rows)
{
    double sums[3] = {0}, sum = 0;
    for (size_t i = 0; i < atoms; i++) {
        sum += weights[i];
        for (size_t k = 0; k < 3; k++) sums[k] += weights[i] * points[3 * i + k];
    }
    for (size_t i = 0; i < atoms; i++)
        for (size_t k = 0; k < 3; k++) rows[k * stride + i] = (float)(points[3 * i + k] - sums[k] / sum);
}

/* The frame, and references that are turned copies with more and more disorder: the first are nearly the same. */
static qn_reference_distances_problem make_problem(int count, int atoms, bool weighted)
{
    const int step = QN_REFERENCE_DISTANCES_STEP, stride = (atoms + step - 1) / step * step;
    double points[3 * STRIDE_MAX], moved[3 * STRIDE_MAX], weights[STRIDE_MAX], sum = 0;
    memset(references, 0, sizeof references);
    memset(frame, 0, sizeof frame);
    for (int i = 0; i < 3 * atoms; i++) points[i] = uniform(0, (uint64_t)i);
    for (int i = 0; i < atoms; i++) {
        weights[i] = weighted ? 1 + uniform(1, (uint64_t)i) : 1;
        frame[3 * stride + i] = (float)weights[i];
        sum += (double)frame[3 * stride + i];
    }
    centre(points, weights, (size_t)atoms, (size_t)stride, frame);
    for (int n = 0; n < count; n++) {
        const double noise = pow(10, -(n % 7));
        double rotation[9];
        qn_rotation_from_seed((uint64_t)n, rotation);
        for (int i = 0; i < atoms; i++) {
            double at[3];
            for (int k = 0; k < 3; k++)
                at[k] = (1 - noise) * points[3 * i + k] + noise * uniform(2 + (uint64_t)n, (uint64_t)(3 * i + k));
            qn_rotation_apply(rotation, at, moved + (ptrdiff_t)3 * i);
        }
        centre(moved, weights, (size_t)atoms, (size_t)stride, references + (ptrdiff_t)n * 3 * stride);
    }
    return (qn_reference_distances_problem){count, stride, sum, atoms};
}

static void compare(const qn_configuration *configuration, const qn_reference_distances_problem *problem, bool drmsd)
{
    qn_buffer *buffers[3] = {NULL};
    const size_t count = (size_t)problem->count, stride = (size_t)problem->stride;
    for (size_t n = 0; n <= count; n++) found[n] = -1;
    CHECK_OK(qn_workload_make_buffer(queue, references, count * 3 * stride * sizeof(float), &buffers[0]));
    CHECK_OK(qn_workload_make_buffer(queue, frame, 4 * stride * sizeof(float), &buffers[1]));
    CHECK_OK(qn_workload_make_buffer(queue, found, (count + 1) * sizeof(float), &buffers[2]));
    CHECK_OK((drmsd ? qn_reference_drmsd : qn_reference_distances)(queue, configuration, problem, buffers[0],
                                                                   buffers[1], buffers[2], NULL));
    CHECK_OK(qn_workload_read(queue, buffers[2], 0, found, (count + 1) * sizeof(float)));
    for (int b = 0; b < 3; b++) qn_buffer_release(&buffers[b]);
    CHECK(found[count] == -1); /* nothing is written beyond the references */
}

static void check_problem(const qn_configuration *configuration, const qn_reference_distances_problem *problem)
{
    for (int drmsd = 1; drmsd >= 0; drmsd--) {
        double worst = 0;
        compare(configuration, problem, drmsd);
        for (int n = 0; n < problem->count; n++) {
            const float *reference = references + (ptrdiff_t)n * 3 * problem->stride;
            const double exact =
                (drmsd ? qn_reference_drmsd_exact : qn_reference_distance_exact)(problem, reference, frame);
            worst = qn_workload_larger_error(worst, fabs((double)found[n] - exact));
        }
        if (!CHECK(worst <= TOLERANCE))
            fprintf(stderr, "%d references, stride %d, dRMSD %d: %g\n", problem->count, problem->stride, drmsd, worst);
    }
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    for (int count = 1; count <= 67; count += 33) {
        const qn_reference_distances_problem problem = make_problem(count, 37 + count, count == 34);
        check_problem(configuration, &problem);
    }
    return QN_OK;
}

static void sampled_corners_are_right(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_collective_reference_distances_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

static void sizes_are_right(void)
{
    static const int atoms[] = {3, 15, 16, 17, 200, 349};
    for (int i = 0; i < 6; i++) {
        const qn_reference_distances_problem problem = make_problem(i == 5 ? COUNT_MAX : 11 + i, atoms[i], i % 2);
        check_problem(NULL, &problem);
    }
}

/* Points on a line, on one place, and mirror images: rotations are not determined, deviations are. */
static void degenerate_structures_are_right(void)
{
    qn_reference_distances_problem problem = make_problem(6, 32, false);
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 3; k++) {
            references[k * 32 + i] = 0;
            references[96 + k * 32 + i] = k == 1 ? 0.06f * (float)i - 0.93f : 0;
            references[2 * 96 + k * 32 + i] = -frame[k * 32 + i];
            references[3 * 96 + k * 32 + i] = frame[k * 32 + i];
            references[4 * 96 + k * 32 + i] = k == 2 ? 0 : frame[k * 32 + i];
            references[5 * 96 + k * 32 + i] = k == 2 ? -frame[k * 32 + i] : frame[k * 32 + i];
        }
    check_problem(NULL, &problem);
    CHECK(found[3] < 1e-6f);
    for (int k = 0; k < 3; k++) memset(frame + (ptrdiff_t)32 * k, 0, 32 * sizeof *frame);
    check_problem(NULL, &problem);
}

/* The reference is that of the superposition with its own centres. */
static void reference_is_the_superposition(void)
{
    const qn_reference_distances_problem problem = make_problem(5, 40, true);
    for (int n = 0; n < 5; n++) {
        double from[120], to[120], weights[40], rotation[9], translation[3], rmsd;
        const float *reference = references + (ptrdiff_t)n * 3 * problem.stride;
        for (int i = 0; i < 120; i++) {
            from[i] = (double)reference[i % 3 * problem.stride + i / 3];
            to[i] = (double)frame[i % 3 * problem.stride + i / 3];
        }
        for (int i = 0; i < 40; i++) weights[i] = (double)frame[3 * problem.stride + i];
        CHECK_OK(qn_superpose_weighted(from, to, weights, 40, rotation, translation, &rmsd));
        CHECK_NEAR(qn_reference_distance_exact(&problem, reference, frame), rmsd, 1e-7); /* centres are rounded */
    }
}

static void impossible_problems_are_refused(void)
{
    qn_buffer *buffer = NULL;
    const qn_reference_distances_problem wrong[] = {
        {0, 16, 1, 9}, {1, 8, 1, 8}, {1, 0, 1, 0}, {1, 16, 0, 17}, {9, 64, 1, 64}};
    CHECK_OK(qn_buffer_create(device, 4096, &buffer));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(qn_reference_distances(queue, NULL, &wrong[i], buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
        CHECK_FAILS(qn_reference_drmsd(queue, NULL, &wrong[i], buffer, buffer, buffer, NULL), QN_INVALID_ARGUMENT);
    }
    qn_buffer_release(&buffer);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "collective/reference_distances", (const int[]){501, 48, 0}, &work);
    CHECK_NEAR(work.bytes_read, 12.0 * 501 * 48 + 16 * 48, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    RUN(reference_is_the_superposition);
    RUN(sampled_corners_are_right);
    RUN(sizes_are_right);
    RUN(degenerate_structures_are_right);
    RUN(impossible_problems_are_refused);
    RUN(workload_passes_its_check);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}
