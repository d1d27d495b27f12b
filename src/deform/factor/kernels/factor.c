#include "deform/factor/kernels/factor.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/kernels/factor_arguments.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/host_variant.h"

#include "deform/factor/kernels/factor.dev.h"

extern const char qn_deform_factor_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_deform_factor_host);

static const qn_tunable tunables[QN_FACTOR_TUNABLES] = {
    [QN_FACTOR_STATES] = {"STATES", {8, 16, 32, 64}, 4, 32, "states of a group"},
    [QN_FACTOR_WORKERS] = {"WORKERS", {1, 2, 4, 8, 16}, 5, 8, "tiles of a group"},
    [QN_FACTOR_BLOCK] = {"BLOCK", {3, 6, 12}, 3, 6, "freedoms of a tile, which is in an item's registers"},
    [QN_FACTOR_PANEL] = {"PANEL", {12, 24, 48}, 3, 24, "freedoms whose columns are eliminated in one step"},
    [QN_FACTOR_LEVELS] = {"LEVELS", {0, 2, 4, 8, 12}, 5, 0, "lower levels whose subtrees a group walks through"},
    [QN_FACTOR_AHEAD] = {"AHEAD", {1, 3, 6}, 3, 1, "columns of tiles that are loaded before they are used"},
};

static const char *const constraints[] = {
    "STATES * WORKERS <= device.largest_group",
    "STATES * WORKERS >= device.subgroup_size",
    "STATES * WORKERS <= 512",
    /* registers of the sums */
    "BLOCK < 12 || STATES * WORKERS <= 256",
    "AHEAD <= BLOCK && (BLOCK < 12 || AHEAD == 1)",
    /* the host's kernels take their vectors from the processor */
    "!device.is_host || (STATES == 32 && WORKERS == 8 && AHEAD == 1)",
};

typedef struct factor_problem {
    int states, count;
} factor_problem;

static qn_geometry geometry_of(const qn_configuration *configuration, size_t states, size_t workers, bool shared)
{
    const size_t width = (size_t)configuration->value[QN_FACTOR_STATES];
    const size_t height = (size_t)configuration->value[QN_FACTOR_WORKERS];
    const size_t groups = shared ? workers : (workers + height - 1) / height;
    return (qn_geometry){{(states + width - 1) / width * width, groups * height, 1}, {width, height, 1}};
}

static qn_geometry geometry_of_tiles(const qn_configuration *configuration, const void *user)
{
    const factor_problem *problem = user;
    return geometry_of(configuration, (size_t)problem->states, (size_t)problem->count, false);
}

/* A group has a panel, or a walk through panels. */
static qn_geometry geometry_of_panels(const qn_configuration *configuration, const void *user)
{
    const factor_problem *problem = user;
    return geometry_of(configuration, (size_t)problem->states, (size_t)problem->count, true);
}

static qn_status host_update(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_factor_host)[FACTOR_UPDATE](launch);
}

static qn_status host_diagonal(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_factor_host)[FACTOR_DIAGONAL](launch);
}

static qn_status host_rows(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_factor_host)[FACTOR_ROWS](launch);
}

static qn_status host_walk(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_factor_host)[FACTOR_WALK](launch);
}

_Static_assert(sizeof(factor_scalars) == 4 * 4, "no padding");

static const qn_argument_declaration arguments_of_update[UPDATE_ARGUMENTS] = {
    [UPDATE_VALUES] = {"values", QN_IN, QN_FLOAT32},
    [UPDATE_MAP] = {"map", QN_IN, QN_INT32},
    [UPDATE_RUN_START] = {"run_start", QN_IN, QN_INT32},
    [UPDATE_RUNS] = {"runs", QN_IN, QN_INT32},
    [UPDATE_SIGNS] = {"signs", QN_IN, QN_INT32},
    [UPDATE_TILES] = {"tiles", QN_INOUT, QN_FLOAT32},
    [UPDATE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(factor_scalars)},
};

static const qn_argument_declaration arguments_of_diagonal[DIAGONAL_ARGUMENTS] = {
    [DIAGONAL_PANELS] = {"panels", QN_IN, QN_INT32},
    [DIAGONAL_SIGNS] = {"signs", QN_IN, QN_INT32},
    [DIAGONAL_TILES] = {"tiles", QN_INOUT, QN_FLOAT32},
    [DIAGONAL_DIAGONALS] = {"diagonals", QN_INOUT, QN_FLOAT32},
    [DIAGONAL_WRONG] = {"wrong", QN_INOUT, QN_INT32},
    [DIAGONAL_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(factor_scalars)},
};

