#include "benchmark/algebra/kernels/reduction.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "tune/workload_inputs.h"

#include "benchmark/algebra/kernels/reduction.dev.h"

extern const char qn_benchmark_reduction_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_reduction_host);

enum { SUM_GROUPS, SUM_PARTIALS, KERNELS };
enum { SET_ZERO, SET_SUM, ADD_SUM }; /* modes of sum_partials */
enum { GROUP_SIZE, VECTOR_WIDTH, GROUPS_PER_UNIT, ITEM_VECTORS, ADJACENT, LOCAL_SUM, ATOMIC };
enum {
    LEAST_SHARE = 1024, /* least floats of a group if GROUPS_PER_UNIT is 0; the constraints ensure it */
    PER_UNIT_MAX = 64,
    ALIGNMENT = 256
};

static qn_geometry groups_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_reduction_problem *problem = user;
    const int *value = configuration->value;
    const size_t group = (size_t)value[GROUP_SIZE];
    const size_t share = group * (size_t)value[VECTOR_WIDTH] * (size_t)value[ITEM_VECTORS];
    size_t groups = ((size_t)problem->count + share - 1) / share;
    size_t most = (size_t)problem->compute_units * (size_t)value[GROUPS_PER_UNIT];
    if (most > 0 && groups > most) groups = most;
    return (qn_geometry){{groups * group, 1, 1}, {group, 1, 1}};
}

static qn_geometry partials_geometry(const qn_configuration *configuration, const void *user)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    (void)user;
    return (qn_geometry){{group, 1, 1}, {group, 1, 1}};
}

static void work(const void *user, qn_work *least)
{
    const double count = ((const qn_reduction_problem *)user)->count;
    *least = (qn_work){.bytes_read = 4 * count, .bytes_written = 4, .multiply_adds = count};
}

static qn_status groups_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_reduction_host)[SUM_GROUPS](launch);
}

static qn_status partials_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_reduction_host)[SUM_PARTIALS](launch);
}

static const qn_argument_declaration groups_arguments[GROUPS_ARGUMENTS] = {
    [GROUPS_FROM] = {"from", QN_IN, QN_FLOAT32},        [GROUPS_PARTIAL] = {"partial", QN_INOUT, QN_FLOAT32},
    [GROUPS_RESULT] = {"result", QN_INOUT, QN_FLOAT32}, [GROUPS_PARTIALS] = {"partials", QN_OUT, QN_INT32},
    [GROUPS_COUNT] = {"count", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration partials_arguments[PARTIALS_ARGUMENTS] = {
    [PARTIALS_PARTIAL] = {"partial", QN_IN, QN_FLOAT32},
    [PARTIALS_PARTIALS] = {"partials", QN_IN, QN_INT32},
    [PARTIALS_RESULT] = {"result", QN_INOUT, QN_FLOAT32},
    [PARTIALS_MODE] = {"mode", QN_VALUE, QN_INT32},
};

/* The second kernel has no least work: a single kernel would not need it. */
static const qn_kernel_declaration kernels[KERNELS] = {
    {"sum_groups", groups_arguments, GROUPS_ARGUMENTS, groups_geometry, groups_host, work},
    {"sum_partials", partials_arguments, PARTIALS_ARGUMENTS, partials_geometry, partials_host, NULL},
};

static const qn_tunable tunables[] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256, 512, 1024}, 6, 256, "work-items per group"},
    [VECTOR_WIDTH] = {"VECTOR_WIDTH", {1, 2, 4, 8, 16}, 5, 1, "floats per vector"},
    [GROUPS_PER_UNIT] = {"GROUPS_PER_UNIT",
                         {0, 1, 2, 4, 8, 16, 32, PER_UNIT_MAX},
                         8,
                         8,
                         "groups for each compute unit; 0: one for each GROUP_SIZE * ITEM_VECTORS vectors"},
    [ITEM_VECTORS] = {"ITEM_VECTORS", {1, 2, 4, 8, 16}, 5, 4, "vectors of an item loaded before they are added"},
    [ADJACENT] =
        {"ADJACENT", {0, 1, 2}, 3, 0, "adjacent vectors are 0 of neighbours, 1 of an item's iteration, 2 of an item"},
    [LOCAL_SUM] =
        {"LOCAL_SUM", {0, 1, 2}, 3, 1, "sums of a group are added 0 by one item, 1 in a tree, 2 in two steps"},
    [ATOMIC] = {"ATOMIC",
                {0, 1},
                2,
                0,
                "sums of groups are added by atomic additions; their order, and so the last "
                "bits, differ from run to run"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group || device.is_host",
    "4 * GROUP_SIZE <= device.local_memory_bytes",
    "VECTOR_WIDTH <= 4 || device.is_opencl",
    "ITEM_VECTORS * VECTOR_WIDTH <= 64", /* sums and loaded vectors must fit registers */
    "GROUPS_PER_UNIT > 0 || GROUP_SIZE * VECTOR_WIDTH * ITEM_VECTORS >= 1024",
    "GROUPS_PER_UNIT > 0 || ADJACENT < 2", /* the same as 1 */
    "!device.is_host || (GROUP_SIZE == 256 && VECTOR_WIDTH == 1 && ADJACENT == 0 && LOCAL_SUM == 1 && ATOMIC == 0)",
    "!device.is_host || (GROUPS_PER_UNIT > 0 && ITEM_VECTORS <= 8)",
};

