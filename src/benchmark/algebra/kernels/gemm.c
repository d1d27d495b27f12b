#include "benchmark/algebra/kernels/gemm.h"

#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"

#include "benchmark/algebra/kernels/gemm.dev.h"

extern const char qn_benchmark_gemm_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_benchmark_gemm_host);

enum {
    TILE_ROWS,
    TILE_COLUMNS,
    TILE_INNER,
    GROUP_ROWS,
    GROUP_COLUMNS,
    LOAD_ROWS,
    LOAD_COLUMNS,
    UNROLL_INNER,
    VECTOR_ROWS,
    VECTOR_COLUMNS,
    STRIDED_ROWS,
    STRIDED_COLUMNS,
    LOCAL_A,
    LOCAL_B,
    PREFETCH,
    LOCAL_BUFFERS,
    RESIDENT,
    BLOCK_ORDER,
    TUNABLES
};

_Static_assert((int)TUNABLES <= (int)QN_TUNABLE_MAX, "a configuration has a value of each");

enum { TILE_MAX = 256, TILE_INNER_MAX = 32 };

static const qn_tunable tunables[TUNABLES] = {
    [TILE_ROWS] = {"TILE_ROWS", {32, 64, 128}, 3, 64, "rows of C that a group makes (MWG)"},
    [TILE_COLUMNS] = {"TILE_COLUMNS", {32, 64, 128}, 3, 64, "columns of C that a group makes (NWG)"},
    [TILE_INNER] = {"TILE_INNER", {16, 32}, 2, 16, "inner indices of a step (KWG)"},
    [GROUP_ROWS] = {"GROUP_ROWS", {4, 8, 16, 32}, 4, 8, "work-items of a group along the rows (MDIMC)"},
    [GROUP_COLUMNS] = {"GROUP_COLUMNS", {4, 8, 16, 32}, 4, 8, "work-items of a group along the columns (NDIMC)"},
    [LOAD_ROWS] = {"LOAD_ROWS", {8, 16, 32}, 3, 8, "work-items along the rows while a tile of A is loaded (MDIMA)"},
    [LOAD_COLUMNS] =
        {"LOAD_COLUMNS", {8, 16, 32}, 3, 8, "work-items along the columns while a tile of B is loaded (NDIMB)"},
    [UNROLL_INNER] = {"UNROLL_INNER", {2, 8, 16}, 3, 2, "inner indices unrolled (KWI)"},
    [VECTOR_ROWS] = {"VECTOR_ROWS", {1, 2, 4, 8}, 4, 4, "adjacent rows read at once (VWM)"},
    [VECTOR_COLUMNS] = {"VECTOR_COLUMNS", {1, 2, 4, 8}, 4, 4, "adjacent columns read and written at once (VWN)"},
    [STRIDED_ROWS] = {"STRIDED_ROWS", {0, 1}, 2, 1, "whether an item's vectors of rows are strided (STRM)"},
    [STRIDED_COLUMNS] = {"STRIDED_COLUMNS", {0, 1}, 2, 1, "whether an item's vectors of columns are strided (STRN)"},
    [LOCAL_A] = {"LOCAL_A", {0, 1}, 2, 1, "whether tiles of A go through local memory (SA)"},
    [LOCAL_B] = {"LOCAL_B", {0, 1}, 2, 1, "whether tiles of B go through local memory (SB)"},
    [PREFETCH] = {"PREFETCH", {0, 1, 2}, 3, 0, "tiles loaded ahead: 0 none, 1 in registers, 2 asynchronously"},
    [LOCAL_BUFFERS] = {"LOCAL_BUFFERS", {1, 2, 3}, 3, 1, "tiles in local memory at a time"},
    [RESIDENT] =
        {"RESIDENT", {0, 2, 4}, 3, 0, "groups that must fit a multiprocessor's registers; 0: the compiler's choice"},
    [BLOCK_ORDER] = {"BLOCK_ORDER", {1, 8}, 2, 1, "tiles down before the next one across"},
};

