#include "deform/factor/kernels/substitute.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "deform/factor/kernels/substitute_arguments.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/host_variant.h"

#include "deform/factor/kernels/substitute.dev.h"

extern const char qn_deform_substitute_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_deform_substitute_host);

static const qn_tunable tunables[QN_SUBSTITUTE_TUNABLES] = {
    [QN_SUBSTITUTE_STATES] = {"STATES", {8, 16, 32, 64}, 4, 32, "states of a group"},
    [QN_SUBSTITUTE_BLOCK] = {"BLOCK", {3, 6, 12}, 3, 6, "freedoms of a tile"},
    [QN_SUBSTITUTE_PANEL] = {"PANEL", {12, 24, 48}, 3, 24, "freedoms whose columns are solved in one step"},
    [QN_SUBSTITUTE_TEAMS] = {"TEAMS", {0, 2, 4, 8}, 4, 0, "tiles of a group at once in one launch; 0: by levels"},
};

static const char *const constraints[] = {
    "STATES * 8 <= device.largest_group",
    "STATES * 8 * TEAMS <= device.largest_group",
    "STATES * TEAMS <= 64", /* registers of the sums */
    /* partial sums of four sides */
    "4 * 4 * 8 * STATES * BLOCK <= device.local_memory_bytes",
    "4 * 4 * 8 * STATES * BLOCK * TEAMS <= device.local_memory_bytes",
    "STATES * BLOCK <= 384",
    /* the host's kernels take their vectors from the processor */
    "!device.is_host || (STATES == 32 && TEAMS <= 2)",
};

typedef struct substitute_problem {
    int states, count;
} substitute_problem;

/* A group has a tile, and its items the tile's partial sums. */
static qn_geometry geometry_of_tiles(const qn_configuration *configuration, const void *user)
{
    const substitute_problem *problem = user;
    const size_t width = (size_t)configuration->value[QN_SUBSTITUTE_STATES], parts = QN_SUBSTITUTE_PARTS;
    const size_t items = ((size_t)problem->states + width - 1) / width * width;
    return (qn_geometry){{items, (size_t)problem->count * parts, 1}, {width, parts, 1}};
}

/* An item has a panel. */
static qn_geometry geometry_of_panels(const qn_configuration *configuration, const void *user)
{
    const substitute_problem *problem = user;
    const size_t width = (size_t)configuration->value[QN_SUBSTITUTE_STATES], parts = QN_SUBSTITUTE_PARTS;
    const size_t items = ((size_t)problem->states + width - 1) / width * width;
    return (qn_geometry){{items, ((size_t)problem->count + parts - 1) / parts * parts, 1}, {width, parts, 1}};
}

/* A group has its states for itself. */
static qn_geometry geometry_of_walk(const qn_configuration *configuration, const void *user)
{
    const substitute_problem *problem = user;
    const size_t width = (size_t)configuration->value[QN_SUBSTITUTE_STATES];
    const size_t teams = (size_t)configuration->value[QN_SUBSTITUTE_TEAMS];
    const size_t workers = QN_SUBSTITUTE_PARTS * (teams > 0 ? teams : 1);
    const size_t items = ((size_t)problem->states + width - 1) / width * width;
    return (qn_geometry){{items, workers, 1}, {width, workers, 1}};
}

static qn_status host_gather_forward(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_substitute_host)[GATHER_FORWARD](launch);
}

static qn_status host_solve_forward(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_substitute_host)[SOLVE_FORWARD](launch);
}

static qn_status host_gather_backward(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_substitute_host)[GATHER_BACKWARD](launch);
}

static qn_status host_solve_backward(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_substitute_host)[SOLVE_BACKWARD](launch);
}

static qn_status host_walk(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_deform_substitute_host)[SUBSTITUTE_WALK](launch);
}

_Static_assert(sizeof(substitute_scalars) == 8 * 4, "no padding");

