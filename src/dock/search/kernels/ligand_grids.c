#include "dock/search/kernels/ligand_grids.h"

#include <math.h>
#include <stdio.h>

#include "runtime/host_variant.h"

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

static const qn_argument_declaration spread_arguments[] = {
    {"atoms", QN_IN, QN_INT32},
    {"weights", QN_IN, QN_INT32},
    {"rotations", QN_IN, QN_INT32},
    {"boxes", QN_INOUT, QN_INT32},
    {"atom_count", QN_VALUE, QN_INT32},
    {"rotation_count", QN_VALUE, QN_INT32},
    {"first_rotation", QN_VALUE, QN_INT32},
    {"box", QN_VALUE, QN_INT32},
    {"box_centre", QN_VALUE, QN_INT32},
    {"scale", QN_VALUE, QN_INT32},
    {"grids", QN_VALUE, QN_INT32},
    {"trilinear_grid", QN_VALUE, QN_INT32},
};

static const qn_argument_declaration settle_arguments[] = {
    {"boxes", QN_INOUT, QN_INT32}, {"grids", QN_INOUT, QN_FLOAT32}, {"box", QN_VALUE, QN_INT32},
    {"nx", QN_VALUE, QN_INT32},    {"ny", QN_VALUE, QN_INT32},      {"nz", QN_VALUE, QN_INT32},
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
    {"spread", spread_arguments, sizeof spread_arguments / sizeof *spread_arguments, spread_geometry, host_spread,
     spread_work},
    {"settle", settle_arguments, sizeof settle_arguments / sizeof *settle_arguments, settle_geometry, host_settle,
     settle_work},
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
    qn_argument arguments[] = {
        qn_argument_buffer(atoms),
        qn_argument_buffer(weights),
        qn_argument_buffer(rotations),
        qn_argument_buffer(boxes),
        qn_argument_int32(problem->atoms),
        qn_argument_int32(problem->rotations),
        qn_argument_int32(first_rotation),
        qn_argument_int32(problem->box),
        qn_argument_int32(problem->box_centre),
        qn_argument_int32(problem->scale),
        qn_argument_int32(problem->grids),
        qn_argument_int32(problem->trilinear_grid),
    };
    return run(SPREAD, queue, configuration, problem, arguments, sizeof arguments / sizeof *arguments, event);
}

qn_status qn_ligand_grids_settle(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_ligand_grids_problem *problem, qn_buffer *boxes, qn_buffer *grids,
                                 qn_event **event)
{
    qn_argument arguments[] = {
        qn_argument_buffer(boxes),
        qn_argument_buffer(grids),
        qn_argument_int32(problem->box),
        qn_argument_int32(problem->cells[0]),
        qn_argument_int32(problem->cells[1]),
        qn_argument_int32(problem->cells[2]),
    };
    return run(SETTLE, queue, configuration, problem, arguments, sizeof arguments / sizeof *arguments, event);
}
