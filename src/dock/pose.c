#include "dock/pose.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/rescorer.h"

enum { RESCORED_PER_KEPT = 4 };

typedef struct candidate {
    float energy;
    int32_t rotation, cell;
} candidate;

static int by_grid_energy(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->energy != b->energy) return a->energy < b->energy ? -1 : 1;
    if (a->rotation != b->rotation) return a->rotation < b->rotation ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

static int by_energy(const void *left, const void *right)
{
    const qn_dock_pose *a = left, *b = right;
    if (a->energy != b->energy) return a->energy < b->energy ? -1 : 1;
    if (a->rotation != b->rotation) return a->rotation < b->rotation ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

void qn_dock_pose_add_restraints(const qn_dock_energy *energy, const qn_dock_restraints *restraints, qn_dock_pose *pose)
{
    if (!restraints) return;
    const int mask = energy->term_count - 1;
    const double added = qn_dock_restraints_energy(restraints, pose->matrix, pose->translation_angstrom);
    pose->terms[mask] += added;
    pose->energy += energy->sets[pose->set].weight[mask] * added;
}

typedef struct rescore_job {
    const qn_dock_candidates *from;
    const qn_dock_rescorer *rescorer;
    size_t set;
    const candidate *candidates;
    qn_dock_pose *poses;
} rescore_job;

static qn_status rescore(size_t index, int worker, void *user)
{
    const rescore_job *job = user;
    const qn_dock_candidates *from = job->from;
    const candidate *hit = &job->candidates[index];
    qn_dock_pose *pose = &job->poses[index];
    (void)worker;
    pose->rotation = hit->rotation;
    pose->cell = hit->cell;
    pose->set = job->set;
    memcpy(pose->matrix, from->matrices + 9 * (size_t)hit->rotation, sizeof pose->matrix);
    qn_dock_grid_translation(from->grid, hit->cell, pose->matrix, pose->translation_angstrom);
    pose->energy = qn_dock_rescorer_score(job->rescorer, job->set, from->rotations + 9 * (size_t)hit->rotation,
                                          hit->cell, pose->terms);
    qn_dock_pose_add_restraints(from->energy, from->restraints, pose);
    return QN_OK;
}

static bool satisfies_restraints(const qn_dock_candidates *from, size_t rotation, long cell)
{
    double translation[3];
    const double *matrix = from->matrices + 9 * rotation;
    if (!from->restraints || from->restraints->required == 0) return true;
    qn_dock_grid_translation(from->grid, cell, matrix, translation);
    return qn_dock_restraints_satisfied(from->restraints, matrix, translation) >= from->restraints->required;
}

/* Sort the candidates, and keep the `most` best. */
static void cut(candidate *list, size_t most, size_t *count)
{
    if (*count) qsort(list, *count, sizeof *list, by_grid_energy);
    if (*count > most) *count = most;
}

/* Keep a candidate if it may be among the `most` best. The list has room for 2 · most. */
static void offer(candidate *list, size_t most, size_t *count, bool *was_cut, const candidate *offered)
{
    if (*was_cut && by_grid_energy(offered, &list[most - 1]) > 0) return;
    list[(*count)++] = *offered;
    if (*count < 2 * most) return;
    cut(list, most, count);
    *was_cut = true;
}

/* The `most` best candidates of a set, the best first. */
static qn_status gather(const qn_dock_candidates *from, size_t set, size_t most, candidate **out, size_t *count)
{
    const size_t sets = from->energy->set_count, per_rotation = (size_t)from->per_rotation;
    const size_t all = (size_t)from->rotation_count * per_rotation;
    void *memory;
    if (most > all) most = all;
    QN_TRY(qn_allocate(2 * most, sizeof(candidate), &memory));
    candidate *candidates = memory;
    bool was_cut = false;
    *count = 0;
    for (size_t rotation = 0; rotation < (size_t)from->rotation_count && most > 0; rotation++)
        for (size_t k = 0; k < per_rotation; k++) {
            const qn_dock_hit *hit = &from->hits[(rotation * sets + set) * per_rotation + k];
            if (hit->cell < 0 || !satisfies_restraints(from, rotation, hit->cell)) continue;
            offer(candidates, most, count, &was_cut, &(candidate){hit->energy, (int32_t)rotation, hit->cell});
        }
    cut(candidates, most, count);
    *out = candidates;
    return QN_OK;
}

qn_status qn_dock_poses_rank(const qn_dock_candidates *from, size_t set, size_t keep, qn_pool *pool, qn_dock_pose **out,
                             size_t *pose_count)
{
    size_t count;
    candidate *candidates;
    void *poses = NULL;
    qn_dock_rescorer rescorer = {0};
    QN_TRY(gather(from, set, RESCORED_PER_KEPT * keep, &candidates, &count));
    qn_status status = qn_dock_rescorer_create(from->grid, from->energy, from->ligand, from->cells, &rescorer);
    if (status == QN_OK) status = qn_allocate(count, sizeof(qn_dock_pose), &poses);
    if (status == QN_OK) {
        rescore_job job = {from, &rescorer, set, candidates, poses};
        status = qn_pool_run(pool, count, rescore, &job);
        if (count) qsort(poses, count, sizeof(qn_dock_pose), by_energy);
    }
    qn_dock_rescorer_clear(&rescorer);
    qn_release(&candidates);
    if (status != QN_OK) qn_release(&poses);
    QN_TRY(status);
    *out = poses;
    *pose_count = count < keep ? count : keep;
    return QN_OK;
}
