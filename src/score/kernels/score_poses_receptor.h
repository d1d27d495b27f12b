/* What a receptor looks like to the scoring kernels; shapes are in score_poses.cl. */
#ifndef QN_SCORE_SCORE_POSES_RECEPTOR_H
#define QN_SCORE_SCORE_POSES_RECEPTOR_H

#include "score/kernels/score_poses.h"

/* Receptor atoms are filled up to a multiple of the first, with at least so many that have no energy. */
enum { QN_SCORE_POSES_RECEPTOR_STEP = 8, QN_SCORE_POSES_SPARE_ATOMS = 2 };

struct qn_score_poses_receptor {
    int atom_count, stride, type_count;
    int row_count;                     /* of pairs */
    const int32_t *second_row_of_type; /* −1: none; also on the device, as second_rows */
    bool odd_turned;                   /* fast_pairs of atoms with an odd index go with −2 r */
    qn_buffer *places, *second_rows;
    qn_buffer *pairs; /* ends in Å, slopes: for correctly rounded results */
    /* For fast ones. GPUs: minus reciprocal ends, heights. Host with AVX-512: as `pairs`, those of odd receptor atoms
     * for −2 r in place of r. NULL: the same as `pairs`. */
    qn_buffer *fast_pairs;
};

/* Whether a problem is one for this receptor on this device. */
QN_MUST_CHECK qn_status qn_score_poses_check(const qn_score_poses_problem *problem,
                                             const qn_score_poses_receptor *receptor, const qn_device_info *device);

/* Å beyond which a pair of a ligand and a receptor type has no energy, 0 where it has none at all: of the first two
 * ramps, and of the third. */
void qn_score_poses_reach(const qn_bude_type *ligand, const qn_bude_type *receptor, double reach_angstrom[2]);

#endif
