#include "score/kernels/score_poses_near.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "runtime/prelude/prelude_host.h"
#include "score/kernels/score_poses_near_host.h"
#include "score/kernels/score_poses_receptor.h"

#include "score/kernels/score_poses.dev.h"

#include "score/kernels/score_poses_near.dev.h"

extern const char qn_score_score_poses_near_source[];

enum { COUNT_ITEMS, PLACE_BINS, SORT_ITEMS, SCORE_NEAR, ADD_ITEMS, KERNELS };
enum { GROUP_SIZE, VECTORS_PER_ITEM, VECTOR_WIDTH, TILE, UNROLLED, TUNABLES };
enum {
    CURSORS = 3,
    LIST_STEP = 4,            /* lists are multiples of UNROLLED */
    BIN_GROUPS = 64,          /* groups of launches over used bins, whose number the host does not know */
    MORE_BLOCK_GROUPS = 4096, /* groups of launches over blocks, in addition to the number of full blocks */
    LEAST_ITEMS = 1 << 12,
    ITEMS_MAX = 1 << 23
};
static const double item_bytes = 32; /* memory of a room for each item */
static const double smallest_side_angstrom = 2.5;

typedef struct near_part {
    int jobs, poses; /* poses of each job in a launch */
    size_t items;
} near_part;

static qn_geometry pose_geometry(const qn_configuration *configuration, const void *user)
{
    const near_part *part = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    return (qn_geometry){{((size_t)part->poses + group - 1) / group * group, (size_t)part->jobs, 1}, {group, 1, 1}};
}

static qn_geometry bin_geometry(const qn_configuration *configuration, const void *user)
{
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    (void)user;
    return (qn_geometry){{BIN_GROUPS * group, 1, 1}, {group, 1, 1}};
}

static qn_geometry block_geometry(const qn_configuration *configuration, const void *user)
{
    const near_part *part = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE], groups = part->items / NEAR_BLOCK;
    return (qn_geometry){{(groups + MORE_BLOCK_GROUPS) * group, 1, 1}, {group, 1, 1}};
}

/* Least work without pairs, whose number is not known in advance: each kernel reads and writes the items. */
static void pass_work(const void *user, qn_work *work)
{
    const near_part *part = user;
    *work = (qn_work){.bytes_read = 8 * (double)part->items, .bytes_written = 8 * (double)part->items};
}

_Static_assert(sizeof(count_scalars) == 11 * 4 && sizeof(sort_scalars) == 4 * 4 && sizeof(add_scalars) == 3 * 4,
               "no padding");

