/* What a receptor looks like to the scoring kernels; shapes are in score_poses.cl. */
#ifndef QN_SCREEN_SCORE_POSES_RECEPTOR_H
#define QN_SCREEN_SCORE_POSES_RECEPTOR_H

#include "screen/kernels/score_poses.h"

enum { QN_SCORE_POSES_RECEPTOR_STEP = 8 };    /* receptor atoms are filled up to a multiple of it */
enum { QN_SCORE_POSES_MOST_BLOCKS = 1024 };   /* as in score_poses.cl */
enum { QN_SCORE_POSES_MOST_CELLS = 1 << 17 }; /* of all axes together */

/* Cells of culling: cell (x, y, z) is number x + nx · (y + ny · z), its bits masks[words · number]. */
typedef struct qn_score_poses_cells {
    float first[3], cells_per_angstrom;
    int count[3];
    int block_atoms, words; /* receptor atoms of a block; words of 32 blocks */
} qn_score_poses_cells;

struct qn_score_poses_receptor {
    int atom_count, stride, type_count;
    qn_score_poses_cells cells;
    qn_buffer *places, *masks, *second_rows;
    qn_buffer *pairs; /* ends in Å, slopes: for correctly rounded results */
    /* For fast ones. GPUs: minus reciprocal ends, heights. Host with AVX-512: as `pairs`, those of odd receptor atoms
     * for −2 r in place of r. NULL: the same as `pairs`. */
    qn_buffer *fast_pairs;
};

/* Cells for a receptor and their masks, released with qn_release. A cell has the bit of every block with an atom within
 * `reach_angstrom` of any point in it; places beyond all cells are out of every atom's reach. */
QN_MUST_CHECK qn_status qn_score_poses_cells_make(const double *positions, size_t atom_count, double reach_angstrom,
                                                  qn_score_poses_cells *cells, uint32_t **masks);

#endif
