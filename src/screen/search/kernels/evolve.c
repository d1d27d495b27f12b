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

/* Sizes that the geometry and the work of a launch depend on. */
typedef struct launch_size {
    int jobs, items; /* items: number of work-items, in launches with one for each item */
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

_Static_assert(sizeof(draw_scalars) == 9 * 4 && sizeof(best_scalars) == 4 * 4 && sizeof(apart_scalars) == 4 * 4 &&
                   sizeof(neighbour_scalars) == 8 * 4,
               "no padding");

static const qn_argument_declaration draw_arguments[DRAW_ARGUMENTS] = {
    [DRAW_WORDS] = {"words", QN_OUT, QN_UINT32},
    [DRAW_TRANSFORMS] = {"transforms", QN_OUT, QN_FLOAT32},
    [DRAW_PARENTS] = {"parents", QN_IN, QN_UINT32},
    [DRAW_COUNTS] = {"counts", QN_IN, QN_INT32},
    [DRAW_KEYS] = {"keys", QN_IN, QN_UINT32},
    [DRAW_FRAME] = {"frame", QN_IN, QN_FLOAT32},
    [DRAW_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(draw_scalars)},
};
static const qn_argument_declaration best_arguments[BEST_ARGUMENTS] = {
    [BEST_WORDS] = {"words", QN_IN, QN_UINT32},
    [BEST_ENERGIES] = {"energies", QN_IN, QN_UINT32},
    [BEST_OLD] = {"old", QN_IN, QN_UINT32},
    [BEST_OLD_COUNTS] = {"old_counts", QN_IN, QN_INT32},
    [BEST_BEST] = {"best", QN_OUT, QN_UINT32},
    [BEST_COUNTS] = {"counts", QN_OUT, QN_INT32},
    [BEST_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(best_scalars)},
};
static const qn_argument_declaration apart_arguments[APART_ARGUMENTS] = {
    [APART_PARENTS] = {"parents", QN_IN, QN_UINT32},
    [APART_COUNTS] = {"counts", QN_IN, QN_INT32},
    [APART_MOMENTS] = {"moments", QN_IN, QN_FLOAT32},
    [APART_FRAME] = {"frame", QN_IN, QN_FLOAT32},
    [APART_CHOSEN] = {"chosen", QN_OUT, QN_UINT32},
    [APART_CHOSEN_COUNTS] = {"chosen_counts", QN_OUT, QN_INT32},
    [APART_LEVELS] = {"levels", QN_OUT, QN_INT32},
    [APART_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(apart_scalars)},
};
static const qn_argument_declaration neighbour_arguments[NEIGHBOURS_ARGUMENTS] = {
    [NEIGHBOURS_TRANSFORMS] = {"transforms", QN_OUT, QN_FLOAT32},
    [NEIGHBOURS_CHOSEN] = {"chosen", QN_IN, QN_UINT32},
    [NEIGHBOURS_LEVELS] = {"levels", QN_IN, QN_INT32},
    [NEIGHBOURS_FRAME] = {"frame", QN_IN, QN_FLOAT32},
    [NEIGHBOURS_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(neighbour_scalars)},
};
static const qn_argument_declaration descend_arguments[DESCEND_ARGUMENTS] = {
    [DESCEND_CHOSEN] = {"chosen", QN_INOUT, QN_UINT32},
    [DESCEND_LEVELS] = {"levels", QN_INOUT, QN_INT32},
    [DESCEND_ENERGIES] = {"energies", QN_IN, QN_UINT32},
    [DESCEND_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(neighbour_scalars)},
};

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
    {"draw", draw_arguments, DRAW_ARGUMENTS, item_geometry, host_draw, launch_work},
    {"choose_best", best_arguments, BEST_ARGUMENTS, job_geometry, host_choose_best, launch_work},
    {"choose_apart", apart_arguments, APART_ARGUMENTS, job_geometry, host_choose_apart, launch_work},
    {"neighbours", neighbour_arguments, NEIGHBOURS_ARGUMENTS, item_geometry, host_neighbours, launch_work},
    {"descend", descend_arguments, DESCEND_ARGUMENTS, item_geometry, host_descend, launch_work},
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
    /* Compute an eighth of a turn and mirror it, so that sines of symmetric angles are equal to the last bit. */
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

static void transform_of(const float *frame, const uint16_t numbers[6], float transform[12])
{
    uint32_t words[3];
    for (int k = 0; k < 3; k++) words[k] = (uint32_t)numbers[2 * k] << 16 | numbers[2 * k + 1];
    pose_transform(words, frame, transform);
}

float qn_evolve_distance2(const float frame[QN_EVOLVE_FRAME], const float moments[6], const uint16_t first[6],
                          const uint16_t second[6])
{
    float one[12], other[12], weighed[12];
    transform_of(frame, first, one);
    transform_of(frame, second, other);
    pose_weigh(one, moments, weighed);
    return pose_distance2(weighed, other, moments[0] + moments[1] + moments[2]);
}

int qn_evolve_neighbour_poses(const qn_evolve_problem *problem)
{
    return (problem->winners * QN_EVOLVE_NEIGHBOURS + 63) / 64 * 64;
}

/* CAPACITY: a power of two, at least twice the number of poses that are kept. */
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

/* The first rows × count words of a buffer, which may be larger. */
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
    const draw_scalars scalars = {
        .jobs = problem->jobs,
        .poses = problem->poses,
        .keep = parents->places,
        .generation = generation->number,
        .kind = (int)generation->kind,
        .spread_angle = generation->spread_angle,
        .spread = {generation->spread_places[0], generation->spread_places[1], generation->spread_places[2]},
    };
    const qn_argument arguments[DRAW_ARGUMENTS] = {
        [DRAW_WORDS] = part(words, 3, items),
        [DRAW_TRANSFORMS] = part(transforms, 12, items),
        [DRAW_PARENTS] = qn_argument_buffer(parents->poses),
        [DRAW_COUNTS] = qn_argument_buffer(parents->counts),
        [DRAW_KEYS] = qn_argument_buffer(keys),
        [DRAW_FRAME] = qn_argument_buffer(frame),
        [DRAW_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return run(queue, configuration, problem, DRAW, arguments, &size, event);
}

qn_status qn_evolve_choose_best(qn_queue *queue, const qn_configuration *configuration,
                                const qn_evolve_problem *problem, int poses, qn_buffer *words, qn_buffer *energies,
                                const qn_evolve_list *old, const qn_evolve_list *best, qn_event **event)
{
    const launch_size size = {problem->jobs, 0, 4.0 * problem->jobs * poses, 16.0 * problem->jobs * best->places};
    const best_scalars scalars = {
        .jobs = problem->jobs,
        .poses = poses,
        .old_keep = old->places,
        .keep = best->places,
    };
    const qn_argument arguments[BEST_ARGUMENTS] = {
        [BEST_WORDS] = qn_argument_buffer(words),
        [BEST_ENERGIES] = qn_argument_buffer(energies),
        [BEST_OLD] = qn_argument_buffer(old->poses),
        [BEST_OLD_COUNTS] = qn_argument_buffer(old->counts),
        [BEST_BEST] = part(best->poses, 4 * best->places, problem->jobs),
        [BEST_COUNTS] = part(best->counts, 1, problem->jobs),
        [BEST_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return run(queue, configuration, problem, CHOOSE_BEST, arguments, &size, event);
}

qn_status qn_evolve_choose_apart(qn_queue *queue, const qn_configuration *configuration,
                                 const qn_evolve_problem *problem, const qn_evolve_list *from, qn_buffer *moments,
                                 qn_buffer *frame, float apart_angstrom, bool fill, const qn_evolve_list *chosen,
                                 qn_buffer *levels, qn_event **event)
{
    const launch_size size = {problem->jobs, 0, 16.0 * problem->jobs * from->places,
                              16.0 * problem->jobs * chosen->places};
    const apart_scalars scalars = {
        .keep = from->places,
        .winners = chosen->places,
        .apart2 = apart_angstrom * apart_angstrom,
        .fill = fill,
    };
    const qn_argument arguments[APART_ARGUMENTS] = {
        [APART_PARENTS] = qn_argument_buffer(from->poses),
        [APART_COUNTS] = qn_argument_buffer(from->counts),
        [APART_MOMENTS] = qn_argument_buffer(moments),
        [APART_FRAME] = qn_argument_buffer(frame),
        [APART_CHOSEN] = part(chosen->poses, 4 * chosen->places, problem->jobs),
        [APART_CHOSEN_COUNTS] = part(chosen->counts, 1, problem->jobs),
        [APART_LEVELS] = part(levels, chosen->places, problem->jobs),
        [APART_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return run(queue, configuration, problem, CHOOSE_APART, arguments, &size, event);
}

qn_status qn_evolve_neighbours(qn_queue *queue, const qn_configuration *configuration, const qn_evolve_problem *problem,
                               const qn_evolve_steps *steps, qn_buffer *transforms, qn_buffer *winners,
                               qn_buffer *levels, qn_buffer *frame, qn_event **event)
{
    const int poses = qn_evolve_neighbour_poses(problem), items = problem->jobs * poses;
    const launch_size size = {problem->jobs, items, 0, 48.0 * items};
    const neighbour_scalars scalars = {
        .jobs = problem->jobs,
        .winners = problem->winners,
        .poses = poses,
        .last_level = steps->last_level,
        .step_angle = steps->angle,
        .step = {steps->places[0], steps->places[1], steps->places[2]},
    };
    const qn_argument arguments[NEIGHBOURS_ARGUMENTS] = {
        [NEIGHBOURS_TRANSFORMS] = part(transforms, 12, items),
        [NEIGHBOURS_CHOSEN] = qn_argument_buffer(winners),
        [NEIGHBOURS_LEVELS] = qn_argument_buffer(levels),
        [NEIGHBOURS_FRAME] = qn_argument_buffer(frame),
        [NEIGHBOURS_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return run(queue, configuration, problem, NEIGHBOURS, arguments, &size, event);
}

qn_status qn_evolve_descend(qn_queue *queue, const qn_configuration *configuration, const qn_evolve_problem *problem,
                            const qn_evolve_steps *steps, qn_buffer *winners, qn_buffer *levels, qn_buffer *energies,
                            qn_event **event)
{
    const int items = problem->jobs * problem->winners, poses = qn_evolve_neighbour_poses(problem);
    const launch_size size = {problem->jobs, items, 4.0 * problem->jobs * poses, 16.0 * items};
    const neighbour_scalars scalars = {
        .jobs = problem->jobs,
        .winners = problem->winners,
        .poses = poses,
        .last_level = steps->last_level,
        .step_angle = steps->angle,
        .step = {steps->places[0], steps->places[1], steps->places[2]},
    };
    const qn_argument arguments[DESCEND_ARGUMENTS] = {
        [DESCEND_CHOSEN] = qn_argument_buffer(winners),
        [DESCEND_LEVELS] = qn_argument_buffer(levels),
        [DESCEND_ENERGIES] = qn_argument_buffer(energies),
        [DESCEND_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    return run(queue, configuration, problem, DESCEND, arguments, &size, event);
}
