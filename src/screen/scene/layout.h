/* A flat drawing of a small molecule: places of its heavy atoms on a plane, from the pose.
 *
 * The stress Σ (|p_i − p_j| − d_ij)² / d_ij² of all pairs is minimised by majorisation (Gansner, Koren and North 2004,
 * doi 10.1007/978-3-540-31843-9_25), d_ij the length of the shortest path along bonds, with 120° between the bonds of
 * an atom. The start is the view of the pose along its shortest extent, so that the drawing keeps the pose's sides. */
#ifndef QN_SCREEN_SCENE_LAYOUT_H
#define QN_SCREEN_SCENE_LAYOUT_H

#include "model/compound.h"

typedef struct qn_layout {
    size_t count;        /* heavy atoms */
    size_t *atoms;       /* their indices in the compound */
    double (*places)[2]; /* in units of a bond's length; their mean is 0 */
    double axes[2][3];   /* directions of the drawing's x and y in the frame of the pose */
    double middle[3];    /* mean of the heavy atoms, Å */
} qn_layout;

/* QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_layout_create(const qn_compound *compound, qn_layout *layout);
void qn_layout_clear(qn_layout *layout);

#endif
