#include "potential/maps/kernels/electrostatics.h"

#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "potential/maps/kernels/electrostatics.dev.h"

extern const char qn_potential_electrostatics_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_potential_electrostatics_host);

enum { GROUP_X, GROUP_Y, POINTS_Z };

static size_t round_up(size_t count, size_t step)
{
    return (count + step - 1) / step * step;
}

static qn_geometry geometry_of(const qn_configuration *configuration, const void *user, size_t depth)
{
    const qn_electrostatics_problem *problem = user;
    const size_t group_x = (size_t)configuration->value[GROUP_X], group_y = (size_t)configuration->value[GROUP_Y];
    return (qn_geometry){{round_up((size_t)problem->values[0], group_x), round_up((size_t)problem->values[1], group_y),
                          round_up((size_t)problem->values[2], depth) / depth},
                         {group_x, group_y, 1}};
}

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    return geometry_of(configuration, user, 1);
}

static qn_geometry points_geometry(const qn_configuration *configuration, const void *user)
{
    return geometry_of(configuration, user, (size_t)configuration->value[POINTS_Z]);
}

static double values_of(const qn_electrostatics_problem *problem)
{
    return (double)problem->values[0] * problem->values[1] * problem->values[2];
}

/* A pair takes the last step of its squared distance, a root and a division, the longer polynomial, and a compensated
 * addition. */
static void nodes_work(const void *user, qn_work *least)
{
    const qn_electrostatics_problem *problem = user;
    const double pairs = values_of(problem) * problem->atoms;
    *least = (qn_work){.bytes_read = 16.0 * problem->atoms,
                       .bytes_written = 4 * values_of(problem),
                       .multiply_adds = (1 + ELECTROSTATICS_OUTER_TERMS + 4) * pairs,
                       .reciprocal_roots = 2 * pairs};
}

static void expand_work(const void *user, qn_work *least)
{
    const double values = values_of(user);
    *least = (qn_work){.bytes_written = 4 * values, .multiply_adds = ELECTROSTATICS_ORDER * values};
}

/* A pair of middle distance takes the last step of its squared distance, a root, the place in the table's step (4), two
 * polynomials and their sum, and an addition; a near one a root and a division, the table's entry (4), a polynomial and
 * a compensated addition. */
static void points_work(const void *user, qn_work *least)
{
    const qn_electrostatics_problem *problem = user;
    const double middle = problem->middle_pairs, near = problem->near_pairs, values = values_of(problem);
    const int polynomials = ELECTROSTATICS_MEAN_TERMS + ELECTROSTATICS_RISE_TERMS;
    *least = (qn_work){.bytes_read = 32.0 * problem->atoms,
                       .bytes_written = 4 * values,
                       .multiply_adds = (1 + 4 + polynomials + 1) * middle +
                                        (1 + 4 + ELECTROSTATICS_INNER_TERMS + 8) * near + ELECTROSTATICS_ORDER * values,
                       .reciprocal_roots = middle + 2 * near};
}

static qn_status nodes_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_potential_electrostatics_host)[QN_ELECTROSTATICS_NODES](launch);
}

static qn_status expand_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_potential_electrostatics_host)[QN_ELECTROSTATICS_EXPAND](launch);
}

static qn_status points_host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_potential_electrostatics_host)[QN_ELECTROSTATICS_POINTS](launch);
}

enum { MODEL_TERMS = sizeof(electrostatics_model) / 4 };

_Static_assert(sizeof(nodes_scalars) == (7 + MODEL_TERMS) * 4, "no padding");
_Static_assert(sizeof(expand_scalars) == 6 * 4, "no padding");
_Static_assert(sizeof(points_scalars) == (14 + MODEL_TERMS) * 4, "no padding");

static const qn_argument_declaration nodes_arguments[NODES_ARGUMENTS] = {
    [NODES_ATOMS] = {"atoms", QN_IN, QN_FLOAT32},
    [NODES_VALUES] = {"values", QN_INOUT, QN_FLOAT32},
    [NODES_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(nodes_scalars)},
};

static const qn_argument_declaration expand_arguments[EXPAND_ARGUMENTS] = {
    [EXPAND_NODES] = {"nodes", QN_IN, QN_FLOAT32},
    [EXPAND_WEIGHTS] = {"weights", QN_IN, QN_FLOAT32},
    [EXPAND_FIRST] = {"first", QN_IN, QN_INT32},
    [EXPAND_VALUES] = {"values", QN_OUT, QN_FLOAT32},
    [EXPAND_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(expand_scalars)},
};

static const qn_argument_declaration points_arguments[POINTS_ARGUMENTS] = {
    [POINTS_ATOMS] = {"atoms", QN_IN, QN_FLOAT32},
    [POINTS_EXACT] = {"exact", QN_IN, QN_INT64},
    [POINTS_STARTS] = {"starts", QN_IN, QN_INT32},
    [POINTS_TABLE] = {"table", QN_IN, QN_FLOAT32},
    [POINTS_LIMITS] = {"limits", QN_IN, QN_INT64},
    [POINTS_PLACES] = {"places", QN_IN, QN_FLOAT32},
    [POINTS_PLACES_EXACT] = {"places_exact", QN_IN, QN_INT64},
    [POINTS_COLUMNS] = {"columns", QN_IN, QN_FLOAT32},
    [POINTS_WEIGHTS] = {"weights", QN_IN, QN_FLOAT32},
    [POINTS_FIRST] = {"first", QN_IN, QN_INT32},
    [POINTS_POTENTIAL] = {"potential", QN_OUT, QN_FLOAT32},
    [POINTS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(points_scalars)},
};

static const qn_kernel_declaration kernels[QN_ELECTROSTATICS_KERNELS] = {
    [QN_ELECTROSTATICS_NODES] = {"nodes", nodes_arguments, NODES_ARGUMENTS, geometry, nodes_host, nodes_work},
    [QN_ELECTROSTATICS_EXPAND] = {"expand", expand_arguments, EXPAND_ARGUMENTS, geometry, expand_host, expand_work},
    [QN_ELECTROSTATICS_POINTS] = {"points", points_arguments, POINTS_ARGUMENTS, points_geometry, points_host,
                                  points_work},
};

static const qn_tunable tunables[] = {
    [GROUP_X] = {"GROUP_X", {4, 8, 16, 32, 64}, 5, 8, "work-items of a group along x"},
    [GROUP_Y] = {"GROUP_Y", {1, 2, 4, 8, 16}, 5, 8, "work-items of a group along y"},
    [POINTS_Z] = {"POINTS_Z", {1, 2, 4, 8}, 4, 4, "points of a work-item along z"},
};

static const char *const constraints[] = {
    "GROUP_X * GROUP_Y <= device.largest_group",
    "GROUP_X * GROUP_Y >= device.subgroup_size",
    "!device.is_host || (GROUP_X == 8 && GROUP_Y == 8 && POINTS_Z == 4)",
};

const qn_family qn_potential_electrostatics_family = {
    .name = "potential/electrostatics",
    .source = qn_potential_electrostatics_source,
    .source_path = "potential/maps/kernels/electrostatics.cl",
    .kernels = kernels,
    .kernel_count = QN_ELECTROSTATICS_KERNELS,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};
