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

/* If a group can have no more local memory than SMALL_ROOM_BYTES, as in NVIDIA's OpenCL, more than one group fits on a
 * compute unit without a smaller share. */
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
    "GROUP_SIZE <= 256 || !device.is_opencl", /* NVIDIA's OpenCL runs no larger groups of this kernel */
    "GROUP_SIZE >= device.subgroup_size",
    "GROUP_SIZE * RESIDENT <= 1024 || !device.is_cuda", /* leaves 64 registers per item */
    /* the host's kernel has no tunables */
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

/* Largest number of lines that a group, alone on a compute unit, can transform at once and still keep one column: at
 * least two, at most MOST_LINES. */
static int most_lines(const qn_rotation_grid *grid)
{
    int lines = MOST_LINES;
    while (lines > 2 && plane_bytes(grid->cells[0], grid->cells[1], grid->box, lines, false, 1, false) > room_of(grid))
        lines -= 2;
    return lines;
}

/* Whether neighbouring rows are folded: the configuration asks for it, and an item's points of a column are all even or
 * all odd. */
static bool is_folded(const qn_configuration *configuration, const qn_rotation_grid *grid)
{
    int radices[3];
    return configuration->value[FOLD_ROWS] && qn_fft_line_split(grid->cells[1], configuration->value[SPLIT], radices) &&
           grid->cells[1] / radices[0] % 2 == 0;
}

/* Smallest number of parts of a plane for which a part fits into the share of a group; *bytes is what a part needs. If
 * not even one column fits, there are as many parts as columns, and *bytes exceeds the share. */
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

/* An atom takes nine multiplications, and two multiply-adds to scale and shift each of its three coordinates. */
static void place_work(const void *user, qn_work *work)
{
    const qn_ligand_planes_problem *problem = user;
    const double atoms = problem->atoms, placed = atoms * problem->batch;
    *work = (qn_work){.bytes_read = 12 * atoms, .bytes_written = 12 * placed, .multiply_adds = 15 * placed};
}

/* Multiply-adds of a transform of `length` points, `box` of them not 0: 11/4 · length · log2(box), as in radix-4 passes
 * with fused operations. */
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

_Static_assert(sizeof(place_scalars) == 5 * 4 && sizeof(planes_scalars) == 10 * 4, "no padding");

static const qn_argument_declaration place_arguments[PLACE_ARGUMENTS] = {
    [PLACE_ATOMS] = {"atoms", QN_IN, QN_INT32},
    [PLACE_ROTATIONS] = {"rotations", QN_IN, QN_INT32},
    [PLACE_POSITIONS] = {"positions", QN_OUT, QN_INT32},
    [PLACE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(place_scalars)},
};

static const qn_argument_declaration planes_arguments[PLANES_ARGUMENTS] = {
    [PLANES_POSITIONS] = {"positions", QN_IN, QN_INT32},
    [PLANES_WEIGHTS] = {"weights", QN_IN, QN_INT32},
    [PLANES_ROOTS] = {"roots", QN_IN, QN_FLOAT32},
    [PLANES_PLANES] = {"planes", QN_OUT, QN_FLOAT32}, /* or pairs of half-precision numbers */
    [PLANES_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(planes_scalars)},
};

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

/* Only the size of a plane matters, because it determines the local memory of a group. There are always enough grids
 * and rotations to fill a device. */
void qn_ligand_planes_problem_class(const qn_ligand_planes_problem *problem, char text[64])
{
    const qn_rotation_grid *grid = &problem->grid;
    snprintf(text, 64, "cells=2^%g box=2^%g", qn_rotation_size_class(sqrt((double)grid->cells[0] * grid->cells[1])),
             qn_rotation_size_class(grid->box));
}

/* Check the problem and make the definitions with which the source of a launch is compiled. */
static qn_status define(const qn_ligand_planes_problem *problem, qn_device *device, char *definitions, size_t capacity)
{
    const qn_rotation_grid *grid = &problem->grid;
    char x[QN_LINE_DEFINITIONS], y[QN_LINE_DEFINITIONS];
    if (problem->atoms < 1 || problem->grids < 1 || problem->batch < 1 || problem->rotations < 1 || grid->box < 1 ||
        grid->box > grid->cells[0] || grid->box > grid->cells[1])
        return QN_FAIL(
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
    const place_scalars scalars = {.atom_count = problem->atoms,
                                   .rotation_count = problem->rotations,
                                   .first_rotation = first_rotation,
                                   .box_centre = problem->box_centre,
                                   .scale = problem->scale};
    const qn_argument arguments[PLACE_ARGUMENTS] = {
        [PLACE_ATOMS] = qn_argument_buffer(atoms),
        [PLACE_ROTATIONS] = qn_argument_buffer(rotations),
        [PLACE_POSITIONS] = qn_argument_range(positions, 0, bytes),
        [PLACE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
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
    const planes_scalars scalars = {.atoms = problem->atoms,
                                    .grids = problem->grids,
                                    .trilinear_grid = problem->trilinear_grid,
                                    .batch = problem->batch,
                                    .nx = grid->cells[0],
                                    .ny = grid->cells[1],
                                    .box = grid->box,
                                    .plane_scale = grid->plane_scale,
                                    .room = room_of(grid),
                                    .resident_most = most_resident(grid)};
    const qn_argument arguments[PLANES_ARGUMENTS] = {
        [PLANES_POSITIONS] = qn_argument_buffer(positions),
        [PLANES_WEIGHTS] = qn_argument_buffer(weights),
        [PLANES_ROOTS] = qn_argument_buffer(roots),
        [PLANES_PLANES] = qn_argument_range(planes, 0, bytes),
        [PLANES_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return run(PLANES, queue, configuration, problem, arguments, PLANES_ARGUMENTS, event);
}
