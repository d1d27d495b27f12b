#include "dock/ranking/crowd.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/atom.h"

static const double interface_angstrom = 10;

typedef struct crowd_job {
    const qn_placement *placements;
    const qn_neighbour_grid *receptor;
    double *points, centre[3]; /* of the ligand; points relative to the centre */
    size_t count;
    qn_crowd *crowd;
} crowd_job;

static void add_point(const qn_atom *atom, crowd_job *job)
{
    memcpy(job->points + 3 * job->count++, atom->position_angstrom, 3 * sizeof(double));
}

/* List the points; those of a ligand without Cα and P are all its heavy atoms. */
static void list_points(const qn_molecule *ligand, crowd_job *job)
{
    for (size_t i = 0; i < ligand->atom_count; i++)
        if (qn_atom_marks_residue(ligand, &ligand->atoms[i])) add_point(&ligand->atoms[i], job);
    for (size_t i = 0, none = job->count == 0; none && i < ligand->atom_count; i++)
        if (!qn_atom_is_hydrogen(&ligand->atoms[i])) add_point(&ligand->atoms[i], job);
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < job->count; i++)
            job->centre[axis] += job->points[3 * i + (size_t)axis] / (double)job->count;
        for (size_t i = 0; i < job->count; i++) job->points[3 * i + (size_t)axis] -= job->centre[axis];
    }
}

static qn_status place(size_t index, int worker, void *user)
{
    const crowd_job *job = user;
    const qn_placement *placement = &job->placements[index];
    qn_crowd_pose *pose = &job->crowd->poses[index];
    double middle[3];
    (void)worker;
    qn_rotation_apply(placement->matrix, job->centre, middle);
    for (int row = 0; row < 3; row++) {
        pose->motion[row][0] = middle[row] + placement->translation_angstrom[row];
        memcpy(pose->motion[row] + 1, placement->matrix + 3 * row, 3 * sizeof(double));
    }
    for (size_t i = 0; i < job->count; i++) {
        const double *x = job->points + 3 * i, point[4] = {1, x[0], x[1], x[2]};
        double at[3];
        for (int row = 0; row < 3; row++) {
            at[row] = 0;
            for (int k = 0; k < 4; k++) at[row] += pose->motion[row][k] * point[k];
        }
        if (job->receptor && !qn_neighbour_grid_any(job->receptor, at)) continue;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) pose->moments[a][b] += point[a] * point[b];
    }
    return QN_OK;
}

static qn_status make_grid(const qn_surface *receptor, qn_neighbour_grid **grid)
{
    void *memory;
    QN_TRY(qn_allocate(3 * receptor->atom_count, sizeof(double), &memory));
    double *atoms = memory;
    for (size_t i = 0; i < receptor->atom_count; i++)
        memcpy(atoms + 3 * i, receptor->atoms[i].position_angstrom, 3 * sizeof(double));
    const qn_status status = qn_neighbour_grid_create(atoms, receptor->atom_count, interface_angstrom, grid);
    qn_release(&memory);
    return status;
}

qn_status qn_crowd_create(const qn_surface *receptor, const qn_molecule *ligand, const qn_placement *poses,
                          size_t count, qn_pool *pool, qn_crowd *crowd)
{
    void *points = NULL, *memory = NULL;
    qn_neighbour_grid *grid = NULL;
    *crowd = (qn_crowd){.count = count};
    qn_status status = qn_allocate(count, sizeof *crowd->poses, &memory);
    crowd->poses = memory;
    if (status == QN_OK) status = qn_allocate(3 * ligand->atom_count, sizeof(double), &points);
    if (status == QN_OK && receptor) status = make_grid(receptor, &grid);
    if (status == QN_OK) {
        crowd_job job = {.placements = poses, .receptor = grid, .points = points, .crowd = crowd};
        list_points(ligand, &job);
        status = qn_pool_run(pool, count, place, &job);
    }
    qn_neighbour_grid_destroy(&grid);
    qn_release(&points);
    if (status != QN_OK) qn_crowd_clear(crowd);
    return status;
}

void qn_crowd_clear(qn_crowd *crowd)
{
    qn_release(&crowd->poses);
    crowd->count = 0;
}

double qn_crowd_distance(const qn_crowd *crowd, size_t i, size_t j)
{
    const qn_crowd_pose *a = &crowd->poses[i], *b = &crowd->poses[j];
    const double atoms = a->moments[0][0] + b->moments[0][0];
    double moments[4][4], sum = 0;
    if (atoms == 0) return INFINITY;
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < 4; l++) moments[k][l] = a->moments[k][l] + b->moments[k][l];
    for (int row = 0; row < 3; row++) {
        double apart[4];
        for (int k = 0; k < 4; k++) apart[k] = a->motion[row][k] - b->motion[row][k];
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < 4; l++) sum += apart[k] * moments[k][l] * apart[l];
    }
    return sqrt(fmax(0, sum) / atoms);
}

