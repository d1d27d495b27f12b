#include "benchmark/algebra/kernels/gemm_batched.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"

#include "benchmark/algebra/kernels/gemm_batched.dev.h"

extern const char qn_benchmark_gemm_batched_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_gemm_batched_host);

enum {
    GROUP_SIZE,
    MATRICES_PER_GROUP,
    LOCAL_KIB,
    ITEM_ROWS,
    ITEM_COLUMNS,
    STRIDED_ROWS,
    UNROLL_INNER,
    LOCAL_A,
    LOCAL_B,
    COPY_FLOATS,
    ASYNC,
    PADDING,
    TUNABLES
};

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {1, 16, 32, 64, 128, 256, 512}, 7, 64, "work-items per group"},
    [MATRICES_PER_GROUP] =
        {"MATRICES_PER_GROUP", {1, 2, 4, 8, 16, 32}, 6, 4, "matrices per group, if they fit local memory"},
    /* 9: two matrices of 32 x 32 with padding */
    [LOCAL_KIB] = {"LOCAL_KIB", {9, 16, 24, 32, 48}, 5, 9, "local memory of a group, in KiB"},
    [ITEM_ROWS] = {"ITEM_ROWS", {1, 2, 4, 8}, 4, 4, "rows of C in an item's registers"},
    [ITEM_COLUMNS] = {"ITEM_COLUMNS", {1, 2, 4, 8}, 4, 4, "columns of C in an item's registers"},
    [STRIDED_ROWS] = {"STRIDED_ROWS", {0, 1}, 2, 1, "whether an item's rows are strided"},
    [UNROLL_INNER] = {"UNROLL_INNER", {1, 2, 4, 8, 16}, 5, 4, "inner indices unrolled"},
    [LOCAL_A] = {"LOCAL_A", {0, 1}, 2, 1, "whether A goes through local memory"},
    [LOCAL_B] = {"LOCAL_B", {0, 1}, 2, 1, "whether B goes through local memory"},
    [COPY_FLOATS] = {"COPY_FLOATS", {1, 2, 4}, 3, 4, "adjacent floats copied at once"},
    [ASYNC] = {"ASYNC", {0, 1}, 2, 0, "whether copies are asynchronous"},
    [PADDING] = {"PADDING", {0, 4}, 2, 0, "unused floats after each row in local memory"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "GROUP_SIZE >= device.subgroup_size",
    "1024 * LOCAL_KIB <= device.local_memory_bytes",
    /* without local memory its tunables have one value */
    "LOCAL_A + LOCAL_B > 0 || (LOCAL_KIB == 9 && COPY_FLOATS == 4 && ASYNC == 0 && PADDING == 0)",
    "ASYNC == 0 || device.is_cuda",
    /* the host's kernel uses none of these tunables */
    "!device.is_host || (GROUP_SIZE == 64 && MATRICES_PER_GROUP == 4 && LOCAL_KIB == 9)",
    "!device.is_host || (ITEM_ROWS == 4 && ITEM_COLUMNS == 4 && STRIDED_ROWS == 1 && UNROLL_INNER == 4)",
    "!device.is_host || (LOCAL_A == 1 && LOCAL_B == 1 && COPY_FLOATS == 4 && PADDING == 0)",
};

/* Matrices of a group, the same as MATRICES in gemm_batched.cl */
static int matrices_of(const qn_configuration *configuration, const qn_gemm_batched_problem *problem)
{
    const int *value = configuration->value, padding = value[PADDING];
    const int floats = value[LOCAL_A] * problem->rows * (problem->inner + padding) +
                       value[LOCAL_B] * problem->inner * (problem->columns + padding);
    if (floats * value[MATRICES_PER_GROUP] > value[LOCAL_KIB] * 256) return value[LOCAL_KIB] * 256 / floats;
    return value[MATRICES_PER_GROUP];
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_gemm_batched_problem *problem = user;
    size_t matrices = (size_t)matrices_of(configuration, problem), group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{((size_t)problem->matrices + matrices - 1) / matrices * group, 1, 1}, {group, 1, 1}};
}

