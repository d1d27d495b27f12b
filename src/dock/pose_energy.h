/* Energy of any rigid pose, also between the cells of the grid: each receptor grid is interpolated trilinearly. */
#ifndef QN_DOCK_POSE_ENERGY_H
#define QN_DOCK_POSE_ENERGY_H

#include "dock/pose.h"
#include "dock/search/receptor_cells.h"

/* Refers to its inputs, which must live longer. */
typedef struct qn_dock_pose_energy {
    const qn_dock_partner *ligand;
    const qn_dock_energy *energy;
    const qn_dock_grid *grid;
    const qn_dock_cells *cells;
    size_t set, width; /* width: ligand grids, rounded up to an even number */
    float *values;     /* [rows of the cells][width]: sums of the weighted layers that multiply each ligand grid */
    double *positions; /* of the ligand's sites, [3][sites] */
    double *weights;   /* of the ligand's sites, [sites][width] */
    const qn_dock_restraints *restraints; /* added to the energies of minima; NULL: none */
} qn_dock_pose_energy;

QN_MUST_CHECK qn_status qn_dock_pose_energy_create(const qn_dock_partner *ligand, const qn_dock_energy *energy,
                                                   const qn_dock_grid *grid, const qn_dock_cells *cells, size_t set,
                                                   qn_dock_pose_energy *of);
void qn_dock_pose_energy_clear(qn_dock_pose_energy *of);

/* Weighted energy of the pose x' = R·x + t. Layers are 0 outside the grid. `user` is a qn_dock_pose_energy. */
double qn_dock_pose_energy_at(const double matrix[9], const double translation_angstrom[3], void *user);

/* Compute the unweighted terms. Returns their weighted sum. */
double qn_dock_pose_energy_terms(const qn_dock_pose_energy *of, const double matrix[9],
                                 const double translation_angstrom[3], double terms[QN_DOCK_TERMS_MAX]);

/* Move each of `count` poses to a minimum at most 2 Å and 10° away. Matrix, translation, energy and terms become those
 * of the minimum. Each pose is a task of the pool. */
QN_MUST_CHECK qn_status qn_dock_pose_energy_minimise(qn_dock_pose_energy *of, qn_pool *pool, qn_dock_pose *poses,
                                                     size_t count);

#endif
