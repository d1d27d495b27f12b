#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/pose.h"
#include "math/rotation.h"
#include "model/atom.h"
#include "model/neighbour_grid.h"

static const double interface_angstrom = 10;

typedef struct distance_job {
    const qn_dock_pose *poses;
    size_t count, points;
    const double *reference;      /* points × 3: ligand Cα and P, input coordinates */
    double *placed;               /* count × points × 3 */
    unsigned char *near_receptor; /* count × points */
    float *distances;
    const qn_neighbour_grid *receptor; /* heavy atoms */
} distance_job;

static bool is_heavy(const qn_molecule *molecule, const qn_atom *atom)
{
    (void)molecule;
    return !qn_atom_is_hydrogen(atom);
}

static qn_status place_pose(size_t index, int worker, void *user)
{
    const distance_job *job = user;
    const qn_dock_pose *pose = &job->poses[index];
    (void)worker;
    for (size_t point = 0; point < job->points; point++) {
        double *placed = job->placed + 3 * (index * job->points + point);
        qn_rotation_apply(pose->matrix, job->reference + 3 * point, placed);
        for (int axis = 0; axis < 3; axis++) placed[axis] += pose->translation_angstrom[axis];
        job->near_receptor[index * job->points + point] = qn_neighbour_grid_any(job->receptor, placed);
    }
    return QN_OK;
}

static qn_status distances_of_pose(size_t i, int worker, void *user)
{
    const distance_job *job = user;
    const double *a = job->placed + 3 * i * job->points;
    const unsigned char *near_a = job->near_receptor + i * job->points;
    (void)worker;
    for (size_t j = i; j < job->count; j++) {
        const double *b = job->placed + 3 * j * job->points;
        const unsigned char *near_b = job->near_receptor + j * job->points;
        double sum = 0;
        size_t used = 0;
        for (size_t point = 0; point < job->points; point++) {
            if (!near_a[point] && !near_b[point]) continue;
            double dx = a[3 * point] - b[3 * point], dy = a[3 * point + 1] - b[3 * point + 1],
                   dz = a[3 * point + 2] - b[3 * point + 2];
            sum += dx * dx + dy * dy + dz * dz;
            used++;
        }
        float distance = i == j ? 0 : used ? (float)sqrt(sum / (double)used) : INFINITY;
        job->distances[i * job->count + j] = job->distances[j * job->count + i] = distance;
    }
    return QN_OK;
}

/* Allocate memory for all poses, then run both passes. */
static qn_status measure(distance_job *job, qn_pool *pool)
{
    void *placed = NULL, *near_receptor = NULL;
    qn_status status = qn_allocate(3 * job->count * job->points, sizeof(double), &placed);
    if (status == QN_OK) status = qn_allocate(job->count * job->points, 1, &near_receptor);
    job->placed = placed;
    job->near_receptor = near_receptor;
    if (status == QN_OK) status = qn_pool_run(pool, job->count, place_pose, job);
    if (status == QN_OK) status = qn_pool_run(pool, job->count, distances_of_pose, job);
    qn_release(&placed);
    qn_release(&near_receptor);
    return status;
}

/* Copy the coordinates of the atoms that `wanted` selects; `points` × 3, allocated for all atoms. */
static size_t pick(const qn_molecule *molecule, bool (*wanted)(const qn_molecule *, const qn_atom *), double *points)
{
    size_t count = 0;
    for (size_t i = 0; i < molecule->atom_count; i++)
        if (wanted(molecule, &molecule->atoms[i]))
            memcpy(points + 3 * count++, molecule->atoms[i].position_angstrom, 3 * sizeof(double));
    return count;
}

qn_status qn_dock_pose_distances(const qn_molecule *receptor, const qn_molecule *ligand, const qn_dock_pose *poses,
                                 size_t count, qn_pool *pool, float **out)
{
    size_t most = receptor->atom_count > ligand->atom_count ? receptor->atom_count : ligand->atom_count;
    void *points, *distances = NULL;
    qn_neighbour_grid *neighbours = NULL;
    QN_TRY(qn_allocate(3 * most, sizeof(double), &points));
    size_t count_near = pick(receptor, is_heavy, points);
    qn_status status = qn_neighbour_grid_create(points, count_near, interface_angstrom, &neighbours);
    if (status == QN_OK) status = qn_allocate(count * count, sizeof(float), &distances);
    if (status == QN_OK) {
        distance_job job = {
            .poses = poses, .count = count, .reference = points, .receptor = neighbours, .distances = distances};
        job.points = pick(ligand, qn_atom_marks_residue, points);
        /* Distances of a ligand without Cα and P (a small molecule) are measured over all heavy atoms. */
        if (job.points == 0) job.points = pick(ligand, is_heavy, points);
        status = measure(&job, pool);
    }
    qn_neighbour_grid_destroy(&neighbours);
    qn_release(&points);
    if (status != QN_OK) {
        qn_release(&distances);
        return status;
    }
    *out = distances;
    return QN_OK;
}
