/* Distances between many poses of one ligand, and how crowded the places of the poses are.
 *
 * The distance of the poses i and j is the RMSD without superposition over those Cα of the ligand (P of nucleotides)
 * that are within 10 Å of a heavy atom of the receptor in pose i, together with those in pose j; an atom that is in
 * both sets counts twice. So the sum over the atoms of a pose follows from ten moments of their coordinates,
 *
 *     Σ_a |(R_i − R_j) a + t_i − t_j|² = Σ_rows of D = (t_i − t_j | R_i − R_j)   D S_i Dᵀ,   S_i = Σ_a (1, a)(1, a)ᵀ
 *
 * and a distance takes the same time for any size of the ligand. Clusters of a set (dock/pose_distances.c) count an
 * atom in both sets once, for which no such moments exist.
 *
 * Life cycle: create → query from any threads → clear.
 */
#ifndef QN_DOCK_RANKING_CROWD_H
#define QN_DOCK_RANKING_CROWD_H

#include "base/thread_pool.h"
#include "dock/ranking/interface.h"

/* A pose x' = R·x + t of the ligand. */
typedef struct qn_placement {
    double matrix[9], translation_angstrom[3];
} qn_placement;

/* A pose with the moments of its interface. */
typedef struct qn_crowd_pose {
    double motion[3][4];  /* rows (t, R) that act on coordinates relative to the ligand's centre */
    double moments[4][4]; /* S above; S[0][0] is the number of atoms */
} qn_crowd_pose;

typedef struct qn_crowd {
    qn_crowd_pose *poses;
    size_t count;
} qn_crowd;

/* `receptor` may be NULL: then all those atoms of the ligand count, and the distance is their plain RMSD. */
QN_MUST_CHECK qn_status qn_crowd_create(const qn_surface *receptor, const qn_molecule *ligand,
                                        const qn_placement *poses, size_t count, qn_pool *pool, qn_crowd *crowd);
void qn_crowd_clear(qn_crowd *crowd);

/* Distance of two poses in Å; infinite if neither has an atom near the receptor. */
double qn_crowd_distance(const qn_crowd *crowd, size_t i, size_t j);

/* Choose poses by score, the highest first, so that each chosen pose is more than `apart_angstrom` away from those
 * chosen before; of equal scores, the lower index comes first. Poses with the score −INFINITY are never chosen. At most
 * `most` are chosen. owners[i] gets the index in `chosen` of the first chosen pose within that distance of pose i, or
 * SIZE_MAX. */
QN_MUST_CHECK qn_status qn_crowd_choose(const qn_crowd *crowd, const double *scores, double apart_angstrom, size_t most,
                                        size_t *chosen, size_t *chosen_count, size_t *owners);

/* Choose poses by the weight around them. Each choice is the pose, not yet owned, with the largest sum of the weights
 * of the poses within `radius_angstrom` (itself among them) that no earlier choice owns; of equal sums, that with the
 * lower index. It owns those poses. At most `most` are chosen. sums[k] gets the sum of the k-th choice, owners[i] the
 * choice that owns pose i, or SIZE_MAX. Weights are at least 0. */
QN_MUST_CHECK qn_status qn_crowd_gather(const qn_crowd *crowd, const double *weights, double radius_angstrom,
                                        size_t most, qn_pool *pool, size_t *chosen, double *sums, size_t *chosen_count,
                                        size_t *owners);

#endif