static const qn_argument_declaration arguments_of_forward[FORWARD_ARGUMENTS] = {
    [FORWARD_START] = {"gather_start", QN_IN, QN_INT32},
    [FORWARD_GATHERS] = {"gathers", QN_IN, QN_INT32},
    [FORWARD_FREEDOMS] = {"freedoms", QN_IN, QN_INT32},
    [FORWARD_TILES] = {"tiles", QN_IN, QN_FLOAT32},
    [FORWARD_X] = {"x", QN_INOUT, QN_FLOAT32},
    [FORWARD_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(substitute_scalars)},
};

static const qn_argument_declaration arguments_of_solve[SOLVE_ARGUMENTS] = {
    [SOLVE_PANELS] = {"panels", QN_IN, QN_INT32},
    [SOLVE_FREEDOMS] = {"freedoms", QN_IN, QN_INT32},
    [SOLVE_TILES] = {"tiles", QN_IN, QN_FLOAT32},
    [SOLVE_DIAGONALS] = {"diagonals", QN_IN, QN_FLOAT32},
    [SOLVE_X] = {"x", QN_INOUT, QN_FLOAT32},
    [SOLVE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(substitute_scalars)},
};

static const qn_argument_declaration arguments_of_backward[BACKWARD_ARGUMENTS] = {
    [BACKWARD_PANELS] = {"panels", QN_IN, QN_INT32},
    [BACKWARD_TILE_PANEL] = {"tile_panel", QN_IN, QN_INT32},
    [BACKWARD_BELOW] = {"below", QN_IN, QN_INT32},
    [BACKWARD_SIGNS] = {"signs", QN_IN, QN_INT32},
    [BACKWARD_FREEDOMS] = {"freedoms", QN_IN, QN_INT32},
    [BACKWARD_TILES] = {"tiles", QN_IN, QN_FLOAT32},
    [BACKWARD_X] = {"x", QN_INOUT, QN_FLOAT32},
    [BACKWARD_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(substitute_scalars)},
};

static const qn_argument_declaration arguments_of_walk[SWEEP_ARGUMENTS] = {
    [SWEEP_LEVEL_TILE] = {"level_tile", QN_IN, QN_INT32},
    [SWEEP_LEVEL_PANEL] = {"level_panel", QN_IN, QN_INT32},
    [SWEEP_START] = {"gather_start", QN_IN, QN_INT32},
    [SWEEP_GATHERS] = {"gathers", QN_IN, QN_INT32},
    [SWEEP_PANELS] = {"panels", QN_IN, QN_INT32},
    [SWEEP_TILE_PANEL] = {"tile_panel", QN_IN, QN_INT32},
    [SWEEP_BELOW] = {"below", QN_IN, QN_INT32},
    [SWEEP_SIGNS] = {"signs", QN_IN, QN_INT32},
    [SWEEP_FREEDOMS] = {"freedoms", QN_IN, QN_INT32},
    [SWEEP_TILES] = {"tiles", QN_IN, QN_FLOAT32},
    [SWEEP_DIAGONALS] = {"diagonals", QN_IN, QN_FLOAT32},
    [SWEEP_X] = {"x", QN_INOUT, QN_FLOAT32},
    [SWEEP_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(substitute_scalars)},
};

static const qn_kernel_declaration kernels[SUBSTITUTE_KERNELS] = {
    [GATHER_FORWARD] = {"gather_forward", arguments_of_forward, FORWARD_ARGUMENTS, geometry_of_tiles,
                        host_gather_forward, NULL},
    [SOLVE_FORWARD] = {"solve_forward", arguments_of_solve, SOLVE_ARGUMENTS, geometry_of_panels, host_solve_forward,
                       NULL},
    [GATHER_BACKWARD] = {"gather_backward", arguments_of_backward, BACKWARD_ARGUMENTS, geometry_of_tiles,
                         host_gather_backward, NULL},
    [SOLVE_BACKWARD] = {"solve_backward", arguments_of_solve, SOLVE_ARGUMENTS, geometry_of_panels, host_solve_backward,
                        NULL},
    [SUBSTITUTE_WALK] = {"walk", arguments_of_walk, SWEEP_ARGUMENTS, geometry_of_walk, host_walk, NULL},
};