static const qn_argument_declaration count_arguments[COUNT_ARGUMENTS] = {
    [COUNT_JOBS] = {"jobs", QN_IN, QN_INT32},
    [COUNT_ATOMS] = {"atoms", QN_IN, QN_BYTES},
    [COUNT_TRANSFORMS] = {"transforms", QN_IN, QN_FLOAT32},
    [COUNT_SECOND_ROWS] = {"second_rows", QN_IN, QN_INT32},
    [COUNT_CLASS_OF_ROW] = {"class_of_row", QN_IN, QN_INT32},
    [COUNT_RANGES] = {"ranges", QN_IN, QN_INT32},
    [COUNT_ITEM_COUNT] = {"item_count", QN_INOUT, QN_INT32},
    [COUNT_USED_BINS] = {"used_bins", QN_INOUT, QN_INT32},
    [COUNT_CURSORS] = {"cursors", QN_INOUT, QN_INT32},
    [COUNT_BIN_OF_ITEM] = {"bin_of_item", QN_INOUT, QN_INT32},
    [COUNT_RANK_OF_ITEM] = {"rank_of_item", QN_INOUT, QN_INT32},
    [COUNT_ITEM_ENERGIES] = {"item_energies", QN_INOUT, QN_FLOAT32},
    [COUNT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(count_scalars)},
};
static const qn_argument_declaration place_arguments[PLACE_ARGUMENTS] = {
    [PLACE_ITEM_COUNT] = {"item_count", QN_IN, QN_INT32},
    [PLACE_USED_BINS] = {"used_bins", QN_IN, QN_INT32},
    [PLACE_CURSORS] = {"cursors", QN_INOUT, QN_INT32},
    [PLACE_BIN_START] = {"bin_start", QN_INOUT, QN_INT32},
};
static const qn_argument_declaration sort_arguments[SORT_ARGUMENTS] = {
    [SORT_JOBS] = {"jobs", QN_IN, QN_INT32},
    [SORT_ATOMS] = {"atoms", QN_IN, QN_BYTES},
    [SORT_TRANSFORMS] = {"transforms", QN_IN, QN_FLOAT32},
    [SORT_BIN_OF_ITEM] = {"bin_of_item", QN_IN, QN_INT32},
    [SORT_RANK_OF_ITEM] = {"rank_of_item", QN_IN, QN_INT32},
    [SORT_BIN_START] = {"bin_start", QN_IN, QN_INT32},
    [SORT_BIN_OF_BLOCK] = {"bin_of_block", QN_INOUT, QN_INT32},
    [SORT_SORTED] = {"sorted", QN_INOUT, QN_FLOAT32},
    [SORT_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(sort_scalars)},
};
static const qn_argument_declaration score_arguments[SCORE_NEAR_ARGUMENTS] = {
    [SCORE_NEAR_PLACES] = {"places", QN_IN, QN_FLOAT32},
    [SCORE_NEAR_PAIRS] = {"pairs", QN_IN, QN_FLOAT32},
    [SCORE_NEAR_SECOND_ROWS] = {"second_rows", QN_IN, QN_INT32},
    [SCORE_NEAR_CLASS_OF_ROW] = {"class_of_row", QN_IN, QN_INT32},
    [SCORE_NEAR_RANGES] = {"ranges", QN_IN, QN_INT32},
    [SCORE_NEAR_LIST] = {"list", QN_IN, QN_INT32},
    [SCORE_NEAR_ITEM_COUNT] = {"item_count", QN_IN, QN_INT32},
    [SCORE_NEAR_BIN_START] = {"bin_start", QN_IN, QN_INT32},
    [SCORE_NEAR_BIN_OF_BLOCK] = {"bin_of_block", QN_IN, QN_INT32},
    [SCORE_NEAR_CURSORS] = {"cursors", QN_IN, QN_INT32},
    [SCORE_NEAR_SORTED] = {"sorted", QN_IN, QN_FLOAT32},
    [SCORE_NEAR_ITEM_ENERGIES] = {"item_energies", QN_INOUT, QN_FLOAT32},
    [SCORE_NEAR_STRIDE] = {"stride", QN_VALUE, QN_INT32},
    [SCORE_NEAR_CELLS] = {"cells", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration add_arguments[ADD_ARGUMENTS] = {
    [ADD_JOBS] = {"jobs", QN_IN, QN_INT32},
    [ADD_ITEM_ENERGIES] = {"item_energies", QN_IN, QN_FLOAT32},
    [ADD_USED_BINS] = {"used_bins", QN_IN, QN_INT32},
    [ADD_CURSORS] = {"cursors", QN_IN, QN_INT32},
    [ADD_ITEM_COUNT] = {"item_count", QN_INOUT, QN_INT32},
    [ADD_ENERGIES] = {"energies", QN_INOUT, QN_FLOAT32},
    [ADD_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(add_scalars)},
};

/* The host driver has one function in place of all these kernels. */
static const qn_kernel_declaration kernels[KERNELS] = {
    [COUNT_ITEMS] = {"count_items", count_arguments, COUNT_ARGUMENTS, pose_geometry, NULL, pass_work},
    [PLACE_BINS] = {"place_bins", place_arguments, PLACE_ARGUMENTS, bin_geometry, NULL, NULL},
    [SORT_ITEMS] = {"sort_items", sort_arguments, SORT_ARGUMENTS, pose_geometry, NULL, pass_work},
    [SCORE_NEAR] = {"score_near", score_arguments, SCORE_NEAR_ARGUMENTS, block_geometry, NULL, pass_work},
    [ADD_ITEMS] = {"add_items", add_arguments, ADD_ARGUMENTS, pose_geometry, NULL, pass_work},
};

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {1, 32, 64, 128}, 4, 64, "work-items per group"},
    [VECTORS_PER_ITEM] = {"VECTORS_PER_ITEM", {1, 2, 4}, 3, 2, "vectors of ligand atoms of a work-item"},
    [VECTOR_WIDTH] = {"VECTOR_WIDTH", {1, 4, 8, 16}, 4, 1, "ligand atoms per vector"},
    [TILE] = {"TILE", {0, 32, 64, 128}, 4, 64, "receptor atoms in local memory; 0: read from global memory"},
    [UNROLLED] = {"UNROLLED", {1, 2, 4}, 3, 4, "receptor atoms in a row"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",    "32 * TILE <= device.local_memory_bytes",
    "VECTOR_WIDTH == 1 || device.is_opencl", "GROUP_SIZE * VECTORS_PER_ITEM * VECTOR_WIDTH <= 128",
    "GROUP_SIZE > 1 || TILE == 0",
};

const qn_family qn_score_score_poses_near_family = {
    .name = "score/score_poses_near",
    .source = qn_score_score_poses_near_source,
    .source_path = "score/kernels/score_poses_near.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "EXACT=0",
};

struct qn_score_poses_near {
    qn_score_lists lists; /* without `atoms` when these are on a device */
    const int32_t *second_row_of_type;
    int type_count;
    bool on_host;
    qn_buffer *class_of_row, *ranges, *list; /* on a device */
};

struct qn_score_poses_room {
    qn_near_worker *workers; /* on the host: one for each thread */
    int worker_count;
    size_t items; /* on a device, as are the members below */
    bool unclean; /* item_count may have values other than 0 */
    qn_buffer *item_count, *used_bins, *bin_start, *bin_of_item, *rank_of_item, *bin_of_block, *sorted, *item_energies;
    qn_buffer *cursors;
};

static qn_status upload(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    return qn_queue_write(queue, *buffer, 0, data, bytes, NULL);
}

static qn_status upload_lists(qn_device *device, int row_count, qn_score_poses_near *near)
{
    qn_score_lists *lists = &near->lists;
    const size_t ranges = 2 * (size_t)lists->class_count * (size_t)lists->cell_count;
    qn_queue *queue;
    QN_TRY(qn_queue_create(device, &queue));
    qn_status status =
        upload(queue, lists->class_of_row, (size_t)row_count * sizeof *lists->class_of_row, &near->class_of_row);
    if (status == QN_OK) status = upload(queue, lists->ranges, ranges * sizeof *lists->ranges, &near->ranges);
    if (status == QN_OK)
        status = upload(queue, lists->atoms, (lists->entry_count + 1) * sizeof *lists->atoms, &near->list);
    if (status == QN_OK) status = qn_queue_finish(queue);
    qn_queue_destroy(&queue);
    qn_release(&lists->atoms);
    return status;
}

/* Find the reach of each row of pairs to each type of receptor atom. */
static qn_status find_reach(const qn_score_poses_receptor *receptor, const qn_bude_force_field *force_field,
                            double **reach)
{
    const int types = force_field->type_count;
    QN_TRY(qn_allocate((size_t)receptor->row_count * (size_t)types, sizeof **reach, (void **)reach));
    for (int ligand = 0; ligand < types; ligand++)
        for (int other = 0; other < types; other++) {
            const int second = receptor->second_row_of_type[ligand];
            double both[2];
            qn_score_poses_reach(&force_field->types[ligand], &force_field->types[other], both);
            (*reach)[ligand * types + other] = both[0];
            if (second >= 0) (*reach)[second * types + other] = both[1];
        }
    return QN_OK;
}

qn_status qn_score_poses_near_create(qn_device *device, const qn_score_poses_receptor *receptor,
                                     const qn_bude_force_field *force_field, const double *positions, const int *types,
                                     size_t atom_count, qn_score_poses_near **out)
{
    qn_score_poses_near *near;
    double *reach = NULL;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof *near, (void **)&near));
    near->second_row_of_type = receptor->second_row_of_type;
    near->type_count = receptor->type_count;
    near->on_host = strcmp(qn_device_inner_driver(device), "host") == 0;
    qn_status status = find_reach(receptor, force_field, &reach);
    if (status == QN_OK) {
        const qn_score_lists_request request = {
            .positions = positions,
            .types = types,
            .atom_count = atom_count,
            .row_count = receptor->row_count,
            .type_count = receptor->type_count,
            .reach_angstrom = reach,
            .smallest_side_angstrom = smallest_side_angstrom,
            .step = receptor->odd_turned ? 2
                    : near->on_host      ? 1
                                         : LIST_STEP,
            .keep_parity = receptor->odd_turned,
        };
        status = qn_score_lists_create(&request, &near->lists);
    }
    if (status == QN_OK && !near->on_host) status = upload_lists(device, receptor->row_count, near);
    qn_release(&reach);
    *out = near;
    if (status != QN_OK) qn_score_poses_near_destroy(out);
    return status;
}

