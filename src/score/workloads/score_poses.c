#include "score/workloads/score_poses_state.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum { POSES, LIGAND_ATOMS, RECEPTOR_ATOMS, CHECKED = 48, POSES_MAX = 1 << 22, LIGAND_ATOMS_MAX = 4096 };

extern const qn_workload qn_score_score_poses_workload;

void qn_score_poses_state_destroy(void **pointer)
{
    qn_score_poses_state *state = *pointer;
    if (!state) return;
    qn_deck_run_clear(&state->run);
    qn_deck_clear(&state->deck);
    qn_release(pointer);
}

qn_status qn_score_poses_state_create(const char *name, qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES],
                                      uint64_t seed, bool cull, void **out)
{
    void *memory;
    QN_TRY(qn_workload_check_size(name, "poses", sizes[POSES], QN_SCORE_POSES_STEP, POSES_MAX, QN_SCORE_POSES_STEP));
    QN_TRY(qn_workload_check_size(name, "ligand_atoms", sizes[LIGAND_ATOMS], 1, LIGAND_ATOMS_MAX, 1));
    QN_TRY(qn_workload_check_size(name, "receptor_atoms", sizes[RECEPTOR_ATOMS], 1, QN_SCORE_POSES_ATOMS_MAX, 1));
    QN_TRY(qn_allocate(1, sizeof(qn_score_poses_state), &memory));
    qn_score_poses_state *state = memory;
    qn_status status = qn_deck_draw(sizes[RECEPTOR_ATOMS], sizes[LIGAND_ATOMS], sizes[POSES], seed, &state->deck);
    if (status == QN_OK)
        status = qn_deck_run_create(qn_queue_device(queue), &state->deck, sizes[POSES], false, cull, &state->run);
    *out = state;
    if (status != QN_OK) qn_score_poses_state_destroy(out);
    return status;
}

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **state)
{
    return qn_score_poses_state_create("score/score_poses", queue, sizes, seed, false, state);
}

qn_status qn_score_poses_state_clear(void *pointer, qn_queue *queue)
{
    return qn_workload_fill(queue, ((qn_score_poses_state *)pointer)->run.energies, 0xff);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    qn_score_poses_state *state = pointer;
    const qn_deck_run *deck = &state->run;
    qn_event *event = NULL;
    if (seconds) *seconds = 0;
    const qn_status status = qn_score_poses(queue, configuration, &deck->problem, deck->receptor, deck->jobs,
                                            deck->atoms, deck->transforms, deck->energies, &event);
    return qn_workload_take_seconds(status, &event, 1, seconds);
}

/* Pick poses to check, the first and the last among them, and put them into one job: `transforms` 12 × CHECKED. */
static size_t pick_poses(const qn_score_poses_state *state, size_t *picked, float *transforms)
{
    const size_t poses = (size_t)state->deck.pose_count, count = poses < CHECKED ? poses : CHECKED;
    for (size_t i = 0; i < count; i++) {
        picked[i] = count > 1 ? i * (poses - 1) / (count - 1) : 0;
        for (size_t k = 0; k < 12; k++)
            transforms[k * count + i] = state->run.transforms_here[k * (size_t)state->run.problem.poses + picked[i]];
    }
    return count;
}

/* Errors are relative to max(1, |energy|), because energies are sums of thousands of pairs of both signs. */
qn_status qn_score_poses_state_check(void *pointer, qn_queue *queue, double *largest_error)
{
    const qn_score_poses_state *state = pointer;
    const qn_deck *deck = &state->deck;
    const qn_bude_force_field force_field = {"deck", deck->types, deck->type_count};
    const qn_score_poses_job job = {0, deck->ligand_count};
    float transforms[12 * CHECKED], *energies = NULL;
    double expected[CHECKED];
    size_t picked[CHECKED];
    const size_t count = pick_poses(state, picked, transforms), poses = (size_t)deck->pose_count;
    qn_score_poses_problem problem = state->run.problem;
    problem.poses = (int)count;
    *largest_error = 0;
    QN_TRY(qn_score_poses_reference(&problem, &force_field, deck->receptor_positions, deck->receptor_types, &job,
                                    deck->ligand, transforms, expected));
    QN_TRY(qn_allocate(poses, sizeof *energies, (void **)&energies));
    const qn_status status = qn_workload_read(queue, state->run.energies, 0, energies, poses * sizeof *energies);
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        const double error = fabs((double)energies[picked[i]] - expected[i]);
        *largest_error =
            qn_workload_larger_error(*largest_error, error / (QN_DECK_TOLERANCE * fmax(1, fabs(expected[i]))));
    }
    qn_release(&energies);
    return status;
}

static const void *problem(const void *pointer)
{
    return &((const qn_score_poses_state *)pointer)->run.problem;
}

static void work(const void *pointer, qn_work *least)
{
    qn_score_score_poses_family.kernels[0].work(problem(pointer), least);
}

void qn_score_poses_state_class(const int sizes[QN_WORKLOAD_SIZES], char text[64])
{
    const qn_score_poses_problem one_job = {.jobs = 1, .poses = sizes[POSES]};
    qn_score_poses_problem_class(&one_job, text);
}

const qn_workload qn_score_score_poses_workload = {
    .name = "score/score_poses",
    .summary = "BUDE energies of a ligand's poses",
    .family = &qn_score_score_poses_family,
    .size_names = {"poses", "ligand_atoms", "receptor_atoms"},
    .gpu_sizes = {65536, 32, 2048},
    .cpu_sizes = {2048, 32, 1024},
    .create = create,
    .clear = qn_score_poses_state_clear,
    .run = run,
    .check = qn_score_poses_state_check,
    .work = work,
    .problem_class = qn_score_poses_state_class,
    .destroy = qn_score_poses_state_destroy,
    .problem = problem,
};