const qn_family qn_deform_substitute_family = {
    .name = "deform/substitute",
    .source = qn_deform_substitute_source,
    .source_path = "deform/factor/kernels/substitute.cl",
    .kernels = kernels,
    .kernel_count = SUBSTITUTE_KERNELS,
    .tunables = tunables,
    .tunable_count = QN_SUBSTITUTE_TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "STRIDE=32 SIDES=3",
};

/* That of the fallback, or on GPUs that of a walk, for a schedule. */
static qn_configuration usual_configuration(const qn_device_info *device, const qn_factor_schedule *schedule)
{
    enum { STATES_OF_WALK = 8, ROWS_OF_WALK = 24 }; /* rows of all teams: as many as 32 KiB of local memory hold */
    qn_configuration usual = qn_family_fallback(&qn_deform_substitute_family);
    usual.value[QN_SUBSTITUTE_BLOCK] = schedule->block;
    usual.value[QN_SUBSTITUTE_PANEL] = schedule->block * schedule->panel_tiles;
    qn_configuration walk = usual;
    bool allowed = false;
    walk.value[QN_SUBSTITUTE_STATES] = STATES_OF_WALK;
    walk.value[QN_SUBSTITUTE_TEAMS] = ROWS_OF_WALK / schedule->block;
    if (device->kind != QN_DEVICE_GPU) return usual;
    const qn_status status = qn_family_allows(&qn_deform_substitute_family, device, &walk, &allowed, NULL);
    return status == QN_OK && allowed ? walk : usual;
}

qn_configuration qn_substitute_configuration(qn_queue *queue, const qn_factor_schedule *schedule, int states)
{
    qn_device *device = qn_queue_device(queue);
    const qn_configuration_source *source = qn_context_configuration_source(qn_device_context(device));
    const qn_configuration usual = usual_configuration(qn_device_get_info(device), schedule);
    const substitute_problem problem = {states, 1};
    char problem_class[64], definitions[48];
    qn_factor_class(schedule->multiply_adds, states, problem_class);
    snprintf(definitions, sizeof definitions, "STRIDE=%d SIDES=1", states);
    qn_family_launch launch = {.family = &qn_deform_substitute_family,
                               .queue = queue,
                               .problem_class = problem_class,
                               .definitions = definitions,
                               .problem = &problem,
                               .configuration = usual};
    if (!source->choose || !source->choose(&launch, source->user)) return usual;
    if (source->report) source->report(&launch, QN_OK, NULL, source->user);
    const int *chosen = launch.configuration.value;
    const bool fits = chosen[QN_SUBSTITUTE_BLOCK] == usual.value[QN_SUBSTITUTE_BLOCK] &&
                      chosen[QN_SUBSTITUTE_PANEL] == usual.value[QN_SUBSTITUTE_PANEL];
    return fits ? launch.configuration : usual;
}

/* ---- launches ---- */

/* Groups along y of one launch; CUDA allows 65535. */
enum { GROUPS_MOST = 32768 };

typedef struct launcher {
    qn_queue *queue;
    const qn_configuration *configuration;
    const qn_factor_lists *lists;
    const qn_factor_arrays *arrays;
    int sides;
    qn_buffer *x;
    qn_event **events; /* NULL: not wanted */
    size_t event_count;
    char problem_class[64], definitions[48];
} launcher;