void qn_score_poses_near_destroy(qn_score_poses_near **near)
{
    if (!near || !*near) return;
    qn_score_lists_clear(&(*near)->lists);
    qn_buffer_release(&(*near)->class_of_row);
    qn_buffer_release(&(*near)->ranges);
    qn_buffer_release(&(*near)->list);
    qn_release(near);
}

static qn_status create_buffers(qn_device *device, const qn_score_poses_near *near, qn_score_poses_room *room)
{
    const size_t bins = (size_t)near->type_count * (size_t)near->lists.cell_count;
    const size_t used = bins < room->items ? bins : room->items;
    const struct {
        qn_buffer **buffer;
        size_t bytes;
    } parts[] = {{&room->item_count, bins * 4},
                 {&room->used_bins, used * 4},
                 {&room->bin_start, bins * 8},
                 {&room->bin_of_item, room->items * 4},
                 {&room->rank_of_item, room->items * 4},
                 {&room->bin_of_block, (room->items / NEAR_BLOCK + used) * 4},
                 {&room->sorted, room->items * sizeof(qn_float4)},
                 {&room->item_energies, room->items * 4},
                 {&room->cursors, CURSORS * 4}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        QN_TRY(qn_buffer_create(device, parts[i].bytes, parts[i].buffer));
    return QN_OK;
}

qn_status qn_score_poses_room_create(qn_device *device, const qn_score_poses_near *near, double items,
                                     qn_score_poses_room **out)
{
    const double largest = (double)qn_device_get_info(device)->memory_bytes / 64 / item_bytes;
    qn_score_poses_room *room;
    qn_status status;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof *room, (void **)&room));
    room->unclean = true;
    if (near->on_host) {
        room->worker_count = qn_pool_threads(qn_context_pool(qn_device_context(device)));
        status = qn_allocate((size_t)room->worker_count, sizeof *room->workers, (void **)&room->workers);
    } else {
        room->items = (size_t)CLAMP(fmin(items, largest), LEAST_ITEMS, ITEMS_MAX);
        status = create_buffers(device, near, room);
    }
    *out = room;
    if (status != QN_OK) qn_score_poses_room_destroy(out);
    return status;
}

