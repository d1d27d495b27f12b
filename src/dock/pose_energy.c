#include "dock/pose_energy.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/refine.h"
#include "math/rotation.h"

/* Largest distance and angle between a minimum and the pose of the search, somewhat more than the default spacings of
 * cells and of rotations. */
static const double most_shift_angstrom = 2, most_turn_degrees = 10;

qn_status qn_dock_pose_energy_create(const qn_dock_partner *ligand, const qn_dock_energy *energy,
                                     const qn_dock_grid *grid, size_t set, qn_dock_pose_energy *of)
{
    const size_t volume = qn_dock_grid_volume(grid);
    void *memory;
    QN_TRY(qn_allocate((size_t)energy->grid_count * volume, sizeof(float), &memory));
    *of = (qn_dock_pose_energy){ligand, energy, grid, set, memory};
    for (int g = 0; g < energy->grid_count; g++)
        qn_dock_energy_combine(energy, set, g, volume, of->values + (size_t)g * volume);
    return QN_OK;
}

void qn_dock_pose_energy_clear(qn_dock_pose_energy *of)
{
    qn_release(&of->values);
}

/* The 8 cells around a point and their weights. */
typedef struct surroundings {
    size_t cell[8];
    double share[8];
} surroundings;

/* Find the cells around a point. Returns false if the point is outside the grid. */
static bool surround(const qn_dock_grid *grid, const double position[3], surroundings *around)
{
    int low[3];
    double fraction[3];
    for (int axis = 0; axis < 3; axis++) {
        double at = (position[axis] - grid->origin_angstrom[axis]) / grid->spacing_angstrom;
        if (!(at >= 0 && at < grid->cells[axis] - 1)) return false;
        low[axis] = (int)at;
        fraction[axis] = at - low[axis];
    }
    for (int corner = 0; corner < 8; corner++) {
        int upper[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        around->share[corner] = 1;
        for (int axis = 0; axis < 3; axis++) around->share[corner] *= upper[axis] ? fraction[axis] : 1 - fraction[axis];
        around->cell[corner] = (size_t)(low[0] + upper[0]) +
                               (size_t)grid->cells[0] *
                                   ((size_t)(low[1] + upper[1]) + (size_t)grid->cells[1] * (size_t)(low[2] + upper[2]));
    }
    return true;
}

static double interpolate(const float *values, const surroundings *around)
{
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) sum += around->share[corner] * (double)values[around->cell[corner]];
    return sum;
}

static bool surround_site(const qn_dock_pose_energy *of, const double matrix[9], const double translation[3], size_t i,
                          surroundings *around)
{
    double place[3];
    qn_rotation_apply(matrix, of->ligand->sites[i].position_angstrom, place);
    for (int axis = 0; axis < 3; axis++) place[axis] += translation[axis];
    return surround(of->grid, place, around);
}

double qn_dock_pose_energy_at(const double matrix[9], const double translation[3], void *user)
{
    const qn_dock_pose_energy *of = user;
    const size_t volume = qn_dock_grid_volume(of->grid), count = of->ligand->site_count;
    const double *weights = of->energy->ligand_weights;
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        surroundings around;
        if (!surround_site(of, matrix, translation, i, &around)) continue;
        for (size_t g = 0; g < (size_t)of->energy->grid_count; g++)
            if (weights[g * count + i] != 0)
                total += weights[g * count + i] * interpolate(of->values + g * volume, &around);
    }
    return total;
}

double qn_dock_pose_energy_terms(const qn_dock_pose_energy *of, const double matrix[9], const double translation[3],
                                 double terms[QN_DOCK_TERMS_MAX])
{
    const qn_dock_energy *energy = of->energy;
    const size_t count = of->ligand->site_count;
    double sums[QN_DOCK_LAYERS_MAX] = {0};
    for (size_t i = 0; i < count; i++) {
        surroundings around;
        if (!surround_site(of, matrix, translation, i, &around)) continue;
        for (size_t l = 0; l < energy->layer_count; l++) {
            double weight = energy->ligand_weights[(size_t)energy->layers[l].ligand_grid * count + i];
            if (weight != 0 && energy->sets[of->set].scale[l] != 0)
                sums[l] += weight * interpolate(energy->layers[l].values, &around);
        }
    }
    return qn_dock_energy_total(energy, of->set, sums, terms);
}

typedef struct minimise_job {
    qn_dock_pose_energy *of;
    qn_dock_pose *poses;
} minimise_job;

static qn_status minimise(size_t index, int worker, void *user)
{
    const minimise_job *job = user;
    qn_dock_pose *pose = &job->poses[index];
    (void)worker;
    QN_TRY(qn_dock_refine(qn_dock_pose_energy_at, job->of, job->of->grid->centre_angstrom, most_shift_angstrom,
                          most_turn_degrees, pose->matrix, pose->translation_angstrom, &pose->energy));
    pose->energy = qn_dock_pose_energy_terms(job->of, pose->matrix, pose->translation_angstrom, pose->terms);
    return QN_OK;
}

qn_status qn_dock_pose_energy_minimise(qn_dock_pose_energy *of, qn_pool *pool, qn_dock_pose *poses, size_t count)
{
    minimise_job job = {of, poses};
    return qn_pool_run(pool, count, minimise, &job);
}
