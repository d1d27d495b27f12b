#include "dock/search/kernels/correlate.h"

#include <math.h>
#include <stdio.h>

#include "runtime/host_variant.h"

#include "dock/search/kernels/correlate.dev.h"

extern const char qn_dock_correlate_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_dock_correlate_host);

enum { GROUP_SIZE, ROTATIONS_PER_ITEM, SETS_PER_ITEM };

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_correlate_problem *problem = user;
    size_t group = (size_t)configuration->value[GROUP_SIZE];
    size_t rotations = (size_t)configuration->value[ROTATIONS_PER_ITEM];
    size_t sets = (size_t)configuration->value[SETS_PER_ITEM];
    return (qn_geometry){{((size_t)problem->bins + group - 1) / group * group,
                          ((size_t)problem->rotations + rotations - 1) / rotations,
                          ((size_t)problem->sets + sets - 1) / sets},
                         {group, 1, 1}};
}

static void work_of_launch(const void *user, qn_work *work)
{
    const qn_correlate_problem *problem = user;
    double bins = problem->bins;
    *work = (qn_work){.bytes_read = bins * 8 * ((double)problem->sets + problem->rotations) * problem->grids,
                      .bytes_written = bins * 8 * problem->rotations * problem->sets,
                      .multiply_adds = bins * problem->grids * problem->rotations * problem->sets * 4};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_correlate_host)[0](launch);
}

_Static_assert(sizeof(correlate_scalars) == 4 * 4, "no padding");

static const qn_argument_declaration arguments_of_correlate[CORRELATE_ARGUMENTS] = {
    [CORRELATE_RECEPTOR] = {"receptor", QN_IN, QN_FLOAT32},
    [CORRELATE_LIGAND] = {"ligand", QN_IN, QN_FLOAT32},
    [CORRELATE_PRODUCT] = {"product", QN_OUT, QN_FLOAT32},
    [CORRELATE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(correlate_scalars)},
};

static const qn_kernel_declaration kernels[] = {
    {"correlate", arguments_of_correlate, CORRELATE_ARGUMENTS, geometry, host, work_of_launch}};

static const qn_tunable tunables[] = {
    {"GROUP_SIZE", {32, 64, 128, 256}, 4, 128, "work-items per group"},
    {"ROTATIONS_PER_ITEM", {1, 2, 4, 8}, 4, 8, "rotations that share one read of the receptor"},
    {"SETS_PER_ITEM", {1, 2, 4}, 3, 1, "coefficient sets that share one read of the ligand"},
};

static const char *const constraints[] = {"GROUP_SIZE <= device.largest_group",
                                          "ROTATIONS_PER_ITEM * SETS_PER_ITEM <= 16"};

const qn_family qn_dock_correlate_family = {
    .name = "dock/correlate",
    .source = qn_dock_correlate_source,
    .source_path = "dock/search/kernels/correlate.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = 3,
    .constraints = constraints,
    .constraint_count = 2,
};

void qn_correlate_problem_class(const qn_correlate_problem *problem, char text[64])
{
    snprintf(text, 64, "rotations=%d sets=%d bins=2^%ld", problem->rotations, problem->sets,
             lround(log2(problem->bins)));
}

qn_status qn_correlate(qn_queue *queue, const qn_configuration *configuration, const qn_correlate_problem *problem,
                       qn_buffer *receptor, qn_buffer *ligand, qn_buffer *product, qn_event **event)
{
    const correlate_scalars scalars = {
        .grids = problem->grids,
        .bins = problem->bins,
        .rotations = problem->rotations,
        .sets = problem->sets,
    };
    const qn_argument arguments[CORRELATE_ARGUMENTS] = {
        [CORRELATE_RECEPTOR] = qn_argument_buffer(receptor),
        [CORRELATE_LIGAND] = qn_argument_buffer(ligand),
        [CORRELATE_PRODUCT] = qn_argument_buffer(product),
        [CORRELATE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    char problem_class[64];
    qn_correlate_problem_class(problem, problem_class);
    qn_family_call call = {.kernel = 0,
                           .arguments = arguments,
                           .argument_count = CORRELATE_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .configuration = configuration};
    return qn_family_run(&qn_dock_correlate_family, queue, &call, event);
}
