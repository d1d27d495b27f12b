#include "cluster/measure/kernels/rmsd.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/rmsd.dev.h"

extern const char qn_cluster_rmsd_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_cluster_rmsd_host);

enum { GROUP_ROWS, GROUP_COLUMNS, ROWS, COLUMNS, STEP, BUFFERS, RESIDENT, TUNABLES };
enum { NEAR, VALUES };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_ROWS] = {"GROUP_ROWS", {4, 8, 16}, 3, 16, "work-items of a group along the rows"},
    [GROUP_COLUMNS] = {"GROUP_COLUMNS", {8, 16, 32}, 3, 16, "work-items of a group along the columns"},
    [ROWS] = {"ROWS", {1, 2, 4}, 3, 4, "rows of a work-item"},
    [COLUMNS] = {"COLUMNS", {1, 2, 4}, 3, 2, "columns of a work-item"},
    [STEP] = {"STEP", {4, 8, 16}, 3, 8, "atoms in local memory at a time"},
    [BUFFERS] = {"BUFFERS", {1, 2}, 2, 1, "steps in local memory; 2: the next one is loaded while one is used"},
    [RESIDENT] = {"RESIDENT", {0, 2, 4}, 3, 0, "groups that must fit a compute unit; 0: the compiler's choice"},
};

static const char *const constraints[] = {
    "GROUP_ROWS * GROUP_COLUMNS <= device.largest_group",
    "GROUP_ROWS * GROUP_COLUMNS >= device.subgroup_size",
    /* items copy four structures at a time, and each the same ones of every line */
    "GROUP_ROWS * ROWS % 4 == 0",
    "GROUP_ROWS * GROUP_COLUMNS * 4 % (GROUP_ROWS * ROWS) == 0",
    "GROUP_ROWS * GROUP_COLUMNS * 4 % (GROUP_COLUMNS * COLUMNS) == 0",
    /* bits of a row of the tile are whole words */
    "GROUP_COLUMNS * COLUMNS % 32 == 0",
    /* 9 sums for each pair must fit registers, of which CUDA allows 255 */
    "ROWS * COLUMNS <= 16",
    /* on GPUs reads of local memory compete with multiply-adds */
    "device.subgroup_size == 1 || ROWS * COLUMNS >= 2",
    "4 * BUFFERS * 3 * STEP * (GROUP_ROWS * ROWS + GROUP_COLUMNS * COLUMNS) + "
    "GROUP_ROWS * ROWS * GROUP_COLUMNS * COLUMNS / 8 <= device.local_memory_bytes",
    "4 * 11 * (GROUP_ROWS * ROWS + GROUP_COLUMNS * COLUMNS) + GROUP_ROWS * ROWS * GROUP_COLUMNS * COLUMNS / 8 <= "
    "device.local_memory_bytes",
    "BUFFERS == 1 || device.is_cuda",
    /* sums and about 48 other numbers of each item must fit 65536 registers */
    "RESIDENT == 0 || (device.is_cuda && RESIDENT * GROUP_ROWS * GROUP_COLUMNS >= 256 && "
    "RESIDENT * GROUP_ROWS * GROUP_COLUMNS * (9 * ROWS * COLUMNS + 48) <= 65536)",
    "!device.is_host || (GROUP_ROWS == 16 && GROUP_COLUMNS == 16 && ROWS == 4 && COLUMNS == 2 && STEP == 8)",
};

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_rmsd_problem *problem = user;
    const int *value = configuration->value;
    const size_t down = (size_t)value[GROUP_ROWS], across = (size_t)value[GROUP_COLUMNS];
    const size_t tile_rows = down * (size_t)value[ROWS], tile_columns = across * (size_t)value[COLUMNS];
    const size_t tiles_down = ((size_t)problem->rows + tile_rows - 1) / tile_rows;
    const size_t tiles_across = ((size_t)problem->columns + tile_columns - 1) / tile_columns;
    return (qn_geometry){{tiles_across * across, tiles_down * down, 1}, {across, down, 1}};
}

