/* Fitting motion to patches: first to the peaks of their correlations, then to the correlations themselves.
 *
 *     qn_motion_fit_create(&motion, patch_count, place_px, NULL, &fit);     motion: the global motion, at which patches
 *     qn_motion_fit_peaks(fit, &peaks, &facts);                             were cut
 *     for (int round = 0; round < rounds; round++) {
 *         qn_motion_fit_shifts(fit, shift_px);                              correlations at these shifts …
 *         qn_motion_fit_correlations(fit, queue, &correlations, &facts);    … and the fit to them
 *     }
 *     qn_motion_fit_result(fit, &motion);
 *
 * A patch p has a free constant h_p besides u. The shifts of observations are relative to the global motion that was
 * given to `create`, at all times. */
#ifndef QN_MOVIE_MOTION_FIT_H
#define QN_MOVIE_MOTION_FIT_H

#include <quern/queue.h>
#include <stdbool.h>

#include "movie/motion/motion.h"

/* Buffers of fits to correlations, zero at first. They are made when a fit needs them and serve one fit after the
 * other: to make and to release a buffer holds up the copies of all devices. */
typedef struct qn_motion_rooms {
    qn_buffer *places, *values, *sums;
} qn_motion_rooms;

void qn_motion_rooms_release(qn_motion_rooms *rooms);

typedef struct qn_motion_fit_options {
    double smoothness;      /* λ of the penalty on third differences; 0: by generalised cross-validation */
    int iterations;         /* of L-BFGS in a round, at most; 0: 60 */
    double convergence_px;  /* a round that moves no shift by more has converged; 0: 0.02 */
    double patch_px[2];     /* sides of a patch, whose overlaps with others are taken into account; 0: no overlaps */
    bool keep_local_motion; /* do not test whether it predicts better than the global motion */
    qn_motion_rooms *rooms; /* of the caller; NULL: the fit has its own */
} qn_motion_fit_options;

typedef struct qn_motion_facts {
    double smoothness;      /* λ used */
    int directions;         /* of local motion in time: up to 3 are polynomials, more have all B-splines */
    double noise_px;        /* of a peak in one coordinate, from the median of the residuals */
    double outlier_share;   /* of the peaks, more than three medians from the fit */
    double error_px;        /* of prediction by u, smooth in time, from generalised cross-validation; RMS … */
    double global_error_px; /* … and by g_t alone */
    bool local;             /* whether u has a local part */
    int iterations;         /* of L-BFGS in this round; 0 after a fit to peaks */
    double change_px;       /* largest change of a shift in this round */
    bool converged;         /* change_px is at most convergence_px */
    bool peaked;            /* the mean of all windows has a peak near its middle; if not, the fit is left as it was */
} qn_motion_facts;

typedef struct qn_motion_fit qn_motion_fit;

/* `motion` gives sizes and the global motion and is copied. place_px: [patch][2]. options NULL: defaults.
 * Errors: QN_INVALID_ARGUMENT for a count below 1, a place outside the frame or options out of range. */
QN_MUST_CHECK qn_status qn_motion_fit_create(const qn_motion *motion, int patch_count, const double *place_px,
                                             const qn_motion_fit_options *options, qn_motion_fit **fit);
void qn_motion_fit_destroy(qn_motion_fit **fit);

/* Robust fit to the peaks; chooses λ and whether there is local motion. peaks->place_px may be NULL.
 * Errors: QN_INVALID_ARGUMENT for other numbers of patches or frames, or shifts that are not finite. */
QN_MUST_CHECK qn_status qn_motion_fit_peaks(qn_motion_fit *fit, const qn_patch_peaks *peaks, qn_motion_facts *facts);

/* Maximise Σ C_pt(u + h_p − s_pt) − λ cᵀPc, starting at the present fit. Windows are placed at centre_px; beyond a
 * pixel from their edge they are constant. `queue` is that of the device that evaluates the windows; the call waits for
 * it. Results do not depend on the device. */
QN_MUST_CHECK qn_status qn_motion_fit_correlations(qn_motion_fit *fit, qn_queue *queue,
                                                   const qn_patch_correlations *correlations, qn_motion_facts *facts);

/* shift_px[patch][frame][2] becomes u + h_p less the global motion given to `create`. */
void qn_motion_fit_shifts(const qn_motion_fit *fit, double *shift_px);

/* Write u into `motion`, made by qn_motion_allocate with the same sizes. The local part has mean 0 over the frame at
 * all times, global_px[0] is 0. */
void qn_motion_fit_result(const qn_motion_fit *fit, qn_motion *motion);

#endif