static qn_status run_kernel(launcher *l, int kernel, const substitute_scalars *scalars, const qn_argument *arguments)
{
    const substitute_problem problem = {scalars->states, scalars->count};
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = qn_deform_substitute_family.kernels[kernel].argument_count,
                                 .problem = &problem,
                                 .problem_class = l->problem_class,
                                 .definitions = l->definitions,
                                 .configuration = l->configuration};
    return qn_family_run(&qn_deform_substitute_family, l->queue, &call,
                         l->events ? &l->events[l->event_count++] : NULL);
}

static qn_status launch_kernel(launcher *l, int kernel, const substitute_scalars *scalars)
{
    const qn_factor_lists *lists = l->lists;
    const qn_argument last = qn_argument_struct(scalars, sizeof *scalars), tiles = qn_argument_buffer(l->arrays->tiles);
    const qn_argument x = qn_argument_buffer(l->x), freedoms = qn_argument_buffer(lists->freedoms);
    const qn_argument forward[FORWARD_ARGUMENTS] = {
        qn_argument_buffer(lists->gather_start), qn_argument_buffer(lists->gathers), freedoms, tiles, x, last};
    const qn_argument solve[SOLVE_ARGUMENTS] = {qn_argument_buffer(lists->panels),        freedoms, tiles,
                                                qn_argument_buffer(l->arrays->diagonals), x,        last};
    const qn_argument backward[BACKWARD_ARGUMENTS] = {qn_argument_buffer(lists->panels),
                                                      qn_argument_buffer(lists->tile_panel),
                                                      qn_argument_buffer(lists->below),
                                                      qn_argument_buffer(lists->signs),
                                                      freedoms,
                                                      tiles,
                                                      x,
                                                      last};
    return run_kernel(l, kernel, scalars,
                      kernel == GATHER_FORWARD    ? forward
                      : kernel == GATHER_BACKWARD ? backward
                                                  : solve);
}

static substitute_scalars scalars_of(const launcher *l, int first, int count)
{
    return (substitute_scalars){.first = first,
                                .count = count,
                                .states = l->arrays->states,
                                .stride = l->arrays->stride,
                                .freedoms = l->lists->schedule->freedom_count,
                                .block = l->lists->schedule->block,
                                .sides = l->sides};
}

static qn_status launch_walk(launcher *l)
{
    const qn_factor_lists *lists = l->lists;
    const substitute_scalars scalars = scalars_of(l, 0, lists->schedule->level_count);
    const qn_argument walk[SWEEP_ARGUMENTS] = {qn_argument_buffer(lists->level_tile),
                                               qn_argument_buffer(lists->level_panel),
                                               qn_argument_buffer(lists->gather_start),
                                               qn_argument_buffer(lists->gathers),
                                               qn_argument_buffer(lists->panels),
                                               qn_argument_buffer(lists->tile_panel),
                                               qn_argument_buffer(lists->below),
                                               qn_argument_buffer(lists->signs),
                                               qn_argument_buffer(lists->freedoms),
                                               qn_argument_buffer(l->arrays->tiles),
                                               qn_argument_buffer(l->arrays->diagonals),
                                               qn_argument_buffer(l->x),
                                               qn_argument_struct(&scalars, sizeof scalars)};
    return run_kernel(l, SUBSTITUTE_WALK, &scalars, walk);
}

static int parts_of(int count)
{
    return (count + GROUPS_MOST - 1) / GROUPS_MOST;
}

static qn_status launch_range(launcher *l, int kernel, int first, int end)
{
    const int parts = parts_of(end - first);
    for (int part = 0; part < parts; part++) {
        const int from = first + (int)((int64_t)(end - first) * part / parts);
        const int to = first + (int)((int64_t)(end - first) * (part + 1) / parts);
        const substitute_scalars scalars = scalars_of(l, from, to - from);
        QN_TRY(launch_kernel(l, kernel, &scalars));
    }
    return QN_OK;
}