static const char *const constraints[] = {
    "GROUP_ROWS * GROUP_COLUMNS <= device.largest_group",
    /* unrolled multiply-adds must fit an instruction cache, and not take too long to compile */
    "TILE_INNER % UNROLL_INNER == 0 && UNROLL_INNER * TILE_ROWS * TILE_COLUMNS <= 2048 * GROUP_ROWS * GROUP_COLUMNS",
    "TILE_ROWS % (GROUP_ROWS * VECTOR_ROWS) == 0",
    "TILE_COLUMNS % (GROUP_COLUMNS * VECTOR_COLUMNS) == 0",
    /* on GPUs reads and multiply-adds compete for issue, so each number read needs enough multiply-adds */
    "device.subgroup_size == 1 || TILE_ROWS * TILE_COLUMNS >= 16 * GROUP_ROWS * GROUP_COLUMNS",
    /* sums must fit registers, of which CUDA allows 255; a group smaller than a warp wastes part of the warp */
    "TILE_ROWS * TILE_COLUMNS <= 128 * GROUP_ROWS * GROUP_COLUMNS",
    "GROUP_ROWS * GROUP_COLUMNS >= device.subgroup_size",
    /* tunables of loading matter only for tiles in local memory; otherwise they have one value */
    "LOCAL_A == 1 || LOAD_ROWS == GROUP_ROWS",
    "LOCAL_B == 1 || LOAD_COLUMNS == GROUP_COLUMNS",
    "LOCAL_A == 0 || TILE_ROWS % (LOAD_ROWS * VECTOR_ROWS) == 0",
    "LOCAL_B == 0 || TILE_COLUMNS % (LOAD_COLUMNS * VECTOR_COLUMNS) == 0",
    "LOCAL_A == 0 || (GROUP_ROWS * GROUP_COLUMNS % LOAD_ROWS == 0 && "
    "TILE_INNER * LOAD_ROWS % (GROUP_ROWS * GROUP_COLUMNS) == 0)",
    "LOCAL_B == 0 || (GROUP_ROWS * GROUP_COLUMNS % LOAD_COLUMNS == 0 && "
    "TILE_INNER * LOAD_COLUMNS % (GROUP_ROWS * GROUP_COLUMNS) == 0)",
    "LOCAL_BUFFERS * TILE_INNER * (LOCAL_A * TILE_ROWS + LOCAL_B * TILE_COLUMNS) * 4 <= device.local_memory_bytes",
    "PREFETCH == 2 || LOCAL_BUFFERS <= 1 + max(LOCAL_A, LOCAL_B)",
    "PREFETCH <= max(LOCAL_A, LOCAL_B) || (PREFETCH == 2 && LOCAL_A == 1 && LOCAL_B == 1)",
    "PREFETCH != 2 || (LOCAL_BUFFERS >= 2 && device.is_cuda)",
    /* RESIDENT matters only for 256 or more items; their sums and 32 other numbers each must fit 65536 registers */
    "RESIDENT == 0 || (device.is_cuda && RESIDENT * GROUP_ROWS * GROUP_COLUMNS >= 256 && "
    "RESIDENT * (TILE_ROWS * TILE_COLUMNS + 32 * GROUP_ROWS * GROUP_COLUMNS) <= 65536)",
    /* the host's kernel uses none of these tunables */
    "!device.is_host || (TILE_ROWS == 64 && TILE_COLUMNS == 64)",
    "!device.is_host || (TILE_INNER == 16 && GROUP_ROWS == 8 && GROUP_COLUMNS == 8)",
    "!device.is_host || (LOAD_ROWS == 8 && LOAD_COLUMNS == 8 && UNROLL_INNER == 2)",
    "!device.is_host || (VECTOR_ROWS == 4 && VECTOR_COLUMNS == 4 && STRIDED_ROWS == 1 && STRIDED_COLUMNS == 1)",
    "!device.is_host || (LOCAL_A == 1 && LOCAL_B == 1 && PREFETCH == 0 && LOCAL_BUFFERS == 1 && BLOCK_ORDER == 1)",
};

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_gemm_problem *problem = user;
    const int *value = configuration->value;
    size_t tiles_down = ((size_t)problem->rows + (size_t)value[TILE_ROWS] - 1) / (size_t)value[TILE_ROWS];
    size_t tiles_across = ((size_t)problem->columns + (size_t)value[TILE_COLUMNS] - 1) / (size_t)value[TILE_COLUMNS];
    size_t down = (size_t)value[GROUP_ROWS], across = (size_t)value[GROUP_COLUMNS];
    return (qn_geometry){{tiles_across * across, tiles_down * down, 1}, {across, down, 1}};
}

