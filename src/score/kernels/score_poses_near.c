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
    BIN_GROUPS = 64,          /* of launches over used bins, whose number the host does not know */
    MORE_BLOCK_GROUPS = 4096, /* likewise of blocks: as many as whole ones, and some for bins that fill none */
    LEAST_ITEMS = 1 << 12,
    MOST_ITEMS = 1 << 23
};
static const double item_bytes = 32; /* of a room */
static const double smallest_side_angstrom = 2.5;

typedef struct near_part {
    int jobs, poses; /* of a launch */
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

/* How many pairs there are is not known beforehand; items are read and written by each kernel. */
static void pass_work(const void *user, qn_work *work)
{
    const near_part *part = user;
    *work = (qn_work){.bytes_read = 8 * (double)part->items, .bytes_written = 8 * (double)part->items};
}

static const qn_argument_declaration count_arguments[] = {
    {"jobs", QN_IN, QN_INT32},
    {"atoms", QN_IN, QN_BYTES},
    {"transforms", QN_IN, QN_FLOAT32},
    {"second_rows", QN_IN, QN_INT32},
    {"class_of_row", QN_IN, QN_INT32},
    {"ranges", QN_IN, QN_INT32},
    {"item_count", QN_INOUT, QN_INT32},
    {"used_bins", QN_INOUT, QN_INT32},
    {"cursors", QN_INOUT, QN_INT32},
    {"bin_of_item", QN_INOUT, QN_INT32},
    {"rank_of_item", QN_INOUT, QN_INT32},
    {"item_energies", QN_INOUT, QN_FLOAT32},
    {"poses", QN_VALUE, QN_INT32},
    {"job_count", QN_VALUE, QN_INT32},
    {"first_pose", QN_VALUE, QN_INT32},
    {"part", QN_VALUE, QN_INT32},
    {"first_x", QN_VALUE, QN_FLOAT32},
    {"first_y", QN_VALUE, QN_FLOAT32},
    {"first_z", QN_VALUE, QN_FLOAT32},
    {"cells_per_angstrom", QN_VALUE, QN_FLOAT32},
    {"nx", QN_VALUE, QN_INT32},
    {"ny", QN_VALUE, QN_INT32},
    {"nz", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration place_arguments[] = {
    {"item_count", QN_IN, QN_INT32},
    {"used_bins", QN_IN, QN_INT32},
    {"cursors", QN_INOUT, QN_INT32},
    {"bin_start", QN_INOUT, QN_INT32},
};
static const qn_argument_declaration sort_arguments[] = {
    {"jobs", QN_IN, QN_INT32},
    {"atoms", QN_IN, QN_BYTES},
    {"transforms", QN_IN, QN_FLOAT32},
    {"bin_of_item", QN_IN, QN_INT32},
    {"rank_of_item", QN_IN, QN_INT32},
    {"bin_start", QN_IN, QN_INT32},
    {"bin_of_block", QN_INOUT, QN_INT32},
    {"sorted", QN_INOUT, QN_FLOAT32},
    {"poses", QN_VALUE, QN_INT32},
    {"job_count", QN_VALUE, QN_INT32},
    {"first_pose", QN_VALUE, QN_INT32},
    {"part", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration score_arguments[] = {
    {"places", QN_IN, QN_FLOAT32},     {"pairs", QN_IN, QN_FLOAT32},   {"second_rows", QN_IN, QN_INT32},
    {"class_of_row", QN_IN, QN_INT32}, {"ranges", QN_IN, QN_INT32},    {"list", QN_IN, QN_INT32},
    {"item_count", QN_IN, QN_INT32},   {"bin_start", QN_IN, QN_INT32}, {"bin_of_block", QN_IN, QN_INT32},
    {"cursors", QN_IN, QN_INT32},      {"sorted", QN_IN, QN_FLOAT32},  {"item_energies", QN_INOUT, QN_FLOAT32},
    {"stride", QN_VALUE, QN_INT32},    {"cells", QN_VALUE, QN_INT32},
};
static const qn_argument_declaration add_arguments[] = {
    {"jobs", QN_IN, QN_INT32},     {"item_energies", QN_IN, QN_FLOAT32}, {"used_bins", QN_IN, QN_INT32},
    {"cursors", QN_IN, QN_INT32},  {"item_count", QN_INOUT, QN_INT32},   {"energies", QN_INOUT, QN_FLOAT32},
    {"poses", QN_VALUE, QN_INT32}, {"first_pose", QN_VALUE, QN_INT32},   {"part", QN_VALUE, QN_INT32},
};

/* The host driver has a function of its own for all of it. */
static const qn_kernel_declaration kernels[KERNELS] = {
    [COUNT_ITEMS] = {"count_items", count_arguments, 23, pose_geometry, NULL, pass_work},
    [PLACE_BINS] = {"place_bins", place_arguments, 4, bin_geometry, NULL, NULL},
    [SORT_ITEMS] = {"sort_items", sort_arguments, 12, pose_geometry, NULL, pass_work},
    [SCORE_NEAR] = {"score_near", score_arguments, 14, block_geometry, NULL, pass_work},
    [ADD_ITEMS] = {"add_items", add_arguments, 9, pose_geometry, NULL, pass_work},
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
    qn_score_lists lists; /* without `atoms` where a device has them */
    const int32_t *second_row_of_type;
    int type_count;
    bool on_host;
    qn_buffer *class_of_row, *ranges, *list; /* on a device */
};

struct qn_score_poses_room {
    qn_near_worker *workers; /* on the host, of each thread */
    int worker_count;
    size_t items; /* on a device, as all that follows */
    bool unclean; /* item_count may not be 0 */
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

/* How far each row of pairs reaches each type of receptor atom. */
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
        room->items = (size_t)CLAMP(fmin(items, largest), LEAST_ITEMS, MOST_ITEMS);
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

/* What the launches of a problem have in common. */
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
    const qn_argument counted[] = {
        qn_argument_buffer(launch->jobs),
        qn_argument_buffer(launch->atoms),
        numbers(launch->transforms, 12, launch->problem),
        qn_argument_buffer(launch->receptor->second_rows),
        qn_argument_buffer(launch->near->class_of_row),
        qn_argument_buffer(launch->near->ranges),
        qn_argument_buffer(room->item_count),
        qn_argument_buffer(room->used_bins),
        qn_argument_buffer(room->cursors),
        qn_argument_buffer(room->bin_of_item),
        qn_argument_buffer(room->rank_of_item),
        qn_argument_buffer(room->item_energies),
        qn_argument_int32(launch->problem->poses),
        qn_argument_int32(launch->problem->jobs),
        qn_argument_int32(first_pose),
        qn_argument_int32(part->poses),
        qn_argument_float32(cells->first[0]),
        qn_argument_float32(cells->first[1]),
        qn_argument_float32(cells->first[2]),
        qn_argument_float32(cells->cells_per_angstrom),
        qn_argument_int32(cells->count[0]),
        qn_argument_int32(cells->count[1]),
        qn_argument_int32(cells->count[2]),
    };
    const qn_argument placed[] = {qn_argument_buffer(room->item_count), qn_argument_buffer(room->used_bins),
                                  qn_argument_buffer(room->cursors), qn_argument_buffer(room->bin_start)};
    const qn_argument sorted[] = {qn_argument_buffer(launch->jobs),
                                  qn_argument_buffer(launch->atoms),
                                  numbers(launch->transforms, 12, launch->problem),
                                  qn_argument_buffer(room->bin_of_item),
                                  qn_argument_buffer(room->rank_of_item),
                                  qn_argument_buffer(room->bin_start),
                                  qn_argument_buffer(room->bin_of_block),
                                  qn_argument_buffer(room->sorted),
                                  qn_argument_int32(launch->problem->poses),
                                  qn_argument_int32(launch->problem->jobs),
                                  qn_argument_int32(first_pose),
                                  qn_argument_int32(part->poses)};
    QN_TRY(run(launch, COUNT_ITEMS, counted, part));
    QN_TRY(run(launch, PLACE_BINS, placed, part));
    return run(launch, SORT_ITEMS, sorted, part);
}

static qn_status score_part(const near_launch *launch, const near_part *part, int first_pose)
{
    const qn_score_poses_room *room = launch->room;
    const qn_score_poses_receptor *receptor = launch->receptor;
    const bool exact = launch->problem->exact || !receptor->fast_pairs;
    const qn_argument scored[] = {
        qn_argument_buffer(receptor->places),      qn_argument_buffer(exact ? receptor->pairs : receptor->fast_pairs),
        qn_argument_buffer(receptor->second_rows), qn_argument_buffer(launch->near->class_of_row),
        qn_argument_buffer(launch->near->ranges),  qn_argument_buffer(launch->near->list),
        qn_argument_buffer(room->item_count),      qn_argument_buffer(room->bin_start),
        qn_argument_buffer(room->bin_of_block),    qn_argument_buffer(room->cursors),
        qn_argument_buffer(room->sorted),          qn_argument_buffer(room->item_energies),
        qn_argument_int32(receptor->stride),       qn_argument_int32(launch->near->lists.cell_count)};
    const qn_argument added[] = {qn_argument_buffer(launch->jobs),
                                 qn_argument_buffer(room->item_energies),
                                 qn_argument_buffer(room->used_bins),
                                 qn_argument_buffer(room->cursors),
                                 qn_argument_buffer(room->item_count),
                                 numbers(launch->energies, 1, launch->problem),
                                 qn_argument_int32(launch->problem->poses),
                                 qn_argument_int32(first_pose),
                                 qn_argument_int32(part->poses)};
    QN_TRY(run(launch, SCORE_NEAR, scored, part));
    return run(launch, ADD_ITEMS, added, part);
}

/* In parts of so many poses of each job. */
static qn_status score_on_device(const near_launch *launch, int most_poses)
{
    qn_score_poses_room *room = launch->room;
    const qn_score_poses_problem *problem = launch->problem;
    if (room->unclean)
        QN_TRY(qn_queue_fill(launch->queue, room->item_count, 0, qn_buffer_bytes(room->item_count), 0, NULL));
    room->unclean = true; /* should something fail on the way */
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
    /* The host driver runs its commands at the call, so that `call` is there as long as needed. */
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
        QN_FAIL(QN_INVALID_ARGUMENT, "score/score_poses_near: %d ligand atoms; expected 1 or more",
                problem->ligand_atoms);
    if (near->on_host) return score_on_host(&launch);
    const size_t most = room->items / (size_t)problem->ligand_atoms / QN_SCORE_POSES_STEP * QN_SCORE_POSES_STEP;
    if (most == 0) /* with the tuner's configuration, as this one is of another family */
        return qn_score_poses(queue, NULL, problem, receptor, jobs, atoms, transforms, energies, next_event(events));
    return score_on_device(&launch, (int)MIN(most, (size_t)problem->poses));
}

/* Entries of the list of a row for a cell. */
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
