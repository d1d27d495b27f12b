/* The choice of λ and of directions. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/symmetric.h"
#include "movie/motion/smoother.h"

enum { PLANE = QN_MOTION_PLANE, SQUARE = QN_MOTION_PLANE * QN_MOTION_PLANE, CHOICES = 19 /* of λ */ };

/* Of the leverages in cross-validation, if patches overlap: R is an estimate, and what is left of the correlations must
 * not pass for motion (Kim & Gu 2004). */
static const double INFLATION = 1.4;

static const double RIDGE = 1e-8;       /* of the mean diagonal element: constants have neither data nor penalty */
static const double MODE_LEAST = 1e-12; /* of a mode without data and penalty */

_Static_assert(QN_MOTION_PLANE <= (int)QN_SYMMETRIC_MAX, "a matrix of all coefficients");

/* ---- modes ---- */

static double trace_of(const double *matrix)
{
    double sum = 0;
    for (int k = 0; k < PLANE; k++) sum += matrix[k * PLANE + k];
    return sum;
}

/* L⁻¹ P L⁻ᵀ for the factor L. */
static void transform_penalty(const double *factor, const double *penalty, double *transformed)
{
    double rows[SQUARE];
    memcpy(rows, penalty, sizeof rows);
    for (int k = 0; k < PLANE; k++) qn_cholesky_solve_lower(factor, PLANE, rows + k * PLANE);
    for (int k = 0; k < PLANE; k++) {
        double *row = transformed + k * PLANE;
        for (int i = 0; i < PLANE; i++) row[i] = rows[i * PLANE + k];
        qn_cholesky_solve_lower(factor, PLANE, row);
    }
    for (int k = 0; k < PLANE; k++)
        for (int i = 0; i < k; i++) transformed[i * PLANE + k] = transformed[k * PLANE + i];
}

/* Z and g for the vectors U. What has neither data nor penalty, as constants have not, is left out: of the terms of
 * uᵀAu = 1, those of both are less than half. */
static void fill_modes(qn_motion_smoother *smoother, const double *vectors, double share)
{
    for (int k = 0; k < PLANE; k++) {
        double sum = 0;
        for (int p = 0; p < smoother->patch_count; p++) {
            double *mode = smoother->modes + p * PLANE + k;
            *mode = 0;
            for (int i = 0; i < PLANE; i++) *mode += smoother->white[p * PLANE + i] * vectors[k * PLANE + i];
            sum += *mode * *mode;
        }
        const bool left_out = sum + share * smoother->mode_penalty[k] < 0.5;
        for (int p = 0; p < smoother->patch_count && left_out; p++) smoother->modes[p * PLANE + k] = 0;
        smoother->mode_data[k] = left_out ? 0 : sum;
    }
}

/* With the factor L of A = SᵀR⁻¹S + s P + ridge and the eigenvectors V of L⁻¹ P L⁻ᵀ, U = L⁻ᵀ V. */
static qn_status make_modes(qn_motion_smoother *smoother)
{
    double factor[SQUARE], transformed[SQUARE], vectors[SQUARE];
    const double of_data = trace_of(smoother->products), share = of_data / trace_of(smoother->penalty);
    for (int k = 0; k < SQUARE; k++) factor[k] = smoother->products[k] + share * smoother->penalty[k];
    for (int k = 0; k < PLANE; k++) factor[k * PLANE + k] += RIDGE * of_data / PLANE;
    QN_TRY(qn_cholesky_factor(factor, PLANE));
    transform_penalty(factor, smoother->penalty, transformed);
    qn_symmetric_eigen(transformed, PLANE, smoother->mode_penalty, vectors);
    for (int k = 0; k < PLANE; k++) {
        qn_cholesky_solve_upper(factor, PLANE, vectors + k * PLANE);
        smoother->mode_penalty[k] = fmax(smoother->mode_penalty[k], 0);
    }
    fill_modes(smoother, vectors, share);
    smoother->has_modes = true;
    return QN_OK;
}

/* g + λ d */
static double weight_of(const qn_motion_smoother *smoother, double smoothness, int mode)
{
    return smoother->mode_data[mode] + smoothness * smoother->mode_penalty[mode] + MODE_LEAST;
}

/* ---- data ---- */

/* Whitened data along the directions, less the vectors of the frames, and the same in modes. Both axes of a direction
 * follow each other. */
