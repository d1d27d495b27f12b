#include "dock/search/kernels/score_planes.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "dock/search/kernels/score_planes.dev.h"
#include "fft/line_split.h"
#include "runtime/host_variant.h"

extern const char qn_dock_score_planes_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_dock_score_planes_host);

enum { BEST, WRITE, MERGE, KERNELS };
enum { GROUP_SIZE, RESIDENT, SPLIT, TUNABLES };
enum { RESIDENT_MAX = 4, ALIGNMENT = 256, CHUNK = 8 /* as in score_planes.cl */ };
enum { RESERVED_BYTES = 1024 /* local memory that NVIDIA's GPUs reserve for each group */ };

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {128, 256, 512}, 3, 256, "work-items per group"},
    [RESIDENT] = {"RESIDENT", {1, 2, 3, RESIDENT_MAX}, 4, 2, "groups that are to share a compute unit of a GPU"},
    [SPLIT] = {"SPLIT", {0, 1, 2}, QN_LINE_SPLIT_CHOICES, 0, "how lines are cut: even, largest first, in three"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "GROUP_SIZE <= 256 || !device.is_opencl", /* NVIDIA's OpenCL runs no larger groups of this kernel */
    "8 * GROUP_SIZE <= device.local_memory_bytes",
    "GROUP_SIZE * RESIDENT <= 1024",    /* leaves at least 64 registers per item */
    "RESIDENT == 2 || !device.is_host", /* the host's kernel has no tunables */
    "(GROUP_SIZE == 256 && SPLIT == 0) || !device.is_host",
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int divided_up(int number, int divisor)
{
    return (number + divisor - 1) / divisor;
}

/* Number of translations searched on an axis. *first gets the first of them, −cells < *first ≤ 0. */
static int searched(const qn_score_planes_problem *problem, int axis, int *first)
{
    const int cells = problem->grid.cells[axis], count = problem->last_shift[axis] - problem->first_shift[axis] + 1;
    *first = count >= cells ? 0 : problem->first_shift[axis];
    return count >= cells ? cells : count > 0 ? count : 0;
}

static bool searches_anything(const qn_score_planes_problem *problem)
{
    int first;
    return searched(problem, 0, &first) > 0 && searched(problem, 1, &first) > 0 && searched(problem, 2, &first) > 0;
}

/* Bytes of local memory of a group with `slots` rows and a tile of `tile` complex numbers. */
static size_t room_bytes(const qn_rotation_grid *grid, int slots, int tile)
{
    const int pair_pitch = 2 * qn_rotation_width(grid) | 1;
    const int numbers = divided_up(slots, 2) * pair_pitch + grid->cells[0] + grid->cells[1] + 1 + tile;
    return 8 * (size_t)numbers;
}

/* Smallest number of parts of a plane for which a part needs at most `most` bytes, or else the largest possible number;
 * *bytes is what a part needs. part_of() of the kernel divides planes in the same way. */
static int parts_within(const qn_rotation_grid *grid, const int radices[3], size_t most, size_t *bytes)
{
    const int pieces = radices[1], slots = radices[2];
    int parts = 1;
    for (int count = 1; count <= radices[0]; count++) {
        const int blocks = divided_up(radices[0], count);
        if (divided_up(radices[0], blocks) != count) continue; /* some parts would be empty */
        parts = count;
        *bytes = room_bytes(grid, blocks * pieces * slots, 0);
        if (*bytes <= most) return parts;
    }
    for (int count = 2; count <= pieces; count++) {
        const int own = divided_up(pieces, count);
        if (divided_up(pieces, own) != count) continue;
        parts = radices[0] * count;
        *bytes = room_bytes(grid, own * slots, CHUNK * pieces * slots);
        if (*bytes <= most) return parts;
    }
    return parts;
}

/* The same if `resident` groups, or fewer if these do not fit, share a compute unit. */
static int parts_of(const qn_rotation_grid *grid, int resident, int split, size_t *bytes)
{
    const size_t most = (size_t)grid->local_room_bytes;
    int radices[3], parts = 1;
    *bytes = 0;
    if (!qn_fft_line_split(grid->cells[1], split, radices)) return 1; /* refused before anything is launched */
    for (int groups = grid->is_gpu ? resident : 1; groups >= 1; groups--) {
        const size_t all = most + RESERVED_BYTES, each = all / (size_t)groups - smaller(RESERVED_BYTES, all);
        parts = parts_within(grid, radices, each, bytes);
        if (*bytes <= each) break;
    }
    return parts;
}

/* Number of partial results of a plane: the largest number of parts in any configuration, because the configurations of
 * `best` and `merge` may differ. */
static int places(const qn_score_planes_problem *problem)
{
    int most = 1;
    for (int resident = 1; resident <= RESIDENT_MAX; resident++)
        for (int split = 0; split < QN_LINE_SPLIT_CHOICES; split++) {
            size_t bytes;
            const int parts = parts_of(&problem->grid, resident, split, &bytes);
            if (parts > most) most = parts;
        }
    return most;
}

static size_t local_room(int kernel, const qn_configuration *configuration, const void *user)
{
    const qn_score_planes_problem *problem = user;
    const size_t reduction = 8 * (size_t)configuration->value[GROUP_SIZE];
    size_t bytes;
    if (kernel == MERGE) return 0;
    parts_of(&problem->grid, configuration->value[RESIDENT], configuration->value[SPLIT], &bytes);
    return bytes > reduction ? bytes : reduction;
}

static qn_geometry planes_geometry(const qn_configuration *configuration, const qn_score_planes_problem *problem,
                                   int planes)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    size_t bytes;
    const int parts = parts_of(&problem->grid, configuration->value[RESIDENT], configuration->value[SPLIT], &bytes);
    return (qn_geometry){{group * (size_t)parts, (size_t)planes, (size_t)problem->outputs}, {group, 1, 1}};
}

