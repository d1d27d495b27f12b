#include "collective/kernels/reference_distances.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "collective/kernels/reference_distances.dev.h"

extern const char qn_collective_reference_distances_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_collective_reference_distances_host);

enum { GROUP_SIZE, UNROLLED, TUNABLES };

_Static_assert((int)QN_REFERENCE_DISTANCES_STEP == (int)DISTANCE_LANES, "a work-item never meets the end of a row");

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {16, 32, 64, 128, 256}, 5, 64, "work-items per group, 16 for each reference"},
    [UNROLLED] = {"UNROLLED", {1, 2, 4, 8}, 4, 2, "atoms that a work-item takes at once"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group", "GROUP_SIZE >= device.subgroup_size",
    "40 * GROUP_SIZE <= device.local_memory_bytes",
    "!device.is_host || (GROUP_SIZE == 64 && UNROLLED == 2)", /* the host's kernel uses neither */
};

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_reference_distances_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE], references = group / DISTANCE_LANES;
    return (qn_geometry){{((size_t)problem->count + references - 1) / references * group, 1, 1}, {group, 1, 1}};
}

/* Products and sums are not fused. An atom takes 3 slots for products with the weight, 18 for nine sums and 27 for its
 * deviation; a plane rotation of Jacobi's method takes 50 and 4 quotients and roots. */
static void work_of(const void *user, qn_work *work)
{
    const qn_reference_distances_problem *problem = user;
    const double atoms = (double)problem->count * problem->stride;
    *work = (qn_work){.bytes_read = 12 * atoms + 16.0 * problem->stride,
                      .bytes_written = 4.0 * problem->count,
                      .multiply_adds = (21 + 27) * atoms + 6.0 * DISTANCE_SWEEPS * 50 * problem->count,
                      .reciprocal_roots = 6.0 * DISTANCE_SWEEPS * 4 * problem->count};
}

static qn_status host_compare(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_collective_reference_distances_host)[0](launch);
}

static const qn_argument_declaration arguments_of_kernel[DISTANCES_ARGUMENTS] = {
    [DISTANCES_REFERENCES] = {"references", QN_IN, QN_FLOAT32},
    [DISTANCES_FRAME] = {"frame", QN_IN, QN_FLOAT32},
    [DISTANCES_RMSD] = {"rmsd", QN_OUT, QN_FLOAT32},
    [DISTANCES_STRIDE] = {"stride", QN_VALUE, QN_INT32},
    [DISTANCES_COUNT] = {"count", QN_VALUE, QN_INT32},
    [DISTANCES_INVERSE] = {"inverse", QN_VALUE, QN_FLOAT32},
};

static const qn_kernel_declaration kernels[] = {
    {"reference_distances", arguments_of_kernel, DISTANCES_ARGUMENTS, geometry, host_compare, work_of},
};

const qn_family qn_collective_reference_distances_family = {
    .name = "collective/reference_distances",
    .source = qn_collective_reference_distances_source,
    .source_path = "collective/kernels/reference_distances.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static qn_status check_problem(const qn_reference_distances_problem *problem)
{
    if (problem->count < 1 || problem->count > QN_REFERENCE_DISTANCES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "collective/reference_distances: %d references; expected 1 to %d",
                       problem->count, QN_REFERENCE_DISTANCES_MAX);
    if (problem->stride < 1 || problem->stride > QN_REFERENCE_DISTANCES_MAX || problem->stride % DISTANCE_LANES != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "collective/reference_distances: a stride of %d; expected a multiple of %d up to %d",
                       problem->stride, DISTANCE_LANES, QN_REFERENCE_DISTANCES_MAX);
    if (!(problem->weight_sum > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "collective/reference_distances: weights of %g; expected more than 0",
                       problem->weight_sum);
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t floats)
{
    if (qn_buffer_bytes(buffer) < floats * sizeof(float))
        return QN_FAIL(QN_INVALID_ARGUMENT, "collective/reference_distances: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), floats * sizeof(float));
    return QN_OK;
}

void qn_reference_distances_class(const qn_reference_distances_problem *problem, char text[64])
{
    int stride = 64;
    while (stride < problem->stride && stride < 4096) stride *= 4;
    snprintf(text, 64, "atoms<=%d", stride);
}

qn_status qn_reference_distances(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_reference_distances_problem *problem, qn_buffer *references, qn_buffer *frame,
                                 qn_buffer *rmsd, qn_event **event)
{
    char problem_class[64];
    if (event) *event = NULL;
    QN_TRY(check_problem(problem));
    const size_t count = (size_t)problem->count, stride = (size_t)problem->stride;
    QN_TRY(check_buffer("references", references, count * 3 * stride));
    QN_TRY(check_buffer("frame", frame, 4 * stride));
    QN_TRY(check_buffer("rmsd", rmsd, count));
    qn_reference_distances_class(problem, problem_class);
    const qn_argument arguments[DISTANCES_ARGUMENTS] = {
        [DISTANCES_REFERENCES] = qn_argument_range(references, 0, count * 3 * stride * sizeof(float)),
        [DISTANCES_FRAME] = qn_argument_range(frame, 0, 4 * stride * sizeof(float)),
        [DISTANCES_RMSD] = qn_argument_range(rmsd, 0, count * sizeof(float)),
        [DISTANCES_STRIDE] = qn_argument_int32(problem->stride),
        [DISTANCES_COUNT] = qn_argument_int32(problem->count),
        [DISTANCES_INVERSE] = qn_argument_float32((float)(1 / problem->weight_sum)),
    };
    const qn_family_call call = {.arguments = arguments,
                                 .argument_count = DISTANCES_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_collective_reference_distances_family, queue, &call, event);
}
