/* Ranked poses: from the hits of all rotations to the best ones of a coefficient set, rescored. */
#ifndef QN_DOCK_POSE_H
#define QN_DOCK_POSE_H

#include "dock/restraints.h"
#include "dock/search/search.h"

typedef struct qn_dock_pose {
    int32_t rotation; /* index in the rotation set */
    int32_t cell;
    size_t set;    /* coefficient set whose energies these are */
    double energy; /* total, weighted */
    double terms[QN_DOCK_MOST_TERMS];
    double matrix[9]; /* x' = R·x + t on the ligand's input coordinates, row-major */
    double translation_angstrom[3];
} qn_dock_pose;

/* What a ranking draws on. */
typedef struct qn_dock_candidates {
    const qn_dock_grid *grid;
    const qn_dock_energy *energy;
    const qn_dock_ligand *ligand;
    const double *matrices;   /* rotation_count × 9 */
    const int32_t *rotations; /* the same in 1/2^30 */
    int rotation_count, per_rotation;
    const qn_dock_hit *hits;              /* [rotation_count][sets][per_rotation] */
    const qn_dock_restraints *restraints; /* NULL: none */
    size_t restraints_required;           /* a pose that satisfies fewer is left out */
} qn_dock_candidates;

/* The `keep` best poses of a set. The best 4 · keep by grid energy are rescored in double; order is by energy, then
 * rotation, then cell. *poses is released with qn_release. */
QN_MUST_CHECK qn_status qn_dock_poses_rank(const qn_dock_candidates *candidates, size_t set, size_t keep, qn_pool *pool,
                                           qn_dock_pose **poses, size_t *pose_count);

/* Symmetric count × count distances in Å between poses, and what they are measured on: RMSD without superposition over
 * ligand Cα (P of nucleotides) within 10 Å of any receptor heavy atom in pose i or pose j. Poses that share no such
 * atom are infinitely far apart. Released with qn_release. */
QN_MUST_CHECK qn_status qn_dock_pose_distances(const qn_molecule *receptor, const qn_molecule *ligand,
                                               const qn_dock_pose *poses, size_t count, qn_pool *pool,
                                               float **distances);

#endif