/* 9 multiply-adds for each atom of a pair; the polynomial is left out. */
static void work(const void *user, double bytes, qn_work *least)
{
    const qn_rmsd_problem *problem = user;
    const double rows = problem->rows, columns = problem->columns, pairs = rows * columns;
    *least = (qn_work){.bytes_read = 4.0 * (3 * problem->atoms + RMSD_TERMS) * (rows + columns),
                       .bytes_written = bytes * pairs,
                       .multiply_adds = 9.0 * problem->atoms * (problem->triangle ? pairs / 2 : pairs)};
}

static void work_of_near(const void *user, qn_work *least)
{
    work(user, 1.0 / 8, least);
}

static void work_of_values(const void *user, qn_work *least)
{
    work(user, 4, least);
}

static qn_status host_near(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_rmsd_host)[NEAR](launch);
}

static qn_status host_values(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_cluster_rmsd_host)[VALUES](launch);
}

_Static_assert(sizeof(rmsd_scalars) == 9 * 4, "no padding");

#define ARGUMENTS(output_name, output_type)                                                                       \
    {                                                                                                             \
        [RMSD_FIRST] = {"first", QN_IN, QN_FLOAT32}, [RMSD_FIRST_TERMS] = {"first_terms", QN_IN, QN_FLOAT32},     \
        [RMSD_SECOND] = {"second", QN_IN, QN_FLOAT32}, [RMSD_SECOND_TERMS] = {"second_terms", QN_IN, QN_FLOAT32}, \
        [RMSD_OUTPUT] = {output_name, QN_OUT, output_type}, [RMSD_DOUBTFUL] = {"doubtful", QN_INOUT, QN_UINT32},  \
        [RMSD_DOUBTFUL_COUNT] = {"doubtful_count", QN_INOUT, QN_UINT32},                                          \
        [RMSD_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(rmsd_scalars)},                                   \
    }
static const qn_argument_declaration near_arguments[RMSD_ARGUMENTS] = ARGUMENTS("bits", QN_UINT32);
static const qn_argument_declaration values_arguments[RMSD_ARGUMENTS] = ARGUMENTS("values", QN_FLOAT32);

static const qn_kernel_declaration kernels[] = {
    [NEAR] = {"rmsd_near", near_arguments, RMSD_ARGUMENTS, geometry, host_near, work_of_near},
    [VALUES] = {"rmsd_values", values_arguments, RMSD_ARGUMENTS, geometry, host_values, work_of_values},
};

const qn_family qn_cluster_rmsd_family = {
    .name = "cluster/rmsd",
    .source = qn_cluster_rmsd_source,
    .source_path = "cluster/measure/kernels/rmsd.cl",
    .kernels = kernels,
    .kernel_count = 2,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

float qn_rmsd_half_square(double cutoff_angstrom)
{
    return (float)(cutoff_angstrom * cutoff_angstrom / 2);
}

float qn_rmsd_accumulation(size_t atoms)
{
    const double unit = 0x1p-24, sum = (double)atoms * unit;
    return sum < 0.5 ? (float)(1.7321 * sum / (1 - sum)) : INFINITY;
}

/* Errors of a sum of many products are as good as random: they grow as a random walk (Higham and Mary 2019). */
static float usual_accumulation(int atoms)
{
    const double walk = 2 + sqrt(atoms), roundings = atoms < walk ? atoms : walk;
    return (float)(1.7321 * roundings * 0x1p-24);
}

static qn_status check(const qn_rmsd_problem *problem, const qn_rmsd_set *first, const qn_rmsd_set *second)
{
    if (problem->atoms < 1 || problem->rows < 1 || problem->columns < 1 || problem->rows > QN_RMSD_TILE_MAX ||
        problem->columns > QN_RMSD_TILE_MAX || problem->doubtful_capacity < 1)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "cluster/rmsd: %d atoms, %d rows, %d columns, room for %d doubtful pairs; expected at least 1 of "
            "each, and at most %d rows and columns",
            problem->atoms, problem->rows, problem->columns, problem->doubtful_capacity, QN_RMSD_TILE_MAX);
    if (problem->first_row < 0 || problem->first_column < 0 || problem->first_row % 4 || problem->first_column % 4)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "cluster/rmsd: the tile begins at row %d and column %d; expected multiples of 4",
                       problem->first_row, problem->first_column);
    const size_t line = RMSD_PANEL * sizeof(float);
    const size_t row_panels = ((size_t)problem->first_row + (size_t)problem->rows + RMSD_PANEL - 1) / RMSD_PANEL;
    const size_t column_panels =
        ((size_t)problem->first_column + (size_t)problem->columns + RMSD_PANEL - 1) / RMSD_PANEL;
    const size_t positions = 3 * (size_t)problem->atoms * line, terms = RMSD_TERMS * line;
    if (qn_buffer_bytes(first->positions) < row_panels * positions ||
        qn_buffer_bytes(second->positions) < column_panels * positions ||
        qn_buffer_bytes(first->terms) < row_panels * terms || qn_buffer_bytes(second->terms) < column_panels * terms)
        return QN_FAIL(QN_INVALID_ARGUMENT, "cluster/rmsd: buffers are too small for the last row %d or column %d",
                       problem->first_row + problem->rows - 1, problem->first_column + problem->columns - 1);
    return QN_OK;
}

