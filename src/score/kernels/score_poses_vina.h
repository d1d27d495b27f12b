/* Vina's energies of poses: every pose of every job against the receptor, rigid.
 *
 * Jobs, ligand atoms, poses and energies are those of score_poses.h; types are rows of qn_vina_type_table. A job's sum
 * is multiplied with its share, 1 / (1 + 0.05846 N). Pairs 8 Å or more apart are skipped.
 *
 * Receptor atoms stand in the order of cells of 4 Å; a ligand atom's sum runs over those in reach in that order (on the
 * host: in sixteen lanes that are added at the end), a pose's over the ligand atoms. No tunable changes a bit of it.
 * There is no exact mode: exponentials are not correctly rounded, though all devices use one polynomial.
 */
#ifndef QN_SCORE_SCORE_POSES_VINA_H
#define QN_SCORE_SCORE_POSES_VINA_H

#include "score/kernels/score_poses.h"

extern const qn_family qn_score_score_poses_vina_family;

typedef struct qn_score_poses_vina_problem {
    int jobs, poses;  /* poses: a multiple of 64 */
    int ligand_atoms; /* of all jobs together, for the work stated */
} qn_score_poses_vina_problem;

typedef struct qn_score_poses_vina_receptor qn_score_poses_vina_receptor;

/* `positions`: atom_count × 3 (Å), `types`: rows of Vina's table; hydrogens are left out before.
 * `hardness`: factor of the weight of repulsion; 1: Vina's. */
QN_MUST_CHECK qn_status qn_score_poses_vina_receptor_create(qn_device *device, const double *positions,
                                                            const int *types, size_t atom_count, double hardness,
                                                            qn_score_poses_vina_receptor **receptor);
void qn_score_poses_vina_receptor_destroy(qn_score_poses_vina_receptor **receptor);

/* 1 / (1 + 0.05846 · rotatable bonds) */
float qn_score_poses_vina_share(double rotatable_bonds);

/* The key of tuning results: atoms of receptor and ligand, and poses of a launch. */
void qn_score_poses_vina_problem_class(double receptor_atoms, double ligand_atoms, double poses, char text[64]);

/* jobs: problem->jobs × qn_score_poses_job; shares: a float each; atoms: qn_score_poses_atom; transforms: 12 × jobs ×
 * poses floats; energies: jobs × poses floats. configuration NULL: the tuner's. */
QN_MUST_CHECK qn_status qn_score_poses_vina(qn_queue *queue, const qn_configuration *configuration,
                                            const qn_score_poses_vina_problem *problem,
                                            const qn_score_poses_vina_receptor *receptor, qn_buffer *jobs,
                                            qn_buffer *shares, qn_buffer *atoms, qn_buffer *transforms,
                                            qn_buffer *energies, qn_event **event);

/* One pose in double precision. *doubt (may be NULL) gets what pairs within 1e-4 Å of the cut-off could add or take
 * away: in single precision they may be on its other side. */
double qn_score_poses_vina_reference(const double *positions, const int *types, size_t atom_count,
                                     const qn_score_poses_atom *atoms, int ligand_atoms, const float transform[12],
                                     double rotatable_bonds, double *doubt);

#endif
