#include "score/kernels/score_poses_vina.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"
#include "score/kernels/score_poses_vina_receptor.h"
#include "score/vina.h"

#include "score/kernels/score_poses_vina.dev.h"

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

/* Least work without pairs, since the number of pairs within reach is not known in advance. */
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

_Static_assert(sizeof(vina_scalars) == 7 * 4, "no padding");

static const qn_argument_declaration arguments[VINA_ARGUMENTS] = {
    [VINA_PLACES] = {"places", QN_IN, QN_FLOAT32},
    [VINA_PAIRS] = {"pairs", QN_IN, QN_FLOAT32},
    [VINA_COLUMNS] = {"columns", QN_IN, QN_FLOAT32},
    [VINA_CELL_STARTS] = {"cell_starts", QN_IN, QN_INT32},
    [VINA_GRID] = {"grid", QN_IN, QN_FLOAT32},
    [VINA_JOBS] = {"jobs", QN_IN, QN_INT32},
    [VINA_SHARES] = {"shares", QN_IN, QN_FLOAT32},
    [VINA_ATOMS] = {"atoms", QN_IN, QN_BYTES},
    [VINA_TRANSFORMS] = {"transforms", QN_IN, QN_FLOAT32},
    [VINA_ENERGIES] = {"energies", QN_OUT, QN_FLOAT32},
    [VINA_SCALARS] = {"scalars", QN_VALUE, QN_BYTES, sizeof(vina_scalars)},
};

static const qn_kernel_declaration kernels[] = {{"score", arguments, VINA_ARGUMENTS, geometry, host, work}};

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

/* Sizes are rounded to the nearest power of two. */
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
    if (problem->jobs < 1 || problem->jobs > QN_SCORE_POSES_JOBS_MAX || problem->poses < QN_SCORE_POSES_STEP ||
        problem->poses % QN_SCORE_POSES_STEP != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "score/score_poses_vina: %d jobs of %d poses; expected 1 to %d of a multiple of %d",
                       problem->jobs, problem->poses, QN_SCORE_POSES_JOBS_MAX, QN_SCORE_POSES_STEP);
    const size_t count = (size_t)problem->jobs, poses = count * (size_t)problem->poses;
    const vina_scalars scalars = {
        .receptor_atoms = receptor->atom_count,
        .stride = receptor->stride,
        .nx = receptor->cells[0],
        .ny = receptor->cells[1],
        .nz = receptor->cells[2],
        .poses = problem->poses,
        .job_count = problem->jobs,
    };
    const qn_argument values[VINA_ARGUMENTS] = {
        [VINA_PLACES] = qn_argument_buffer(receptor->places),
        [VINA_PAIRS] = qn_argument_buffer(receptor->pairs),
        [VINA_COLUMNS] = qn_argument_buffer(receptor->columns),
        [VINA_CELL_STARTS] = qn_argument_buffer(receptor->cell_starts),
        [VINA_GRID] = qn_argument_buffer(receptor->grid),
        [VINA_JOBS] = qn_argument_range(jobs, 0, count * sizeof(qn_score_poses_job)),
        [VINA_SHARES] = qn_argument_range(shares, 0, count * sizeof(float)),
        [VINA_ATOMS] = qn_argument_buffer(atoms),
        [VINA_TRANSFORMS] = qn_argument_range(transforms, 0, 12 * poses * sizeof(float)),
        [VINA_ENERGIES] = qn_argument_range(energies, 0, poses * sizeof(float)),
        [VINA_SCALARS] = qn_argument_struct(&scalars, sizeof scalars),
    };
    qn_score_poses_vina_problem_class(receptor->atom_count, (double)problem->ligand_atoms / problem->jobs,
                                      (double)poses, problem_class);
    qn_family_call call = {.arguments = values,
                           .argument_count = VINA_ARGUMENTS,
                           .problem = problem,
                           .problem_class = problem_class,
                           .configuration = configuration};
    return qn_family_run(&qn_score_score_poses_vina_family, queue, &call, event);
}
