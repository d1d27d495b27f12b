/* Energy of any rigid pose, on the grid or between its cells: every receptor grid interpolated trilinearly. */
#ifndef QN_DOCK_POSE_ENERGY_H
#define QN_DOCK_POSE_ENERGY_H

#include "dock/pose.h"

typedef struct qn_dock_pose_energy {
    const qn_dock_partner *ligand;
    const qn_dock_energy *energy;
    const qn_dock_grid *grid;
    size_t set;
    float *values; /* [ligand grids][volume]: the set's weighted layers, summed for each ligand grid */
} qn_dock_pose_energy;

QN_MUST_CHECK qn_status qn_dock_pose_energy_create(const qn_dock_partner *ligand, const qn_dock_energy *energy,
                                                   const qn_dock_grid *grid, size_t set, qn_dock_pose_energy *of);
void qn_dock_pose_energy_clear(qn_dock_pose_energy *of);

/* Weighted energy of x' = R·x + t. Beyond the grid everything is 0. `user` is a qn_dock_pose_energy. */
double qn_dock_pose_energy_at(const double matrix[9], const double translation_angstrom[3], void *user);

/* The terms, unweighted; returns the weighted total. */
double qn_dock_pose_energy_terms(const qn_dock_pose_energy *of, const double matrix[9],
                                 const double translation_angstrom[3], double terms[QN_DOCK_MOST_TERMS]);

/* Move each of `count` poses to a minimum at most 2 Å and 10° away; matrix, translation, energy and terms become the
 * minimum's. One pose a task of the pool. */
QN_MUST_CHECK qn_status qn_dock_pose_energy_minimise(qn_dock_pose_energy *of, qn_pool *pool, qn_dock_pose *poses,
                                                     size_t count);

#endif
