#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "score/kernels/score_poses_vina.h"
#include "score/vina.h"
#include "tune/workload_inputs.h"

#include <quern/workload.h>

enum { SAMPLES = 64, JOBS = 4 };

static const double tolerance = 1e-4;                /* relative to the energy, or in kcal/mol */
static const double atoms_per_cubic_angstrom = 0.05; /* heavy atoms in a protein */

typedef struct vina_state {
    qn_score_poses_vina_problem problem;
    uint64_t seed;
    int receptor_atoms, ligand_atoms, type_count;
    double side_angstrom; /* side of the receptor, a cube */
    double *positions;
    int *types;
    qn_score_poses_atom *atoms; /* of each job */
    float *transforms;
    qn_score_poses_vina_receptor *receptor;
    qn_buffer *jobs, *shares, *atom_buffer, *transform_buffer, *energies;
} vina_state;

static void destroy(void **pointer)
{
    vina_state *state = *pointer;
    if (!state) return;
    qn_score_poses_vina_receptor_destroy(&state->receptor);
    qn_buffer_release(&state->jobs);
    qn_buffer_release(&state->shares);
    qn_buffer_release(&state->atom_buffer);
    qn_buffer_release(&state->transform_buffer);
    qn_buffer_release(&state->energies);
    qn_release(&state->positions);
    qn_release(&state->types);
    qn_release(&state->atoms);
    qn_release(&state->transforms);
    qn_release(pointer);
}

/* Random number from −1 to 1. */
static float number(const vina_state *state, uint64_t stream, uint64_t index)
{
    return qn_workload_input(state->seed * 8 + stream, index);
}

static int type_from(const vina_state *state, uint64_t stream, uint64_t index)
{
    const int type = (int)(0.5f * (number(state, stream, index) + 1.0f) * (float)state->type_count);
    return type < state->type_count ? type : state->type_count - 1;
}

static qn_status make_receptor(vina_state *state, qn_device *device)
{
    const size_t count = (size_t)state->receptor_atoms;
    QN_TRY(qn_allocate(3 * count, sizeof(double), (void **)&state->positions));
    QN_TRY(qn_allocate(count, sizeof(int), (void **)&state->types));
    state->side_angstrom = cbrt(state->receptor_atoms / atoms_per_cubic_angstrom);
    for (size_t i = 0; i < 3 * count; i++) state->positions[i] = 0.5 * state->side_angstrom * number(state, 0, i);
    for (size_t i = 0; i < count; i++) state->types[i] = type_from(state, 1, i);
    return qn_score_poses_vina_receptor_create(device, state->positions, state->types, count, 1, &state->receptor);
}

/* Make ligands of one size, with coordinates within 6 Å and atoms in ascending order of types. */
static qn_status make_ligands(vina_state *state, qn_queue *queue)
{
    const size_t each = (size_t)state->ligand_atoms, count = JOBS * each;
    qn_score_poses_job jobs[JOBS];
    float shares[JOBS];
    QN_TRY(qn_allocate(count, sizeof *state->atoms, (void **)&state->atoms));
    for (size_t i = 0; i < count; i++) {
        qn_score_poses_atom *atom = &state->atoms[i];
        float *const place[3] = {&atom->x, &atom->y, &atom->z};
        for (size_t d = 0; d < 3; d++) *place[d] = 6.0f * number(state, 2, 3 * i + d);
        atom->type = (int)(i % each * (size_t)state->type_count / each);
    }
    for (int j = 0; j < JOBS; j++) {
        jobs[j] = (qn_score_poses_job){j * state->ligand_atoms, state->ligand_atoms};
        shares[j] = qn_score_poses_vina_share(j);
    }
    QN_TRY(qn_workload_make_buffer(queue, jobs, sizeof jobs, &state->jobs));
    QN_TRY(qn_workload_make_buffer(queue, shares, sizeof shares, &state->shares));
    return qn_workload_make_buffer(queue, state->atoms, count * sizeof *state->atoms, &state->atom_buffer);
}

/* Make a pose: a rotation from a random quaternion, a centre within 10 Å of the receptor's centre along each axis. */
static void make_pose(const vina_state *state, size_t pose, float *first, size_t row)
{
    float q[4], square = 0;
    for (size_t k = 0; k < 4; k++) {
        q[k] = number(state, 3, 4 * pose + k);
        square += q[k] * q[k];
    }
    const float s = 2.0f / fmaxf(square, 1e-6f);
    const float matrix[9] = {
        1 - s * (q[2] * q[2] + q[3] * q[3]), s * (q[1] * q[2] - q[0] * q[3]),     s * (q[1] * q[3] + q[0] * q[2]),
        s * (q[1] * q[2] + q[0] * q[3]),     1 - s * (q[1] * q[1] + q[3] * q[3]), s * (q[2] * q[3] - q[0] * q[1]),
        s * (q[1] * q[3] - q[0] * q[2]),     s * (q[2] * q[3] + q[0] * q[1]),     1 - s * (q[1] * q[1] + q[2] * q[2])};
    for (size_t d = 0; d < 3; d++) {
        for (size_t k = 0; k < 3; k++) first[(4 * d + k) * row] = matrix[3 * d + k];
        first[(4 * d + 3) * row] = 10.0f * number(state, 4, 3 * pose + d);
    }
}

