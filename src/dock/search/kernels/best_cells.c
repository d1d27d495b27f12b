#include "dock/search/kernels/best_cells.h"

#include <math.h>
#include <stdio.h>

#include "runtime/host_variant.h"

extern const char qn_dock_best_cells_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_dock_best_cells_host);

enum { SCAN, MERGE, KERNELS };
enum { GROUP_SIZE, GROUPS = QN_BEST_CELLS_GROUPS };
enum { MOST_GROUPS = 256, ALIGNMENT = 256 };

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

static const qn_argument_declaration scan_arguments[] = {
    {"scores", QN_IN, QN_FLOAT32},
    {"partial_energies", QN_INOUT, QN_FLOAT32},
    {"partial_cells", QN_INOUT, QN_INT32},
    {"nx", QN_VALUE, QN_INT32},
    {"ny", QN_VALUE, QN_INT32},
    {"nz", QN_VALUE, QN_INT32},
    {"first_x", QN_VALUE, QN_INT32},
    {"last_x", QN_VALUE, QN_INT32},
    {"first_y", QN_VALUE, QN_INT32},
    {"last_y", QN_VALUE, QN_INT32},
    {"first_z", QN_VALUE, QN_INT32},
    {"last_z", QN_VALUE, QN_INT32},
    {"radius", QN_VALUE, QN_INT32},
    {"keep", QN_VALUE, QN_INT32},
};

static const qn_argument_declaration merge_arguments[] = {
    {"partial_energies", QN_IN, QN_FLOAT32},
    {"partial_cells", QN_IN, QN_INT32},
    {"best_energies", QN_OUT, QN_FLOAT32},
    {"best_cells", QN_INOUT, QN_INT32}, /* −1, all bits set, is a result */
    {"keep", QN_VALUE, QN_INT32},
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
    {"scan", scan_arguments, 14, scan_geometry, host_scan, scan_work},
    {"merge", merge_arguments, 5, merge_geometry, host_merge, NULL},
};

static const qn_tunable tunables[] = {
    {"GROUP_SIZE", {64, 128, 256}, 3, 128, "work-items per group"},
    {"GROUPS", {16, 32, 64, 128, MOST_GROUPS}, 5, MOST_GROUPS, "groups that scan the scores of one rotation"},
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

/* Bytes of one partial list array, for any number of groups. */
static size_t partial_bytes(const qn_best_cells_problem *problem)
{
    size_t bytes = (size_t)problem->rotations * MOST_GROUPS * (size_t)problem->keep * sizeof(float);
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
    qn_argument arguments[14] = {qn_argument_buffer(scores), partial_energies, partial_cells};
    snprintf(definitions, sizeof definitions, "KEEP=%d", problem->keep);
    for (int axis = 0; axis < 3; axis++) {
        arguments[3 + axis] = qn_argument_int32(problem->cells[axis]);
        arguments[6 + 2 * axis] = qn_argument_int32(problem->first_shift[axis]);
        arguments[7 + 2 * axis] = qn_argument_int32(problem->last_shift[axis]);
    }
    arguments[12] = qn_argument_int32(problem->keep > 1 ? problem->radius : 0);
    arguments[13] = qn_argument_int32(problem->keep);
    qn_best_cells_problem_class(problem, problem_class);
    qn_family_call call = {.kernel = SCAN,
                           .arguments = arguments,
                           .argument_count = 14,
                           .problem = problem,
                           .problem_class = problem_class,
                           .definitions = definitions,
                           .configuration = configuration};
    qn_status status = qn_family_run(&qn_dock_best_cells_family, queue, &call, events ? &events[0] : NULL);
    if (status != QN_OK) return status;
    qn_argument lists[] = {partial_energies, partial_cells, qn_argument_buffer(energies), qn_argument_buffer(cells),
                           qn_argument_int32(problem->keep)};
    call.kernel = MERGE;
    call.arguments = lists;
    call.argument_count = 5;
    return qn_family_run(&qn_dock_best_cells_family, queue, &call, events ? &events[1] : NULL);
}
