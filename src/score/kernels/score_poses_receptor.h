/* A receptor on a device, for the scoring kernels; shapes are in score_poses.cl. */
#ifndef QN_SCORE_SCORE_POSES_RECEPTOR_H
#define QN_SCORE_SCORE_POSES_RECEPTOR_H

#include "score/kernels/score_poses.h"

/* Receptor atoms are padded to a multiple of the first number, with at least the second number of atoms without
 * energy. */
enum { QN_SCORE_POSES_RECEPTOR_STEP = 8, QN_SCORE_POSES_SPARE_ATOMS = 2 };

struct qn_score_poses_receptor {
    int atom_count, stride, type_count;
    int row_count;                     /* of pairs */
    const int32_t *second_row_of_type; /* −1: none; `second_rows` on the device */
    bool odd_turned;                   /* fast_pairs of atoms with an odd index are folded for −2 r */
    qn_buffer *places, *second_rows;
    qn_buffer *pairs; /* for correctly rounded results: ends in Å, slopes */
    /* For fast results. GPUs: minus reciprocal ends, heights. Host with AVX-512: as `pairs`, but odd receptor atoms are
     * folded for −2 r instead of r. NULL: use `pairs`. */
    qn_buffer *fast_pairs;
};

/* Check that a problem fits this receptor on this device. */
QN_MUST_CHECK qn_status qn_score_poses_check(const qn_score_poses_problem *problem,
                                             const qn_score_poses_receptor *receptor, const qn_device_info *device);

/* Distances (Å) beyond which a pair of a ligand and a receptor type has no energy, by the first two ramps and by the
 * third; 0: there is no energy at any distance. */
void qn_score_poses_reach(const qn_bude_type *ligand, const qn_bude_type *receptor, double reach_angstrom[2]);

#endif