static void work_of(const void *user, qn_work *work)
{
    const qn_gemm_batched_problem *problem = user;
    double matrices = problem->matrices, rows = problem->rows, columns = problem->columns, inner = problem->inner;
    *work = (qn_work){.bytes_read = matrices * 4 * inner * (rows + columns),
                      .bytes_written = matrices * 4 * rows * columns,
                      .multiply_adds = matrices * rows * columns * inner};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_gemm_batched_host)[0](launch);
}

_Static_assert(sizeof(batched_scalars) == 4 * 4, "no padding");

/* The sizes in the scalars are for the host's kernel; other devices' text has them as definitions. */
static const qn_argument_declaration arguments_of_gemm_batched[BATCHED_ARGUMENTS] = {
    [BATCHED_A] = {"a", QN_IN, QN_FLOAT32},
    [BATCHED_B] = {"b", QN_IN, QN_FLOAT32},
    [BATCHED_C] = {"c", QN_OUT, QN_FLOAT32},
    [BATCHED_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(batched_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"gemm_batched", arguments_of_gemm_batched, BATCHED_ARGUMENTS, geometry, host, work_of}};

const qn_family qn_benchmark_gemm_batched_family = {
    .name = "benchmark/gemm_batched",
    .source = qn_benchmark_gemm_batched_source,
    .source_path = "benchmark/algebra/kernels/gemm_batched.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "ROWS=16 COLUMNS=16 INNER=16",
};

void qn_gemm_batched_class(const qn_gemm_batched_problem *problem, char text[64])
{
    snprintf(text, 64, "rows=%d columns=%d inner=%d", problem->rows, problem->columns, problem->inner);
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, int matrices, int rows, int columns)
{
    size_t needed = (size_t)matrices * (size_t)(rows * columns) * sizeof(float);
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "benchmark/gemm_batched: %s has %zu bytes; expected %zu for %d matrices of %d x %d", name,
                       qn_buffer_bytes(buffer), needed, matrices, rows, columns);
    return QN_OK;
}

static bool is_small(int size)
{
    return size >= 1 && size <= QN_GEMM_BATCHED_MAX;
}

qn_status qn_gemm_batched(qn_queue *queue, const qn_configuration *configuration,
                          const qn_gemm_batched_problem *problem, qn_buffer *a, qn_buffer *b, qn_buffer *c,
                          qn_event **event)
{
    const int rows = problem->rows, columns = problem->columns, inner = problem->inner;
    char problem_class[64], definitions[64];
    if (problem->matrices < 1 || !is_small(rows) || !is_small(columns) || !is_small(inner))
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "benchmark/gemm_batched: %d matrices, %d rows, %d columns, %d inner; expected at least one matrix and "
            "sizes of 1 to %d",
            problem->matrices, rows, columns, inner, QN_GEMM_BATCHED_MAX);
    QN_TRY(check_buffer("A", a, problem->matrices, rows, inner));
    QN_TRY(check_buffer("B", b, problem->matrices, inner, columns));
    QN_TRY(check_buffer("C", c, problem->matrices, rows, columns));
    const batched_scalars scalars = {
        .matrices = problem->matrices,
        .rows = rows,
        .columns = columns,
        .inner = inner,
    };
    const qn_argument arguments[BATCHED_ARGUMENTS] = {
        [BATCHED_A] = qn_argument_buffer(a),
        [BATCHED_B] = qn_argument_buffer(b),
        [BATCHED_C] = qn_argument_range(c, 0, (size_t)problem->matrices * (size_t)(rows * columns) * sizeof(float)),
        [BATCHED_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    qn_gemm_batched_class(problem, problem_class);
    snprintf(definitions, sizeof definitions, "ROWS=%d COLUMNS=%d INNER=%d", rows, columns, inner);
    qn_family_call call = {.kernel = 0,
                           .arguments = arguments,
                           .argument_count = BATCHED_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .definitions = definitions,
                           .configuration = configuration};
    return qn_family_run(&qn_benchmark_gemm_batched_family, queue, &call, event);
}