static qn_status make_poses(vina_state *state, qn_queue *queue)
{
    const size_t count = (size_t)JOBS * (size_t)state->problem.poses;
    QN_TRY(qn_allocate(12 * count, sizeof(float), (void **)&state->transforms));
    for (size_t pose = 0; pose < count; pose++) make_pose(state, pose, state->transforms + pose, count);
    QN_TRY(qn_workload_make_buffer(queue, state->transforms, 12 * count * sizeof(float), &state->transform_buffer));
    return qn_buffer_create(qn_queue_device(queue), count * sizeof(float), &state->energies);
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **out)
{
    QN_TRY(qn_workload_check_size("score/score_poses_vina", "receptor atoms", sizes[0], 1, 1 << 20, 1));
    QN_TRY(qn_workload_check_size("score/score_poses_vina", "ligand atoms", sizes[1], 1, 1024, 1));
    QN_TRY(qn_workload_check_size("score/score_poses_vina", "poses", sizes[2], 64, 1 << 20, 64));
    QN_TRY(qn_allocate(1, sizeof(vina_state), out));
    vina_state *state = *out;
    state->problem = (qn_score_poses_vina_problem){JOBS, sizes[2], JOBS * sizes[1]};
    state->receptor_atoms = sizes[0];
    state->ligand_atoms = sizes[1];
    state->seed = seed;
    qn_vina_type_table(&state->type_count);
    qn_status status = make_receptor(state, qn_queue_device(queue));
    if (status == QN_OK) status = make_ligands(state, queue);
    if (status == QN_OK) status = make_poses(state, queue);
    if (status != QN_OK) destroy(out);
    return status;
}

static qn_status clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((vina_state *)pointer)->energies, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    vina_state *state = pointer;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    qn_status status =
        qn_score_poses_vina(queue, configuration, &state->problem, state->receptor, state->jobs, state->shares,
                            state->atom_buffer, state->transform_buffer, state->energies, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Check poses of all jobs, the last pose among them. */
static qn_status check(void *pointer, qn_queue *queue, double *largest_error)
{
    const vina_state *state = pointer;
    const size_t poses = (size_t)state->problem.poses, count = JOBS * poses;
    *largest_error = 0;
    for (size_t i = 1; i <= SAMPLES; i++) {
        const size_t pose = count * i / SAMPLES - 1, job = pose / poses;
        float transform[12], energy;
        double doubt;
        for (size_t k = 0; k < 12; k++) transform[k] = state->transforms[k * count + pose];
        QN_TRY(qn_workload_read(queue, state->energies, pose * sizeof(float), &energy, sizeof energy));
        const double expected = qn_score_poses_vina_reference(
            state->positions, state->types, (size_t)state->receptor_atoms,
            state->atoms + job * (size_t)state->ligand_atoms, state->ligand_atoms, transform, (double)job, &doubt);
        const double allowed = doubt + tolerance * fmax(1, fabs(expected));
        *largest_error = qn_workload_larger_error(*largest_error, fabs(energy - expected) / allowed);
    }
    return QN_OK;
}

static const void *problem_of(const void *pointer)
{
    return &((const vina_state *)pointer)->problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_score_score_poses_vina_family.kernels[0].work(&((const vina_state *)pointer)->problem, least);
}

static void problem_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    qn_score_poses_vina_problem_class(sizes[0], sizes[1], (double)JOBS * sizes[2], text);
}

extern const qn_workload qn_score_score_poses_vina_workload;
const qn_workload qn_score_score_poses_vina_workload = {
    .name = "score/score_poses_vina",
    .summary = "Vina's energies of poses of four ligands in a protein",
    .family = &qn_score_score_poses_vina_family,
    .size_names = {"receptor atoms", "ligand atoms", "poses"},
    .gpu_sizes = {2048, 32, 65536},
    .cpu_sizes = {2048, 32, 512},
    .create = create,
    .clear = clear,
    .run = run,
    .check = check,
    .work = work,
    .problem_class = problem_class,
    .destroy = destroy,
    .problem = problem_of,
};
