#include "dock/search/kernels/ligand_grids.h"

#include <math.h>
#include <stdio.h>

#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/ligand_grids.dev.h"

extern const char qn_dock_ligand_grids_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_dock_ligand_grids_host);

enum { SPREAD, SETTLE, KERNELS };
enum { GROUP_SIZE, VOXELS_PER_ITEM, TUNABLES };

static size_t rounded_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static qn_geometry spread_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_ligand_grids_problem *problem = user;
    size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{rounded_up((size_t)problem->atoms, group), (size_t)problem->batch, 1}, {group, 1, 1}};
}

static qn_geometry settle_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_ligand_grids_problem *problem = user;
    size_t group = (size_t)configuration->value[GROUP_SIZE], box = (size_t)problem->box;
    size_t items = rounded_up(box * box * box, (size_t)configuration->value[VOXELS_PER_ITEM]) /
                   (size_t)configuration->value[VOXELS_PER_ITEM];
    return (qn_geometry){{rounded_up(items, group), (size_t)problem->batch * (size_t)problem->grids, 1}, {group, 1, 1}};
}

static void spread_work(const void *user, qn_work *work)
{
    const qn_ligand_grids_problem *problem = user;
    double atoms = (double)problem->atoms * problem->batch;
    *work = (qn_work){.bytes_read = atoms * (32 + 4.0 * problem->grids),
                      .bytes_written = atoms * 8 * (problem->grids + 7),
                      .multiply_adds = atoms * (15 + 8 * 6)};
}

static void settle_work(const void *user, qn_work *work)
{
    const qn_ligand_grids_problem *problem = user;
    double voxels = (double)problem->box * problem->box * problem->box * problem->batch * problem->grids;
    *work = (qn_work){.bytes_read = voxels * 4, .bytes_written = voxels * 8, .multiply_adds = voxels};
}

_Static_assert(sizeof(spread_scalars) == 8 * 4 && sizeof(settle_scalars) == 4 * 4, "no padding");

static const qn_argument_declaration spread_arguments[SPREAD_ARGUMENTS] = {
    [SPREAD_ATOMS] = {"atoms", QN_IN, QN_INT32},
    [SPREAD_WEIGHTS] = {"weights", QN_IN, QN_INT32},
    [SPREAD_ROTATIONS] = {"rotations", QN_IN, QN_INT32},
    [SPREAD_BOXES] = {"boxes", QN_INOUT, QN_INT32},
    [SPREAD_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(spread_scalars)},
};

static const qn_argument_declaration settle_arguments[SETTLE_ARGUMENTS] = {
    [SETTLE_BOXES] = {"boxes", QN_INOUT, QN_INT32},
    [SETTLE_GRIDS] = {"grids", QN_INOUT, QN_FLOAT32},
    [SETTLE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(settle_scalars)},
};

static qn_status host_spread(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_ligand_grids_host)[SPREAD](launch);
}
static qn_status host_settle(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_ligand_grids_host)[SETTLE](launch);
}

static const qn_kernel_declaration kernels[KERNELS] = {
    {"spread", spread_arguments, SPREAD_ARGUMENTS, spread_geometry, host_spread, spread_work},
    {"settle", settle_arguments, SETTLE_ARGUMENTS, settle_geometry, host_settle, settle_work},
};

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 64, "work-items per group"},
    [VOXELS_PER_ITEM] = {"VOXELS_PER_ITEM", {1, 2, 4, 8}, 4, 4, "voxels that an item settles"},
};

static const char *const constraints[] = {"GROUP_SIZE <= device.largest_group",
                                          "!device.is_host || (GROUP_SIZE == 64 && VOXELS_PER_ITEM == 4)"};

const qn_family qn_dock_ligand_grids_family = {
    .name = "dock/ligand_grids",
    .source = qn_dock_ligand_grids_source,
    .source_path = "dock/search/kernels/ligand_grids.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = 2,
};

void qn_ligand_grids_problem_class(const qn_ligand_grids_problem *problem, char text[64])
{
    snprintf(text, 64, "atoms=2^%ld rotations=%d box=2^%ld", lround(log2(problem->atoms)), problem->batch,
             lround(log2(problem->box)));
}

static qn_status run(int kernel, qn_queue *queue, const qn_configuration *configuration,
                     const qn_ligand_grids_problem *problem, const qn_argument *arguments, int count, qn_event **event)
{
    char problem_class[64];
    qn_ligand_grids_problem_class(problem, problem_class);
    qn_family_call call = {.kernel = kernel,
                           .arguments = arguments,
                           .argument_count = count,
                           .problem = problem,
                           .problem_class = problem_class,
                           .configuration = configuration};
    return qn_family_run(&qn_dock_ligand_grids_family, queue, &call, event);
}

qn_status qn_ligand_grids_spread(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_ligand_grids_problem *problem, qn_buffer *atoms, qn_buffer *weights,
                                 qn_buffer *rotations, int first_rotation, qn_buffer *boxes, qn_event **event)
{
    const spread_scalars scalars = {.atom_count = problem->atoms,
                                    .rotation_count = problem->rotations,
                                    .first_rotation = first_rotation,
                                    .box = problem->box,
                                    .box_centre = problem->box_centre,
                                    .scale = problem->scale,
                                    .grids = problem->grids,
                                    .trilinear_grid = problem->trilinear_grid};
    const qn_argument arguments[SPREAD_ARGUMENTS] = {
        [SPREAD_ATOMS] = qn_argument_buffer(atoms),
        [SPREAD_WEIGHTS] = qn_argument_buffer(weights),
        [SPREAD_ROTATIONS] = qn_argument_buffer(rotations),
        [SPREAD_BOXES] = qn_argument_buffer(boxes),
        [SPREAD_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return run(SPREAD, queue, configuration, problem, arguments, SPREAD_ARGUMENTS, event);
}

qn_status qn_ligand_grids_settle(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_ligand_grids_problem *problem, qn_buffer *boxes, qn_buffer *grids,
                                 qn_event **event)
{
    const settle_scalars scalars = {
        .box = problem->box, .nx = problem->cells[0], .ny = problem->cells[1], .nz = problem->cells[2]};
    const qn_argument arguments[SETTLE_ARGUMENTS] = {
        [SETTLE_BOXES] = qn_argument_buffer(boxes),
        [SETTLE_GRIDS] = qn_argument_buffer(grids),
        [SETTLE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return run(SETTLE, queue, configuration, problem, arguments, SETTLE_ARGUMENTS, event);
}
