#include "benchmark/algebra/kernels/bicg.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "tune/workload_inputs.h"

#include "benchmark/algebra/kernels/bicg.dev.h"

extern const char qn_benchmark_bicg_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_bicg_host);

enum { MULTIPLY, GATHER, KERNELS };
enum { GROUP_X, GROUP_Y, COLUMNS, ROWS, TILE_ROWS, TILES, FUSED, VECTOR_WIDTH, GATHER_SHARE };
enum { GATHER_RESULTS = 32 }; /* the same as in bicg.cl */
enum {
    LEAST_COLUMNS = 128, /* least columns of a group */
    LEAST_ROWS = 128,    /* least rows of a row of a group's items; the constraints bound both, to limit partial sums */
    ALIGNMENT = 256
};

static size_t round_up(size_t count, size_t step)
{
    return (count + step - 1) / step * step;
}

static qn_geometry multiply_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_bicg_problem *problem = user;
    const int *value = configuration->value;
    const size_t x = (size_t)value[GROUP_X], y = (size_t)value[GROUP_Y];
    const size_t columns = x * (size_t)value[COLUMNS] * (size_t)value[VECTOR_WIDTH];
    const size_t rows = (size_t)value[TILE_ROWS] * (size_t)value[TILES];
    return (qn_geometry){{round_up((size_t)problem->columns, columns) / columns * x,
                          round_up((size_t)problem->rows, rows) / rows * y, value[FUSED] ? 1 : 2},
                         {x, y, 1}};
}

static qn_geometry gather_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_bicg_problem *problem = user;
    const size_t results = (size_t)problem->rows + (size_t)problem->columns;
    const size_t share = (size_t)configuration->value[GATHER_SHARE];
    return (qn_geometry){{round_up(results, GATHER_RESULTS), share, 1}, {GATHER_RESULTS, share, 1}};
}

static void multiply_work(const void *user, qn_work *least)
{
    const qn_bicg_problem *problem = user;
    const double elements = (double)problem->rows * problem->columns, sides = (double)problem->rows + problem->columns;
    *least = (qn_work){.bytes_read = 4 * (elements + sides), .bytes_written = 4 * sides, .multiply_adds = 2 * elements};
}

static qn_status multiply_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_bicg_host)[MULTIPLY](launch);
}

static qn_status gather_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_bicg_host)[GATHER](launch);
}

