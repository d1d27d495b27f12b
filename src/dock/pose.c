#include "dock/pose.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

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

typedef struct rescore_job {
    const qn_dock_grid *grid;
    const float *receptor_grids;
    const qn_dock_ligand *ligand;
    const double *matrices;
    const int32_t *rotations;
    const candidate *candidates;
    qn_dock_pose *poses;
} rescore_job;

static qn_status rescore(size_t index, int worker, void *user)
{
    const rescore_job *job = user;
    const candidate *from = &job->candidates[index];
    qn_dock_pose *pose = &job->poses[index];
    (void)worker;
    pose->rotation = from->rotation;
    pose->cell = from->cell;
    memcpy(pose->matrix, job->matrices + 9 * (size_t)from->rotation, sizeof pose->matrix);
    qn_dock_grid_translation(job->grid, from->cell, pose->matrix, pose->translation_angstrom);
    pose->energy = qn_dock_rescore(job->grid, job->receptor_grids, job->ligand,
                                   job->rotations + 9 * (size_t)from->rotation, from->cell, pose->terms);
    return QN_OK;
}

qn_status qn_dock_poses_rank(const qn_dock_grid *grid, const float *receptor_grids, const qn_dock_ligand *ligand,
                             const double *matrices, const int32_t *rotations, int rotation_count, int per_rotation,
                             const qn_dock_hit *hits, size_t keep, qn_pool *pool, qn_dock_pose **out,
                             size_t *pose_count)
{
    size_t all = (size_t)rotation_count * (size_t)per_rotation, count = 0;
    void *candidates_memory, *poses_memory;
    QN_TRY(qn_allocate(all, sizeof(candidate), &candidates_memory));
    candidate *candidates = candidates_memory;
    for (size_t i = 0; i < all; i++)
        if (hits[i].cell >= 0)
            candidates[count++] = (candidate){hits[i].energy, (int32_t)(i / (size_t)per_rotation), hits[i].cell};
    qsort(candidates, count, sizeof *candidates, by_grid_energy);
    if (count > RESCORED_PER_KEPT * keep) count = RESCORED_PER_KEPT * keep;
    qn_status status = qn_allocate(count, sizeof(qn_dock_pose), &poses_memory);
    if (status == QN_OK) {
        rescore_job job = {grid, receptor_grids, ligand, matrices, rotations, candidates, poses_memory};
        status = qn_pool_run(pool, count, rescore, &job);
        qsort(poses_memory, count, sizeof(qn_dock_pose), by_energy);
    }
    qn_release(&candidates_memory);
    QN_TRY(status);
    *out = poses_memory;
    *pose_count = count < keep ? count : keep;
    return QN_OK;
}
