#include "score/deck.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum { EVENTS_MAX = 4096 };

void qn_deck_transforms(const qn_deck *deck, int poses, int padded, float *transforms)
{
    const size_t count = (size_t)deck->pose_count, row = (size_t)padded;
    for (size_t i = 0; i < row; i++) {
        const float *pose = deck->poses + (i < (size_t)poses ? i : (size_t)poses - 1);
        const double sx = sin((double)pose[0]), cx = cos((double)pose[0]);
        const double sy = sin((double)pose[count]), cy = cos((double)pose[count]);
        const double sz = sin((double)pose[2 * count]), cz = cos((double)pose[2 * count]);
        const double rotation[9] = {cy * cz,
                                    sx * sy * cz - cx * sz,
                                    cx * sy * cz + sx * sz,
                                    cy * sz,
                                    sx * sy * sz + cx * cz,
                                    cx * sy * sz - sx * cz,
                                    -sy,
                                    sx * cy,
                                    cx * cy};
        for (size_t axis = 0; axis < 3; axis++) {
            for (size_t k = 0; k < 3; k++) transforms[(4 * axis + k) * row + i] = (float)rotation[3 * axis + k];
            transforms[(4 * axis + 3) * row + i] = pose[(3 + axis) * count];
        }
    }
}

void qn_deck_run_clear(qn_deck_run *run)
{
    qn_queue_destroy(&run->queue);
    qn_score_poses_room_destroy(&run->room);
    qn_score_poses_near_destroy(&run->near);
    qn_score_poses_receptor_destroy(&run->receptor);
    qn_buffer_release(&run->jobs);
    qn_buffer_release(&run->atoms);
    qn_buffer_release(&run->transforms);
    qn_buffer_release(&run->energies);
    qn_release(&run->transforms_here);
}

static qn_status upload(qn_queue *queue, const void *data, size_t bytes, qn_buffer **buffer)
{
    QN_TRY(qn_buffer_create(qn_queue_device(queue), bytes, buffer));
    QN_TRY(qn_queue_write(queue, *buffer, 0, data, bytes, NULL));
    return qn_queue_finish(queue);
}

static qn_status prepare_culling(qn_device *device, const qn_deck *deck, qn_deck_run *run)
{
    const qn_bude_force_field force_field = {"deck", deck->types, deck->type_count};
    QN_TRY(qn_score_poses_near_create(device, run->receptor, &force_field, deck->receptor_positions,
                                      deck->receptor_types, (size_t)deck->receptor_count, &run->near));
    return qn_score_poses_room_create(device, run->near, (double)deck->ligand_count * run->problem.poses, &run->room);
}

static qn_status prepare(qn_device *device, const qn_deck *deck, int poses, qn_deck_run *run)
{
    const qn_bude_force_field force_field = {"deck", deck->types, deck->type_count};
    const qn_score_poses_job job = {0, deck->ligand_count};
    const size_t padded = (size_t)run->problem.poses;
    QN_TRY(qn_queue_create(device, &run->queue));
    QN_TRY(qn_score_poses_receptor_create(device, &force_field, deck->receptor_positions, deck->receptor_types,
                                          (size_t)deck->receptor_count, &run->receptor));
    QN_TRY(qn_allocate(12 * padded, sizeof(float), (void **)&run->transforms_here));
    qn_deck_transforms(deck, poses, (int)padded, run->transforms_here);
    QN_TRY(upload(run->queue, &job, sizeof job, &run->jobs));
    QN_TRY(upload(run->queue, deck->ligand, (size_t)deck->ligand_count * sizeof *deck->ligand, &run->atoms));
    QN_TRY(upload(run->queue, run->transforms_here, 12 * padded * sizeof(float), &run->transforms));
    return qn_buffer_create(device, padded * sizeof(float), &run->energies);
}

qn_status qn_deck_run_create(qn_device *device, const qn_deck *deck, int poses, bool exact, bool cull, qn_deck_run *run)
{
    *run = (qn_deck_run){0};
    if (poses < 1 || poses > deck->pose_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d %s; the deck has %d", poses, poses == 1 ? "pose" : "poses",
                       deck->pose_count);
    run->problem =
        (qn_score_poses_problem){.receptor_atoms = deck->receptor_count,
                                 .ligand_types = deck->type_count,
                                 .jobs = 1,
                                 .poses = (poses + QN_SCORE_POSES_STEP - 1) / QN_SCORE_POSES_STEP * QN_SCORE_POSES_STEP,
                                 .ligand_atoms = deck->ligand_count,
                                 .exact = exact};
    qn_status status = prepare(device, deck, poses, run);
    if (status == QN_OK && cull) status = prepare_culling(device, deck, run);
    if (status != QN_OK) qn_deck_run_clear(run);
    return status;
}

qn_status qn_deck_run_score(qn_deck_run *run, const qn_configuration *configuration, double *seconds)
{
    qn_event *made[EVENTS_MAX] = {NULL};
    qn_score_poses_events events = {made, 0, EVENTS_MAX};
    qn_status status;
    *seconds = 0;
    if (run->near) {
        status = qn_score_poses_in_reach(run->queue, configuration, &run->problem, run->receptor, run->near, run->room,
                                         run->jobs, run->atoms, run->transforms, run->energies, &events);
    } else {
        status = qn_score_poses(run->queue, configuration, &run->problem, run->receptor, run->jobs, run->atoms,
                                run->transforms, run->energies, &made[0]);
        events.count = 1;
    }
    for (int i = 0; i < events.count; i++) {
        double part = 0;
        if (status == QN_OK) status = qn_event_seconds(made[i], &part);
        *seconds += part;
        qn_event_destroy(&made[i]);
    }
    return status;
}

qn_status qn_deck_score(qn_device *device, const qn_deck *deck, int poses, bool exact, bool cull, float *energies,
                        double *seconds)
{
    qn_deck_run run;
    QN_TRY(qn_deck_run_create(device, deck, poses, exact, cull, &run));
    qn_status status = qn_deck_run_score(&run, NULL, seconds);
    if (status == QN_OK)
        status = qn_queue_read(run.queue, run.energies, 0, energies, (size_t)poses * sizeof(float), NULL);
    if (status == QN_OK) status = qn_queue_finish(run.queue);
    qn_deck_run_clear(&run);
    return status;
}