const char *qn_rmsd_problem_class(int atoms)
{
    return atoms <= 64 ? "atoms<=64" : atoms <= 512 ? "atoms<=512" : "atoms>512";
}

static qn_status launch(int kernel, qn_queue *queue, const qn_configuration *configuration,
                        const qn_rmsd_problem *problem, const qn_rmsd_set *first, const qn_rmsd_set *second,
                        qn_buffer *output, size_t output_bytes, const qn_rmsd_doubts *doubts, qn_event **event)
{
    QN_TRY(check(problem, first, second));
    if (qn_buffer_bytes(output) < output_bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "cluster/rmsd: the output has %zu bytes; expected %zu",
                       qn_buffer_bytes(output), output_bytes);
    const rmsd_scalars scalars = {
        .atoms = problem->atoms,
        .first_row = problem->first_row,
        .rows = problem->rows,
        .first_column = problem->first_column,
        .columns = problem->columns,
        .triangle = problem->triangle,
        .doubtful_capacity = problem->doubtful_capacity,
        .half_square = qn_rmsd_half_square(problem->cutoff_angstrom),
        .accumulation = usual_accumulation(problem->atoms),
    };
    const qn_argument values[RMSD_ARGUMENTS] = {
        [RMSD_FIRST] = qn_argument_buffer(first->positions),
        [RMSD_FIRST_TERMS] = qn_argument_buffer(first->terms),
        [RMSD_SECOND] = qn_argument_buffer(second->positions),
        [RMSD_SECOND_TERMS] = qn_argument_buffer(second->terms),
        [RMSD_OUTPUT] = qn_argument_range(output, 0, output_bytes),
        [RMSD_DOUBTFUL] = qn_argument_range(doubts->pairs, 0, (size_t)problem->doubtful_capacity * sizeof(uint32_t)),
        [RMSD_DOUBTFUL_COUNT] = qn_argument_range(doubts->count, 0, sizeof(uint32_t)),
        [RMSD_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = values,
                                 .argument_count = RMSD_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = qn_rmsd_problem_class(problem->atoms),
                                 .configuration = configuration};
    return qn_family_run(&qn_cluster_rmsd_family, queue, &call, event);
}

qn_status qn_rmsd_near(qn_queue *queue, const qn_configuration *configuration, const qn_rmsd_problem *problem,
                       const qn_rmsd_set *first, const qn_rmsd_set *second, qn_buffer *bits,
                       const qn_rmsd_doubts *doubts, qn_event **event)
{
    const size_t words = ((size_t)problem->columns + 31) / 32;
    return launch(NEAR, queue, configuration, problem, first, second, bits,
                  (size_t)problem->rows * words * sizeof(uint32_t), doubts, event);
}

qn_status qn_rmsd_values(qn_queue *queue, const qn_configuration *configuration, const qn_rmsd_problem *problem,
                         const qn_rmsd_set *first, const qn_rmsd_set *second, qn_buffer *values,
                         const qn_rmsd_doubts *doubts, qn_event **event)
{
    const size_t pairs = (size_t)problem->rows * (size_t)problem->columns;
    return launch(VALUES, queue, configuration, problem, first, second, values, pairs * sizeof(float), doubts, event);
}
