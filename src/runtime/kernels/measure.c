#include "runtime/kernels/measure.h"

#include "base/error.h"
#include "runtime/host_variant.h"

#include "runtime/kernels/measure.dev.h"

extern const char qn_runtime_measure_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_runtime_measure_host);

enum { COPY, SUM, MULTIPLY_ADD, RECIPROCAL_ROOT, LOCAL_ATOMIC_ADD, KERNELS };

enum { CHAINS_PER_ITEM = 8 }; /* as in measure.cl */

/* Enough work-items, in whole groups, for `count` elements if each work-item takes `share`. */
static qn_geometry geometry_of(const qn_configuration *configuration, int count, int share)
{
    size_t group = (size_t)configuration->value[QN_MEASURE_GROUP_SIZE];
    size_t items = ((size_t)count + (size_t)share - 1) / (size_t)share;
    return (qn_geometry){{(items + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

static qn_geometry copy_geometry(const qn_configuration *configuration, const void *problem)
{
    return geometry_of(configuration, ((const qn_measure_problem *)problem)->elements,
                       configuration->value[QN_MEASURE_ELEMENTS_PER_ITEM]);
}

static qn_geometry sum_geometry(const qn_configuration *configuration, const void *problem)
{
    return geometry_of(configuration, ((const qn_measure_problem *)problem)->partials, 1);
}

static qn_geometry chain_geometry(const qn_configuration *configuration, const void *problem)
{
    return geometry_of(configuration, ((const qn_measure_problem *)problem)->chains,
                       CHAINS_PER_ITEM * configuration->value[QN_MEASURE_VECTOR_WIDTH]);
}

static qn_geometry counter_geometry(const qn_configuration *configuration, const void *problem)
{
    return geometry_of(configuration, ((const qn_measure_problem *)problem)->chains, 1);
}

static void copy_work(const void *user, qn_work *work)
{
    const qn_measure_problem *problem = user;
    *work = (qn_work){.bytes_read = 16.0 * problem->elements, .bytes_written = 16.0 * problem->elements};
}

static void sum_work(const void *user, qn_work *work)
{
    const qn_measure_problem *problem = user;
    *work = (qn_work){.bytes_read = 16.0 * problem->elements,
                      .bytes_written = 4.0 * problem->partials,
                      .multiply_adds = 4.0 * problem->elements};
}

static void chain_work(const void *user, qn_work *work)
{
    const qn_measure_problem *problem = user;
    *work =
        (qn_work){.bytes_written = 4.0 * problem->chains, .multiply_adds = (double)problem->chains * problem->steps};
}

/* The measured rate of a root includes the addition under it. */
static void root_work(const void *user, qn_work *work)
{
    const qn_measure_problem *problem = user;
    *work =
        (qn_work){.bytes_written = 4.0 * problem->chains, .reciprocal_roots = (double)problem->chains * problem->steps};
}

static void counter_work(const void *user, qn_work *work)
{
    const qn_measure_problem *problem = user;
    *work =
        (qn_work){.bytes_written = 4.0 * problem->chains, .local_atomics = (double)problem->chains * problem->steps};
}

static qn_status copy_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_runtime_measure_host)[COPY](launch);
}

static qn_status sum_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_runtime_measure_host)[SUM](launch);
}

static qn_status multiply_add_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_runtime_measure_host)[MULTIPLY_ADD](launch);
}

static qn_status reciprocal_root_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_runtime_measure_host)[RECIPROCAL_ROOT](launch);
}

static qn_status local_atomic_add_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_runtime_measure_host)[LOCAL_ATOMIC_ADD](launch);
}

