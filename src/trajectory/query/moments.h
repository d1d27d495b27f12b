/* Weighted moments of atom positions up to second order, in one pass: enough for centres, radii, inertia and dipoles.
 * Positions are taken relative to an atom of the selection, so that atoms far from the origin lose no digits. */
#ifndef QN_TRAJECTORY_QUERY_MOMENTS_H
#define QN_TRAJECTORY_QUERY_MOMENTS_H

#include "trajectory/query/atom_weights.h"

typedef struct qn_moments {
    double origin_nm[3];
    double weight;    /* Σ w */
    double first[3];  /* Σ w (r − origin), nm */
    double second[6]; /* Σ w (r − origin)(r − origin)ᵀ: xx xy xz yy yz zz, nm²; 0 below second order */
} qn_moments;

typedef enum qn_moment_order { QN_MOMENTS_ZEROTH, QN_MOMENTS_FIRST, QN_MOMENTS_SECOND } qn_moment_order;

/* Moments of frame->atoms[selection] up to `order`; all zero if there are no atoms. */
void qn_moments_sum(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, qn_moment_order order,
                    qn_moments *moments);

/* Σ w r / Σ w; not finite if Σ w is 0. */
void qn_moments_centre(const qn_moments *moments, double centre_nm[3]);

/* Σ w (r − point). */
void qn_moments_about(const qn_moments *moments, const double point_nm[3], double sum[3]);

/* Σ w (r − centre)(r − centre)ᵀ: xx xy xz yy yz zz. */
void qn_moments_central(const qn_moments *moments, double second[6]);

#endif