void qn_score_poses_room_destroy(qn_score_poses_room **pointer)
{
    qn_score_poses_room *room = pointer ? *pointer : NULL;
    if (!room) return;
    for (int i = 0; i < room->worker_count && room->workers; i++) {
        qn_release(&room->workers[i].numbers);
        qn_release(&room->workers[i].indices);
        qn_release(&room->workers[i].cells);
        qn_release(&room->workers[i].energies);
    }
    qn_release(&room->workers);
    qn_buffer **buffers[] = {&room->item_count,    &room->used_bins,    &room->bin_start,
                             &room->bin_of_item,   &room->rank_of_item, &room->sorted,
                             &room->item_energies, &room->bin_of_block, &room->cursors};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) qn_buffer_release(buffers[i]);
    qn_release(pointer);
}

static qn_event **next_event(qn_score_poses_events *events)
{
    return events && events->count < events->most ? &events->events[events->count++] : NULL;
}

/* Arguments that all launches of a problem share. */
typedef struct near_launch {
    qn_queue *queue;
    const qn_configuration *configuration;
    const qn_score_poses_problem *problem;
    const qn_score_poses_receptor *receptor;
    const qn_score_poses_near *near;
    qn_score_poses_room *room;
    qn_buffer *jobs, *atoms, *transforms, *energies;
    qn_score_poses_events *events;
} near_launch;

