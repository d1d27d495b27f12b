#include "benchmark/algebra/kernels/transpose.h"

#include "base/error.h"
#include "runtime/host_variant.h"

#include "benchmark/algebra/kernels/transpose.dev.h"

extern const char qn_benchmark_transpose_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_transpose_host);

enum { GROUP_X, GROUP_Y, ROWS, LOCAL_TILE, PADDING, ORDER, VECTOR_WIDTH };

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_transpose_problem *problem = user;
    const int *value = configuration->value;
    const size_t x = (size_t)value[GROUP_X], y = (size_t)value[GROUP_Y];
    const size_t tile_columns = x * (size_t)value[VECTOR_WIDTH], tile_rows = y * (size_t)value[ROWS];
    const size_t along_row = ((size_t)problem->columns + tile_columns - 1) / tile_columns;
    const size_t along_column = ((size_t)problem->rows + tile_rows - 1) / tile_rows;
    const bool is_by_rows = value[ORDER] == 0;
    return (qn_geometry){{x * (is_by_rows ? along_row : along_column), y * (is_by_rows ? along_column : along_row), 1},
                         {x, y, 1}};
}

static void work(const void *user, qn_work *least)
{
    const qn_transpose_problem *problem = user;
    const double bytes = 4.0 * problem->rows * problem->columns;
    *least = (qn_work){.bytes_read = bytes, .bytes_written = bytes};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_transpose_host)[0](launch);
}

static const qn_argument_declaration arguments[TRANSPOSE_ARGUMENTS] = {
    [TRANSPOSE_FROM] = {"from", QN_IN, QN_FLOAT32},
    [TRANSPOSE_TO] = {"to", QN_OUT, QN_FLOAT32},
    [TRANSPOSE_ROWS] = {"rows", QN_VALUE, QN_INT32},
    [TRANSPOSE_COLUMNS] = {"columns", QN_VALUE, QN_INT32},
};

static const qn_kernel_declaration kernels[] = {{"transpose", arguments, TRANSPOSE_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[] = {
    [GROUP_X] = {"GROUP_X", {1, 2, 4, 8, 16, 32, 64}, 7, 32, "items along columns; host: columns of a tile, by 16"},
    [GROUP_Y] = {"GROUP_Y", {1, 2, 4, 8, 16, 32}, 6, 8, "work-items of a group along rows of the source"},
    [ROWS] = {"ROWS", {1, 2, 4, 8, 16, 32, 64}, 7, 2, "rows of a work-item; host: rows of a tile, by 16"},
    [LOCAL_TILE] = {"LOCAL_TILE", {0, 1}, 2, 1, "a tile goes through local memory"},
    [PADDING] = {"PADDING", {0, 1}, 2, 1, "floats between rows of a tile in local memory"},
    [ORDER] = {"ORDER", {0, 1, 2}, 3, 0, "order of groups: along 0 rows, 1 columns, 2 diagonals of the source"},
    [VECTOR_WIDTH] = {"VECTOR_WIDTH", {1, 2, 4, 8, 16}, 5, 1, "floats per vector"},
};

static const char *const constraints[] = {
    "GROUP_X * GROUP_Y <= device.largest_group || device.is_host",
    "GROUP_X * GROUP_Y >= device.subgroup_size",
    "LOCAL_TILE == 0 || (GROUP_Y * ROWS) % VECTOR_WIDTH == 0",
    "LOCAL_TILE == 1 || (ROWS % VECTOR_WIDTH == 0 && PADDING == 0)",
    "LOCAL_TILE == 0 || device.is_host || "
    "4 * GROUP_Y * ROWS * (GROUP_X * VECTOR_WIDTH + PADDING) <= device.local_memory_bytes",
    "ROWS * VECTOR_WIDTH <= 256 || device.is_host", /* compilers take too long above this */
    "VECTOR_WIDTH <= 4 || device.is_opencl",
    "LOCAL_TILE == 1 || VECTOR_WIDTH <= 4 || ROWS <= 2 * VECTOR_WIDTH", /* the same reason */
    "!device.is_host || (GROUP_Y == 8 && LOCAL_TILE == 1 && PADDING == 1 && ORDER <= 1 && VECTOR_WIDTH == 1)",
    "!device.is_host || (ROWS <= 8 && GROUP_X * ROWS <= 64 && GROUP_X <= 32)",
};

const qn_family qn_benchmark_transpose_family = {
    .name = "benchmark/transpose",
    .source = qn_benchmark_transpose_source,
    .source_path = "benchmark/algebra/kernels/transpose.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

qn_status qn_transpose(qn_queue *queue, const qn_configuration *configuration, const qn_transpose_problem *problem,
                       qn_buffer *from, qn_buffer *to, qn_event **event)
{
    const qn_argument values[TRANSPOSE_ARGUMENTS] = {
        [TRANSPOSE_FROM] = qn_argument_buffer(from),
        [TRANSPOSE_TO] = qn_argument_buffer(to),
        [TRANSPOSE_ROWS] = qn_argument_int32(problem->rows),
        [TRANSPOSE_COLUMNS] = qn_argument_int32(problem->columns),
    };
    qn_family_call call = {
        .arguments = values, .argument_count = TRANSPOSE_ARGUMENTS, .problem = problem, .configuration = configuration};
    if (problem->rows % QN_TRANSPOSE_STEP != 0 || problem->columns % QN_TRANSPOSE_STEP != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/transpose: %d rows of %d; expected multiples of %d",
                       problem->rows, problem->columns, QN_TRANSPOSE_STEP);
    return qn_family_run(&qn_benchmark_transpose_family, queue, &call, event);
}