static qn_status launch_levels(launcher *l)
{
    const qn_factor_schedule *s = l->lists->schedule;
    if (l->configuration->value[QN_SUBSTITUTE_TEAMS] > 0) return launch_walk(l);
    for (int level = 0; level < s->level_count; level++) {
        /* nothing is before the first level, and nothing below the last one */
        if (level > 0) QN_TRY(launch_range(l, GATHER_FORWARD, s->level_tile[level], s->level_tile[level + 1]));
        QN_TRY(launch_range(l, SOLVE_FORWARD, s->level_panel[level], s->level_panel[level + 1]));
    }
    for (int level = s->level_count; level-- > 0;) {
        QN_TRY(launch_range(l, GATHER_BACKWARD, s->level_tile[level], s->level_tile[level + 1]));
        QN_TRY(launch_range(l, SOLVE_BACKWARD, s->level_panel[level], s->level_panel[level + 1]));
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
    size_t count = 1; /* of a walk */
    void *memory;
    for (int level = 0; level < s->level_count; level++)
        count += 2 * (size_t)(parts_of(s->level_tile[level + 1] - s->level_tile[level]) +
                              parts_of(s->level_panel[level + 1] - s->level_panel[level]));
    QN_TRY(qn_allocate(count, sizeof(qn_event *), &memory));
    l->events = memory;
    return QN_OK;
}

static qn_status check(const qn_configuration *configuration, const qn_factor_schedule *s,
                       const qn_factor_arrays *arrays, int sides, const qn_buffer *x)
{
    const size_t needed = (size_t)sides * (size_t)s->freedom_count * (size_t)arrays->stride * sizeof(float);
    const int block = configuration->value[QN_SUBSTITUTE_BLOCK], panel = configuration->value[QN_SUBSTITUTE_PANEL];
    if (block != s->block || panel / block != s->panel_tiles)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "deform/substitute: BLOCK is %d and PANEL %d; expected those of the schedule, %d and %d", block,
                       panel, s->block, s->block * s->panel_tiles);
    if (arrays->states < 1 || arrays->states > arrays->stride)
        return QN_FAIL(QN_INVALID_ARGUMENT, "deform/substitute: %d states; expected 1 to the arrays' %d",
                       arrays->states, arrays->stride);
    if (sides < 1 || sides > QN_SUBSTITUTE_SIDES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "deform/substitute: %d right sides; expected 1 to %d", sides,
                       QN_SUBSTITUTE_SIDES_MAX);
    if (qn_buffer_bytes(x) < needed || qn_buffer_bytes(arrays->tiles) < qn_factor_tiles_bytes(s, arrays->stride) ||
        qn_buffer_bytes(arrays->diagonals) < qn_factor_diagonals_bytes(s, arrays->stride))
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "deform/substitute: right sides have %zu bytes, tiles %zu, diagonals %zu; expected at least %zu, "
            "%zu, %zu",
            qn_buffer_bytes(x), qn_buffer_bytes(arrays->tiles), qn_buffer_bytes(arrays->diagonals), needed,
            qn_factor_tiles_bytes(s, arrays->stride), qn_factor_diagonals_bytes(s, arrays->stride));
    return QN_OK;
}

qn_status qn_substitute_states(qn_queue *queue, const qn_configuration *configuration, const qn_factor_lists *lists,
                               const qn_factor_arrays *arrays, int sides, qn_buffer *x, double *seconds)
{
    launcher l = {
        .queue = queue, .configuration = configuration, .lists = lists, .arrays = arrays, .sides = sides, .x = x};
    QN_TRY(check(configuration, lists->schedule, arrays, sides, x));
    qn_factor_class(lists->schedule->multiply_adds, arrays->states, l.problem_class);
    snprintf(l.definitions, sizeof l.definitions, "STRIDE=%d SIDES=%d", arrays->stride, sides);
    if (!seconds) return launch_levels(&l);
    QN_TRY(allocate_events(&l));
    return sum_events(&l, launch_levels(&l), seconds);
}
