#include "potential/maps/kernels/short_range.h"

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "potential/maps/kernels/short_range.dev.h"

extern const char qn_potential_short_range_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_potential_short_range_host);

enum { GROUP_Z, CHUNK };

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_short_range_problem *problem = user;
    return (qn_geometry){{(size_t)problem->bricks[0] * SHORT_BRICK, (size_t)problem->bricks[1] * SHORT_BRICK,
                          (size_t)problem->bricks[2] * SHORT_BRICK},
                         {SHORT_BRICK, SHORT_BRICK, (size_t)configuration->value[GROUP_Z]}};
}

/* Differences, squared distance and comparison of every pair; the tables' rows are read from caches. */
static void work(const void *user, qn_work *least)
{
    const qn_short_range_problem *problem = user;
    const double points = (double)problem->points[0] * problem->points[1] * problem->points[2];
    *least = (qn_work){.bytes_written = 4.0 * points * (problem->probe_count + 1), .multiply_adds = 6 * problem->pairs};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_potential_short_range_host)[0](launch);
}

_Static_assert(sizeof(short_scalars) == 16 * 4, "no padding");

static const qn_argument_declaration arguments[SHORT_ARGUMENTS] = {
    [SHORT_ATOMS] = {"atoms", QN_IN, QN_INT32},
    [SHORT_SOLVATION] = {"solvation", QN_IN, QN_FLOAT32},
    [SHORT_EXACT] = {"exact", QN_IN, QN_INT64},
    [SHORT_DIRECTIONS] = {"directions", QN_IN, QN_FLOAT32},
    [SHORT_LISTS] = {"lists", QN_IN, QN_INT32},
    [SHORT_STARTS] = {"starts", QN_IN, QN_INT32},
    [SHORT_TABLE] = {"table", QN_IN, QN_FLOAT32},
    [SHORT_LIMITS] = {"limits", QN_IN, QN_INT64},
    [SHORT_PLACES] = {"places", QN_IN, QN_INT32},
    [SHORT_PLACES_EXACT] = {"places_exact", QN_IN, QN_INT64},
    [SHORT_PROBES] = {"probes", QN_IN, QN_FLOAT32},
    [SHORT_VALUES] = {"values", QN_OUT, QN_FLOAT32},
    [SHORT_CHARGES] = {"charges", QN_OUT, QN_FLOAT32},
    [SHORT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(short_scalars)},
};

static const qn_kernel_declaration kernels[] = {{"short_range", arguments, SHORT_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[] = {
    [GROUP_Z] = {"GROUP_Z", {1, 2, 4, 8}, 4, 2, "planes of a brick of 8 x 8 x 8 points that a group computes"},
    [CHUNK] = {"CHUNK", {32, 64, 128, 256, 512}, 5, 128, "atoms in local memory"},
};

static const char *const constraints[] = {
    "64 * GROUP_Z <= device.largest_group",
    "28 * CHUNK <= device.local_memory_bytes",
    "!device.is_host || (GROUP_Z == 2 && CHUNK == 128)",
};

const qn_family qn_potential_short_range_family = {
    .name = "potential/short_range",
    .source = qn_potential_short_range_source,
    .source_path = "potential/maps/kernels/short_range.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "LANES=8",
};

qn_status qn_short_range_launch(qn_queue *queue, const qn_configuration *configuration,
                                const qn_short_range_problem *problem, const qn_short_range_buffers *buffers,
                                const struct short_scalars *scalars, qn_event **event)
{
    const size_t map =
        sizeof(float) * (size_t)problem->points[0] * (size_t)problem->points[1] * (size_t)problem->points[2];
    const qn_argument values[SHORT_ARGUMENTS] = {
        [SHORT_ATOMS] = qn_argument_buffer(buffers->atoms),
        [SHORT_SOLVATION] = qn_argument_buffer(buffers->solvation),
        [SHORT_EXACT] = qn_argument_buffer(buffers->exact),
        [SHORT_DIRECTIONS] = qn_argument_buffer(buffers->directions),
        [SHORT_LISTS] = qn_argument_buffer(buffers->lists),
        [SHORT_STARTS] = qn_argument_buffer(buffers->starts),
        [SHORT_TABLE] = qn_argument_buffer(buffers->table),
        [SHORT_LIMITS] = qn_argument_buffer(buffers->limits),
        [SHORT_PLACES] = qn_argument_buffer(buffers->places),
        [SHORT_PLACES_EXACT] = qn_argument_buffer(buffers->places_exact),
        [SHORT_PROBES] = qn_argument_buffer(buffers->probes),
        [SHORT_VALUES] = qn_argument_range(buffers->values, 0, (size_t)problem->probe_count * map),
        [SHORT_CHARGES] = qn_argument_range(buffers->charges, 0, map),
        [SHORT_SCALARS] = qn_argument_struct(scalars, sizeof *scalars),
    };
    const qn_family_call call = {.arguments = values,
                                 .argument_count = SHORT_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem->lanes == QN_SHORT_RANGE_LANES_MIN ? "lanes=8" : "lanes=16",
                                 .definitions = problem->lanes == QN_SHORT_RANGE_LANES_MIN ? "LANES=8" : "LANES=16",
                                 .configuration = configuration};
    return qn_family_run(&qn_potential_short_range_family, queue, &call, event);
}