static qn_geometry best_geometry(const qn_configuration *configuration, const void *user)
{
    int first;
    return planes_geometry(configuration, user, searched(user, 2, &first));
}

static qn_geometry write_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_score_planes_problem *problem = user;
    return planes_geometry(configuration, problem, problem->grid.cells[2]);
}

static qn_geometry merge_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_score_planes_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{group, (size_t)problem->outputs, 1}, {group, 1, 1}};
}

/* Each column and each pair of rows of a plane is transformed once. A transform of n points takes at least 2 n log₂ n
 * multiply-adds: the split-radix algorithm has 4 n log₂ n additions and multiplications, which are fused in pairs. */
static void planes_work(const qn_score_planes_problem *problem, double planes, double rows, double compared,
                        double bytes_written, qn_work *work)
{
    const double nx = problem->grid.cells[0], ny = problem->grid.cells[1], width = qn_rotation_width(&problem->grid);
    const double each = width * 2 * ny * log2(ny) + rows / 2 * 2 * nx * log2(nx) + compared;
    const double value = (double)qn_rotation_value_bytes(&problem->grid);
    *work = (qn_work){.bytes_read = problem->outputs * planes * width * ny * value,
                      .bytes_written = problem->outputs * bytes_written,
                      .multiply_adds = problem->outputs * planes * each};
}

static void best_work(const void *user, qn_work *work)
{
    const qn_score_planes_problem *problem = user;
    int first;
    const double x = searched(problem, 0, &first), y = searched(problem, 1, &first);
    planes_work(problem, searched(problem, 2, &first), y, x * y, 0, work);
}

static void write_work(const void *user, qn_work *work)
{
    const qn_score_planes_problem *problem = user;
    const double nx = problem->grid.cells[0], ny = problem->grid.cells[1], nz = problem->grid.cells[2];
    planes_work(problem, nz, ny, 0, 4 * nx * ny * nz, work);
}

_Static_assert(sizeof(best_scalars) == 10 * 4 && sizeof(write_scalars) == 3 * 4, "no padding");

static const qn_argument_declaration best_arguments[BEST_ARGUMENTS] = {
    [BEST_PRODUCTS] = {"products", QN_IN, QN_FLOAT32},
    [BEST_ROOTS] = {"roots", QN_IN, QN_FLOAT32},
    [BEST_PARTIAL_ENERGIES] = {"partial_energies", QN_INOUT, QN_FLOAT32},
    [BEST_PARTIAL_CELLS] = {"partial_cells", QN_INOUT, QN_INT32},
    [BEST_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(best_scalars)},
};

static const qn_argument_declaration write_arguments[WRITE_ARGUMENTS] = {
    [WRITE_PRODUCTS] = {"products", QN_IN, QN_FLOAT32},
    [WRITE_ROOTS] = {"roots", QN_IN, QN_FLOAT32},
    [WRITE_SCORES] = {"scores", QN_OUT, QN_FLOAT32},
    [WRITE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(write_scalars)},
};

static const qn_argument_declaration merge_arguments[MERGE_ARGUMENTS] = {
    [MERGE_PARTIAL_ENERGIES] = {"partial_energies", QN_IN, QN_FLOAT32},
    [MERGE_PARTIAL_CELLS] = {"partial_cells", QN_IN, QN_INT32},
    [MERGE_ENERGIES] = {"best_energies", QN_OUT, QN_FLOAT32},
    [MERGE_CELLS] = {"best_cells", QN_INOUT, QN_INT32}, /* −1, all bits set, is a result */
    [MERGE_PARTIALS] = {"partials", QN_VALUE, QN_INT32},
};

