#include "score/kernels/score_poses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "score/kernels/score_poses_receptor.h"

#include "score/kernels/score_poses.dev.h"

extern const char qn_score_score_poses_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_score_score_poses_host);

enum { GROUP_SIZE, POSES_PER_ITEM, ATOMS_PER_ITEM, VECTOR_WIDTH, TILE, UNROLLED, RESIDENT, TUNABLES };

static qn_geometry score_geometry(const qn_configuration *configuration, const void *user)
{
    const qn_score_poses_problem *problem = user;
    const int *value = configuration->value;
    const size_t group = (size_t)value[GROUP_SIZE];
    const size_t poses = group * (size_t)value[POSES_PER_ITEM] * (size_t)value[VECTOR_WIDTH];
    const size_t groups = ((size_t)problem->poses + poses - 1) / poses;
    return (qn_geometry){{groups * group, (size_t)problem->jobs, 1}, {group, 1, 1}};
}

/* Multiply-adds of a pair: 3 differences, 3 for the squared distance, 1 for the distance from its reciprocal root, 2
 * for each ramp. */
static void score_work(const void *user, qn_work *work)
{
    const qn_score_poses_problem *problem = user;
    const double poses = problem->poses, atoms = problem->ligand_atoms;
    const double pairs = poses * atoms * problem->receptor_atoms;
    *work = (qn_work){.bytes_read =
                          48 * poses * problem->jobs + 16.0 * problem->receptor_atoms * (1 + problem->ligand_types),
                      .bytes_written = 4 * poses * problem->jobs,
                      .multiply_adds = 11 * pairs + 9 * poses * atoms,
                      .reciprocal_roots = pairs};
}

_Static_assert(sizeof(score_scalars) == 4 * 4, "no padding");

static const qn_argument_declaration score_arguments[SCORE_ARGUMENTS] = {
    [SCORE_PLACES] = {"places", QN_IN, QN_FLOAT32},
    [SCORE_PAIRS] = {"pairs", QN_IN, QN_FLOAT32},
    [SCORE_SECOND_ROWS] = {"second_rows", QN_IN, QN_INT32},
    [SCORE_JOBS] = {"jobs", QN_IN, QN_INT32},
    [SCORE_ATOMS] = {"atoms", QN_IN, QN_BYTES},
    [SCORE_TRANSFORMS] = {"transforms", QN_IN, QN_FLOAT32},
    [SCORE_ENERGIES] = {"energies", QN_OUT, QN_FLOAT32},
    [SCORE_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(score_scalars)},
};

static qn_status host_score(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_score_score_poses_host)[0](launch);
}

static const qn_kernel_declaration kernels[] = {
    {"score", score_arguments, SCORE_ARGUMENTS, score_geometry, host_score, score_work},
};

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {1, 32, 64, 128, 256}, 5, 64, "work-items per group"},
    [POSES_PER_ITEM] = {"POSES_PER_ITEM", {1, 2, 4}, 3, 2, "vectors of poses of a work-item"},
    [ATOMS_PER_ITEM] = {"ATOMS_PER_ITEM", {1, 2, 4}, 3, 2, "ligand atoms of one type at once"},
    [VECTOR_WIDTH] = {"VECTOR_WIDTH", {1, 4, 8, 16}, 4, 1, "poses per vector"},
    [TILE] = {"TILE", {0, 64, 128, 256, 512}, 5, 128, "receptor atoms in local memory; 0: read from global memory"},
    [UNROLLED] = {"UNROLLED", {1, 2, 4, 8}, 4, 4, "receptor atoms in a row"},
    [RESIDENT] = {"RESIDENT",
                  {0, 1, 2, 4, 8},
                  5,
                  0,
                  "groups that must fit a multiprocessor's registers; 0: the compiler's choice"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",    "32 * TILE <= device.local_memory_bytes",
    "VECTOR_WIDTH == 1 || device.is_opencl", "POSES_PER_ITEM * ATOMS_PER_ITEM <= 8",
    "GROUP_SIZE > 1 || TILE == 0",           "RESIDENT == 0 || (device.is_cuda && RESIDENT * GROUP_SIZE <= 1024)",
};

const qn_family qn_score_score_poses_family = {
    .name = "score/score_poses",
    .source = qn_score_score_poses_source,
    .source_path = "score/kernels/score_poses.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
    .check_definitions = "EXACT=0",
};

qn_status qn_score_poses_check(const qn_score_poses_problem *problem, const qn_score_poses_receptor *receptor,
                               const qn_device_info *device)
{
    if (problem->exact && !device->rounds_roots)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s cannot round square roots correctly; expected a device that can for exact energies",
                       device->identifier);
    if (problem->jobs < 1 || problem->jobs > QN_SCORE_POSES_JOBS_MAX || problem->poses < QN_SCORE_POSES_STEP ||
        problem->poses % QN_SCORE_POSES_STEP != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "score/score_poses: %d jobs of %d poses; expected 1 to %d of a multiple of %d", problem->jobs,
                       problem->poses, QN_SCORE_POSES_JOBS_MAX, QN_SCORE_POSES_STEP);
    if (problem->receptor_atoms != receptor->atom_count || problem->ligand_types != receptor->type_count)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "score/score_poses: %d receptor atoms and %d types; expected the receptor's, %d and %d",
                       problem->receptor_atoms, problem->ligand_types, receptor->atom_count, receptor->type_count);
    return QN_OK;
}

void qn_score_poses_problem_class(const qn_score_poses_problem *problem, char text[64])
{
    const long poses = lround(log2((double)problem->poses * problem->jobs));
    snprintf(text, 64, "poses<=2^%ld%s", poses < 11 ? 11 : poses > 16 ? 16 : poses, problem->exact ? " exact" : "");
}

qn_status qn_score_poses(qn_queue *queue, const qn_configuration *configuration, const qn_score_poses_problem *problem,
                         const qn_score_poses_receptor *receptor, qn_buffer *jobs, qn_buffer *atoms,
                         qn_buffer *transforms, qn_buffer *energies, qn_event **event)
{
    char problem_class[64], definitions[32];
    QN_TRY(qn_score_poses_check(problem, receptor, qn_device_get_info(qn_queue_device(queue))));
    const bool exact = problem->exact || !receptor->fast_pairs;
    const size_t poses = (size_t)problem->jobs * (size_t)problem->poses;
    const score_scalars scalars = {
        .stride = receptor->stride,
        .poses = problem->poses,
        .job_count = problem->jobs,
        .exact = problem->exact,
    };
    const qn_argument arguments[SCORE_ARGUMENTS] = {
        [SCORE_PLACES] = qn_argument_buffer(receptor->places),
        [SCORE_PAIRS] = qn_argument_buffer(exact ? receptor->pairs : receptor->fast_pairs),
        [SCORE_SECOND_ROWS] = qn_argument_buffer(receptor->second_rows),
        [SCORE_JOBS] = qn_argument_buffer(jobs),
        [SCORE_ATOMS] = qn_argument_buffer(atoms),
        [SCORE_TRANSFORMS] = qn_argument_range(transforms, 0, 12 * poses * sizeof(float)),
        [SCORE_ENERGIES] = qn_argument_range(energies, 0, poses * sizeof(float)),
        [SCORE_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    qn_score_poses_problem_class(problem, problem_class);
    snprintf(definitions, sizeof definitions, "EXACT=%d", exact);
    qn_family_call call = {.arguments = arguments,
                           .argument_count = SCORE_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .definitions = definitions,
                           .configuration = configuration};
    return qn_family_run(&qn_score_score_poses_family, queue, &call, event);
}