const qn_family qn_benchmark_reduction_family = {
    .name = "benchmark/reduction",
    .source = qn_benchmark_reduction_source,
    .source_path = "benchmark/algebra/kernels/reduction.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static size_t partial_bytes(const qn_reduction_problem *problem)
{
    const size_t most = (size_t)problem->count / LEAST_SHARE + 1;
    const size_t most_dealt = (size_t)problem->compute_units * PER_UNIT_MAX;
    const size_t bytes = (most > most_dealt ? most : most_dealt) * sizeof(float);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t qn_reduction_scratch_bytes(const qn_reduction_problem *problem)
{
    return partial_bytes(problem) + ALIGNMENT;
}

typedef struct reduction_run {
    qn_queue *queue;
    const qn_configuration *configuration;
    const qn_reduction_problem *problem;
    qn_argument from, partial, partials, result;
    double *seconds;
} reduction_run;

static qn_status sum_groups(const reduction_run *run)
{
    const qn_argument values[GROUPS_ARGUMENTS] = {
        [GROUPS_FROM] = run->from,
        [GROUPS_PARTIAL] = run->partial,
        [GROUPS_RESULT] = run->result,
        [GROUPS_PARTIALS] = run->partials,
        [GROUPS_COUNT] = qn_argument_int32(run->problem->count),
    };
    qn_family_call call = {.kernel = SUM_GROUPS,
                           .arguments = values,
                           .argument_count = GROUPS_ARGUMENTS,
                           .problem = run->problem,
                           .configuration = run->configuration};
    qn_event *event = NULL;
    qn_status status = qn_family_run(&qn_benchmark_reduction_family, run->queue, &call, &event);
    return qn_workload_take_seconds(status, &event, 1, run->seconds);
}

static qn_status sum_partials(const reduction_run *run, int mode)
{
    const qn_argument values[PARTIALS_ARGUMENTS] = {
        [PARTIALS_PARTIAL] = run->partial,
        [PARTIALS_PARTIALS] = run->partials,
        [PARTIALS_RESULT] = run->result,
        [PARTIALS_MODE] = qn_argument_int32(mode),
    };
    qn_family_call call = {.kernel = SUM_PARTIALS,
                           .arguments = values,
                           .argument_count = PARTIALS_ARGUMENTS,
                           .problem = run->problem,
                           .configuration = run->configuration};
    qn_event *event = NULL;
    qn_status status = qn_family_run(&qn_benchmark_reduction_family, run->queue, &call, &event);
    return qn_workload_take_seconds(status, &event, 1, run->seconds);
}

/* Without a configuration each kernel may run with a different one, so both ways of adding must work. */
qn_status qn_reduction(qn_queue *queue, const qn_configuration *configuration, const qn_reduction_problem *problem,
                       qn_buffer *from, qn_buffer *scratch, qn_buffer *result, double *seconds)
{
    const size_t bytes = partial_bytes(problem);
    const bool adds_atomically = !configuration || configuration->value[ATOMIC];
    const bool adds_partials = !configuration || !configuration->value[ATOMIC];
    const reduction_run run = {queue,
                               configuration,
                               problem,
                               qn_argument_buffer(from),
                               qn_argument_range(scratch, 0, bytes),
                               qn_argument_range(scratch, bytes, sizeof(int32_t)),
                               qn_argument_range(result, 0, sizeof(float)),
                               seconds};
    if (problem->count <= 0 || problem->count % QN_REDUCTION_STEP != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/reduction: %d floats; expected a multiple of %d", problem->count,
                       QN_REDUCTION_STEP);
    if (problem->compute_units <= 0 || qn_buffer_bytes(scratch) < qn_reduction_scratch_bytes(problem))
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/reduction: %zu bytes for partial sums of %d units; expected %zu",
                       qn_buffer_bytes(scratch), problem->compute_units, qn_reduction_scratch_bytes(problem));
    if (seconds) *seconds = 0;
    if (adds_atomically) QN_TRY(sum_partials(&run, SET_ZERO));
    QN_TRY(sum_groups(&run));
    if (!adds_partials) return QN_OK;
    return sum_partials(&run, adds_atomically ? ADD_SUM : SET_SUM);
}
