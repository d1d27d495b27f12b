/* Poses: the best hits of a coefficient set over all rotations, rescored and ranked, and the distances between them. */
#ifndef QN_DOCK_POSE_H
#define QN_DOCK_POSE_H

#include "dock/known/restraints.h"
#include "dock/search/receptor_cells.h"
#include "dock/search/search.h"

typedef struct qn_dock_pose {
    int32_t rotation; /* index in the rotation set */
    int32_t cell;
    size_t set;    /* coefficient set of the energy */
    double energy; /* weighted sum of the terms */
    double terms[QN_DOCK_TERMS_MAX];
    double matrix[9]; /* x' = R·x + t on the ligand's input coordinates, row-major */
    double translation_angstrom[3];
} qn_dock_pose;

/* Inputs of a ranking. */
typedef struct qn_dock_candidates {
    const qn_dock_grid *grid;
    const qn_dock_energy *energy;
    const qn_dock_ligand *ligand;
    const qn_dock_cells *cells; /* of the energy's layers */
    const double *matrices;     /* rotation_count × 9 */
    const int32_t *rotations;   /* the matrices in units of 1/2^30 */
    int rotation_count, per_rotation;
    const qn_dock_hit *hits;              /* [rotation_count][sets][per_rotation] */
    const qn_dock_restraints *restraints; /* NULL: none; poses that satisfy fewer than required are left out */
} qn_dock_candidates;

/* Add the energy of restraints to a pose's last term, that of masks. */
void qn_dock_pose_add_restraints(const qn_dock_energy *energy, const qn_dock_restraints *restraints,
                                 qn_dock_pose *pose);

/* Find the `keep` best poses of a set. The 4 · keep hits of lowest grid energy are rescored in double precision and
 * sorted by energy, then rotation, then cell. *poses is released with qn_release. */
QN_MUST_CHECK qn_status qn_dock_poses_rank(const qn_dock_candidates *candidates, size_t set, size_t keep, qn_pool *pool,
                                           qn_dock_pose **poses, size_t *pose_count);

/* Compute the symmetric count × count matrix of distances in Å between poses. The distance of the poses i and j is the
 * RMSD without superposition over those Cα of the ligand (P of nucleotides) that are within 10 Å of a heavy atom of the
 * receptor in pose i or in pose j. It is infinite if there is no such atom. *distances is released with qn_release. */
QN_MUST_CHECK qn_status qn_dock_pose_distances(const qn_molecule *receptor, const qn_molecule *ligand,
                                               const qn_dock_pose *poses, size_t count, qn_pool *pool,
                                               float **distances);

#endif
