#include "score/workloads/score_poses_state.h"

extern const qn_workload qn_score_score_poses_near_workload;

enum { EVENTS_MAX = 1024 };

static qn_status create(qn_queue *queue, const int sizes[QN_WORKLOAD_SIZES], uint64_t seed, void **state)
{
    return qn_score_poses_state_create("score/score_poses_near", queue, sizes, seed, true, state);
}

static qn_status run(void *pointer, qn_queue *queue, const qn_configuration *configuration, double *seconds)
{
    const qn_deck_run *deck = &((qn_score_poses_state *)pointer)->run;
    qn_event *made[EVENTS_MAX];
    qn_score_poses_events events = {made, 0, EVENTS_MAX};
    if (seconds) *seconds = 0;
    const qn_status status =
        qn_score_poses_in_reach(queue, configuration, &deck->problem, deck->receptor, deck->near, deck->room,
                                deck->jobs, deck->atoms, deck->transforms, deck->energies, &events);
    return qn_workload_take_seconds(status, made, events.count, seconds);
}

/* Least work without pairs, since the number of pairs within reach is not known in advance. */
static void work(const void *pointer, qn_work *least)
{
    const qn_score_poses_problem *problem = &((const qn_score_poses_state *)pointer)->run.problem;
    const double poses = problem->poses;
    *least = (qn_work){.bytes_read = 48 * poses, .bytes_written = 4 * poses};
    least->multiply_adds = 9 * poses * problem->ligand_atoms;
}

const qn_workload qn_score_score_poses_near_workload = {
    .name = "score/score_poses_near",
    .summary = "the same, from receptor atoms within reach",
    .family = &qn_score_score_poses_near_family,
    .size_names = {"poses", "ligand_atoms", "receptor_atoms"},
    .gpu_sizes = {65536, 32, 2048},
    .cpu_sizes = {8192, 32, 1024},
    .create = create,
    .clear = qn_score_poses_state_clear,
    .run = run,
    .check = qn_score_poses_state_check,
    .work = work,
    .problem_class = qn_score_poses_state_class,
    .destroy = qn_score_poses_state_destroy,
};
