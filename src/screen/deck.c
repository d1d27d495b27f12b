#include "screen/deck.h"

#include <math.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "job/tuning.h"
#include "runtime/device.h"

enum { MOST_EVENTS = 4096 };

void qn_screen_deck_transforms(const qn_screen_deck_data *deck, int poses, int padded, float *transforms)
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

void qn_screen_deck_run_clear(qn_screen_deck_run *run)
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

static qn_status prepare_culling(qn_device *device, const qn_screen_deck_data *deck, qn_screen_deck_run *run)
{
    const qn_bude_force_field force_field = {"deck", deck->types, deck->type_count};
    QN_TRY(qn_score_poses_near_create(device, run->receptor, &force_field, deck->receptor_positions,
                                      deck->receptor_types, (size_t)deck->receptor_count, &run->near));
    return qn_score_poses_room_create(device, run->near, (double)deck->ligand_count * run->problem.poses, &run->room);
}

static qn_status prepare(qn_device *device, const qn_screen_deck_data *deck, int poses, qn_screen_deck_run *run)
{
    const qn_bude_force_field force_field = {"deck", deck->types, deck->type_count};
    const qn_score_poses_job job = {0, deck->ligand_count};
    const size_t padded = (size_t)run->problem.poses;
    QN_TRY(qn_queue_create(device, &run->queue));
    QN_TRY(qn_score_poses_receptor_create(device, &force_field, deck->receptor_positions, deck->receptor_types,
                                          (size_t)deck->receptor_count, &run->receptor));
    QN_TRY(qn_allocate(12 * padded, sizeof(float), (void **)&run->transforms_here));
    qn_screen_deck_transforms(deck, poses, (int)padded, run->transforms_here);
    QN_TRY(upload(run->queue, &job, sizeof job, &run->jobs));
    QN_TRY(upload(run->queue, deck->ligand, (size_t)deck->ligand_count * sizeof *deck->ligand, &run->atoms));
    QN_TRY(upload(run->queue, run->transforms_here, 12 * padded * sizeof(float), &run->transforms));
    return qn_buffer_create(device, padded * sizeof(float), &run->energies);
}

qn_status qn_screen_deck_run_create(qn_device *device, const qn_screen_deck_data *deck, int poses, bool exact,
                                    bool cull, qn_screen_deck_run *run)
{
    *run = (qn_screen_deck_run){0};
    if (poses < 1 || poses > deck->pose_count)
        QN_FAIL(QN_INVALID_ARGUMENT, "%d poses; the deck has %d", poses, deck->pose_count);
    run->problem =
        (qn_score_poses_problem){.receptor_atoms = deck->receptor_count,
                                 .ligand_types = deck->type_count,
                                 .jobs = 1,
                                 .poses = (poses + QN_SCORE_POSES_STEP - 1) / QN_SCORE_POSES_STEP * QN_SCORE_POSES_STEP,
                                 .ligand_atoms = deck->ligand_count,
                                 .exact = exact};
    qn_status status = prepare(device, deck, poses, run);
    if (status == QN_OK && cull) status = prepare_culling(device, deck, run);
    if (status != QN_OK) qn_screen_deck_run_clear(run);
    return status;
}

qn_status qn_screen_deck_run_score(qn_screen_deck_run *run, const qn_configuration *configuration, double *seconds)
{
    qn_event *made[MOST_EVENTS] = {NULL};
    qn_score_poses_events events = {made, 0, MOST_EVENTS};
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

qn_status qn_screen_deck_score(qn_device *device, const qn_screen_deck_data *deck, int poses, bool exact, bool cull,
                               float *energies, double *seconds)
{
    qn_screen_deck_run run;
    QN_TRY(qn_screen_deck_run_create(device, deck, poses, exact, cull, &run));
    qn_status status = qn_screen_deck_run_score(&run, NULL, seconds);
    if (status == QN_OK)
        status = qn_queue_read(run.queue, run.energies, 0, energies, (size_t)poses * sizeof(float), NULL);
    if (status == QN_OK) status = qn_queue_finish(run.queue);
    qn_screen_deck_run_clear(&run);
    return status;
}

void qn_screen_deck_check(const qn_screen_deck_data *deck, int poses, const float *energies,
                          qn_screen_deck_summary *summary)
{
    summary->best_pose = 0;
    summary->worst_difference = 0;
    summary->failed = 0;
    summary->checked = poses < deck->reference_count ? poses : deck->reference_count;
    for (int i = 0; i < poses; i++)
        if (energies[i] < energies[summary->best_pose]) summary->best_pose = i;
    summary->best_energy = (double)energies[summary->best_pose];
    for (int i = 0; i < summary->checked; i++) {
        const double reference = deck->reference[i];
        double difference = fabs((double)energies[i] - reference) / fmax(1, fabs(reference));
        if (isnan(difference)) difference = INFINITY;
        summary->worst_difference = fmax(summary->worst_difference, difference);
        summary->failed += difference > QN_SCREEN_DECK_TOLERANCE;
    }
}

static qn_status write_energies(const char *path, const float *energies, int count)
{
    qn_text text = {0};
    qn_status status = QN_OK;
    for (int i = 0; i < count && status == QN_OK; i++) status = qn_text_append(&text, "%.6f\n", (double)energies[i]);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}

/* With what is known of the kernel's configurations, if the context has no tuner yet. */
static qn_status score_tuned(qn_device *device, const qn_screen_deck_data *deck, int poses, bool exact, bool cull,
                             float *scored, double *seconds)
{
    qn_context *context = qn_device_context(device);
    qn_tuning tuning = {0};
    if (!qn_context_configuration_source(context)->choose) QN_TRY(qn_tuning_start(context, "known", NULL, 0, &tuning));
    qn_status status = qn_screen_deck_score(device, deck, poses, exact, cull, scored, seconds);
    qn_tuning_finish(&tuning);
    return status;
}

qn_status qn_screen_deck(qn_device *device, const char *folder, int poses, bool exact, bool cull, const char *energies,
                         qn_screen_deck_summary *summary)
{
    qn_screen_deck_data deck;
    float *scored = NULL;
    *summary = (qn_screen_deck_summary){0};
    QN_TRY(qn_screen_deck_read(folder, &deck));
    if (poses == 0) poses = deck.pose_count;
    summary->receptor_atoms = deck.receptor_count;
    summary->ligand_atoms = deck.ligand_count;
    summary->poses = poses;
    qn_status status = QN_OK;
    if (poses < 0 || poses > deck.pose_count)
        status = qn_error_set(QN_INVALID_ARGUMENT, __FILE__, __LINE__, "%s: %d poses; expected 0 to the deck's %d",
                              folder, poses, deck.pose_count);
    if (status == QN_OK) status = qn_allocate((size_t)poses, sizeof *scored, (void **)&scored);
    if (status == QN_OK) status = score_tuned(device, &deck, poses, exact, cull, scored, &summary->seconds);
    if (status == QN_OK) {
        qn_screen_deck_check(&deck, poses, scored, summary);
        if (summary->seconds > 0)
            summary->interactions_per_s = (double)deck.receptor_count * deck.ligand_count * poses / summary->seconds;
        if (energies) status = write_energies(energies, scored, poses);
    }
    qn_release(&scored);
    qn_screen_deck_clear(&deck);
    return status;
}
