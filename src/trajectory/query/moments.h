/* Weighted moments of atoms' positions up to the second: all that centres, radii, inertia and dipoles need, in one
 * pass. Positions are taken relative to an atom of the selection, so that what lies far from the origin loses no
 * digits. */
#ifndef QN_TRAJECTORY_QUERY_MOMENTS_H
#define QN_TRAJECTORY_QUERY_MOMENTS_H

#include "trajectory/query/atom_weights.h"

typedef struct qn_moments {
    double origin_nm[3];
    double weight;    /* Σ w */
    double first[3];  /* Σ w (r − origin), nm */
    double second[6]; /* Σ w (r − origin)(r − origin)ᵀ: xx xy xz yy yz zz, nm²; all 0 when not asked for */
} qn_moments;

typedef enum qn_moment_order { QN_MOMENTS_ZEROTH, QN_MOMENTS_FIRST, QN_MOMENTS_SECOND } qn_moment_order;

/* Of frame->atoms[selection]; all zero for no atoms. */
void qn_moments_sum(const qn_query_frame *frame, int selection, const qn_atom_weights *weights, qn_moment_order order,
                    qn_moments *moments);

/* Σ w r / Σ w; NaN without weight. */
void qn_moments_centre(const qn_moments *moments, double centre_nm[3]);

/* Σ w (r − point). */
void qn_moments_about(const qn_moments *moments, const double point_nm[3], double sum[3]);

/* Σ w (r − centre)(r − centre)ᵀ: xx xy xz yy yz zz. */
void qn_moments_central(const qn_moments *moments, double second[6]);

#endif
