#include "pairs/kernels/cell_histogram.h"

#include "base/error.h"
#include "runtime/host_variant.h"

#include "pairs/kernels/cell_histogram.dev.h"

extern const char qn_pairs_cell_histogram_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_pairs_cell_histogram_host);

enum { GROUP_SIZE, ROWS, COPIES, HISTOGRAM_WORDS, GROUPS };

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_cell_histogram_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    const int units = problem->histogram.compute_units > 0 ? problem->histogram.compute_units : 1;
    size_t groups = (size_t)configuration->value[GROUPS] * (size_t)units;
    if (groups > (size_t)problem->task_count) groups = (size_t)problem->task_count;
    return (qn_geometry){{groups * group, 1, 1}, {group, 1, 1}};
}

/* As in distance_histogram, without the counts in local memory. */
static void work(const void *user, qn_work *least)
{
    const qn_cell_histogram_problem *problem = user;
    const qn_histogram_problem *histogram = &problem->histogram;
    const qn_box_shape shape = histogram->cell->shape;
    const double nearest = shape == QN_BOX_NONE ? 0 : shape == QN_BOX_ORTHORHOMBIC ? 6 : 15;
    *least = (qn_work){.bytes_read = 16.0 * (histogram->first_count + (double)histogram->second_count),
                       .bytes_written = 8.0 * histogram->bins->count,
                       .multiply_adds = (8 + nearest) * problem->pairs,
                       .reciprocal_roots = problem->pairs};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_pairs_cell_histogram_host)[0](launch);
}

_Static_assert(sizeof(cell_scalars) == 7 * 4, "no padding");

static const qn_argument_declaration arguments[CELL_ARGUMENTS] = {
    [CELL_FIRST] = {"first", QN_IN, QN_FLOAT32},
    [CELL_SECOND] = {"second", QN_IN, QN_FLOAT32},
    [CELL_TASKS] = {"tasks", QN_IN, QN_INT32},
    [CELL_SQUARED_EDGES] = {"squared_edges", QN_IN, QN_FLOAT32},
    [CELL_CELL] = {"cell", QN_IN, QN_FLOAT32},
    [CELL_COUNTS] = {"counts", QN_INOUT, QN_UINT32},
    [CELL_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(cell_scalars)},
};

static const qn_kernel_declaration kernels[] = {{"cell_histogram", arguments, CELL_ARGUMENTS, geometry, host, work}};

static const qn_tunable tunables[] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {16, 32, 64, 128, 256, 512}, 6, 128, "work-items per group"},
    [ROWS] = {"ROWS", {1, 2, 4, 8, 16, 32, 64}, 7, 16, "work-items with different atoms of the first run"},
    [COPIES] = {"COPIES", {1, 2, 4, 8, 16, 32}, 6, 16, "histograms of a group, at most"},
    [HISTOGRAM_WORDS] = {"HISTOGRAM_WORDS", {512, 1024, 2048, 4096, 8192, 11264}, 6, 4096, "counters of a group"},
    [GROUPS] = {"GROUPS", {1, 2, 4, 8, 16, 32, 64}, 7, 16, "groups for each compute unit, at most"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "GROUP_SIZE >= device.subgroup_size",
    "GROUP_SIZE <= 256 || !device.is_opencl", /* as in distance_histogram */
    "ROWS <= GROUP_SIZE",
    "4 * HISTOGRAM_WORDS <= device.local_memory_bytes",
    "!device.is_host || (GROUP_SIZE == 128 && ROWS == 16 && COPIES == 16 && HISTOGRAM_WORDS == 4096 && GROUPS == 16)",
};

const qn_family qn_pairs_cell_histogram_family = {
    .name = "pairs/cell_histogram",
    .source = qn_pairs_cell_histogram_source,
    .source_path = "pairs/kernels/cell_histogram.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = sizeof tunables / sizeof *tunables,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "PERIODICITY=2",
};

qn_status qn_cell_histogram(qn_queue *queue, const qn_configuration *configuration,
                            const qn_cell_histogram_problem *problem, qn_buffer *first, qn_buffer *second,
                            qn_buffer *tasks, qn_buffer *squared_edges, qn_buffer *cell, qn_buffer *counts,
                            qn_event **event)
{
    static const char *const definitions[] = {"PERIODICITY=0", "PERIODICITY=1", "PERIODICITY=2"};
    QN_TRY(qn_histogram_problem_check(qn_pairs_cell_histogram_family.name, &problem->histogram));
    if (event) *event = NULL;
    if (problem->task_count == 0) return QN_OK;
    const qn_histogram_guess guess = qn_histogram_guess_of(&problem->histogram);
    qn_cell_histogram_problem sized = *problem;
    sized.histogram.compute_units = qn_device_get_info(qn_queue_device(queue))->compute_units;
    const size_t atom_bytes = 4 * sizeof(float), first_bytes = (size_t)problem->histogram.first_count * atom_bytes;
    const size_t second_bytes = second ? (size_t)problem->histogram.second_count * atom_bytes : first_bytes;
    const cell_scalars scalars = {
        .task_count = problem->task_count,
        .unordered = !second,
        .bins = problem->histogram.bins->count,
        .shifts = guess.shifts,
        .scale = guess.scale,
        .shift = guess.shift,
        .sure = guess.sure,
    };
    const qn_argument values[CELL_ARGUMENTS] = {
        [CELL_FIRST] = qn_argument_range(first, 0, first_bytes),
        [CELL_SECOND] = qn_argument_range(second ? second : first, 0, second_bytes),
        [CELL_TASKS] = qn_argument_buffer(tasks),
        [CELL_SQUARED_EDGES] = qn_argument_buffer(squared_edges),
        [CELL_CELL] = qn_argument_buffer(cell),
        [CELL_COUNTS] = qn_argument_buffer(counts),
        [CELL_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.arguments = values,
                                 .argument_count = CELL_ARGUMENTS,
                                 .problem = &sized,
                                 .problem_class = qn_histogram_problem_class(problem->histogram.first_count),
                                 .definitions = definitions[problem->histogram.cell->shape],
                                 .configuration = configuration};
    return qn_family_run(&qn_pairs_cell_histogram_family, queue, &call, event);
}