static const qn_argument_declaration arguments_of_rows[ROWS_ARGUMENTS] = {
    [ROWS_PANELS] = {"panels", QN_IN, QN_INT32},
    [ROWS_ROW_PANEL] = {"row_panel", QN_IN, QN_INT32},
    [ROWS_SIGNS] = {"signs", QN_IN, QN_INT32},
    [ROWS_DIAGONALS] = {"diagonals", QN_IN, QN_FLOAT32},
    [ROWS_TILES] = {"tiles", QN_INOUT, QN_FLOAT32},
    [ROWS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(factor_scalars)},
};

static const qn_argument_declaration arguments_of_walk[WALK_ARGUMENTS] = {
    [WALK_VALUES] = {"values", QN_IN, QN_FLOAT32},
    [WALK_MAP] = {"map", QN_IN, QN_INT32},
    [WALK_RUN_START] = {"run_start", QN_IN, QN_INT32},
    [WALK_RUNS] = {"runs", QN_IN, QN_INT32},
    [WALK_SIGNS] = {"signs", QN_IN, QN_INT32},
    [WALK_PANELS] = {"panels", QN_IN, QN_INT32},
    [WALK_START] = {"walk_start", QN_IN, QN_INT32},
    [WALK_PANEL] = {"walk_panel", QN_IN, QN_INT32},
    [WALK_TILES] = {"tiles", QN_INOUT, QN_FLOAT32},
    [WALK_DIAGONALS] = {"diagonals", QN_INOUT, QN_FLOAT32},
    [WALK_WRONG] = {"wrong", QN_INOUT, QN_INT32},
    [WALK_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(factor_scalars)},
};

static const qn_kernel_declaration kernels[FACTOR_KERNELS] = {
    [FACTOR_UPDATE] = {"update", arguments_of_update, UPDATE_ARGUMENTS, geometry_of_tiles, host_update, NULL},
    [FACTOR_DIAGONAL] = {"diagonal", arguments_of_diagonal, DIAGONAL_ARGUMENTS, geometry_of_panels, host_diagonal,
                         NULL},
    [FACTOR_ROWS] = {"rows", arguments_of_rows, ROWS_ARGUMENTS, geometry_of_tiles, host_rows, NULL},
    [FACTOR_WALK] = {"walk", arguments_of_walk, WALK_ARGUMENTS, geometry_of_panels, host_walk, NULL},
};

const qn_family qn_deform_factor_family = {
    .name = "deform/factor",
    .source = qn_deform_factor_source,
    .source_path = "deform/factor/kernels/factor.cl",
    .kernels = kernels,
    .kernel_count = FACTOR_KERNELS,
    .tunables = tunables,
    .tunable_count = QN_FACTOR_TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "STRIDE=32",
};

qn_status qn_factor_schedule_for(const qn_factor_plan *plan, const qn_configuration *configuration,
                                 qn_factor_schedule **schedule)
{
    const int block = configuration->value[QN_FACTOR_BLOCK], panel = configuration->value[QN_FACTOR_PANEL];
    return qn_factor_schedule_create(plan, block, panel / block, configuration->value[QN_FACTOR_LEVELS], schedule);
}

size_t qn_factor_tiles_bytes(const qn_factor_schedule *schedule, int stride)
{
    return (size_t)schedule->stored_count * (size_t)(schedule->block * schedule->block) * (size_t)stride *
           sizeof(float);
}

size_t qn_factor_diagonals_bytes(const qn_factor_schedule *schedule, int stride)
{
    return (size_t)schedule->tile_count * (size_t)(schedule->block * schedule->block) * (size_t)stride * sizeof(float);
}

void qn_factor_class(double multiply_adds, int states, char text[64])
{
    snprintf(text, 64, "work=2^%d states=%d", (int)lround(log2(multiply_adds)), states);
}

void qn_factor_configuration(qn_queue *queue, const qn_factor_plan *plan, int states, qn_configuration *configuration)
{
    const qn_configuration_source *source = qn_context_configuration_source(qn_device_context(qn_queue_device(queue)));
    const factor_problem problem = {states, 1};
    char problem_class[64], definitions[32];
    qn_factor_class(plan->multiply_adds, states, problem_class);
    snprintf(definitions, sizeof definitions, "STRIDE=%d", states);
    qn_family_launch launch = {.family = &qn_deform_factor_family,
                               .queue = queue,
                               .problem_class = problem_class,
                               .definitions = definitions,
                               .problem = &problem,
                               .configuration = qn_family_fallback(&qn_deform_factor_family)};
    int *const values = launch.configuration.value;
    if (qn_device_get_info(qn_queue_device(queue))->kind == QN_DEVICE_GPU)
        values[QN_FACTOR_AHEAD] = values[QN_FACTOR_BLOCK];
    if (source->choose && source->choose(&launch, source->user) && source->report)
        source->report(&launch, QN_OK, NULL, source->user);
    *configuration = launch.configuration;
}

