#include "dock/search/kernels/ligand_planes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "dock/search/kernels/ligand_grids.h"
#include "fft/line_split.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/ligand_planes.dev.h"

extern const char qn_dock_ligand_planes_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_dock_ligand_planes_host);

enum { PLACE, PLANES, KERNELS };
enum { GROUP_SIZE, LINES, FOLD_ROWS, RESIDENT, SPLIT, TUNABLES };

/* Where a group may have no more than this, as NVIDIA's OpenCL gives it, more than one group fits anyway. */
enum { SMALL_ROOM_BYTES = 49152, MOST_LINES = 48 };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {64, 128, 192, 256, 320, 384, 448, 512, 640, 1024}, 10, 256, "work-items per group"},
    [LINES] = {"LINES", {4, 8, 16, 24, 32, MOST_LINES}, 6, MOST_LINES, "lines of a plane transformed at once"},
    [FOLD_ROWS] =
        {"FOLD_ROWS", {0, 1}, 2, 1, "whether neighbouring rows of a grid, not two grids, are transformed as one"},
    [RESIDENT] = {"RESIDENT", {1, 2, 3, 4}, 4, 2, "groups that are to share a GPU's compute unit"},
    [SPLIT] = {"SPLIT", {0, 1, 2}, 3, 0, "radices of lines: even, largest first, three"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "GROUP_SIZE <= 256 || !device.is_opencl", /* NVIDIA's OpenCL runs no larger groups of it */
    "GROUP_SIZE >= device.subgroup_size",
    "GROUP_SIZE * RESIDENT <= 1024 || !device.is_cuda", /* leaves 64 registers an item */
    /* the host's kernel has none of these */
    "!device.is_host || (GROUP_SIZE == 256 && LINES == 48 && FOLD_ROWS == 1 && RESIDENT == 2 && SPLIT == 0)",
};

static int room_of(const qn_rotation_grid *grid)
{
    return grid->local_room_bytes < INT_MAX ? (int)grid->local_room_bytes : INT_MAX - PLANE_RESERVED_BYTES;
}

static int most_resident(const qn_rotation_grid *grid)
{
    return grid->is_gpu && grid->local_room_bytes > SMALL_ROOM_BYTES ? INT_MAX : 1;
}

/* As many lines at once as a group has room for beside a column, were it alone: no more than any configuration asks
 * for, no fewer than two. */
static int most_lines(const qn_rotation_grid *grid)
{
    int lines = MOST_LINES;
    while (lines > 2 && plane_bytes(grid->cells[0], grid->cells[1], grid->box, lines, false, 1, false) > room_of(grid))
        lines -= 2;
    return lines;
}

/* Whether an item's points of a column are all even or all odd ones, and rows may be folded. */
static bool is_folded(const qn_configuration *configuration, const qn_rotation_grid *grid)
{
    int radices[3];
    return configuration->value[FOLD_ROWS] && qn_fft_line_split(grid->cells[1], configuration->value[SPLIT], radices) &&
           grid->cells[1] / radices[0] % 2 == 0;
}

/* The fewest parts of a plane of which one has room, and how much it takes; as many as there are columns, and more room
 * than there is, where not even one column has. */
static int parts_of(const qn_configuration *configuration, const qn_ligand_planes_problem *problem, size_t *bytes)
{
    const qn_rotation_grid *grid = &problem->grid;
    const int nx = grid->cells[0], ny = grid->cells[1], lines = MIN(configuration->value[LINES], most_lines(grid));
    const int resident = MIN(configuration->value[RESIDENT], most_resident(grid));
    const bool folded = is_folded(configuration, grid);
    const int share = plane_share(nx, ny, grid->box, lines, folded, resident, room_of(grid));
    const int width = qn_rotation_width(grid);
    int parts = 1;
    while (parts < width &&
           plane_bytes(nx, ny, grid->box, lines, folded, plane_part_columns(width, parts), false) > share)
        parts++;
    const int columns = plane_part_columns(width, parts);
    const int whole = plane_bytes(nx, ny, grid->box, lines, folded, columns, true);
    *bytes = (size_t)(whole <= share ? whole : plane_bytes(nx, ny, grid->box, lines, folded, columns, false));
    return parts;
}

static size_t local_room(int kernel, const qn_configuration *configuration, const void *problem)
{
    size_t bytes = 0;
    if (kernel == PLANES) parts_of(configuration, problem, &bytes);
    return bytes;
}

static qn_geometry place_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_ligand_planes_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    const size_t groups = ((size_t)problem->atoms + group - 1) / group;
    return (qn_geometry){{groups * group, (size_t)problem->batch, 1}, {group, 1, 1}};
}