static qn_status host_best(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_score_planes_host)[BEST](launch);
}
static qn_status host_write(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_score_planes_host)[WRITE](launch);
}
static qn_status host_merge(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_dock_score_planes_host)[MERGE](launch);
}

static const qn_kernel_declaration kernels[KERNELS] = {
    {"best", best_arguments, BEST_ARGUMENTS, best_geometry, host_best, best_work},
    {"write", write_arguments, WRITE_ARGUMENTS, write_geometry, host_write, write_work},
    {"merge", merge_arguments, MERGE_ARGUMENTS, merge_geometry, host_merge, NULL},
};

const qn_family qn_dock_score_planes_family = {
    .name = "dock/score_planes",
    .source = qn_dock_score_planes_source,
    .source_path = "dock/search/kernels/score_planes.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "X_LENGTH=160 X0_R0=10 X0_R1=1 X0_R2=16 X1_R0=16 X1_R1=1 X1_R2=10 X2_R0=4 X2_R1=5 X2_R2=8 "
                         "Y_LENGTH=135 Y0_R0=9 Y0_R1=1 Y0_R2=15 Y1_R0=15 Y1_R1=1 Y1_R2=9 Y2_R0=3 Y2_R1=5 Y2_R2=9 "
                         "WIDTH=81 COLUMNS=10944 HALVES=1",
    .local_room = local_room,
};

