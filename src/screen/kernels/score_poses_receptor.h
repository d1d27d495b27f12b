/* What a receptor looks like to the scoring kernels; shapes are in score_poses.cl. */
#ifndef QN_SCREEN_SCORE_POSES_RECEPTOR_H
#define QN_SCREEN_SCORE_POSES_RECEPTOR_H

#include "screen/kernels/score_poses.h"

enum { QN_SCORE_POSES_RECEPTOR_STEP = 8 }; /* receptor atoms and second ramps are filled up to multiples of it */

struct qn_score_poses_receptor {
    int atom_count, stride, type_count;
    qn_buffer *places, *pairs, *extra_starts;
};

#endif
