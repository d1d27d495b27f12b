#include "dock/search/kernels/correlate_columns.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "dock/search/kernels/correlate_columns.dev.h"
#include "fft/line_split.h"
#include "runtime/host_variant.h"

extern const char qn_dock_correlate_columns_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_dock_correlate_columns_host);

enum { FEWEST_COLUMNS = 2 /* columns are copied in pairs */ };
enum { COLUMNS_AT_ONCE, TURNS, ROTATIONS_PER_GROUP, SETS_PER_GROUP, AHEAD, LOCAL_RECEPTOR, RESIDENT, SPLIT, TUNABLES };

static const qn_tunable tunables[TUNABLES] = {
    [COLUMNS_AT_ONCE] = {"COLUMNS_AT_ONCE", {4, 8, 16, 32}, 4, 16, "columns of a group"},
    [TURNS] = {"TURNS", {1, 2, 3, 4}, 4, 1, "butterflies of the last pass that an item makes one after the other"},
    [ROTATIONS_PER_GROUP] =
        {"ROTATIONS_PER_GROUP", {1, 2, 3, 4}, 4, 2, "rotations of a group, which share what is read of the receptor"},
    [SETS_PER_GROUP] = {"SETS_PER_GROUP", {1, 2, 3}, 3, 1, "coefficient sets that share the ligand's transforms"},
    [AHEAD] = {"AHEAD", {0, 1, 2, 3}, 4, 0, "what is read ahead: 1 the ligand's columns, 2 the receptor's, 3 both"},
    [LOCAL_RECEPTOR] = {"LOCAL_RECEPTOR", {0, 1}, 2, 1, "whether the receptor's columns are copied to local memory"},
    [RESIDENT] = {"RESIDENT", {1, 2, 3, 4, 6}, 5, 2, "groups that a compute unit is to have registers for"},
    [SPLIT] = {"SPLIT", {0, 1, 2}, 3, 0, "radices: even, the largest first, or three"},
};

static const char *const constraints[] = {
    "TURNS * SETS_PER_GROUP <= 4", /* sums in registers */
    "LOCAL_RECEPTOR == 0 || AHEAD <= 1",
    /* the host's kernel has no tunables */
    "!device.is_host || (COLUMNS_AT_ONCE == 16 && TURNS == 1 && ROTATIONS_PER_GROUP == 2 && SETS_PER_GROUP == 1)",
    "!device.is_host || (AHEAD == 0 && LOCAL_RECEPTOR == 1 && RESIDENT == 2 && SPLIT == 0)",
};

static int pieces(int length, int piece)
{
    return (length + piece - 1) / piece;
}

/* A group: columns of each rotation, items of each of its lines, local memory. */
typedef struct group_shape {
    int columns, items;
    size_t size, room_bytes;
} group_shape;

/* Compute the shape of a group: COLUMNS_AT_ONCE is halved, down to two columns, until there is room, and there are as
 * many turns as the limit of the group's size requires. Macros of the kernel compute the same. */
static group_shape shape_of(const qn_configuration *configuration, const qn_correlate_columns_problem *problem)
{
    const int *value = configuration->value, n = problem->grid.cells[2], rotations = value[ROTATIONS_PER_GROUP];
    const int tiles = rotations + value[LOCAL_RECEPTOR] * value[SETS_PER_GROUP], roots_room = (n + 1) / 2 * 2;
    int radices[3] = {1, 1, 1};
    group_shape shape = {.columns = 2 * value[COLUMNS_AT_ONCE]};
    (void)qn_fft_line_split(n, value[SPLIT], radices); /* refused before anything is launched */
    do {
        shape.columns /= 2;
        shape.room_bytes = 8 * (size_t)(roots_room + n * shape.columns * tiles);
    } while (shape.room_bytes > problem->grid.local_room_bytes && shape.columns > FEWEST_COLUMNS);
    const int last_items = n / radices[2], lines = shape.columns * rotations;
    const int least_turns = pieces(last_items * lines, problem->grid.largest_group);
    shape.items = pieces(last_items, value[TURNS] > least_turns ? value[TURNS] : least_turns);
    shape.size = (size_t)(lines * shape.items);
    return shape;
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_correlate_columns_problem *problem = user;
    const int *value = configuration->value;
    const group_shape shape = shape_of(configuration, problem);
    const size_t tiles = (size_t)pieces(qn_rotation_columns(&problem->grid), shape.columns);
    const size_t rotations = (size_t)pieces(problem->rotations, value[ROTATIONS_PER_GROUP]);
    return (qn_geometry){{tiles * rotations * shape.size, (size_t)pieces(problem->sets, value[SETS_PER_GROUP]), 1},
                         {shape.size, 1, 1}};
}

static size_t local_room(int kernel, const qn_configuration *configuration, const void *user)
{
    (void)kernel;
    return shape_of(configuration, user).room_bytes;
}

/* Each column is read and written once, the receptor once for all rotations. A transform of n points takes about
 * 2.5 n log2 n multiply-adds (5 n log2 n operations, fused in pairs), a product of complex numbers 4. */
