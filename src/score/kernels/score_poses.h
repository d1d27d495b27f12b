/* BUDE energies of poses: every pose of every job against the whole receptor.
 *
 * A job is a ligand's conformer; one launch holds `jobs` of them with `poses` poses each. Pose p of job j moves ligand
 * atom a to R·a + t, with the twelve numbers at transforms[k][j · poses + p], k = 0 … 11: the rows of [R | t].
 *
 * A pair's energy is a sum of linear ramps (score_poses.dev.h): one ends at contact, one where the charge or the
 * desolvation term vanishes, and the few pairs that have both terms have a third. The energy of a ligand atom is the
 * sum over receptor atoms in their order, in single precision, each adding its first two ramps by fused multiply-adds,
 * and then over their third ramps; a pose's energy is the sum over ligand atoms in their order. No tunable changes that
 * order and culling (score_poses_near.h) leaves out zeros only, so nothing changes a bit of the result on a device.
 */
#ifndef QN_SCORE_SCORE_POSES_H
#define QN_SCORE_SCORE_POSES_H

#include <quern/family.h>

#include "score/bude.h"

extern const qn_family qn_score_score_poses_family;

enum { QN_SCORE_POSES_STEP = 64 };            /* a job's poses come in multiples of it */
enum { QN_SCORE_POSES_MOST_JOBS = 65535 };    /* of a launch: CUDA's limit of groups across */
enum { QN_SCORE_POSES_MOST_ATOMS = 1 << 20 }; /* of a receptor */
#define QN_SCORE_POSES_FARTHEST_ANGSTROM 1e4  /* of its coordinates */

typedef struct qn_score_poses_job {
    int32_t first_atom, atom_count; /* in the launch's ligand atoms */
} qn_score_poses_job;

/* Ligand atoms of a job stand ordered by type. */
typedef struct qn_score_poses_atom {
    float x, y, z; /* Å, about the ligand's centroid */
    int32_t type;  /* row of `pairs` */
} qn_score_poses_atom;

typedef struct qn_score_poses_problem {
    int receptor_atoms, ligand_types; /* sizes of `pairs` */
    int jobs, poses;                  /* poses: a multiple of QN_SCORE_POSES_STEP */
    int ligand_atoms;                 /* of all jobs together */
    bool exact;                       /* correctly rounded square roots: the same bits on every device */
} qn_score_poses_problem;

/* What a receptor looks like to the kernel, on a device: positions, folded pairs for every ligand type. */
typedef struct qn_score_poses_receptor qn_score_poses_receptor;

/* `positions`: atom_count × 3 (Å), `types` index the force field; hydrogens are left out before. */
QN_MUST_CHECK qn_status qn_score_poses_receptor_create(qn_device *device, const qn_bude_force_field *force_field,
                                                       const double *positions, const int *types, size_t atom_count,
                                                       qn_score_poses_receptor **receptor);
void qn_score_poses_receptor_destroy(qn_score_poses_receptor **receptor);

/* The key of tuning results: poses of all jobs to the nearest power of two, as far as their number matters. */
void qn_score_poses_problem_class(const qn_score_poses_problem *problem, char text[64]);

/* jobs: problem->jobs × qn_score_poses_job; atoms: qn_score_poses_atom; transforms: 12 × jobs × poses floats; energies:
 * jobs × poses floats. configuration NULL: the tuner's. */
QN_MUST_CHECK qn_status qn_score_poses(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_score_poses_problem *problem, const qn_score_poses_receptor *receptor,
                                       qn_buffer *jobs, qn_buffer *atoms, qn_buffer *transforms, qn_buffer *energies,
                                       qn_event **event);

/* The same energies, jobs × poses, from the definition in double precision; everything in the caller's memory. */
QN_MUST_CHECK qn_status qn_score_poses_reference(const qn_score_poses_problem *problem,
                                                 const qn_bude_force_field *force_field, const double *positions,
                                                 const int *types, const qn_score_poses_job *jobs,
                                                 const qn_score_poses_atom *atoms, const float *transforms,
                                                 double *energies);

#endif
