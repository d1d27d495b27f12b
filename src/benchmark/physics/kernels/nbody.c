#include "benchmark/physics/kernels/nbody.h"

#include "base/error.h"
#include "runtime/host_variant.h"

#include "benchmark/physics/kernels/nbody.dev.h"

extern const char qn_benchmark_nbody_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_nbody_host);

enum { GROUP_SIZE, SHARE, BODIES, SOURCE_UNROLL, LOCAL_TILE, COMPONENTS, VECTOR_WIDTH, RESIDENT };

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const int *value = configuration->value;
    const size_t group = (size_t)value[GROUP_SIZE], share = (size_t)value[SHARE];
    const size_t bodies = group * (size_t)value[BODIES] * (size_t)value[VECTOR_WIDTH];
    const size_t groups = ((size_t)((const qn_nbody_problem *)user)->bodies + bodies - 1) / bodies;
    return (qn_geometry){{groups * group, share, 1}, {group, share, 1}};
}

/* The least work of a pair: three differences, three steps of the squared distance, three products of mass and root,
 * three additions to sums, and the root. */
static void work(const void *user, qn_work *least)
{
    const double bodies = ((const qn_nbody_problem *)user)->bodies;
    *least = (qn_work){.bytes_read = 16 * bodies,
                       .bytes_written = 12 * bodies,
                       .multiply_adds = 12 * bodies * bodies,
                       .reciprocal_roots = bodies * bodies};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_nbody_host)[0](launch);
}

static const qn_argument_declaration arguments[NBODY_ARGUMENTS] = {
    [NBODY_BODIES] = {"bodies", QN_IN, QN_FLOAT32},
    [NBODY_COMPONENTS] = {"components", QN_IN, QN_FLOAT32},
    [NBODY_ACCELERATION] = {"acceleration", QN_OUT, QN_FLOAT32},
    [NBODY_COUNT] = {"count", QN_VALUE, QN_INT32},
    [NBODY_SOFTENING_SQUARED] = {"softening_squared", QN_VALUE, QN_FLOAT32},
};

static const qn_kernel_declaration kernels[] = {{"nbody", arguments, NBODY_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {4, 8, 16, 32, 64, 128, 256, 512}, 8, 64, "items of a group with different bodies"},
    [SHARE] = {"SHARE", {1, 2, 4, 8, 16}, 5, 1, "items of a group with the same bodies, each a part of the sources"},
    [BODIES] = {"BODIES", {1, 2, 4, 8}, 4, 1, "vectors of bodies of a work-item"},
    [SOURCE_UNROLL] =
        {"SOURCE_UNROLL", {0, 1, 2, 4, 8, 16, 32}, 7, 1, "sources per iteration; 0: the compiler's choice"},
    [LOCAL_TILE] = {"LOCAL_TILE", {0, 1}, 2, 0, "sources go through local memory"},
    [COMPONENTS] = {"COMPONENTS", {0, 1}, 2, 0, "an array for each coordinate of sources instead of one of bodies"},
    [VECTOR_WIDTH] = {"VECTOR_WIDTH", {1, 2, 4, 8, 16}, 5, 1, "floats per vector: neighbouring bodies"},
    [RESIDENT] = {"RESIDENT",
                  {0, 1, 2, 3, 4},
                  5,
                  0,
                  "groups that must fit a multiprocessor's registers; 0: the compiler's choice"},
};

static const char *const constraints[] = {
    "GROUP_SIZE * SHARE <= device.largest_group",
    "GROUP_SIZE * SHARE >= device.subgroup_size",
    "(16 * LOCAL_TILE + 4 * VECTOR_WIDTH * (SHARE > 1)) * GROUP_SIZE * SHARE <= device.local_memory_bytes",
    "VECTOR_WIDTH == 1 || device.is_opencl",
    "RESIDENT == 0 || (device.is_cuda && RESIDENT * GROUP_SIZE * SHARE <= 1024)",
    "BODIES * VECTOR_WIDTH <= 32",                  /* sums must fit registers */
    "SOURCE_UNROLL * BODIES * VECTOR_WIDTH <= 128", /* compilers take too long above this */
    "!device.is_host || (GROUP_SIZE == 64 && SHARE == 1 && SOURCE_UNROLL == 1 && LOCAL_TILE == 0 && COMPONENTS == 0)",
    "!device.is_host || BODIES <= 4",
};

const qn_family qn_benchmark_nbody_family = {
    .name = "benchmark/nbody",
    .source = qn_benchmark_nbody_source,
    .source_path = "benchmark/physics/kernels/nbody.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

qn_status qn_nbody(qn_queue *queue, const qn_configuration *configuration, const qn_nbody_problem *problem,
                   qn_buffer *bodies, qn_buffer *components, qn_buffer *acceleration, qn_event **event)
{
    const qn_argument values[NBODY_ARGUMENTS] = {
        [NBODY_BODIES] = qn_argument_buffer(bodies),
        [NBODY_COMPONENTS] = qn_argument_buffer(components),
        [NBODY_ACCELERATION] = qn_argument_buffer(acceleration),
        [NBODY_COUNT] = qn_argument_int32(problem->bodies),
        [NBODY_SOFTENING_SQUARED] = qn_argument_float32(problem->softening * problem->softening),
    };
    qn_family_call call = {
        .arguments = values, .argument_count = NBODY_ARGUMENTS, .problem = problem, .configuration = configuration};
    if (problem->bodies % QN_NBODY_STEP != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/nbody: %d bodies; expected a multiple of %d", problem->bodies,
                       QN_NBODY_STEP);
    return qn_family_run(&qn_benchmark_nbody_family, queue, &call, event);
}