static const qn_argument_declaration multiply_arguments[MULTIPLY_ARGUMENTS] = {
    [MULTIPLY_MATRIX] = {"matrix", QN_IN, QN_FLOAT32},
    [MULTIPLY_P] = {"p", QN_IN, QN_FLOAT32},
    [MULTIPLY_R] = {"r", QN_IN, QN_FLOAT32},
    [MULTIPLY_Q_PARTIAL] = {"q_partial", QN_INOUT, QN_FLOAT32},
    [MULTIPLY_S_PARTIAL] = {"s_partial", QN_INOUT, QN_FLOAT32},
    [MULTIPLY_PARTS] = {"parts", QN_OUT, QN_INT32},
    [MULTIPLY_ROWS] = {"rows", QN_VALUE, QN_INT32},
    [MULTIPLY_COLUMNS] = {"columns", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration gather_arguments[GATHER_ARGUMENTS] = {
    [GATHER_Q_PARTIAL] = {"q_partial", QN_IN, QN_FLOAT32},
    [GATHER_S_PARTIAL] = {"s_partial", QN_IN, QN_FLOAT32},
    [GATHER_PARTS] = {"parts", QN_IN, QN_INT32},
    [GATHER_Q] = {"q", QN_OUT, QN_FLOAT32},
    [GATHER_S] = {"s", QN_OUT, QN_FLOAT32},
    [GATHER_ROWS] = {"rows", QN_VALUE, QN_INT32},
    [GATHER_COLUMNS] = {"columns", QN_VALUE, QN_INT32},
};

/* gather has no least work: a single kernel would not need it. */
static const qn_kernel_declaration kernels[KERNELS] = {
    {"multiply", multiply_arguments, MULTIPLY_ARGUMENTS, multiply_geometry, multiply_host, multiply_work},
    {"gather", gather_arguments, GATHER_ARGUMENTS, gather_geometry, gather_host, NULL},
};

static const qn_tunable tunables[] = {
    [GROUP_X] = {"GROUP_X", {1, 4, 16, 32, 64, 128, 256}, 7, 32, "work-items of a group along columns"},
    [GROUP_Y] = {"GROUP_Y", {1, 2, 4, 8}, 4, 4, "work-items of a group along rows"},
    [COLUMNS] = {"COLUMNS", {1, 2, 4, 8}, 4, 4, "vectors of columns of a work-item"},
    [ROWS] = {"ROWS", {1, 2, 4, 8}, 4, 4, "rows loaded before they are used"},
    [TILE_ROWS] = {"TILE_ROWS", {8, 16, 32, 64}, 4, 32, "rows between two sums over a group"},
    [TILES] = {"TILES", {2, 4, 8, 16, 32, 64}, 6, 16, "tiles of rows of a group"},
    [FUSED] = {"FUSED", {0, 1}, 2, 1, "both products from one read of the matrix"},
    [VECTOR_WIDTH] = {"VECTOR_WIDTH", {1, 2, 4, 8, 16}, 5, 1, "floats per vector"},
    [GATHER_SHARE] = {"GATHER_SHARE", {1, 2, 4, 8, 16}, 5, 4, "work-items that add one result's partial sums"},
};

static const char *const constraints[] = {
    "GROUP_X * GROUP_Y <= device.largest_group",
    "GROUP_X * GROUP_Y >= device.subgroup_size",
    "32 * GATHER_SHARE <= device.largest_group",
    "4 * TILE_ROWS * (GROUP_X + 1) <= device.local_memory_bytes",
    "128 * GATHER_SHARE <= device.local_memory_bytes",
    "TILE_ROWS >= GROUP_Y * ROWS",
    "TILE_ROWS * TILES >= 128 * GROUP_Y",
    "GROUP_X * COLUMNS * VECTOR_WIDTH >= 128",
    "(ROWS + 2) * COLUMNS * VECTOR_WIDTH <= 160", /* elements and sums must fit registers */
    "VECTOR_WIDTH <= 4 || device.is_opencl",
    "!device.is_host || (GROUP_X == 32 && GROUP_Y == 4 && COLUMNS == 4 && TILE_ROWS == 32 && TILES == 16)",
    "!device.is_host || (FUSED && VECTOR_WIDTH == 1 && GATHER_SHARE == 4)",
};

const qn_family qn_benchmark_bicg_family = {
    .name = "benchmark/bicg",
    .source = qn_benchmark_bicg_source,
    .source_path = "benchmark/algebra/kernels/bicg.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

/* Bytes of the parts of q, one for each group along columns; then of s, one for each row of items along rows. */
static size_t q_bytes(const qn_bicg_problem *problem)
{
    const size_t parts = round_up((size_t)problem->columns, LEAST_COLUMNS) / LEAST_COLUMNS;
    return round_up(parts * (size_t)problem->rows * sizeof(float), ALIGNMENT);
}

static size_t s_bytes(const qn_bicg_problem *problem)
{
    /* The last group may have few matrix rows but has all its rows of items, at most 8. */
    const size_t parts = round_up((size_t)problem->rows, LEAST_ROWS) / LEAST_ROWS + 8;
    return round_up(parts * (size_t)problem->columns * sizeof(float), ALIGNMENT);
}

size_t qn_bicg_scratch_bytes(const qn_bicg_problem *problem)
{
    return q_bytes(problem) + s_bytes(problem) + ALIGNMENT;
}

static qn_status check(const qn_bicg_problem *problem, qn_buffer *scratch)
{
    if (problem->columns % QN_BICG_STEP != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/bicg: %d columns; expected a multiple of %d", problem->columns,
                       QN_BICG_STEP);
    if (qn_buffer_bytes(scratch) < qn_bicg_scratch_bytes(problem))
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/bicg: %zu bytes for partial sums; expected %zu",
                       qn_buffer_bytes(scratch), qn_bicg_scratch_bytes(problem));
    return QN_OK;
}

qn_status qn_bicg(qn_queue *queue, const qn_configuration *configuration, const qn_bicg_problem *problem,
                  qn_buffer *matrix, qn_buffer *p, qn_buffer *r, qn_buffer *scratch, qn_buffer *q, qn_buffer *s,
                  double *seconds)
{
    const size_t q_end = q_bytes(problem), s_end = q_end + s_bytes(problem);
    const qn_argument q_partial = qn_argument_range(scratch, 0, q_end);
    const qn_argument s_partial = qn_argument_range(scratch, q_end, s_end - q_end);
    const qn_argument parts = qn_argument_range(scratch, s_end, 2 * sizeof(int32_t));
    const qn_argument rows = qn_argument_int32(problem->rows), columns = qn_argument_int32(problem->columns);
    const qn_argument multiply_values[MULTIPLY_ARGUMENTS] = {
        [MULTIPLY_MATRIX] = qn_argument_buffer(matrix),
        [MULTIPLY_P] = qn_argument_buffer(p),
        [MULTIPLY_R] = qn_argument_buffer(r),
        [MULTIPLY_Q_PARTIAL] = q_partial,
        [MULTIPLY_S_PARTIAL] = s_partial,
        [MULTIPLY_PARTS] = parts,
        [MULTIPLY_ROWS] = rows,
        [MULTIPLY_COLUMNS] = columns,
    };
    const qn_argument gather_values[GATHER_ARGUMENTS] = {
        [GATHER_Q_PARTIAL] = q_partial,     [GATHER_S_PARTIAL] = s_partial,     [GATHER_PARTS] = parts,
        [GATHER_Q] = qn_argument_buffer(q), [GATHER_S] = qn_argument_buffer(s), [GATHER_ROWS] = rows,
        [GATHER_COLUMNS] = columns,
    };
    qn_family_call call = {.kernel = MULTIPLY,
                           .arguments = multiply_values,
                           .argument_count = MULTIPLY_ARGUMENTS,
                           .problem = problem,
                           .configuration = configuration};
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    QN_TRY(check(problem, scratch));
    qn_status status = qn_family_run(&qn_benchmark_bicg_family, queue, &call, &event);
    QN_TRY(qn_workload_take_seconds(status, &event, 1, seconds));
    call.kernel = GATHER;
    call.arguments = gather_values;
    call.argument_count = GATHER_ARGUMENTS;
    status = qn_family_run(&qn_benchmark_bicg_family, queue, &call, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}
