/* A receptor on a device, for the kernels of score_poses_vina. */
#ifndef QN_SCORE_SCORE_POSES_VINA_RECEPTOR_H
#define QN_SCORE_SCORE_POSES_VINA_RECEPTOR_H

#include "score/kernels/score_poses_vina.h"

enum {
    QN_SCORE_POSES_VINA_LANES = 16,      /* of the host kernel */
    QN_SCORE_POSES_VINA_PLACES = 3,      /* columns: x, y, z, each `stride` floats, then for each ligand type … */
    QN_SCORE_POSES_VINA_PAIR_COLUMNS = 4 /* … radius, weight, slope, offset */
};

struct qn_score_poses_vina_receptor {
    int atom_count, type_count, stride; /* stride: length of a row, padded with atoms that are far away */
    int cells[3];
    qn_buffer *places, *pairs, *columns, *cell_starts, *grid; /* as in score_poses_vina.cl */
};

#endif