typedef struct validation {
    qn_motion_smoother *smoother;
    int columns;      /* 2 J */
    double *data;     /* [J][axis][patch] */
    double *projects; /* [J][axis][49] */
} validation;

static void fill(validation *work, const double *data)
{
    const qn_motion_smoother *smoother = work->smoother;
    const int patches = smoother->patch_count;
    for (int c = 0; c < work->columns; c++) {
        double *column = work->data + c * patches, *projects = work->projects + c * PLANE, mean = 0;
        for (int p = 0; p < patches; p++) {
            double projected[2];
            qn_motion_smoother_project(smoother, data, c / 2, p, projected);
            column[p] = projected[c % 2];
            mean += smoother->mean_weight[p] * column[p];
        }
        for (int p = 0; p < patches; p++) column[p] -= mean;
        qn_cholesky_solve_lower(smoother->root, patches, column);
        for (int k = 0; k < PLANE; k++) projects[k] = 0;
        for (int p = 0; p < patches; p++)
            for (int k = 0; k < PLANE; k++) projects[k] += smoother->modes[p * PLANE + k] * column[p];
    }
}

static qn_status create(qn_motion_smoother *smoother, const double *data, validation *work)
{
    const int columns = 2 * smoother->direction_count;
    void *memory;
    if (!smoother->has_modes) QN_TRY(make_modes(smoother));
    QN_TRY(qn_allocate((size_t)columns * (size_t)(smoother->patch_count + PLANE), sizeof(double), &memory));
    *work = (validation){.smoother = smoother, .columns = columns, .data = memory};
    work->projects = work->data + columns * smoother->patch_count;
    fill(work, data);
    return QN_OK;
}

/* ---- choices ---- */

/* The score of a λ and so many directions; 0: of g_t alone. In modes, the residuals' squares are those of the data less
 * 2 b w − g w², w = b / (g + λ d). */
static double score_of(const validation *work, double smoothness, int used_count)
{
    const qn_motion_smoother *smoother = work->smoother;
    const double inflation = smoother->patch[0] > 0 && smoother->patch[1] > 0 ? INFLATION : 1;
    const double count = (double)smoother->direction_count * smoother->used;
    double rest = count, squares = 0;
    for (int k = 0; k < work->columns * smoother->patch_count; k++) squares += work->data[k] * work->data[k];
    for (int c = 0; c < work->columns; c++) {
        double leverage = 1; /* of the vectors of the frames */
        for (int k = 0; k < PLANE && c / 2 < used_count; k++) {
            const double b = work->projects[c * PLANE + k], g = smoother->mode_data[k];
            const double weight = weight_of(smoother, smoothness, k), w = b / weight;
            squares -= 2 * b * w - g * w * w;
            leverage += g / weight;
        }
        if (c % 2 == 0) rest -= inflation * leverage;
    }
    return rest > 0 ? count * squares / (rest * rest) : DBL_MAX;
}

/* The score as an error of vectors over patches and frames. */
static double error_of(const validation *work, double score)
{
    return sqrt(score * work->smoother->direction_count / work->smoother->frame_count);
}

/* Only the directions count: errors of peaks change little from frame to frame, so they are smaller outside. */
qn_status qn_motion_smoother_choose(qn_motion_smoother *smoother, double given, const double *data,
                                    qn_motion_choice *choice)
{
    const int counts[2] = {smoother->polynomial_count, smoother->direction_count};
    validation work;
    double least = DBL_MAX;
    QN_TRY(create(smoother, data, &work));
    *choice = (qn_motion_choice){.smoothness = given, .used_count = counts[0]};
    for (int k = 0; k < 2 * CHOICES; k++) {
        const double power = QN_MOTION_SMOOTHNESS_MAX * pow(10, -(k / 2) / 2.0);
        const double smoothness = given > 0 ? given : power, score = score_of(&work, smoothness, counts[k % 2]);
        if (score < least) {
            least = score;
            choice->smoothness = smoothness;
            choice->used_count = counts[k % 2];
        }
    }
    choice->error_px = error_of(&work, least);
    choice->global_error_px = error_of(&work, score_of(&work, 1, 0));
    qn_release(&work.data);
    return qn_motion_smoother_set_smoothness(smoother, choice->smoothness, choice->used_count);
}