/* Bytes of one array of partial results. */
static size_t partial_bytes(const qn_score_planes_problem *problem)
{
    int first;
    const size_t planes = (size_t)searched(problem, 2, &first);
    const size_t bytes = (size_t)problem->outputs * planes * (size_t)places(problem) * sizeof(float);
    return (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT; /* never 0 */
}

size_t qn_score_planes_scratch_bytes(const qn_score_planes_problem *problem)
{
    return 2 * partial_bytes(problem);
}

/* Only the size of a plane matters, because it determines the local memory of a group. There are always enough planes
 * to fill a device. */
void qn_score_planes_problem_class(const qn_score_planes_problem *problem, char text[64])
{
    const qn_rotation_grid *grid = &problem->grid;
    snprintf(text, 64, "cells=2^%g", qn_rotation_size_class(sqrt((double)grid->cells[0] * grid->cells[1])));
}

static qn_status check_bytes(const char *name, const qn_buffer *buffer, size_t bytes)
{
    if (qn_buffer_bytes(buffer) < bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "dock/score_planes: %s: %zu bytes; expected %zu", name,
                       qn_buffer_bytes(buffer), bytes);
    return QN_OK;
}

/* Check the arguments that `best` and `write` share, and make the definitions of their source. */
static qn_status prepare(const qn_score_planes_problem *problem, qn_queue *queue, const qn_buffer *products,
                         const qn_buffer *roots, char definitions[2 * QN_LINE_DEFINITIONS + 64])
{
    const qn_rotation_grid *grid = &problem->grid;
    const int *cells = grid->cells;
    char x[QN_LINE_DEFINITIONS], y[QN_LINE_DEFINITIONS];
    QN_TRY(qn_rotation_grid_check(grid, qn_queue_device(queue)));
    qn_fft_line_definitions('X', cells[0], x);
    qn_fft_line_definitions('Y', cells[1], y);
    if (problem->outputs < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "dock/score_planes: %d outputs; expected at least 1", problem->outputs);
    for (int axis = 0; axis < 3; axis++)
        if (problem->first_shift[axis] > 0 || problem->first_shift[axis] <= -cells[axis])
            return QN_FAIL(QN_INVALID_ARGUMENT, "dock/score_planes: first translation %d along %c; expected %d to 0",
                           problem->first_shift[axis], "xyz"[axis], 1 - cells[axis]);
    snprintf(definitions, 2 * QN_LINE_DEFINITIONS + 64, "%s %s WIDTH=%d COLUMNS=%d HALVES=%d", x, y,
             qn_rotation_width(grid), qn_rotation_columns(grid), grid->halves);
    QN_TRY(check_bytes("products", products,
                       (size_t)problem->outputs * (size_t)cells[2] * (size_t)qn_rotation_columns(grid) *
                           qn_rotation_value_bytes(grid)));
    return check_bytes("roots", roots, 8 * (size_t)(cells[0] + cells[1]));
}

static float score_scale(const qn_rotation_grid *grid)
{
    return grid->halves ? 1.0f / grid->product_scale : 1.0f;
}

static qn_status run_best(qn_queue *queue, qn_family_call *call, const qn_score_planes_problem *problem,
                          qn_buffer *products, qn_buffer *roots, qn_argument partial_energies,
                          qn_argument partial_cells, qn_event **event)
{
    const qn_rotation_grid *grid = &problem->grid;
    int first[3], count[3];
    for (int axis = 0; axis < 3; axis++) count[axis] = searched(problem, axis, &first[axis]);
    const best_scalars scalars = {.nx = grid->cells[0],
                                  .ny = grid->cells[1],
                                  .nz = grid->cells[2],
                                  .first_x = first[0],
                                  .count_x = count[0],
                                  .first_y = first[1],
                                  .count_y = count[1],
                                  .first_z = first[2],
                                  .places = places(problem),
                                  .scale = score_scale(grid)};
    const qn_argument arguments[BEST_ARGUMENTS] = {
        [BEST_PRODUCTS] = qn_argument_buffer(products),
        [BEST_ROOTS] = qn_argument_buffer(roots),
        [BEST_PARTIAL_ENERGIES] = partial_energies,
        [BEST_PARTIAL_CELLS] = partial_cells,
        [BEST_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    call->kernel = BEST;
    call->arguments = arguments;
    call->argument_count = BEST_ARGUMENTS;
    return qn_family_run(&qn_dock_score_planes_family, queue, call, event);
}

qn_status qn_score_planes_best(qn_queue *queue, const qn_configuration *configuration,
                               const qn_score_planes_problem *problem, qn_buffer *products, qn_buffer *roots,
                               qn_buffer *scratch, qn_buffer *energies, qn_buffer *cells, qn_event *events[2])
{
    char definitions[2 * QN_LINE_DEFINITIONS + 64], problem_class[64];
    const size_t half = partial_bytes(problem), bests = (size_t)problem->outputs * sizeof(float);
    const qn_argument partial_energies = qn_argument_range(scratch, 0, half);
    const qn_argument partial_cells = qn_argument_range(scratch, half, half);
    int first, partials = 0;
    if (events) events[0] = events[1] = NULL;
    QN_TRY(prepare(problem, queue, products, roots, definitions));
    QN_TRY(check_bytes("scratch", scratch, 2 * half));
    QN_TRY(check_bytes("energies", energies, bests));
    QN_TRY(check_bytes("cells", cells, bests));
    qn_score_planes_problem_class(problem, problem_class);
    qn_family_call call = {
        .problem = problem, .problem_class = problem_class, .definitions = definitions, .configuration = configuration};
    if (searches_anything(problem)) {
        partials = searched(problem, 2, &first) * places(problem);
        QN_TRY(run_best(queue, &call, problem, products, roots, partial_energies, partial_cells,
                        events ? &events[0] : NULL));
    }
    const qn_argument arguments[MERGE_ARGUMENTS] = {
        [MERGE_PARTIAL_ENERGIES] = partial_energies,
        [MERGE_PARTIAL_CELLS] = partial_cells,
        [MERGE_ENERGIES] = qn_argument_range(energies, 0, bests),
        [MERGE_CELLS] = qn_argument_range(cells, 0, bests),
        [MERGE_PARTIALS] = qn_argument_int32(partials),
    };
    call.kernel = MERGE;
    call.arguments = arguments;
    call.argument_count = MERGE_ARGUMENTS;
    return qn_family_run(&qn_dock_score_planes_family, queue, &call, events ? &events[1] : NULL);
}

qn_status qn_score_planes_write(qn_queue *queue, const qn_configuration *configuration,
                                const qn_score_planes_problem *problem, qn_buffer *products, qn_buffer *roots,
                                qn_buffer *scores, qn_event **event)
{
    char definitions[2 * QN_LINE_DEFINITIONS + 64], problem_class[64];
    const qn_rotation_grid *grid = &problem->grid;
    const size_t volume = (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
    const size_t bytes = (size_t)problem->outputs * volume * sizeof(float);
    if (event) *event = NULL;
    QN_TRY(prepare(problem, queue, products, roots, definitions));
    QN_TRY(check_bytes("scores", scores, bytes));
    qn_score_planes_problem_class(problem, problem_class);
    const write_scalars scalars = {.nx = grid->cells[0], .ny = grid->cells[1], .scale = score_scale(grid)};
    const qn_argument arguments[WRITE_ARGUMENTS] = {
        [WRITE_PRODUCTS] = qn_argument_buffer(products),
        [WRITE_ROOTS] = qn_argument_buffer(roots),
        [WRITE_SCORES] = qn_argument_range(scores, 0, bytes),
        [WRITE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    const qn_family_call call = {.kernel = WRITE,
                                 .arguments = arguments,
                                 .argument_count = WRITE_ARGUMENTS,
                                 .problem = problem,
                                 .problem_class = problem_class,
                                 .definitions = definitions,
                                 .configuration = configuration};
    return qn_family_run(&qn_dock_score_planes_family, queue, &call, event);
}
