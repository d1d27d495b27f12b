#include "screen/search/kernels/evolve.h"

#include <math.h>
#include <stdio.h>

#include "math/random.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "screen/search/kernels/evolve.dev.h"

extern const char qn_screen_evolve_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_screen_evolve_host);

enum { DRAW, CHOOSE_BEST, CHOOSE_APART, NEIGHBOURS, DESCEND, KERNELS };

/* What geometry and work of a launch depend on. */
typedef struct launch_size {
    int jobs, items; /* items: of launches with one work-item each */
    double bytes_read, bytes_written;
} launch_size;

static qn_geometry item_geometry(const qn_configuration *configuration, const void *user)
{
    const launch_size *size = user;
    size_t group = (size_t)configuration->value[QN_EVOLVE_GROUP_SIZE], items = (size_t)size->items;
    return (qn_geometry){{(items + group - 1) / group * group, 1, 1}, {group, 1, 1}};
}

static qn_geometry job_geometry(const qn_configuration *configuration, const void *user)
{
    const launch_size *size = user;
    size_t group = (size_t)configuration->value[QN_EVOLVE_GROUP_SIZE];
    return (qn_geometry){{(size_t)size->jobs * group, 1, 1}, {group, 1, 1}};
}

static void launch_work(const void *user, qn_work *work)
{
    const launch_size *size = user;
    *work = (qn_work){.bytes_read = size->bytes_read, .bytes_written = size->bytes_written};
}

static const qn_argument_declaration draw_arguments[] = {
    {"words", QN_OUT, QN_UINT32},       {"transforms", QN_OUT, QN_FLOAT32}, {"parents", QN_IN, QN_UINT32},
    {"counts", QN_IN, QN_INT32},        {"keys", QN_IN, QN_UINT32},         {"frame", QN_IN, QN_FLOAT32},
    {"jobs", QN_VALUE, QN_INT32},       {"poses", QN_VALUE, QN_INT32},      {"keep", QN_VALUE, QN_INT32},
    {"generation", QN_VALUE, QN_INT32}, {"kind", QN_VALUE, QN_INT32},       {"spread_angle", QN_VALUE, QN_INT32},
    {"spread_x", QN_VALUE, QN_INT32},   {"spread_y", QN_VALUE, QN_INT32},   {"spread_z", QN_VALUE, QN_INT32}};
static const qn_argument_declaration best_arguments[] = {
    {"words", QN_IN, QN_UINT32},     {"energies", QN_IN, QN_UINT32}, {"old", QN_IN, QN_UINT32},
    {"old_counts", QN_IN, QN_INT32}, {"best", QN_OUT, QN_UINT32},    {"counts", QN_OUT, QN_INT32},
    {"jobs", QN_VALUE, QN_INT32},    {"poses", QN_VALUE, QN_INT32},  {"old_keep", QN_VALUE, QN_INT32},
    {"keep", QN_VALUE, QN_INT32}};
static const qn_argument_declaration apart_arguments[] = {
    {"parents", QN_IN, QN_UINT32},    {"counts", QN_IN, QN_INT32},   {"moments", QN_IN, QN_FLOAT32},
    {"frame", QN_IN, QN_FLOAT32},     {"chosen", QN_OUT, QN_UINT32}, {"chosen_counts", QN_OUT, QN_INT32},
    {"levels", QN_OUT, QN_INT32},     {"keep", QN_VALUE, QN_INT32},  {"winners", QN_VALUE, QN_INT32},
    {"apart2", QN_VALUE, QN_FLOAT32}, {"fill", QN_VALUE, QN_INT32}};
static const qn_argument_declaration neighbour_arguments[] = {
    {"transforms", QN_OUT, QN_FLOAT32}, {"chosen", QN_IN, QN_UINT32},       {"levels", QN_IN, QN_INT32},
    {"frame", QN_IN, QN_FLOAT32},       {"jobs", QN_VALUE, QN_INT32},       {"winners", QN_VALUE, QN_INT32},
    {"poses", QN_VALUE, QN_INT32},      {"last_level", QN_VALUE, QN_INT32}, {"step_angle", QN_VALUE, QN_INT32},
    {"step_x", QN_VALUE, QN_INT32},     {"step_y", QN_VALUE, QN_INT32},     {"step_z", QN_VALUE, QN_INT32}};