static void work_of(const void *user, qn_work *work)
{
    const qn_gemm_problem *problem = user;
    double rows = problem->rows, columns = problem->columns, inner = problem->inner;
    *work = (qn_work){.bytes_read = 4 * inner * (rows + columns),
                      .bytes_written = 4 * rows * columns,
                      .multiply_adds = rows * columns * inner};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_benchmark_gemm_host)[0](launch);
}

_Static_assert(sizeof(gemm_scalars) == 3 * 4, "no padding");

static const qn_argument_declaration arguments_of_gemm[GEMM_ARGUMENTS] = {
    [GEMM_A] = {"a", QN_IN, QN_FLOAT32},
    [GEMM_B] = {"b", QN_IN, QN_FLOAT32},
    [GEMM_C] = {"c", QN_OUT, QN_FLOAT32},
    [GEMM_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(gemm_scalars)},
};

static const qn_kernel_declaration kernels[] = {{"gemm", arguments_of_gemm, GEMM_ARGUMENTS, geometry, host, work_of}};

const qn_family qn_benchmark_gemm_family = {
    .name = "benchmark/gemm",
    .source = qn_benchmark_gemm_source,
    .source_path = "benchmark/algebra/kernels/gemm.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "GUARDED=0",
};

/* Whether tiles of any configuration extend beyond the matrices. */
static bool is_guarded(const qn_gemm_problem *problem)
{
    return problem->rows % TILE_MAX != 0 || problem->columns % TILE_MAX != 0 || problem->inner % TILE_INNER_MAX != 0;
}

static int next_power_of_two(int size)
{
    int power = 1;
    while (power < size && power <= INT32_MAX / 2) power *= 2;
    return power;
}

void qn_gemm_class(const qn_gemm_problem *problem, char text[64])
{
    snprintf(text, 64, "rows=%d columns=%d inner=%d%s", next_power_of_two(problem->rows),
             next_power_of_two(problem->columns), next_power_of_two(problem->inner),
             is_guarded(problem) ? " guarded" : "");
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, int lines, int length)
{
    size_t needed = (size_t)lines * (size_t)length * sizeof(float);
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "benchmark/gemm: %s has %zu bytes; expected %zu for %d x %d numbers", name,
                       qn_buffer_bytes(buffer), needed, lines, length);
    return QN_OK;
}

qn_status qn_gemm(qn_queue *queue, const qn_configuration *configuration, const qn_gemm_problem *problem, qn_buffer *a,
                  qn_buffer *b, qn_buffer *c, qn_event **event)
{
    const gemm_scalars scalars = {
        .rows = problem->rows,
        .columns = problem->columns,
        .inner = problem->inner,
    };
    const qn_argument arguments[GEMM_ARGUMENTS] = {
        [GEMM_A] = qn_argument_buffer(a),
        [GEMM_B] = qn_argument_buffer(b),
        [GEMM_C] = qn_argument_range(c, 0, (size_t)problem->rows * (size_t)problem->columns * sizeof(float)),
        [GEMM_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    char problem_class[64];
    if (problem->rows < 1 || problem->columns < 1 || problem->inner < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "benchmark/gemm: %d rows, %d columns, %d inner; expected at least 1 of each", problem->rows,
                       problem->columns, problem->inner);
    QN_TRY(check_buffer("A", a, problem->inner, problem->rows));
    QN_TRY(check_buffer("B", b, problem->inner, problem->columns));
    QN_TRY(check_buffer("C", c, problem->rows, problem->columns));
    qn_gemm_class(problem, problem_class);
    qn_family_call call = {.kernel = 0,
                           .arguments = arguments,
                           .argument_count = GEMM_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .definitions = is_guarded(problem) ? "GUARDED=1" : "GUARDED=0",
                           .configuration = configuration};
    return qn_family_run(&qn_benchmark_gemm_family, queue, &call, event);
}
