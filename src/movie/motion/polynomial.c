#include "movie/motion/polynomial.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "math/cholesky.h"

enum { COEFFICIENTS = QN_MOTION_POLYNOMIAL_COEFFICIENTS, SIDE = 21, TIMES = 3 }; /* 21 × 21 places over the frame */

/* A part of the diagonal that is added to it: two frames do not determine three powers of time. */
static const double RIDGE = 1e-12;

typedef struct equations {
    double matrix[COEFFICIENTS * COEFFICIENTS], right[2][COEFFICIENTS], squares;
    double count;
} equations;

/* Terms at a frame and a place, with the frame as a share of the last one, so that all terms are of similar size. */
static void terms_at(const qn_motion *motion, int frame, double x, double y, double terms[COEFFICIENTS])
{
    const double X = x / motion->width - 0.5, Y = y / motion->height - 0.5;
    const double z = motion->frame_count > 1 ? (double)frame / (motion->frame_count - 1) : 0;
    const double space[6] = {1, X, X * X, Y, Y * Y, X * Y};
    for (int s = 0; s < 6; s++) {
        double power = 1;
        for (int k = 0; k < TIMES; k++) terms[TIMES * s + k] = space[s] * (power *= z);
    }
}

static void add_place(const qn_motion *motion, int frame, double x, double y, equations *sums)
{
    double terms[COEFFICIENTS], u[2];
    terms_at(motion, frame, x, y, terms);
    qn_motion_at(motion, frame, x, y, u);
    for (int axis = 0; axis < 2; axis++) {
        const double local = u[axis] - motion->global_px[2 * frame + axis];
        for (int k = 0; k < COEFFICIENTS; k++) sums->right[axis][k] += terms[k] * local;
        sums->squares += local * local;
    }
    for (int k = 0; k < COEFFICIENTS * COEFFICIENTS; k++)
        sums->matrix[k] += terms[k / COEFFICIENTS] * terms[k % COEFFICIENTS];
    sums->count++;
}

qn_status qn_motion_polynomial(const qn_motion *motion, double coefficients[2][QN_MOTION_POLYNOMIAL_COEFFICIENTS],
                               double *rms_px)
{
    equations sums = {.squares = 0};
    double trace = 0;
    memset(coefficients, 0, 2 * sizeof *coefficients);
    if (rms_px) *rms_px = 0;
    if (motion->time_count == 0 || motion->frame_count < 2) return QN_OK;
    for (int t = 0; t < motion->frame_count; t++)
        for (int k = 0; k < SIDE * SIDE; k++)
            add_place(motion, t, (double)(k % SIDE) / (SIDE - 1) * (motion->width - 1),
                      (double)(k / SIDE) / (SIDE - 1) * (motion->height - 1), &sums);
    for (int k = 0; k < COEFFICIENTS; k++) trace += sums.matrix[k * COEFFICIENTS + k];
    for (int k = 0; k < COEFFICIENTS; k++) sums.matrix[k * COEFFICIENTS + k] += RIDGE * trace;
    QN_TRY(qn_cholesky_factor(sums.matrix, COEFFICIENTS));
    for (int axis = 0; axis < 2; axis++) {
        memcpy(coefficients[axis], sums.right[axis], sizeof coefficients[axis]);
        qn_cholesky_solve(sums.matrix, COEFFICIENTS, coefficients[axis]);
        for (int k = 0; k < COEFFICIENTS; k++) {
            sums.squares -= coefficients[axis][k] * sums.right[axis][k]; /* |b|² − xᵀAᵀb is the rest */
            coefficients[axis][k] /= pow(motion->frame_count - 1, k % TIMES + 1);
        }
    }
    if (rms_px) *rms_px = sqrt(fmax(sums.squares, 0) / sums.count);
    return QN_OK;
}