static const qn_argument_declaration descend_arguments[] = {
    {"chosen", QN_INOUT, QN_UINT32},    {"levels", QN_INOUT, QN_INT32},     {"energies", QN_IN, QN_UINT32},
    {"jobs", QN_VALUE, QN_INT32},       {"winners", QN_VALUE, QN_INT32},    {"poses", QN_VALUE, QN_INT32},
    {"last_level", QN_VALUE, QN_INT32}, {"step_angle", QN_VALUE, QN_INT32}, {"step_x", QN_VALUE, QN_INT32},
    {"step_y", QN_VALUE, QN_INT32},     {"step_z", QN_VALUE, QN_INT32}};

static qn_status host_draw(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_screen_evolve_host)[DRAW](launch);
}
static qn_status host_choose_best(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_screen_evolve_host)[CHOOSE_BEST](launch);
}
static qn_status host_choose_apart(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_screen_evolve_host)[CHOOSE_APART](launch);
}
static qn_status host_neighbours(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_screen_evolve_host)[NEIGHBOURS](launch);
}
static qn_status host_descend(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_screen_evolve_host)[DESCEND](launch);
}

static const qn_kernel_declaration kernels[KERNELS] = {
    {"draw", draw_arguments, 15, item_geometry, host_draw, launch_work},
    {"choose_best", best_arguments, 10, job_geometry, host_choose_best, launch_work},
    {"choose_apart", apart_arguments, 11, job_geometry, host_choose_apart, launch_work},
    {"neighbours", neighbour_arguments, 12, item_geometry, host_neighbours, launch_work},
    {"descend", descend_arguments, 11, item_geometry, host_descend, launch_work},
};

/* NVIDIA's OpenCL runs these kernels in groups of at most 256. */
static const qn_tunable tunables[] = {
    [QN_EVOLVE_GROUP_SIZE] = {"GROUP_SIZE", {64, 128, 256}, 3, 256, "work-items per group"},
};

/* Local memory: counters of digits, 2048 candidates, partial sums. */
static const char *const constraints[] = {"GROUP_SIZE <= device.largest_group",
                                          "4 * GROUP_SIZE + 24640 <= device.local_memory_bytes"};

const qn_family qn_screen_evolve_family = {
    .name = "screen/evolve",
    .source = qn_screen_evolve_source,
    .source_path = "screen/search/kernels/evolve.cl",
    .kernels = kernels,
    .kernel_count = KERNELS,
    .tunables = tunables,
    .tunable_count = 1,
    .constraints = constraints,
    .constraint_count = 2,
    .check_definitions = "CAPACITY=2048",
};

static float sine_of(int number)
{
    const double turn = 6.283185307179586;
    const int quarter = QN_EVOLVE_TABLE / 4, half = QN_EVOLVE_TABLE / 2;
    /* An eighth of a turn, mirrored, so that symmetric angles have the same sines to the last bit. */
    int within = number % half;
    if (within > quarter) within = half - within;
    double sine =
        within <= quarter / 2 ? sin(turn * within / QN_EVOLVE_TABLE) : cos(turn * (quarter - within) / QN_EVOLVE_TABLE);
    return (float)(number < half || within == 0 ? sine : -sine);
}

static void box_to_frame(const double centre[3], const double side[3], float box[6])
{
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = (float)(centre[axis] - side[axis] / 2);
        box[3 + axis] = (float)(side[axis] / QN_EVOLVE_TABLE);
    }
}

void qn_evolve_frame(const double box_centre_angstrom[3], const double box_side_angstrom[3],
                     float frame[QN_EVOLVE_FRAME])
{
    for (int number = 0; number < QN_EVOLVE_TABLE; number++) frame[number] = sine_of(number);
    box_to_frame(box_centre_angstrom, box_side_angstrom, frame + QN_EVOLVE_TABLE);
}