typedef struct scored_pose {
    double score;
    size_t index;
} scored_pose;

static int by_score(const void *left, const void *right)
{
    const scored_pose *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

qn_status qn_crowd_choose(const qn_crowd *crowd, const double *scores, double apart_angstrom, size_t most,
                          size_t *chosen, size_t *chosen_count, size_t *owners)
{
    void *memory;
    QN_TRY(qn_allocate(crowd->count, sizeof(scored_pose), &memory));
    scored_pose *order = memory;
    for (size_t i = 0; i < crowd->count; i++) {
        order[i] = (scored_pose){scores[i], i};
        owners[i] = SIZE_MAX;
    }
    if (crowd->count) qsort(order, crowd->count, sizeof *order, by_score);
    *chosen_count = 0;
    for (size_t k = 0; k < crowd->count && *chosen_count < most; k++) {
        const size_t index = order[k].index;
        if (owners[index] != SIZE_MAX || order[k].score == -(double)INFINITY) continue;
        for (size_t j = 0; j < crowd->count; j++)
            if (owners[j] == SIZE_MAX && (j == index || qn_crowd_distance(crowd, index, j) <= apart_angstrom))
                owners[j] = *chosen_count;
        chosen[(*chosen_count)++] = index;
    }
    qn_release(&memory);
    return QN_OK;
}

/* Which poses are near which, as bits. */
typedef struct near_job {
    const qn_crowd *crowd;
    double radius_angstrom;
    size_t words; /* of a row */
    uint64_t *near;
} near_job;

static bool is_near(const near_job *job, size_t i, size_t j)
{
    return job->near[i * job->words + j / 64] >> j % 64 & 1;
}

static qn_status find_near(size_t index, int worker, void *user)
{
    const near_job *job = user;
    (void)worker;
    for (size_t j = 0; j < job->crowd->count; j++)
        if (j == index || qn_crowd_distance(job->crowd, index, j) <= job->radius_angstrom)
            job->near[index * job->words + j / 64] |= (uint64_t)1 << j % 64;
    return QN_OK;
}

/* Give the pose `choice`, the k-th of the choices, all poses around it that are free, and take their weights from the
 * sums of their neighbours. */
static void own(const near_job *job, const double *weights, size_t choice, size_t k, double *around, size_t *owners)
{
    for (size_t j = 0; j < job->crowd->count; j++) {
        if (owners[j] != SIZE_MAX || !is_near(job, choice, j)) continue;
        owners[j] = k;
        for (size_t i = 0; i < job->crowd->count; i++)
            if (is_near(job, j, i)) around[i] -= weights[j];
    }
}

static void gather(const near_job *job, const double *weights, size_t most, double *around, size_t *chosen,
                   double *sums, size_t *chosen_count, size_t *owners)
{
    const size_t count = job->crowd->count;
    for (size_t i = 0; i < count; i++) {
        owners[i] = SIZE_MAX;
        for (size_t j = 0; j < count; j++)
            if (is_near(job, i, j)) around[i] += weights[j];
    }
    for (*chosen_count = 0; *chosen_count < most; ++*chosen_count) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < count; i++)
            if (owners[i] == SIZE_MAX && (best == SIZE_MAX || around[i] > around[best])) best = i;
        if (best == SIZE_MAX) return;
        chosen[*chosen_count] = best;
        sums[*chosen_count] = around[best];
        own(job, weights, best, *chosen_count, around, owners);
    }
}

qn_status qn_crowd_gather(const qn_crowd *crowd, const double *weights, double radius_angstrom, size_t most,
                          qn_pool *pool, size_t *chosen, double *sums, size_t *chosen_count, size_t *owners)
{
    void *near = NULL, *around = NULL;
    near_job job = {.crowd = crowd, .radius_angstrom = radius_angstrom, .words = (crowd->count + 63) / 64};
    *chosen_count = 0;
    qn_status status = qn_allocate(crowd->count * job.words, sizeof(uint64_t), &near);
    if (status == QN_OK) status = qn_allocate(crowd->count, sizeof(double), &around);
    job.near = near;
    if (status == QN_OK) status = qn_pool_run(pool, crowd->count, find_near, &job);
    if (status == QN_OK) gather(&job, weights, most, around, chosen, sums, chosen_count, owners);
    qn_release(&near);
    qn_release(&around);
    return status;
}