static qn_status run(const near_launch *launch, int kernel, const qn_argument *arguments, const near_part *part)
{
    char problem_class[64], definitions[32];
    const bool exact = launch->problem->exact || !launch->receptor->fast_pairs;
    qn_score_poses_problem_class(launch->problem, problem_class);
    snprintf(definitions, sizeof definitions, "EXACT=%d", exact);
    const qn_family_call call = {.kernel = kernel,
                                 .arguments = arguments,
                                 .argument_count = kernels[kernel].argument_count,
                                 .problem = part,
                                 .problem_class = problem_class,
                                 .definitions = definitions,
                                 .configuration = launch->configuration};
    return qn_family_run(&qn_score_score_poses_near_family, launch->queue, &call, next_event(launch->events));
}

static qn_argument numbers(qn_buffer *buffer, size_t per_pose, const qn_score_poses_problem *problem)
{
    return qn_argument_range(buffer, 0, per_pose * (size_t)problem->jobs * (size_t)problem->poses * sizeof(float));
}

static qn_status sort_part(const near_launch *launch, const near_part *part, int first_pose)
{
    const qn_score_poses_room *room = launch->room;
    const qn_score_cells *cells = &launch->near->lists.cells;
    const count_scalars counting = {
        .poses = launch->problem->poses,
        .job_count = launch->problem->jobs,
        .first_pose = first_pose,
        .part = part->poses,
        .first_x = cells->first[0],
        .first_y = cells->first[1],
        .first_z = cells->first[2],
        .cells_per_angstrom = cells->cells_per_angstrom,
        .nx = cells->count[0],
        .ny = cells->count[1],
        .nz = cells->count[2],
    };
    const qn_argument counted[COUNT_ARGUMENTS] = {
        [COUNT_JOBS] = qn_argument_buffer(launch->jobs),
        [COUNT_ATOMS] = qn_argument_buffer(launch->atoms),
        [COUNT_TRANSFORMS] = numbers(launch->transforms, 12, launch->problem),
        [COUNT_SECOND_ROWS] = qn_argument_buffer(launch->receptor->second_rows),
        [COUNT_CLASS_OF_ROW] = qn_argument_buffer(launch->near->class_of_row),
        [COUNT_RANGES] = qn_argument_buffer(launch->near->ranges),
        [COUNT_ITEM_COUNT] = qn_argument_buffer(room->item_count),
        [COUNT_USED_BINS] = qn_argument_buffer(room->used_bins),
        [COUNT_CURSORS] = qn_argument_buffer(room->cursors),
        [COUNT_BIN_OF_ITEM] = qn_argument_buffer(room->bin_of_item),
        [COUNT_RANK_OF_ITEM] = qn_argument_buffer(room->rank_of_item),
        [COUNT_ITEM_ENERGIES] = qn_argument_buffer(room->item_energies),
        [COUNT_SCALARS] = qn_argument_struct(&counting, sizeof counting),
    };
    const qn_argument placed[PLACE_ARGUMENTS] = {
        [PLACE_ITEM_COUNT] = qn_argument_buffer(room->item_count),
        [PLACE_USED_BINS] = qn_argument_buffer(room->used_bins),
        [PLACE_CURSORS] = qn_argument_buffer(room->cursors),
        [PLACE_BIN_START] = qn_argument_buffer(room->bin_start),
    };
    const sort_scalars sorting = {
        .poses = launch->problem->poses,
        .job_count = launch->problem->jobs,
        .first_pose = first_pose,
        .part = part->poses,
    };
    const qn_argument sorted[SORT_ARGUMENTS] = {
        [SORT_JOBS] = qn_argument_buffer(launch->jobs),
        [SORT_ATOMS] = qn_argument_buffer(launch->atoms),
        [SORT_TRANSFORMS] = numbers(launch->transforms, 12, launch->problem),
        [SORT_BIN_OF_ITEM] = qn_argument_buffer(room->bin_of_item),
        [SORT_RANK_OF_ITEM] = qn_argument_buffer(room->rank_of_item),
        [SORT_BIN_START] = qn_argument_buffer(room->bin_start),
        [SORT_BIN_OF_BLOCK] = qn_argument_buffer(room->bin_of_block),
        [SORT_SORTED] = qn_argument_buffer(room->sorted),
        [SORT_SCALARS] = qn_argument_struct(&sorting, sizeof sorting),
    };
    QN_TRY(run(launch, COUNT_ITEMS, counted, part));
    QN_TRY(run(launch, PLACE_BINS, placed, part));
    return run(launch, SORT_ITEMS, sorted, part);
}

