#include "dock/search/kernels/best_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "dock/search/kernels/best_cells.dev.h"

extern const char qn_dock_best_cells_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_dock_best_cells_host);

enum { SCAN, MERGE, KERNELS };
enum { GROUP_SIZE, GROUPS = QN_BEST_CELLS_GROUPS };
enum { GROUPS_MAX = 256, ALIGNMENT = 256 };

static qn_geometry scan_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_best_cells_problem *problem = user;
    size_t group = (size_t)configuration->value[GROUP_SIZE], groups = (size_t)configuration->value[GROUPS];
    return (qn_geometry){{group * groups, (size_t)problem->rotations, 1}, {group, 1, 1}};
}

static qn_geometry merge_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_best_cells_problem *problem = user;
    size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{group, (size_t)problem->rotations, 1}, {group, 1, 1}};
}

static void scan_work(const void *user, qn_work *work)
{
    const qn_best_cells_problem *problem = user;
    double volume = (double)problem->cells[0] * problem->cells[1] * problem->cells[2] * problem->rotations;
    *work = (qn_work){.bytes_read = volume * 4, .multiply_adds = volume};
}

_Static_assert(sizeof(scan_scalars) == 11 * 4, "no padding");

static const qn_argument_declaration scan_arguments[SCAN_ARGUMENTS] = {
    [SCAN_SCORES] = {"scores", QN_IN, QN_FLOAT32},
    [SCAN_PARTIAL_ENERGIES] = {"partial_energies", QN_INOUT, QN_FLOAT32},
    [SCAN_PARTIAL_CELLS] = {"partial_cells", QN_INOUT, QN_INT32},
    [SCAN_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(scan_scalars)},
};

static const qn_argument_declaration merge_arguments[MERGE_ARGUMENTS] = {
    [MERGE_PARTIAL_ENERGIES] = {"partial_energies", QN_IN, QN_FLOAT32},
    [MERGE_PARTIAL_CELLS] = {"partial_cells", QN_IN, QN_INT32},
    [MERGE_ENERGIES] = {"best_energies", QN_OUT, QN_FLOAT32},
    [MERGE_CELLS] = {"best_cells", QN_INOUT, QN_INT32}, /* −1, all bits set, is a result */
    [MERGE_KEEP] = {"keep", QN_VALUE, QN_INT32},
};

static qn_status host_scan(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_best_cells_host)[SCAN](launch);
}
static qn_status host_merge(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_best_cells_host)[MERGE](launch);
}

static const qn_kernel_declaration kernels[KERNELS] = {
    {"scan", scan_arguments, SCAN_ARGUMENTS, scan_geometry, host_scan, scan_work},
    {"merge", merge_arguments, MERGE_ARGUMENTS, merge_geometry, host_merge, NULL},
};

static const qn_tunable tunables[] = {
    {"GROUP_SIZE", {64, 128, 256}, 3, 128, "work-items per group"},
    {"GROUPS", {16, 32, 64, 128, GROUPS_MAX}, 5, GROUPS_MAX, "groups that scan the scores of one rotation"},
};

static const char *const constraints[] = {"GROUP_SIZE <= device.largest_group",
                                          "8 * GROUP_SIZE <= device.local_memory_bytes"};

const qn_family qn_dock_best_cells_family = {
    .name = "dock/best_cells",
    .source = qn_dock_best_cells_source,
    .source_path = "dock/search/kernels/best_cells.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = 2,
    .constraints = constraints,
    .constraint_count = 2,
    .check_definitions = "KEEP=4",
};

/* Bytes of one array of partial lists, enough for any number of groups. */
static size_t partial_bytes(const qn_best_cells_problem *problem)
{
    size_t bytes = (size_t)problem->rotations * GROUPS_MAX * (size_t)problem->keep * sizeof(float);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t qn_best_cells_scratch_bytes(const qn_best_cells_problem *problem)
{
    return 2 * partial_bytes(problem);
}

void qn_best_cells_problem_class(const qn_best_cells_problem *problem, char text[64])
{
    double volume = (double)problem->cells[0] * problem->cells[1] * problem->cells[2];
    snprintf(text, 64, "rotations=%d keep=%d cells=2^%ld", problem->rotations, problem->keep, lround(log2(volume)));
}

qn_status qn_best_cells(qn_queue *queue, const qn_configuration *configuration, const qn_best_cells_problem *problem,
                        qn_buffer *scores, qn_buffer *scratch, qn_buffer *energies, qn_buffer *cells,
                        qn_event *events[2])
{
    char definitions[32], problem_class[64];
    size_t half = partial_bytes(problem);
    qn_argument partial_energies = qn_argument_range(scratch, 0, half);
    qn_argument partial_cells = qn_argument_range(scratch, half, half);
    scan_scalars scalars = {.nx = problem->cells[0],
                            .ny = problem->cells[1],
                            .nz = problem->cells[2],
                            .radius = problem->keep > 1 ? problem->radius : 0,
                            .keep = problem->keep};
    memcpy(scalars.first, problem->first_shift, sizeof scalars.first);
    memcpy(scalars.last, problem->last_shift, sizeof scalars.last);
    const qn_argument arguments[SCAN_ARGUMENTS] = {
        [SCAN_SCORES] = qn_argument_buffer(scores),
        [SCAN_PARTIAL_ENERGIES] = partial_energies,
        [SCAN_PARTIAL_CELLS] = partial_cells,
        [SCAN_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    snprintf(definitions, sizeof definitions, "KEEP=%d", problem->keep);
    qn_best_cells_problem_class(problem, problem_class);
    qn_family_call call = {.kernel = SCAN,
                           .arguments = arguments,
                           .argument_count = SCAN_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .definitions = definitions,
                           .configuration = configuration};
    qn_status status = qn_family_run(&qn_dock_best_cells_family, queue, &call, events ? &events[0] : NULL);
    if (status != QN_OK) return status;
    const qn_argument lists[MERGE_ARGUMENTS] = {
        [MERGE_PARTIAL_ENERGIES] = partial_energies,     [MERGE_PARTIAL_CELLS] = partial_cells,
        [MERGE_ENERGIES] = qn_argument_buffer(energies), [MERGE_CELLS] = qn_argument_buffer(cells),
        [MERGE_KEEP] = qn_argument_int32(problem->keep),
    };
    call.kernel = MERGE;
    call.arguments = lists;
    call.argument_count = MERGE_ARGUMENTS;
    return qn_family_run(&qn_dock_best_cells_family, queue, &call, events ? &events[1] : NULL);
}
