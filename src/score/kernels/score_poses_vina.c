#include "score/kernels/score_poses_vina.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "score/kernels/score_poses_vina_receptor.h"
#include "score/vina.h"

extern const char qn_score_score_poses_vina_source[];
QN_HOST_DECLARE(const qn_host_kernel, qn_score_score_poses_vina_host);

enum { GROUP_SIZE, CELLS, TUNABLES };

static qn_geometry geometry(const qn_configuration *configuration, const void *user)
{
    const qn_score_poses_vina_problem *problem = user;
    const size_t group = (size_t)configuration->value[GROUP_SIZE];
    const size_t groups = ((size_t)problem->poses + group - 1) / group;
    return (qn_geometry){{groups * group, (size_t)problem->jobs, 1}, {group, 1, 1}};
}

/* How many pairs are in reach is known only when all is done, so nothing of them is counted. */
static void work(const void *user, qn_work *least)
{
    const qn_score_poses_vina_problem *problem = user;
    const double poses = (double)problem->poses * problem->jobs;
    *least = (qn_work){.bytes_read = 48 * poses,
                       .bytes_written = 4 * poses,
                       .multiply_adds = 9.0 * problem->poses * problem->ligand_atoms};
}

static qn_status host(const qn_host_launch *launch)
{
    return QN_HOST_SELECT(qn_score_score_poses_vina_host)[0](launch);
}

static const qn_argument_declaration arguments[] = {
    {"places", QN_IN, QN_FLOAT32},
    {"pairs", QN_IN, QN_FLOAT32},
    {"columns", QN_IN, QN_FLOAT32},
    {"cell_starts", QN_IN, QN_INT32},
    {"grid", QN_IN, QN_FLOAT32},
    {"jobs", QN_IN, QN_INT32},
    {"shares", QN_IN, QN_FLOAT32},
    {"atoms", QN_IN, QN_BYTES},
    {"transforms", QN_IN, QN_FLOAT32},
    {"energies", QN_OUT, QN_FLOAT32},
    {"receptor_atoms", QN_VALUE, QN_INT32},
    {"stride", QN_VALUE, QN_INT32},
    {"nx", QN_VALUE, QN_INT32},
    {"ny", QN_VALUE, QN_INT32},
    {"nz", QN_VALUE, QN_INT32},
    {"poses", QN_VALUE, QN_INT32},
    {"job_count", QN_VALUE, QN_INT32},
};

static const qn_kernel_declaration kernels[] = {
    {"score", arguments, sizeof arguments / sizeof *arguments, geometry, host, work}};

static const qn_tunable tunables[TUNABLES] = {
    [GROUP_SIZE] = {"GROUP_SIZE", {32, 64, 128, 256}, 4, 64, "work-items per group"},
    [CELLS] = {"CELLS", {0, 1}, 2, 1, "only cells in reach of an atom are visited"},
};

static const char *const constraints[] = {
    "GROUP_SIZE <= device.largest_group",
    "!device.is_host || (GROUP_SIZE == 64 && CELLS == 1)",
};

const qn_family qn_score_score_poses_vina_family = {
    .name = "score/score_poses_vina",
    .source = qn_score_score_poses_vina_source,
    .source_path = "score/kernels/score_poses_vina.cl",
    .kernels = kernels,
    .kernel_count = 1,
    .tunables = tunables,
    .tunable_count = TUNABLES,
    .constraints = constraints,
    .constraint_count = sizeof constraints / sizeof *constraints,
};

float qn_score_poses_vina_share(double rotatable_bonds)
{
    return (float)(1 / (1 + QN_VINA_TORSION * rotatable_bonds));
}

/* Sizes to the nearest power of two. */
void qn_score_poses_vina_problem_class(double receptor_atoms, double ligand_atoms, double poses, char text[64])
{
    snprintf(text, 64, "receptor=2^%ld atoms=2^%ld poses=2^%ld", lround(log2(receptor_atoms)),
             lround(log2(fmax(1, ligand_atoms))), lround(log2(poses)));
}

qn_status qn_score_poses_vina(qn_queue *queue, const qn_configuration *configuration,
                              const qn_score_poses_vina_problem *problem, const qn_score_poses_vina_receptor *receptor,
                              qn_buffer *jobs, qn_buffer *shares, qn_buffer *atoms, qn_buffer *transforms,
                              qn_buffer *energies, qn_event **event)
{
    char problem_class[64];
    if (problem->jobs < 1 || problem->jobs > QN_SCORE_POSES_MOST_JOBS || problem->poses < QN_SCORE_POSES_STEP ||
        problem->poses % QN_SCORE_POSES_STEP != 0)
        QN_FAIL(QN_INVALID_ARGUMENT,
                "score/score_poses_vina: %d jobs of %d poses; expected 1 to %d of a multiple of %d", problem->jobs,
                problem->poses, QN_SCORE_POSES_MOST_JOBS, QN_SCORE_POSES_STEP);
    const size_t count = (size_t)problem->jobs, poses = count * (size_t)problem->poses;
    qn_argument values[] = {qn_argument_buffer(receptor->places),
                            qn_argument_buffer(receptor->pairs),
                            qn_argument_buffer(receptor->columns),
                            qn_argument_buffer(receptor->cell_starts),
                            qn_argument_buffer(receptor->grid),
                            qn_argument_range(jobs, 0, count * sizeof(qn_score_poses_job)),
                            qn_argument_range(shares, 0, count * sizeof(float)),
                            qn_argument_buffer(atoms),
                            qn_argument_range(transforms, 0, 12 * poses * sizeof(float)),
                            qn_argument_range(energies, 0, poses * sizeof(float)),
                            qn_argument_int32(receptor->atom_count),
                            qn_argument_int32(receptor->stride),
                            qn_argument_int32(receptor->cells[0]),
                            qn_argument_int32(receptor->cells[1]),
                            qn_argument_int32(receptor->cells[2]),
                            qn_argument_int32(problem->poses),
                            qn_argument_int32(problem->jobs)};
    qn_score_poses_vina_problem_class(receptor->atom_count, (double)problem->ligand_atoms / problem->jobs,
                                      (double)poses, problem_class);
    qn_family_call call = {.arguments = values,
                           .argument_count = sizeof values / sizeof *values,
                           .problem = problem,
                           .problem_class = problem_class,
                           .configuration = configuration};
    return qn_family_run(&qn_score_score_poses_vina_family, queue, &call, event);
}
