#include "collective/kernels/reference_distances.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "collective/kernels/reference_distances.dev.h"

extern const char qn_collective_reference_distances_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_collective_reference_distances_host);

enum { RMSD, DRMSD, KERNELS };
enum { GROUP_SIZE, UNROLLED, TUNABLES };

_Static_assert((int)QN_REFERENCE_DISTANCES_STEP == (int)DISTANCE_LANES, "a work-item never meets the end of a row");

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {16, 32, 64, 128, 256}, 5, 64, "work-items per group, 16 for each reference"},
    [UNROLLED] = {"UNROLLED", {1, 2, 4, 8}, 4, 2, "atoms that a work-item takes at once for RMSD"},
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

/* A pair takes two distances of 8 slots and a root each, and 4 for the sum. */
static void drmsd_work(const void *user, qn_work *work)
{
    const qn_reference_distances_problem *problem = user;
    const double pairs = 0.5 * problem->count * problem->atoms * (problem->atoms - 1.0);
    *work = (qn_work){.bytes_read = 12.0 * problem->count * problem->atoms + 12.0 * problem->atoms,
                      .bytes_written = 4.0 * problem->count,
                      .multiply_adds = 20 * pairs,
                      .reciprocal_roots = 2 * pairs};
}

static qn_status host_rmsd(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_collective_reference_distances_host)[RMSD](launch);
}

static qn_status host_drmsd(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_collective_reference_distances_host)[DRMSD](launch);
}

static const qn_argument_declaration declarations[DRMSD_ARGUMENTS] = {
    [DISTANCES_REFERENCES] = {"references", QN_IN, QN_FLOAT32},
    [DISTANCES_FRAME] = {"frame", QN_IN, QN_FLOAT32},
    [DISTANCES_RMSD] = {"rmsd", QN_OUT, QN_FLOAT32},
    [DISTANCES_STRIDE] = {"stride", QN_VALUE, QN_INT32},
    [DISTANCES_COUNT] = {"count", QN_VALUE, QN_INT32},
    [DISTANCES_INVERSE] = {"inverse", QN_VALUE, QN_FLOAT32},
    [DISTANCES_ATOMS] = {"atoms", QN_VALUE, QN_INT32},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    [RMSD] = {"reference_distances", declarations, DISTANCES_ARGUMENTS, geometry, host_rmsd, work_of},
    [DRMSD] = {"reference_drmsd", declarations, DRMSD_ARGUMENTS, geometry, host_drmsd, drmsd_work},
};

const qn_family qn_collective_reference_distances_family = {
    .name = "collective/reference_distances",
    .source = qn_collective_reference_distances_source,
    .source_path = "collective/kernels/reference_distances.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static qn_status check_problem(int kernel, const qn_reference_distances_problem *problem)
{
    if (problem->count < 1 || problem->count > QN_REFERENCE_DISTANCES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "collective/reference_distances: %d references; expected 1 to %d",
                       problem->count, QN_REFERENCE_DISTANCES_MAX);
    if (problem->stride < 1 || problem->stride > QN_REFERENCE_DISTANCES_MAX || problem->stride % DISTANCE_LANES != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "collective/reference_distances: a stride of %d; expected a multiple of %d up to %d",
                       problem->stride, DISTANCE_LANES, QN_REFERENCE_DISTANCES_MAX);
    if (kernel == RMSD && !(problem->weight_sum > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "collective/reference_distances: weights of %g; expected more than 0",
                       problem->weight_sum);
    if (kernel == DRMSD && (problem->atoms < 2 || problem->atoms > problem->stride))
        return QN_FAIL(QN_INVALID_ARGUMENT, "collective/reference_distances: %d atoms; expected 2 to %d",
                       problem->atoms, problem->stride);
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

static qn_status launch(int kernel, qn_queue *queue, const qn_configuration *configuration,
                        const qn_reference_distances_problem *problem, qn_buffer *const buffers[3], qn_event **event)
{
    const size_t count = (size_t)problem->count, stride = (size_t)problem->stride;
    const double pairs = 0.5 * problem->atoms * (problem->atoms - 1.0);
    char problem_class[64];
    if (event) *event = NULL;
    QN_TRY(check_problem(kernel, problem));
    QN_TRY(check_buffer("references", buffers[0], count * 3 * stride));
    QN_TRY(check_buffer("frame", buffers[1], 4 * stride));
    QN_TRY(check_buffer("distances", buffers[2], count));
    qn_reference_distances_class(problem, problem_class);
    const qn_argument arguments[DRMSD_ARGUMENTS] = {
        [DISTANCES_REFERENCES] = qn_argument_range(buffers[0], 0, count * 3 * stride * sizeof(float)),
        [DISTANCES_FRAME] = qn_argument_range(buffers[1], 0, 4 * stride * sizeof(float)),
        [DISTANCES_RMSD] = qn_argument_range(buffers[2], 0, count * sizeof(float)),
        [DISTANCES_STRIDE] = qn_argument_int32(problem->stride),
        [DISTANCES_COUNT] = qn_argument_int32(problem->count),
        [DISTANCES_INVERSE] = qn_argument_float32((float)(1 / (kernel == RMSD ? problem->weight_sum : pairs))),
        [DISTANCES_ATOMS] = qn_argument_int32(problem->atoms),
    };
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = kernels[kernel].argument_count,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .configuration = configuration};
    return qn_family_run(&qn_collective_reference_distances_family, queue, &call, event);
}

qn_status qn_reference_distances(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_reference_distances_problem *problem, qn_buffer *references, qn_buffer *frame,
                                 qn_buffer *rmsd, qn_event **event)
{
    return launch(RMSD, queue, configuration, problem, (qn_buffer *const[]){references, frame, rmsd}, event);
}

qn_status qn_reference_drmsd(qn_queue *queue, const qn_configuration *configuration,
                             const qn_reference_distances_problem *problem, qn_buffer *references, qn_buffer *frame,
                             qn_buffer *drmsd, qn_event **event)
{
    return launch(DRMSD, queue, configuration, problem, (qn_buffer *const[]){references, frame, drmsd}, event);
}