static void work_of(const void *user, qn_work *work)
{
    const qn_correlate_columns_problem *problem = user;
    const double n = problem->grid.cells[2], columns = qn_rotation_columns(&problem->grid);
    const double value = (double)qn_rotation_value_bytes(&problem->grid), grids = problem->grids;
    const double rotations = problem->rotations, sets = problem->sets;
    const double spectra = (double)qn_correlate_columns_spectra(problem);
    *work = (qn_work){.bytes_read = columns * (grids * rotations * problem->grid.box * value + spectra * n * 8),
                      .bytes_written = columns * rotations * sets * n * value,
                      .multiply_adds = columns * rotations * (2.5 * n * log2(n) * (grids + sets) + 4 * n * spectra)};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_correlate_columns_host)[0](launch);
}

_Static_assert(sizeof(columns_scalars) == 9 * 4, "no padding");

static const qn_argument_declaration arguments_of_kernel[COLUMNS_ARGUMENTS] = {
    [COLUMNS_PLANES] = {"planes", QN_IN, QN_BYTES},
    [COLUMNS_RECEPTOR] = {"receptor", QN_IN, QN_FLOAT32},
    [COLUMNS_ROOTS] = {"roots", QN_IN, QN_FLOAT32},
    [COLUMNS_PRODUCTS] = {"products", QN_INOUT, QN_BYTES},
    [COLUMNS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(columns_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"correlate_columns", arguments_of_kernel, COLUMNS_ARGUMENTS, geometry, host, work_of}};

const qn_family qn_dock_correlate_columns_family = {
    .name = "dock/correlate_columns",
    .source = qn_dock_correlate_columns_source,
    .source_path = "dock/search/kernels/correlate_columns.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "Z_LENGTH=24 Z0_R0=4 Z0_R1=1 Z0_R2=6 Z1_R0=6 Z1_R1=1 Z1_R2=4 Z2_R0=2 Z2_R1=3 Z2_R2=4 BOX=10 "
                         "COLUMNS=96 HALVES=0 LARGEST_GROUP=256 ROOM=32768",
    .local_room = local_room,
};

/* A group's shape depends on nz. The number of rotations matters only if it is small, because few rotations do not fill
 * a device. */
void qn_correlate_columns_problem_class(const qn_correlate_columns_problem *problem, char text[64])
{
    enum { MANY_ROTATIONS = 16 };
    const qn_rotation_grid *grid = &problem->grid;
    const int rotations = problem->rotations < MANY_ROTATIONS ? problem->rotations : MANY_ROTATIONS;
    snprintf(text, 64, "nz=2^%g box=2^%ld grids=2^%ld sets=%d rotations=2^%ld", qn_rotation_size_class(grid->cells[2]),
             lround(log2(grid->box)), lround(log2(problem->grids)), problem->sets, lround(log2(rotations)));
}

qn_status qn_correlate_columns(qn_queue *queue, const qn_configuration *configuration,
                               const qn_correlate_columns_problem *problem, qn_buffer *planes, qn_buffer *receptor,
                               qn_buffer *roots, qn_buffer *products, qn_event **event)
{
    const qn_rotation_grid *grid = &problem->grid;
    const int columns = qn_rotation_columns(grid);
    char problem_class[64], definitions[QN_LINE_DEFINITIONS + 112], line[QN_LINE_DEFINITIONS];
    QN_TRY(qn_rotation_grid_check(grid, qn_queue_device(queue)));
    if (problem->common < 0 || problem->common >= problem->grids)
        return QN_FAIL(QN_INVALID_ARGUMENT, "correlate_columns: %d of %d grids are common to all sets; expected fewer",
                       problem->common, problem->grids);
    qn_fft_line_definitions('Z', grid->cells[2], line);
    const int room = grid->local_room_bytes < INT_MAX ? (int)grid->local_room_bytes : INT_MAX;
    snprintf(definitions, sizeof definitions, "%s BOX=%d COLUMNS=%d HALVES=%d LARGEST_GROUP=%d ROOM=%d", line,
             grid->box, columns, grid->halves, grid->largest_group, room);
    qn_correlate_columns_problem_class(problem, problem_class);
    const columns_scalars scalars = {.grids = problem->grids,
                                     .rotations = problem->rotations,
                                     .sets = problem->sets,
                                     .common = problem->common,
                                     .first_root = grid->cells[0] + grid->cells[1],
                                     .factor = grid->halves ? grid->product_scale / grid->plane_scale : 1.0f,
                                     .nz = grid->cells[2],
                                     .box = grid->box,
                                     .columns = columns};
    const qn_argument arguments[COLUMNS_ARGUMENTS] = {
        [COLUMNS_PLANES] = qn_argument_buffer(planes),
        [COLUMNS_RECEPTOR] = qn_argument_buffer(receptor),
        [COLUMNS_ROOTS] = qn_argument_buffer(roots),
        [COLUMNS_PRODUCTS] = qn_argument_buffer(products),
        [COLUMNS_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    qn_family_call call = {.kernel = 0,
                           .arguments = arguments,
                           .argument_count = COLUMNS_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .definitions = definitions,
                           .configuration = configuration};
    return qn_family_run(&qn_dock_correlate_columns_family, queue, &call, event);
}