static qn_geometry planes_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_ligand_planes_problem *problem = user;
    size_t bytes;
    const size_t group = (size_t)configuration->value[GROUP_SIZE], grids = (size_t)problem->grids;
    const size_t units = is_folded(configuration, &problem->grid) ? grids : (grids + 1) / 2;
    const size_t groups = (size_t)parts_of(configuration, problem, &bytes) * (size_t)problem->grid.box * units;
    return (qn_geometry){{groups * (size_t)problem->batch * group, 1, 1}, {group, 1, 1}};
}

/* Nine products and the shifts of three coordinates. */
static void place_work(const void *user, qn_work *work)
{
    const qn_ligand_planes_problem *problem = user;
    const double atoms = problem->atoms, placed = atoms * problem->batch;
    *work = (qn_work){.bytes_read = 12 * atoms, .bytes_written = 12 * placed, .multiply_adds = 15 * placed};
}

/* Of n points, `box` of them not 0: 11/4 n log2(box) slots, those of fused radix-4 passes. */
static double line_slots(int length, int box)
{
    return 2.75 * length * log2(box);
}

static void planes_work(const void *user, qn_work *work)
{
    const qn_ligand_planes_problem *problem = user;
    const qn_rotation_grid *grid = &problem->grid;
    const double planes = (double)problem->batch * grid->box, pairs = (problem->grids + 1) / 2;
    const double rows = planes * pairs * grid->box, columns = planes * problem->grids * qn_rotation_width(grid);
    *work = (qn_work){.bytes_read = (double)problem->atoms * (12.0 * problem->batch + 4.0 * problem->grids),
                      .bytes_written =
                          planes * problem->grids * qn_rotation_columns(grid) * (double)qn_rotation_value_bytes(grid),
                      .multiply_adds = rows * line_slots(grid->cells[0], grid->box) +
                                       columns * line_slots(grid->cells[1], grid->box)};
}

static const qn_argument_declaration place_arguments[] = {
    {"atoms", QN_IN, QN_INT32},         {"rotations", QN_IN, QN_INT32},         {"positions", QN_OUT, QN_INT32},
    {"atom_count", QN_VALUE, QN_INT32}, {"rotation_count", QN_VALUE, QN_INT32}, {"first_rotation", QN_VALUE, QN_INT32},
    {"box_centre", QN_VALUE, QN_INT32}, {"scale", QN_VALUE, QN_INT32},
};
enum { PLACE_ARGUMENTS = sizeof place_arguments / sizeof *place_arguments };

static const qn_argument_declaration planes_arguments[] = {
    {"positions", QN_IN, QN_INT32},
    {"weights", QN_IN, QN_INT32},
    {"roots", QN_IN, QN_FLOAT32},
    {"planes", QN_OUT, QN_FLOAT32}, /* or two halves in each */
    {"atoms", QN_VALUE, QN_INT32},
    {"grids", QN_VALUE, QN_INT32},
    {"trilinear_grid", QN_VALUE, QN_INT32},
    {"batch", QN_VALUE, QN_INT32},
    {"nx", QN_VALUE, QN_INT32},
    {"ny", QN_VALUE, QN_INT32},
    {"box", QN_VALUE, QN_INT32},
    {"halves", QN_VALUE, QN_INT32},
    {"plane_scale", QN_VALUE, QN_FLOAT32},
    {"room", QN_VALUE, QN_INT32},
    {"resident_most", QN_VALUE, QN_INT32},
};
enum { PLANES_ARGUMENTS = sizeof planes_arguments / sizeof *planes_arguments };

static qn_status host_place(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_ligand_planes_host)[PLACE](launch);
}

static qn_status host_planes(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_ligand_planes_host)[PLANES](launch);
}

static const qn_kernel_declaration kernels[KERNELS] = {
    {"place", place_arguments, PLACE_ARGUMENTS, place_geometry, host_place, place_work},
    {"planes", planes_arguments, PLANES_ARGUMENTS, planes_geometry, host_planes, planes_work},
};

const qn_family qn_dock_ligand_planes_family = {
    .name = "dock/ligand_planes",
    .source = qn_dock_ligand_planes_source,
    .source_path = "dock/search/kernels/ligand_planes.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "X_LENGTH=160 X0_R0=10 X0_R1=1 X0_R2=16 X1_R0=16 X1_R1=1 X1_R2=10 X2_R0=4 X2_R1=5 X2_R2=8 "
                         "Y_LENGTH=150 Y0_R0=10 Y0_R1=1 Y0_R2=15 Y1_R0=15 Y1_R1=1 Y1_R2=10 Y2_R0=5 Y2_R1=5 Y2_R2=6 "
                         "BOX=84 COLUMNS=12160 HALVES=0 MOST_LINES=48",
    .local_room = local_room,
};

