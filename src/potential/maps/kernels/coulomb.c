#include "potential/maps/kernels/coulomb.h"

#include "base/error.h"
#include "runtime/host_variant.h"

#include "potential/maps/kernels/coulomb.dev.h"

extern const char qn_potential_coulomb_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_potential_coulomb_host);

enum { GROUP_X, GROUP_Y, POINTS_Z, ATOM_UNROLL, MEMORY, COMPONENTS, VECTOR_WIDTH, TILE };

static size_t round_up(size_t count, size_t step)
{
    return (count + step - 1) / step * step;
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_coulomb_problem *problem = user;
    const int *value = configuration->value;
    const size_t width = (size_t)value[VECTOR_WIDTH], depth = (size_t)value[POINTS_Z];
    const size_t group_x = (size_t)value[GROUP_X], group_y = (size_t)value[GROUP_Y];
    return (qn_geometry){{round_up(round_up((size_t)problem->points[0], width) / width, group_x),
                          round_up((size_t)problem->points[1], group_y),
                          round_up((size_t)problem->points[2], depth) / depth},
                         {group_x, group_y, 1}};
}

/* The least work of a pair: the last step of its squared distance, its limit, the root and the addition to the sum. The
 * other operations can be shared with other pairs. */
static void work(const void *user, qn_work *least)
{
    const qn_coulomb_problem *problem = user;
    const double points = (double)problem->points[0] * problem->points[1] * problem->points[2];
    *least = (qn_work){.bytes_read = 16.0 * problem->atoms + (problem->is_first ? 0 : 4 * points),
                       .bytes_written = 4 * points,
                       .multiply_adds = 3 * points * problem->atoms,
                       .reciprocal_roots = points * problem->atoms};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_potential_coulomb_host)[0](launch);
}

_Static_assert(sizeof(coulomb_scalars) == 12 * 4, "no padding");

static const qn_argument_declaration arguments[COULOMB_ARGUMENTS] = {
    [COULOMB_ATOMS] = {"atoms", QN_IN, QN_FLOAT32},
    [COULOMB_COMPONENTS] = {"components", QN_IN, QN_FLOAT32},
    [COULOMB_POTENTIAL] = {"potential", QN_INOUT, QN_FLOAT32},
    [COULOMB_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(coulomb_scalars)},
};

static const qn_kernel_declaration kernels[] = {{"coulomb", arguments, COULOMB_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[] = {
    [GROUP_X] = {"GROUP_X", {4, 8, 16, 32, 64, 128, 256}, 7, 64, "work-items of a group along x"},
    [GROUP_Y] = {"GROUP_Y", {1, 2, 4, 8, 16}, 5, 4, "work-items of a group along y"},
    [POINTS_Z] = {"POINTS_Z", {1, 2, 4, 8, 16, 32}, 6, 8, "points of a work-item along z"},
    [ATOM_UNROLL] = {"ATOM_UNROLL", {1, 2, 4, 8, 16, 32}, 6, 4, "atoms per iteration"},
    [MEMORY] = {"MEMORY", {0, 1, 2}, 3, 2, "atoms are read from 0 global, 1 constant, 2 local memory"},
    [COMPONENTS] = {"COMPONENTS", {0, 1}, 2, 0, "an array for each coordinate instead of one of atoms"},
    [VECTOR_WIDTH] = {"VECTOR_WIDTH", {1, 2, 4, 8, 16}, 5, 1, "floats per vector: points of a work-item along x"},
    [TILE] = {"TILE", {1, 2, 4}, 3, 1, "atoms that each work-item copies to local memory"},
};

static const char *const constraints[] = {
    "GROUP_X * GROUP_Y <= device.largest_group",
    "GROUP_X * GROUP_Y >= device.subgroup_size",
    "MEMORY == 2 || TILE == 1",
    "MEMORY != 2 || 16 * TILE * GROUP_X * GROUP_Y <= device.local_memory_bytes",
    "(MEMORY != 1 && VECTOR_WIDTH == 1) || device.is_opencl",
    "POINTS_Z * VECTOR_WIDTH <= 64",                /* sums must fit registers */
    "POINTS_Z * ATOM_UNROLL * VECTOR_WIDTH <= 256", /* compilers take too long above this */
    "!device.is_host || (GROUP_X == 64 && GROUP_Y == 4 && ATOM_UNROLL == 4 && MEMORY == 2 && COMPONENTS == 0)",
    "!device.is_host || (POINTS_Z <= 8 && TILE == 1)",
};

const qn_family qn_potential_coulomb_family = {
    .name = "potential/coulomb",
    .source = qn_potential_coulomb_source,
    .source_path = "potential/maps/kernels/coulomb.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

qn_status qn_coulomb_add(qn_queue *queue, const qn_configuration *configuration, const qn_coulomb_problem *problem,
                         qn_buffer *atoms, qn_buffer *components, qn_buffer *potential, qn_event **event)
{
    const coulomb_scalars scalars = {
        .atom_count = problem->atoms,
        .nx = problem->points[0],
        .ny = problem->points[1],
        .nz = problem->points[2],
        .first_plane = problem->first_plane,
        .is_first = problem->is_first,
        .x = problem->origin[0],
        .y = problem->origin[1],
        .z = problem->origin[2],
        .spacing = problem->spacing,
        .least_squared = problem->least * problem->least,
        .factor = problem->factor,
    };
    const size_t bytes =
        (size_t)problem->points[0] * (size_t)problem->points[1] * (size_t)problem->points[2] * sizeof(float);
    const qn_argument values[COULOMB_ARGUMENTS] = {
        [COULOMB_ATOMS] = qn_argument_buffer(atoms),
        [COULOMB_COMPONENTS] = qn_argument_buffer(components),
        [COULOMB_POTENTIAL] = qn_argument_range(potential, 0, bytes),
        [COULOMB_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.arguments = values,
                                 .argument_count = COULOMB_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem->points[0] < 128   ? "points=64"
                                                  : problem->points[0] < 256 ? "points=128"
                                                                             : "points=256",
                                 .configuration = configuration};
    if (problem->atoms > QN_COULOMB_ATOMS_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "potential/coulomb: %d atoms; expected at most %d in a launch",
                       problem->atoms, QN_COULOMB_ATOMS_MAX);
    return qn_family_run(&qn_potential_coulomb_family, queue, &call, event);
}