void qn_evolve_key(uint64_t seed, uint64_t hash, int conformer, int population, uint32_t key[2])
{
    uint32_t counter[4] = {(uint32_t)hash, (uint32_t)(hash >> 32), (uint32_t)conformer, (uint32_t)population};
    uint32_t words[4];
    uint32_t seeds[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    qn_random_block(counter, seeds, words);
    key[0] = words[0];
    key[1] = words[1];
}

void qn_evolve_pose_transform(const double box_centre_angstrom[3], const double box_side_angstrom[3],
                              const uint16_t numbers[6], float transform[12])
{
    float box[6], sines[3], cosines[3];
    box_to_frame(box_centre_angstrom, box_side_angstrom, box);
    for (int k = 0; k < 3; k++) {
        sines[k] = sine_of(numbers[k]);
        cosines[k] = sine_of((numbers[k] + QN_EVOLVE_TABLE / 4) % QN_EVOLVE_TABLE);
    }
    const int places[3] = {numbers[3], numbers[4], numbers[5]};
    pose_matrix(sines, cosines, transform);
    for (int k = 0; k < 3; k++) transform[4 * k + 3] = FMA((float)places[k], box[3 + k], box[k]);
}

int qn_evolve_neighbour_poses(const qn_evolve_problem *problem)
{
    return (problem->winners * QN_EVOLVE_NEIGHBOURS + 63) / 64 * 64;
}

/* A power of two that holds twice as many poses as are kept. */
static void definitions_of(const qn_evolve_problem *problem, char text[32])
{
    int capacity = 64;
    while (capacity < 2 * problem->parents) capacity *= 2;
    snprintf(text, 32, "CAPACITY=%d", capacity);
}

static qn_status run(qn_queue *queue, const qn_configuration *configuration, const qn_evolve_problem *problem,
                     int kernel, const qn_argument *arguments, const launch_size *size, qn_event **event)
{
    char definitions[32], problem_class[64];
    definitions_of(problem, definitions);
    snprintf(problem_class, sizeof problem_class, "poses=2^%ld parents=%d", lround(log2(problem->poses)),
             problem->parents);
    qn_family_call call = {.kernel = kernel,
                           .arguments = arguments,
                           .argument_count = kernels[kernel].argument_count,
                           .problem = size,
                           .problem_class = problem_class,
                           .definitions = definitions,
                           .configuration = configuration};
    return qn_family_run(&qn_screen_evolve_family, queue, &call, event);
}

/* The first `count` words of a buffer, which may have room for more. */
static qn_argument part(qn_buffer *buffer, int rows, int64_t count)
{
    return qn_argument_range(buffer, 0, (size_t)rows * (size_t)count * sizeof(uint32_t));
}

qn_status qn_evolve_draw(qn_queue *queue, const qn_configuration *configuration, const qn_evolve_problem *problem,
                         const qn_evolve_generation *generation, qn_buffer *words, qn_buffer *transforms,
                         const qn_evolve_list *parents, qn_buffer *keys, qn_buffer *frame, qn_event **event)
{
    const int items = problem->jobs * problem->poses;
    const launch_size size = {problem->jobs, items, 0, 60.0 * items};
    const qn_argument arguments[] = {part(words, 3, items),
                                     part(transforms, 12, items),
                                     qn_argument_buffer(parents->poses),
                                     qn_argument_buffer(parents->counts),
                                     qn_argument_buffer(keys),
                                     qn_argument_buffer(frame),
                                     qn_argument_int32(problem->jobs),
                                     qn_argument_int32(problem->poses),
                                     qn_argument_int32(parents->places),
                                     qn_argument_int32(generation->number),
                                     qn_argument_int32((int)generation->kind),
                                     qn_argument_int32(generation->spread_angle),
                                     qn_argument_int32(generation->spread_places[0]),
                                     qn_argument_int32(generation->spread_places[1]),
                                     qn_argument_int32(generation->spread_places[2])};
    return run(queue, configuration, problem, DRAW, arguments, &size, event);
}

qn_status qn_evolve_choose_best(qn_queue *queue, const qn_configuration *configuration,
                                const qn_evolve_problem *problem, int poses, qn_buffer *words, qn_buffer *energies,
                                const qn_evolve_list *old, const qn_evolve_list *best, qn_event **event)
{
    const launch_size size = {problem->jobs, 0, 4.0 * problem->jobs * poses, 16.0 * problem->jobs * best->places};
    const qn_argument arguments[] = {qn_argument_buffer(words),
                                     qn_argument_buffer(energies),
                                     qn_argument_buffer(old->poses),
                                     qn_argument_buffer(old->counts),
                                     part(best->poses, 4 * best->places, problem->jobs),
                                     part(best->counts, 1, problem->jobs),
                                     qn_argument_int32(problem->jobs),
                                     qn_argument_int32(poses),
                                     qn_argument_int32(old->places),
                                     qn_argument_int32(best->places)};
    return run(queue, configuration, problem, CHOOSE_BEST, arguments, &size, event);
}

qn_status qn_evolve_choose_apart(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_evolve_problem *problem, const qn_evolve_list *from, qn_buffer *moments,
                                 qn_buffer *frame, float apart_angstrom, bool fill, const qn_evolve_list *chosen,
                                 qn_buffer *levels, qn_event **event)
{
    const launch_size size = {problem->jobs, 0, 16.0 * problem->jobs * from->places,
                              16.0 * problem->jobs * chosen->places};
    const qn_argument arguments[] = {qn_argument_buffer(from->poses),
                                     qn_argument_buffer(from->counts),
                                     qn_argument_buffer(moments),
                                     qn_argument_buffer(frame),
                                     part(chosen->poses, 4 * chosen->places, problem->jobs),
                                     part(chosen->counts, 1, problem->jobs),
                                     part(levels, chosen->places, problem->jobs),
                                     qn_argument_int32(from->places),
                                     qn_argument_int32(chosen->places),
                                     qn_argument_float32(apart_angstrom * apart_angstrom),
                                     qn_argument_int32(fill)};
    return run(queue, configuration, problem, CHOOSE_APART, arguments, &size, event);
}

qn_status qn_evolve_neighbours(qn_queue *queue, const qn_configuration *configuration, const qn_evolve_problem *problem,
                               const qn_evolve_steps *steps, qn_buffer *transforms, qn_buffer *winners,
                               qn_buffer *levels, qn_buffer *frame, qn_event **event)
{
    const int poses = qn_evolve_neighbour_poses(problem), items = problem->jobs * poses;
    const launch_size size = {problem->jobs, items, 0, 48.0 * items};
    const qn_argument arguments[] = {part(transforms, 12, items),
                                     qn_argument_buffer(winners),
                                     qn_argument_buffer(levels),
                                     qn_argument_buffer(frame),
                                     qn_argument_int32(problem->jobs),
                                     qn_argument_int32(problem->winners),
                                     qn_argument_int32(poses),
                                     qn_argument_int32(steps->last_level),
                                     qn_argument_int32(steps->angle),
                                     qn_argument_int32(steps->places[0]),
                                     qn_argument_int32(steps->places[1]),
                                     qn_argument_int32(steps->places[2])};
    return run(queue, configuration, problem, NEIGHBOURS, arguments, &size, event);
}

qn_status qn_evolve_descend(qn_queue *queue, const qn_configuration *configuration, const qn_evolve_problem *problem,
                            const qn_evolve_steps *steps, qn_buffer *winners, qn_buffer *levels, qn_buffer *energies,
                            qn_event **event)
{
    const int items = problem->jobs * problem->winners, poses = qn_evolve_neighbour_poses(problem);
    const launch_size size = {problem->jobs, items, 4.0 * problem->jobs * poses, 16.0 * items};
    const qn_argument arguments[] = {
        qn_argument_buffer(winners),          qn_argument_buffer(levels),          qn_argument_buffer(energies),
        qn_argument_int32(problem->jobs),     qn_argument_int32(problem->winners), qn_argument_int32(poses),
        qn_argument_int32(steps->last_level), qn_argument_int32(steps->angle),     qn_argument_int32(steps->places[0]),
        qn_argument_int32(steps->places[1]),  qn_argument_int32(steps->places[2])};
    return run(queue, configuration, problem, DESCEND, arguments, &size, event);
}