/* What a group keeps in local memory decides: of grids and rotations there are enough to fill any device. */
void qn_ligand_planes_problem_class(const qn_ligand_planes_problem *problem, char text[64])
{
    const qn_rotation_grid *grid = &problem->grid;
    snprintf(text, 64, "cells=2^%g box=2^%g", qn_rotation_size_class(sqrt((double)grid->cells[0] * grid->cells[1])),
             qn_rotation_size_class(grid->box));
}

/* The constants that a launch's source is compiled with. */
static qn_status define(const qn_ligand_planes_problem *problem, qn_device *device, char *definitions, size_t capacity)
{
    const qn_rotation_grid *grid = &problem->grid;
    char x[QN_LINE_DEFINITIONS], y[QN_LINE_DEFINITIONS];
    if (problem->atoms < 1 || problem->grids < 1 || problem->batch < 1 || problem->rotations < 1 || grid->box < 1 ||
        grid->box > grid->cells[0] || grid->box > grid->cells[1])
        QN_FAIL(
            QN_INVALID_ARGUMENT,
            "dock/ligand_planes: %d atoms, %d grids, a batch of %d of %d rotations and a box of %d in %d x %d cells; "
            "expected at least one of each, and a box that fits",
            problem->atoms, problem->grids, problem->batch, problem->rotations, grid->box, grid->cells[0],
            grid->cells[1]);
    QN_TRY(qn_rotation_grid_check(grid, device));
    qn_fft_line_definitions('X', grid->cells[0], x);
    qn_fft_line_definitions('Y', grid->cells[1], y);
    snprintf(definitions, capacity, "%s %s BOX=%d COLUMNS=%d HALVES=%d MOST_LINES=%d", x, y, grid->box,
             qn_rotation_columns(grid), grid->halves, most_lines(grid));
    return QN_OK;
}

static qn_status run(int kernel, qn_queue *queue, const qn_configuration *configuration,
                     const qn_ligand_planes_problem *problem, const qn_argument *arguments, int count, qn_event **event)
{
    char problem_class[64], definitions[2 * QN_LINE_DEFINITIONS + 96];
    if (event) *event = NULL;
    QN_TRY(define(problem, qn_queue_device(queue), definitions, sizeof definitions));
    qn_ligand_planes_problem_class(problem, problem_class);
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = count,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .definitions = definitions,
                                 .configuration = configuration};
    return qn_family_run(&qn_dock_ligand_planes_family, queue, &call, event);
}

qn_status qn_ligand_planes_place(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_ligand_planes_problem *problem, qn_buffer *atoms, qn_buffer *rotations,
                                 int first_rotation, qn_buffer *positions, qn_event **event)
{
    const size_t bytes = 12 * (size_t)problem->batch * (size_t)problem->atoms;
    const qn_argument arguments[PLACE_ARGUMENTS] = {
        qn_argument_buffer(atoms),
        qn_argument_buffer(rotations),
        qn_argument_range(positions, 0, bytes),
        qn_argument_int32(problem->atoms),
        qn_argument_int32(problem->rotations),
        qn_argument_int32(first_rotation),
        qn_argument_int32(problem->box_centre),
        qn_argument_int32(problem->scale),
    };
    return run(PLACE, queue, configuration, problem, arguments, PLACE_ARGUMENTS, event);
}

qn_status qn_ligand_planes(qn_queue *queue, const qn_configuration *configuration,
                           const qn_ligand_planes_problem *problem, qn_buffer *positions, qn_buffer *weights,
                           qn_buffer *roots, qn_buffer *planes, qn_event **event)
{
    const qn_rotation_grid *grid = &problem->grid;
    const size_t bytes = (size_t)problem->batch * (size_t)problem->grids * (size_t)grid->box *
                         (size_t)qn_rotation_columns(grid) * qn_rotation_value_bytes(grid);
    const qn_argument arguments[PLANES_ARGUMENTS] = {
        qn_argument_buffer(positions),
        qn_argument_buffer(weights),
        qn_argument_buffer(roots),
        qn_argument_range(planes, 0, bytes),
        qn_argument_int32(problem->atoms),
        qn_argument_int32(problem->grids),
        qn_argument_int32(problem->trilinear_grid),
        qn_argument_int32(problem->batch),
        qn_argument_int32(grid->cells[0]),
        qn_argument_int32(grid->cells[1]),
        qn_argument_int32(grid->box),
        qn_argument_int32(grid->halves),
        qn_argument_float32(grid->plane_scale),
        qn_argument_int32(room_of(grid)),
        qn_argument_int32(most_resident(grid)),
    };
    return run(PLANES, queue, configuration, problem, arguments, PLANES_ARGUMENTS, event);
}
