/* Vina's energies of poses: every pose of every job against the receptor, rigid.
 *
 * Jobs, ligand atoms, poses and energies are those of score_poses.h; types are rows of qn_vina_type_table. The sum of a
 * job is multiplied by its share, 1 / (1 + 0.05846 N). Pairs 8 Å or more apart are skipped.
 *
 * Receptor atoms are sorted by cells of about 4 Å. The sum of a ligand atom runs over the atoms within reach in that
 * order (on the host in sixteen lanes, which are added at the end), the sum of a pose over its ligand atoms. No tunable
 * changes a bit of the result. There is no exact mode: all devices use one polynomial, but exponentials are not
 * correctly rounded.
 */
#ifndef QN_SCORE_SCORE_POSES_VINA_H
#define QN_SCORE_SCORE_POSES_VINA_H

#include "score/kernels/score_poses.h"

extern const qn_family qn_score_score_poses_vina_family;

typedef struct qn_score_poses_vina_problem {
    int jobs, poses;  /* poses: a multiple of 64 */
    int ligand_atoms; /* of all jobs together, for the least work */
} qn_score_poses_vina_problem;

typedef struct qn_score_poses_vina_receptor qn_score_poses_vina_receptor;

/* Make a receptor. `positions`: atom_count × 3 (Å) of heavy atoms; `types`: rows of Vina's table; `hardness`: factor of
 * the weight of repulsion, 1 for Vina's own. */
QN_MUST_CHECK qn_status qn_score_poses_vina_receptor_create(qn_device *device, const double *positions,
                                                            const int *types, size_t atom_count, double hardness,
                                                            qn_score_poses_vina_receptor **receptor);
void qn_score_poses_vina_receptor_destroy(qn_score_poses_vina_receptor **receptor);

/* 1 / (1 + 0.05846 · rotatable bonds) */
float qn_score_poses_vina_share(double rotatable_bonds);

/* Write the problem class for tuning: atoms of receptor and ligand, and poses of a launch. */
void qn_score_poses_vina_problem_class(double receptor_atoms, double ligand_atoms, double poses, char text[64]);

/* Compute energies. jobs: problem->jobs × qn_score_poses_job; shares: one float for each job; atoms:
 * qn_score_poses_atom; transforms: 12 × jobs × poses floats; energies: jobs × poses floats. `configuration` NULL:
 * chosen by the tuner. */
QN_MUST_CHECK qn_status qn_score_poses_vina(qn_queue *queue, const qn_configuration *configuration,
                                            const qn_score_poses_vina_problem *problem,
                                            const qn_score_poses_vina_receptor *receptor, qn_buffer *jobs,
                                            qn_buffer *shares, qn_buffer *atoms, qn_buffer *transforms,
                                            qn_buffer *energies, qn_event **event);

/* Compute the energy of one pose in double precision: the reference. Pairs within 1e-4 Å of the cut-off may be on its
 * other side in single precision; *doubt (may be NULL) gets the largest energy that such pairs can add or remove. */
double qn_score_poses_vina_reference(const double *positions, const int *types, size_t atom_count,
                                     const qn_score_poses_atom *atoms, int ligand_atoms, const float transform[12],
                                     double rotatable_bonds, double *doubt);

#endif
