/* The motion of a movie: a displacement of its content for each frame and place.
 *
 *     u(x, y, t) = g_t + Σ_m B_m(t) Σ_q c_mq Q_q(x, y)
 *
 * in unbinned pixels, relative to the first used frame. g_t is a vector for each frame. B_m are clamped cubic B-splines
 * of t / (T − 1) with n intervals and knots (i/n)², since motion is fastest at the start; the first one is dropped, so
 * the local part is 0 in the first frame. Q_q are products of uniform cubic B-splines, four intervals a side, over
 * [0, width − 1] × [0, height − 1].
 *
 * The observations from which motion is found are here as well: movie/align makes them, movie/motion fits to them. */
#ifndef QN_MOVIE_MOTION_MOTION_H
#define QN_MOVIE_MOTION_MOTION_H

#include <quern/queue.h>
#include <quern/status.h>
#include <stdbool.h>

enum { QN_MOTION_TIME_KNOTS_MAX = 6, QN_MOTION_SIDE = 7, QN_MOTION_PLANE = QN_MOTION_SIDE * QN_MOTION_SIDE };

typedef struct qn_motion {
    int frame_count, width, height; /* of the unbinned frame */
    double *global_px;              /* [frame][2] displacement x, y; global_px[0] is 0 */
    int time_count;                 /* B-splines in time, the first dropped; 0: no local motion */
    double *local_px;               /* [time][7][7][2] (y, x order of the 7 × 7), coefficients c_mq */
} qn_motion;

/* A motion of 0 without a local part. local_px has room for QN_MOTION_TIME_KNOTS_MAX B-splines.
 * Errors: QN_INVALID_ARGUMENT for fewer than one frame or frames of fewer than two pixels a side. */
QN_MUST_CHECK qn_status qn_motion_allocate(int frame_count, int width, int height, qn_motion *motion);

/* Free the arrays and clear the struct. */
void qn_motion_release(qn_motion *motion);

/* displacement_px becomes u at x, y (unbinned pixels from the middle of pixel 0) in `frame`. A place outside the frame
 * has the displacement of the nearest place inside. */
void qn_motion_at(const qn_motion *motion, int frame, double x, double y, double displacement_px[2]);

/* The local part of one frame: coefficients[(7 i + j) 2 + axis] = Σ_m B_m(t) c_m(7 i + j), for kernels. It is a uniform
 * cubic B-spline: with v = 4 x / (width − 1) and k = min(⌊v⌋, 3), a place has the columns k … k + 3 with the weights
 * ((1 − f)³, 3 f³ − 6 f² + 4, −3 f³ + 3 f² + 3 f + 1, f³) / 6, f = v − k. Rows likewise. */
void qn_motion_frame_coefficients(const qn_motion *motion, int frame, double coefficients[2 * QN_MOTION_PLANE]);

/* Whether the content of no frame moves by more than half of a side; the largest |c| of a frame bounds its local part.
 * If not, *frame and *moved_px are the first such frame and how far it moves; NaN counts as far. */
bool qn_motion_stays(const qn_motion *motion, int *frame, double *moved_px);

/* The number of B-splines in time, the first dropped: n + 2, where n is 3 or (T − 1) / 4 if that is less, at least 1.
 */
int qn_motion_time_count(int frame_count);

/* values[m] = B_m(frame), m < qn_motion_time_count(frame_count). */
void qn_motion_time_basis(int frame_count, int frame, double values[QN_MOTION_TIME_KNOTS_MAX]);

/* coefficients[m], of which Σ_m coefficients[m] B_m(t) = (t / (T − 1))^degree; degree 1 to 3. */
void qn_motion_time_polynomial(int frame_count, int degree, double coefficients[QN_MOTION_TIME_KNOTS_MAX]);

/* Values of the 7 B-splines of one axis at v in [0, 1]; a v outside is moved to the nearer end. */
void qn_motion_space_basis(double v, double values[QN_MOTION_SIDE]);

/* Peaks of the correlations of patches with their sums. */
typedef struct qn_patch_peaks {
    int patch_count, frame_count;
    const double *place_px; /* [patch][2] centres */
    const double *shift_px; /* [patch][frame][2], displacement relative to the global motion */
    const double *weight;   /* [patch] */
} qn_patch_peaks;

/* Windows of the correlations around the shifts at which they were computed. */
typedef struct qn_patch_correlations {
    int patch_count, frame_count, side; /* side 17 coarse pixels */
    double coarse_px[2];                /* unbinned pixels a coarse pixel, x, y */
    const double *place_px;             /* [patch][2] */
    const double *centre_px; /* [patch][frame][2]: displacement (relative to the global motion) at the middle of the
                              * window */
    const float *values;     /* [patch][frame][17][17], or NULL: */
    qn_buffer *windows;      /* the same on the device of the fit, which replaces them by coefficients */
} qn_patch_correlations;

#endif