static qn_status score_part(const near_launch *launch, const near_part *part, int first_pose)
{
    const qn_score_poses_room *room = launch->room;
    const qn_score_poses_receptor *receptor = launch->receptor;
    const bool exact = launch->problem->exact || !receptor->fast_pairs;
    const qn_argument scored[SCORE_NEAR_ARGUMENTS] = {
        [SCORE_NEAR_PLACES] = qn_argument_buffer(receptor->places),
        [SCORE_NEAR_PAIRS] = qn_argument_buffer(exact ? receptor->pairs : receptor->fast_pairs),
        [SCORE_NEAR_SECOND_ROWS] = qn_argument_buffer(receptor->second_rows),
        [SCORE_NEAR_CLASS_OF_ROW] = qn_argument_buffer(launch->near->class_of_row),
        [SCORE_NEAR_RANGES] = qn_argument_buffer(launch->near->ranges),
        [SCORE_NEAR_LIST] = qn_argument_buffer(launch->near->list),
        [SCORE_NEAR_ITEM_COUNT] = qn_argument_buffer(room->item_count),
        [SCORE_NEAR_BIN_START] = qn_argument_buffer(room->bin_start),
        [SCORE_NEAR_BIN_OF_BLOCK] = qn_argument_buffer(room->bin_of_block),
        [SCORE_NEAR_CURSORS] = qn_argument_buffer(room->cursors),
        [SCORE_NEAR_SORTED] = qn_argument_buffer(room->sorted),
        [SCORE_NEAR_ITEM_ENERGIES] = qn_argument_buffer(room->item_energies),
        [SCORE_NEAR_STRIDE] = qn_argument_int32(receptor->stride),
        [SCORE_NEAR_CELLS] = qn_argument_int32(launch->near->lists.cell_count),
    };
    const add_scalars scalars = {
        .poses = launch->problem->poses,
        .first_pose = first_pose,
        .part = part->poses,
    };
    const qn_argument added[ADD_ARGUMENTS] = {
        [ADD_JOBS] = qn_argument_buffer(launch->jobs),
        [ADD_ITEM_ENERGIES] = qn_argument_buffer(room->item_energies),
        [ADD_USED_BINS] = qn_argument_buffer(room->used_bins),
        [ADD_CURSORS] = qn_argument_buffer(room->cursors),
        [ADD_ITEM_COUNT] = qn_argument_buffer(room->item_count),
        [ADD_ENERGIES] = numbers(launch->energies, 1, launch->problem),
        [ADD_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    QN_TRY(run(launch, SCORE_NEAR, scored, part));
    return run(launch, ADD_ITEMS, added, part);
}

/* Score in parts of at most `most_poses` poses of each job. */
static qn_status score_on_device(const near_launch *launch, int most_poses)
{
    qn_score_poses_room *room = launch->room;
    const qn_score_poses_problem *problem = launch->problem;
    if (room->unclean)
        QN_TRY(qn_queue_fill(launch->queue, room->item_count, 0, qn_buffer_bytes(room->item_count), 0, NULL));
    room->unclean = true; /* remains true if a command below fails */
    for (int first_pose = 0; first_pose < problem->poses; first_pose += most_poses) {
        near_part part = {.jobs = problem->jobs, .poses = MIN(most_poses, problem->poses - first_pose)};
        part.items = (size_t)part.poses * (size_t)problem->ligand_atoms;
        QN_TRY(qn_queue_fill(launch->queue, room->cursors, 0, CURSORS * 4, 0, next_event(launch->events)));
        QN_TRY(sort_part(launch, &part, first_pose));
        QN_TRY(score_part(launch, &part, first_pose));
    }
    room->unclean = false;
    return QN_OK;
}

static qn_status score_on_host(const near_launch *launch)
{
    const qn_score_poses_problem *problem = launch->problem;
    const qn_score_poses_receptor *receptor = launch->receptor;
    qn_buffer *const pairs = problem->exact || !receptor->fast_pairs ? receptor->pairs : receptor->fast_pairs;
    qn_near_call call = {.lists = &launch->near->lists,
                         .second_rows = receptor->second_row_of_type,
                         .stride = receptor->stride,
                         .type_count = receptor->type_count,
                         .poses = problem->poses,
                         .job_count = problem->jobs,
                         .ligand_atoms = problem->ligand_atoms,
                         .exact = problem->exact,
                         .workers = launch->room->workers};
    qn_buffer *const buffers[] = {receptor->places,   pairs,           launch->jobs, launch->atoms,
                                  launch->transforms, launch->energies};
    /* the host driver runs the command during the call, so `call` lives long enough */
    return qn_queue_call_host(launch->queue, QN_HOST_SELECT(qn_score_score_poses_near_host)[0], buffers, 6, &call,
                              next_event(launch->events));
}

qn_status qn_score_poses_in_reach(qn_queue *queue, const qn_configuration *configuration,
                                  const qn_score_poses_problem *problem, const qn_score_poses_receptor *receptor,
                                  const qn_score_poses_near *near, qn_score_poses_room *room, qn_buffer *jobs,
                                  qn_buffer *atoms, qn_buffer *transforms, qn_buffer *energies,
                                  qn_score_poses_events *events)
{
    const near_launch launch = {queue, configuration, problem,    receptor, near,  room,
                                jobs,  atoms,         transforms, energies, events};
    QN_TRY(qn_score_poses_check(problem, receptor, qn_device_get_info(qn_queue_device(queue))));
    if (problem->ligand_atoms < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "score/score_poses_near: %d ligand atoms; expected 1 or more",
                       problem->ligand_atoms);
    if (near->on_host) return score_on_host(&launch);
    const size_t most = room->items / (size_t)problem->ligand_atoms / QN_SCORE_POSES_STEP * QN_SCORE_POSES_STEP;
    if (most == 0) /* configuration NULL, because the given one is of another family */
        return qn_score_poses(queue, NULL, problem, receptor, jobs, atoms, transforms, energies, next_event(events));
    return score_on_device(&launch, (int)MIN(most, (size_t)problem->poses));
}

/* Number of entries in the list of a row for a cell. */
static int list_length(const qn_score_lists *lists, int row, int cell)
{
    if (row < 0 || cell < 0) return 0;
    return lists->ranges[2 * ((size_t)lists->class_of_row[row] * (size_t)lists->cell_count + (size_t)cell) + 1];
}

double qn_score_poses_near_pairs(const qn_score_poses_near *near, const qn_score_poses_problem *problem,
                                 const qn_score_poses_job *jobs, const qn_score_poses_atom *atoms,
                                 const float *transforms)
{
    const qn_score_cells *cells = &near->lists.cells;
    const size_t row = (size_t)problem->jobs * (size_t)problem->poses;
    double pairs = 0;
    for (size_t pose = 0; pose < row; pose++) {
        const qn_score_poses_job *job = &jobs[pose / (size_t)problem->poses];
        for (int k = 0; k < job->atom_count; k++) {
            const qn_score_poses_atom *atom = &atoms[job->first_atom + k];
            int at[3];
            for (size_t axis = 0; axis < 3; axis++) {
                const float *m = transforms + 4 * axis * row + pose;
                at[axis] = cell_along(moved_coordinate(m[0], m[row], m[2 * row], m[3 * row], atom->x, atom->y, atom->z),
                                      cells->first[axis], cells->cells_per_angstrom, cells->count[axis]);
            }
            const int cell = cell_of(at[0], at[1], at[2], cells->count[0], cells->count[1]);
            pairs += list_length(&near->lists, atom->type, cell) +
                     list_length(&near->lists, near->second_row_of_type[atom->type], cell);
        }
    }
    return pairs;
}