static const qn_argument_declaration copy_arguments[COPY_ARGUMENTS] = {
    [COPY_FROM] = {"from", QN_IN, QN_FLOAT32},
    [COPY_TO] = {"to", QN_OUT, QN_FLOAT32},
    [COPY_ELEMENTS] = {"elements", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration sum_arguments[SUM_ARGUMENTS] = {
    [SUM_FROM] = {"from", QN_IN, QN_FLOAT32},
    [SUM_PARTIAL] = {"partial", QN_OUT, QN_FLOAT32},
    [SUM_ELEMENTS] = {"elements", QN_VALUE, QN_INT32},
    [SUM_PARTIALS] = {"partials", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration multiply_add_arguments[MULTIPLY_ADD_ARGUMENTS] = {
    [MULTIPLY_ADD_RESULT] = {"result", QN_OUT, QN_FLOAT32},   [MULTIPLY_ADD_CHAINS] = {"chains", QN_VALUE, QN_INT32},
    [MULTIPLY_ADD_STEPS] = {"steps", QN_VALUE, QN_INT32},     [MULTIPLY_ADD_FACTOR] = {"factor", QN_VALUE, QN_FLOAT32},
    [MULTIPLY_ADD_ADDEND] = {"addend", QN_VALUE, QN_FLOAT32},
};
static const qn_argument_declaration reciprocal_root_arguments[RECIPROCAL_ROOT_ARGUMENTS] = {
    [RECIPROCAL_ROOT_RESULT] = {"result", QN_OUT, QN_FLOAT32},
    [RECIPROCAL_ROOT_CHAINS] = {"chains", QN_VALUE, QN_INT32},
    [RECIPROCAL_ROOT_STEPS] = {"steps", QN_VALUE, QN_INT32},
    [RECIPROCAL_ROOT_ADDEND] = {"addend", QN_VALUE, QN_FLOAT32},
};
static const qn_argument_declaration local_atomic_add_arguments[LOCAL_ATOMIC_ADD_ARGUMENTS] = {
    [LOCAL_ATOMIC_ADD_RESULT] = {"result", QN_OUT, QN_INT32},
    [LOCAL_ATOMIC_ADD_STEPS] = {"steps", QN_VALUE, QN_INT32},
};

static const qn_kernel_declaration kernels[KERNELS] = {
    {"copy", copy_arguments, COPY_ARGUMENTS, copy_geometry, copy_host, copy_work},
    {"sum", sum_arguments, SUM_ARGUMENTS, sum_geometry, sum_host, sum_work},
    {"multiply_add", multiply_add_arguments, MULTIPLY_ADD_ARGUMENTS, chain_geometry, multiply_add_host, chain_work},
    {"reciprocal_root", reciprocal_root_arguments, RECIPROCAL_ROOT_ARGUMENTS, chain_geometry, reciprocal_root_host,
     root_work},
    {"local_atomic_add", local_atomic_add_arguments, LOCAL_ATOMIC_ADD_ARGUMENTS, counter_geometry,
     local_atomic_add_host, counter_work},
};

static const qn_tunable tunables[] = {
    [QN_MEASURE_GROUP_SIZE] = {"GROUP_SIZE", {64, 128, 256}, 3, 64, "work-items per group"},
    [QN_MEASURE_VECTOR_WIDTH] = {"VECTOR_WIDTH", {1, 2, 4, 8, 16}, 5, 1, "floats per vector"},
    [QN_MEASURE_ELEMENTS_PER_ITEM] = {"ELEMENTS_PER_ITEM", {1, 256}, 2, 1, "adjacent elements of a work-item"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "4 * GROUP_SIZE <= device.local_memory_bytes",
    "VECTOR_WIDTH == 1 || device.is_opencl",
};

const qn_family qn_runtime_measure_family = {
    .name = "runtime/measure",
    .source = qn_runtime_measure_source,
    .source_path = "runtime/kernels/measure.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

static qn_status run(qn_queue *queue, int kernel, const qn_configuration *configuration,
                     const qn_measure_problem *problem, const qn_argument *arguments, qn_event **event)
{
    qn_family_call call = {.kernel = kernel,
                           .arguments = arguments,
                           .argument_count = kernels[kernel].argument_count,
                           .problem = problem,
                           .configuration = configuration};
    return qn_family_run(&qn_runtime_measure_family, queue, &call, event);
}

static qn_status check_count(int count, int step, const char *what)
{
    if (count <= 0 || count % step != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "runtime/measure: %d %s; expected a multiple of %d", count, what, step);
    return QN_OK;
}

qn_status qn_measure_copy(qn_queue *queue, const qn_configuration *configuration, const qn_measure_problem *problem,
                          qn_buffer *from, qn_buffer *to, qn_event **event)
{
    const qn_argument arguments[COPY_ARGUMENTS] = {
        [COPY_FROM] = qn_argument_buffer(from),
        [COPY_TO] = qn_argument_buffer(to),
        [COPY_ELEMENTS] = qn_argument_int32(problem->elements),
    };
    QN_TRY(check_count(problem->elements, QN_MEASURE_ELEMENTS_STEP, "elements"));
    return run(queue, COPY, configuration, problem, arguments, event);
}

qn_status qn_measure_sum(qn_queue *queue, const qn_configuration *configuration, const qn_measure_problem *problem,
                         qn_buffer *from, qn_buffer *partial, qn_event **event)
{
    const qn_argument arguments[SUM_ARGUMENTS] = {
        [SUM_FROM] = qn_argument_buffer(from),
        [SUM_PARTIAL] = qn_argument_buffer(partial),
        [SUM_ELEMENTS] = qn_argument_int32(problem->elements),
        [SUM_PARTIALS] = qn_argument_int32(problem->partials),
    };
    QN_TRY(check_count(problem->elements, QN_MEASURE_ELEMENTS_STEP, "elements"));
    QN_TRY(check_count(problem->partials, 1, "partial sums"));
    return run(queue, SUM, configuration, problem, arguments, event);
}

qn_status qn_measure_multiply_add(qn_queue *queue, const qn_configuration *configuration,
                                  const qn_measure_problem *problem, qn_buffer *result, float factor, float addend,
                                  qn_event **event)
{
    const qn_argument arguments[MULTIPLY_ADD_ARGUMENTS] = {
        [MULTIPLY_ADD_RESULT] = qn_argument_buffer(result),
        [MULTIPLY_ADD_CHAINS] = qn_argument_int32(problem->chains),
        [MULTIPLY_ADD_STEPS] = qn_argument_int32(problem->steps),
        [MULTIPLY_ADD_FACTOR] = qn_argument_float32(factor),
        [MULTIPLY_ADD_ADDEND] = qn_argument_float32(addend),
    };
    QN_TRY(check_count(problem->chains, QN_MEASURE_CHAINS_STEP, "chains"));
    return run(queue, MULTIPLY_ADD, configuration, problem, arguments, event);
}

qn_status qn_measure_reciprocal_root(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_measure_problem *problem, qn_buffer *result, float addend,
                                     qn_event **event)
{
    const qn_argument arguments[RECIPROCAL_ROOT_ARGUMENTS] = {
        [RECIPROCAL_ROOT_RESULT] = qn_argument_buffer(result),
        [RECIPROCAL_ROOT_CHAINS] = qn_argument_int32(problem->chains),
        [RECIPROCAL_ROOT_STEPS] = qn_argument_int32(problem->steps),
        [RECIPROCAL_ROOT_ADDEND] = qn_argument_float32(addend),
    };
    QN_TRY(check_count(problem->chains, QN_MEASURE_CHAINS_STEP, "chains"));
    return run(queue, RECIPROCAL_ROOT, configuration, problem, arguments, event);
}

qn_status qn_measure_local_atomic_add(qn_queue *queue, const qn_configuration *configuration,
                                      const qn_measure_problem *problem, qn_buffer *result, qn_event **event)
{
    const qn_argument arguments[LOCAL_ATOMIC_ADD_ARGUMENTS] = {
        [LOCAL_ATOMIC_ADD_RESULT] = qn_argument_buffer(result),
        [LOCAL_ATOMIC_ADD_STEPS] = qn_argument_int32(problem->steps),
    };
    QN_TRY(check_count(problem->chains, QN_MEASURE_CHAINS_STEP, "counters"));
    if (problem->steps > QN_MEASURE_STEPS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "runtime/measure: %d steps of additions; expected at most %d",
                       problem->steps, QN_MEASURE_STEPS_MAX);
    return run(queue, LOCAL_ATOMIC_ADD, configuration, problem, arguments, event);
}