/* ---- launches ---- */

/* Groups along y of one launch; CUDA allows 65535. */
enum { GROUPS_MOST = 32768 };

typedef struct launcher {
    qn_queue *queue;
    const qn_configuration *configuration;
    const qn_factor_lists *lists;
    const qn_factor_arrays *arrays;
    qn_event **events; /* NULL: not wanted */
    size_t event_count;
    char problem_class[64], definitions[32];
} launcher;

static qn_status launch(launcher *l, int kernel, const qn_argument *arguments, int argument_count,
                        const factor_problem *problem)
{
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = argument_count,
                                 .problem = problem,
                                 .problem_class = l->problem_class,
                                 .definitions = l->definitions,
                                 .configuration = l->configuration};
    qn_event **event = l->events ? &l->events[l->event_count++] : NULL;
    return qn_family_run(&qn_deform_factor_family, l->queue, &call, event);
}

static qn_status launch_kernel(launcher *l, int kernel, const factor_scalars *scalars)
{
    const qn_factor_lists *lists = l->lists;
    const qn_factor_arrays *arrays = l->arrays;
    const factor_problem problem = {scalars->states, scalars->count};
    const qn_argument update[UPDATE_ARGUMENTS] = {qn_argument_buffer(arrays->values),
                                                  qn_argument_buffer(lists->map),
                                                  qn_argument_buffer(lists->run_start),
                                                  qn_argument_buffer(lists->runs),
                                                  qn_argument_buffer(lists->signs),
                                                  qn_argument_buffer(arrays->tiles),
                                                  qn_argument_struct(scalars, sizeof *scalars)};
    const qn_argument diagonal[DIAGONAL_ARGUMENTS] = {
        qn_argument_buffer(lists->panels), qn_argument_buffer(lists->signs),
        qn_argument_buffer(arrays->tiles), qn_argument_buffer(arrays->diagonals),
        qn_argument_buffer(arrays->wrong), qn_argument_struct(scalars, sizeof *scalars)};
    const qn_argument rows[ROWS_ARGUMENTS] = {
        qn_argument_buffer(lists->panels), qn_argument_buffer(lists->row_panel),
        qn_argument_buffer(lists->signs),  qn_argument_buffer(arrays->diagonals),
        qn_argument_buffer(arrays->tiles), qn_argument_struct(scalars, sizeof *scalars)};
    const qn_argument walk[WALK_ARGUMENTS] = {
        qn_argument_buffer(arrays->values),    qn_argument_buffer(lists->map),
        qn_argument_buffer(lists->run_start),  qn_argument_buffer(lists->runs),
        qn_argument_buffer(lists->signs),      qn_argument_buffer(lists->panels),
        qn_argument_buffer(lists->walk_start), qn_argument_buffer(lists->walk_panel),
        qn_argument_buffer(arrays->tiles),     qn_argument_buffer(arrays->diagonals),
        qn_argument_buffer(arrays->wrong),     qn_argument_struct(scalars, sizeof *scalars)};
    switch (kernel) {
    case FACTOR_UPDATE: return launch(l, kernel, update, UPDATE_ARGUMENTS, &problem);
    case FACTOR_DIAGONAL: return launch(l, kernel, diagonal, DIAGONAL_ARGUMENTS, &problem);
    case FACTOR_ROWS: return launch(l, kernel, rows, ROWS_ARGUMENTS, &problem);
    default: return launch(l, kernel, walk, WALK_ARGUMENTS, &problem);
    }
}

/* Launches that `count` pieces of work of a kernel need. */
static int parts_of(const launcher *l, int kernel, int count)
{
    const int workers =
        kernel == FACTOR_DIAGONAL || kernel == FACTOR_WALK ? 1 : l->configuration->value[QN_FACTOR_WORKERS];
    const int most = GROUPS_MOST * workers;
    return (count + most - 1) / most;
}

static qn_status launch_range(launcher *l, int kernel, int first, int end)
{
    const int parts = parts_of(l, kernel, end - first);
    for (int part = 0; part < parts; part++) {
        const int from = first + (int)((int64_t)(end - first) * part / parts);
        const int to = first + (int)((int64_t)(end - first) * (part + 1) / parts);
        const factor_scalars scalars = {from, to - from, l->arrays->states, l->arrays->stride};
        QN_TRY(launch_kernel(l, kernel, &scalars));
    }
    return QN_OK;
}

