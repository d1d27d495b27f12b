#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/pose.h"
#include "math/rotation.h"

static const double interface_angstrom = 10;

typedef struct distance_job {
    const qn_dock_pose *poses;
    size_t count, points;
    const double *reference;      /* points × 3: ligand Cα and P, input coordinates */
    double *placed;               /* count × points × 3 */
    unsigned char *near_receptor; /* count × points */
    float *distances;
    /* Receptor heavy atoms sorted into cubes of side interface_angstrom: atoms of cube c are start[c] … start[c + 1]. */
    const double *receptor;
    const size_t *start;
    double low[3];
    long cubes[3];
} distance_job;

static bool is_heavy(const qn_atom *atom) { return strcmp(atom->element, "H") != 0 && strcmp(atom->element, "D") != 0; }

/* One atom a residue: Cα of amino acids, P of nucleotides. Calcium ("CA" of a residue CA) is no Cα. */
static bool marks_residue(const qn_molecule *molecule, const qn_atom *atom)
{
    const qn_residue *residue = &molecule->residues[atom->residue];
    if (strcmp(atom->name, "CA") == 0) return strcmp(atom->element, "CA") != 0 && residue->atom_count > 1;
    return strcmp(atom->name, "P") == 0 && strlen(residue->name) <= 2;
}

static long cube_of(const distance_job *job, const double *point, int axis)
{
    return (long)floor((point[axis] - job->low[axis]) / interface_angstrom);
}

static bool touches_receptor(const distance_job *job, const double *point)
{
    long at[3] = {cube_of(job, point, 0), cube_of(job, point, 1), cube_of(job, point, 2)};
    for (long z = at[2] - 1; z <= at[2] + 1; z++)
        for (long y = at[1] - 1; y <= at[1] + 1; y++)
            for (long x = at[0] - 1; x <= at[0] + 1; x++) {
                if (x < 0 || y < 0 || z < 0 || x >= job->cubes[0] || y >= job->cubes[1] || z >= job->cubes[2]) continue;
                size_t cube = (size_t)(x + job->cubes[0] * (y + job->cubes[1] * z));
                for (size_t i = job->start[cube]; i < job->start[cube + 1]; i++) {
                    double dx = job->receptor[3 * i] - point[0], dy = job->receptor[3 * i + 1] - point[1],
                           dz = job->receptor[3 * i + 2] - point[2];
                    if (dx * dx + dy * dy + dz * dz <= interface_angstrom * interface_angstrom) return true;
                }
            }
    return false;
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
        job->near_receptor[index * job->points + point] = touches_receptor(job, placed);
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

/* Sort receptor heavy atoms into cubes. */
static qn_status sort_receptor(const qn_molecule *receptor, distance_job *job, void **atoms_memory, void **start_memory)
{
    double high[3];
    qn_dock_bounding_box(receptor, job->low, high);
    for (int axis = 0; axis < 3; axis++)
        job->cubes[axis] = (long)floor((high[axis] - job->low[axis]) / interface_angstrom) + 1;
    size_t cubes = (size_t)(job->cubes[0] * job->cubes[1] * job->cubes[2]);
    QN_TRY(qn_allocate(3 * receptor->atom_count, sizeof(double), atoms_memory));
    QN_TRY(qn_allocate(cubes + 2, sizeof(size_t), start_memory));
    double *sorted = *atoms_memory;
    size_t *start = (size_t *)*start_memory + 1; /* counting sort: start[c] runs from the begin of c to its end */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < receptor->atom_count; i++) {
            const double *position = receptor->atoms[i].position_angstrom;
            if (!is_heavy(&receptor->atoms[i])) continue;
            size_t cube = (size_t)(cube_of(job, position, 0) +
                                   job->cubes[0] * (cube_of(job, position, 1) + job->cubes[1] * cube_of(job, position, 2)));
            if (pass == 0)
                for (size_t later = cube + 1; later <= cubes; later++) start[later]++;
            else
                memcpy(sorted + 3 * start[cube]++, position, 3 * sizeof(double));
        }
    job->receptor = sorted;
    job->start = *start_memory;
    return QN_OK;
}

/* Room for all poses, then the two passes. */
static qn_status measure(distance_job *job, const qn_molecule *receptor, qn_pool *pool)
{
    void *atoms = NULL, *start = NULL, *placed = NULL, *near_receptor = NULL;
    qn_status status = sort_receptor(receptor, job, &atoms, &start);
    if (status == QN_OK) status = qn_allocate(3 * job->count * job->points, sizeof(double), &placed);
    if (status == QN_OK) status = qn_allocate(job->count * job->points, 1, &near_receptor);
    job->placed = placed;
    job->near_receptor = near_receptor;
    if (status == QN_OK) status = qn_pool_run(pool, job->count, place_pose, job);
    if (status == QN_OK) status = qn_pool_run(pool, job->count, distances_of_pose, job);
    qn_release(&atoms);
    qn_release(&start);
    qn_release(&placed);
    qn_release(&near_receptor);
    return status;
}

qn_status qn_dock_pose_distances(const qn_molecule *receptor, const qn_molecule *ligand, const qn_dock_pose *poses,
                                 size_t count, qn_pool *pool, float **out)
{
    void *reference_memory, *distances = NULL;
    QN_TRY(qn_allocate(3 * ligand->atom_count, sizeof(double), &reference_memory));
    double *reference = reference_memory;
    size_t marked = 0, points = 0;
    for (size_t i = 0; i < ligand->atom_count; i++) marked += marks_residue(ligand, &ligand->atoms[i]);
    /* A ligand without Cα or P (a small molecule) is measured on all heavy atoms. */
    for (size_t i = 0; i < ligand->atom_count; i++)
        if (marked ? marks_residue(ligand, &ligand->atoms[i]) : is_heavy(&ligand->atoms[i]))
            memcpy(reference + 3 * points++, ligand->atoms[i].position_angstrom, 3 * sizeof(double));
    qn_status status = qn_allocate(count * count, sizeof(float), &distances);
    if (status == QN_OK) {
        distance_job job = {.poses = poses, .count = count, .points = points, .reference = reference,
                            .distances = distances};
        status = measure(&job, receptor, pool);
    }
    qn_release(&reference_memory);
    if (status != QN_OK) {
        qn_release(&distances);
        return status;
    }
    *out = distances;
    return QN_OK;
}
