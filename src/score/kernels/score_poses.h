/* BUDE energies of poses: every pose of every job against the whole receptor.
 *
 * A job is a conformer of a ligand; a launch scores `jobs` of these in `poses` poses each. Pose p of job j moves ligand
 * atom a to R·a + t, with the twelve numbers at transforms[k][j · poses + p], k = 0 … 11: the rows of [R | t].
 *
 * The energy of a pair is a sum of linear ramps (score_poses.dev.h): one ends at contact, one where the charge or the
 * desolvation term becomes 0; the few pairs that have both terms have a third. The energy of a ligand atom is the
 * sum of the first two ramps over receptor atoms in their order, in single precision by fused multiply-adds, and then
 * of the third ramps; the energy of a pose is the sum over ligand atoms in their order. No tunable changes this order,
 * and culling (score_poses_near.h) leaves out zeros only, so results of a device always have the same bits.
 */
#ifndef QN_SCORE_SCORE_POSES_H
#define QN_SCORE_SCORE_POSES_H

#include <quern/family.h>

#include "score/bude.h"

extern const qn_family qn_score_score_poses_family;

enum { QN_SCORE_POSES_STEP = 64 };           /* the poses of a job are a multiple of it */
enum { QN_SCORE_POSES_JOBS_MAX = 65535 };    /* jobs of a launch, at most: a limit of CUDA's grid */
enum { QN_SCORE_POSES_ATOMS_MAX = 1 << 20 }; /* atoms of a receptor, at most */
#define QN_SCORE_POSES_FARTHEST_ANGSTROM 1e4 /* largest coordinate of a receptor */

typedef struct qn_score_poses_job {
    int32_t first_atom, atom_count; /* among the ligand atoms of the launch */
} qn_score_poses_job;

/* A ligand atom; those of a job are sorted by type. */
typedef struct qn_score_poses_atom {
    float x, y, z; /* Å, relative to the ligand's centroid */
    int32_t type;  /* row of `pairs` */
} qn_score_poses_atom;

typedef struct qn_score_poses_problem {
    int receptor_atoms, ligand_types; /* number of receptor atoms and of ligand types */
    int jobs, poses;                  /* poses: a multiple of QN_SCORE_POSES_STEP */
    int ligand_atoms;                 /* of all jobs together */
    bool exact;                       /* correctly rounded square roots: the same bits on every device */
} qn_score_poses_problem;

/* A receptor on a device: positions, and folded pairs for every ligand type. */
typedef struct qn_score_poses_receptor qn_score_poses_receptor;

/* Make a receptor. `positions`: atom_count × 3 (Å) of heavy atoms; `types`: indices into the types of the force field.
 */
QN_MUST_CHECK qn_status qn_score_poses_receptor_create(qn_device *device, const qn_bude_force_field *force_field,
                                                       const double *positions, const int *types, size_t atom_count,
                                                       qn_score_poses_receptor **receptor);
void qn_score_poses_receptor_destroy(qn_score_poses_receptor **receptor);

/* Write the problem class for tuning: the number of poses of all jobs, rounded to a power of two from 2^11 to 2^16. */
void qn_score_poses_problem_class(const qn_score_poses_problem *problem, char text[64]);

/* Compute energies. jobs: problem->jobs × qn_score_poses_job; atoms: qn_score_poses_atom; transforms: 12 × jobs × poses
 * floats; energies: jobs × poses floats. `configuration` NULL: chosen by the tuner. */
QN_MUST_CHECK qn_status qn_score_poses(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_score_poses_problem *problem, const qn_score_poses_receptor *receptor,
                                       qn_buffer *jobs, qn_buffer *atoms, qn_buffer *transforms, qn_buffer *energies,
                                       qn_event **event);

/* Compute the energies, jobs × poses, by the definition in double precision, in host memory: the reference. */
QN_MUST_CHECK qn_status qn_score_poses_reference(const qn_score_poses_problem *problem,
                                                 const qn_bude_force_field *force_field, const double *positions,
                                                 const int *types, const qn_score_poses_job *jobs,
                                                 const qn_score_poses_atom *atoms, const float *transforms,
                                                 double *energies);

#endif