static qn_status launch_levels(launcher *l)
{
    const qn_factor_schedule *s = l->lists->schedule;
    QN_TRY(launch_range(l, FACTOR_WALK, 0, s->walk_count));
    for (int level = s->walk_levels; level < s->level_count; level++) {
        QN_TRY(launch_range(l, FACTOR_UPDATE, s->level_store[level], s->level_store[level + 1]));
        QN_TRY(launch_range(l, FACTOR_DIAGONAL, s->level_panel[level], s->level_panel[level + 1]));
        QN_TRY(launch_range(l, FACTOR_ROWS, s->level_row[level], s->level_row[level + 1]));
    }
    return QN_OK;
}

static qn_status sum_events(launcher *l, qn_status status, double *seconds)
{
    *seconds = 0;
    for (size_t e = 0; e < l->event_count; e++) {
        double each = 0;
        if (status == QN_OK) status = qn_event_seconds(l->events[e], &each);
        *seconds += each;
        qn_event_destroy(&l->events[e]);
    }
    qn_release(&l->events);
    return status;
}

static qn_status allocate_events(launcher *l)
{
    const qn_factor_schedule *s = l->lists->schedule;
    size_t count = (size_t)parts_of(l, FACTOR_WALK, s->walk_count);
    void *memory;
    for (int level = s->walk_levels; level < s->level_count; level++)
        count += (size_t)(parts_of(l, FACTOR_UPDATE, s->level_store[level + 1] - s->level_store[level]) +
                          parts_of(l, FACTOR_DIAGONAL, s->level_panel[level + 1] - s->level_panel[level]) +
                          parts_of(l, FACTOR_ROWS, s->level_row[level + 1] - s->level_row[level]));
    QN_TRY(qn_allocate(count, sizeof(qn_event *), &memory));
    l->events = memory;
    return QN_OK;
}

static qn_status check_buffer(const char *name, const qn_buffer *buffer, size_t needed)
{
    if (qn_buffer_bytes(buffer) < needed)
        return QN_FAIL(QN_INVALID_ARGUMENT, "deform/factor: %s has %zu bytes; expected at least %zu", name,
                       qn_buffer_bytes(buffer), needed);
    return QN_OK;
}

static qn_status check(const qn_configuration *configuration, const qn_factor_schedule *s,
                       const qn_factor_arrays *arrays)
{
    const size_t stride = (size_t)arrays->stride;
    const int block = configuration->value[QN_FACTOR_BLOCK], panel = configuration->value[QN_FACTOR_PANEL];
    const int levels = configuration->value[QN_FACTOR_LEVELS];
    if (block != s->block || panel / block != s->panel_tiles || levels != s->levels)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "deform/factor: BLOCK is %d, PANEL %d, LEVELS %d; expected those of the schedule, %d, %d, %d",
                       block, panel, levels, s->block, s->block * s->panel_tiles, s->levels);
    if (arrays->states < 1 || arrays->states > arrays->stride)
        return QN_FAIL(QN_INVALID_ARGUMENT, "deform/factor: %d states; expected 1 to the arrays' %d", arrays->states,
                       arrays->stride);
    QN_TRY(check_buffer("values", arrays->values, (size_t)s->value_count * stride * sizeof(float)));
    QN_TRY(check_buffer("tiles", arrays->tiles, qn_factor_tiles_bytes(s, arrays->stride)));
    QN_TRY(check_buffer("diagonals", arrays->diagonals, qn_factor_diagonals_bytes(s, arrays->stride)));
    return check_buffer("wrong", arrays->wrong, stride * sizeof(int32_t));
}

qn_status qn_factor_states(qn_queue *queue, const qn_configuration *configuration, const qn_factor_lists *lists,
                           const qn_factor_arrays *arrays, double *seconds)
{
    launcher l = {.queue = queue, .configuration = configuration, .lists = lists, .arrays = arrays};
    QN_TRY(check(configuration, lists->schedule, arrays));
    qn_factor_class(lists->schedule->multiply_adds, arrays->states, l.problem_class);
    snprintf(l.definitions, sizeof l.definitions, "STRIDE=%d", arrays->stride);
    QN_TRY(qn_queue_fill(queue, arrays->wrong, 0, (size_t)arrays->stride * sizeof(int32_t), 0x7f, NULL));
    if (!seconds) return launch_levels(&l);
    QN_TRY(allocate_events(&l));
    return sum_events(&l, launch_levels(&l), seconds);
}
