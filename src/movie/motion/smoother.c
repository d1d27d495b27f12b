#include "movie/motion/smoother.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"

enum { SIDE = QN_MOTION_SIDE, PLANE = QN_MOTION_PLANE, SQUARE = QN_MOTION_PLANE * QN_MOTION_PLANE };

/* A part of the mean diagonal element that is added to the diagonal: constants have neither data nor penalty. */
static const double RIDGE_DATA = 1e-8, RIDGE_PENALTY = 1e-13;

static const double RANK_LEAST = 1e-9;  /* of the square of a function of time: what is left of it counts */
static const double WEIGHT_MIN = 1e-8;  /* of a patch that is not used */
static const double OVERLAP_MAX = 0.99; /* so that two patches at one place are not one */

/* ---- making ---- */

/* d[order difference row][coefficient]: third, second, first and zeroth differences of SIDE numbers. */
static void make_differences(double d[4][SIDE][SIDE])
{
    memset(d, 0, 4 * sizeof d[0]);
    for (int i = 0; i < SIDE; i++) d[0][i][i] = 1;
    for (int order = 1; order < 4; order++)
        for (int i = 0; i + order < SIDE; i++)
            for (int j = 0; j < SIDE; j++) d[order][i][j] = d[order - 1][i + 1][j] - d[order - 1][i][j];
}

static void make_penalty(double *penalty)
{
    static const double factors[4] = {1, 3, 3, 1};
    double d[4][SIDE][SIDE];
    make_differences(d);
    for (int order = 0; order < 4; order++) /* differences along x; the others are along y */
        for (int y = 0; y + 3 - order < SIDE; y++)
            for (int x = 0; x + order < SIDE; x++) {
                double row[PLANE];
                for (int k = 0; k < PLANE; k++) row[k] = d[3 - order][y][k / SIDE] * d[order][x][k % SIDE];
                for (int k = 0; k < SQUARE; k++) penalty[k] += factors[order] * row[k / PLANE] * row[k % PLANE];
            }
}

static void make_basis(int patch_count, const double *place, double *basis)
{
    for (int p = 0; p < patch_count; p++) {
        double x[SIDE], y[SIDE];
        qn_motion_space_basis(place[2 * p], x);
        qn_motion_space_basis(place[2 * p + 1], y);
        for (int k = 0; k < PLANE; k++) basis[p * PLANE + k] = y[k / SIDE] * x[k % SIDE];
    }
}

/* Values of B_m − B̄_m in all frames go to `centred`, [frame][QN_MOTION_TIME_KNOTS_MAX]. */
static void centre_time(qn_motion_smoother *smoother, double *centred)
{
    const int frames = smoother->frame_count, width = QN_MOTION_TIME_KNOTS_MAX;
    for (int t = 0; t < frames; t++) qn_motion_time_basis(frames, t, centred + t * width);
    for (int m = 0; m < smoother->time_count; m++) {
        double sum = 0;
        for (int t = 0; t < frames; t++) sum += centred[t * width + m];
        smoother->time_mean[m] = sum / frames;
        for (int t = 0; t < frames; t++) centred[t * width + m] -= smoother->time_mean[m];
    }
}

/* Σ of products of two functions of time, given by coefficients c_m, over the frames. */
static double product_of(const double gram[][QN_MOTION_TIME_KNOTS_MAX], int count, const double *a, const double *b)
{
    double sum = 0;
    for (int m = 0; m < count; m++)
        for (int k = 0; k < count; k++) sum += a[m] * gram[m][k] * b[k];
    return sum;
}

/* Add a function, less its part in the directions before it, unless nothing is left: with three frames, three
 * functions have rank 2. */
static void add_direction(qn_motion_smoother *smoother, const double gram[][QN_MOTION_TIME_KNOTS_MAX],
                          double function[QN_MOTION_TIME_KNOTS_MAX])
{
    const int count = smoother->time_count, j = smoother->direction_count;
    const double before = product_of(gram, count, function, function);
    for (int k = 0; k < 2 * j; k++) { /* twice, since differences are rounded */
        double other[QN_MOTION_TIME_KNOTS_MAX];
        for (int m = 0; m < count; m++) other[m] = smoother->map[m][k % j];
        const double common = product_of(gram, count, function, other);
        for (int m = 0; m < count; m++) function[m] -= common * other[m];
    }
    const double square = product_of(gram, count, function, function);
    if (!(square > RANK_LEAST * before) || j == smoother->frame_count - 1) return;
    smoother->direction_count++;
    for (int m = 0; m < count; m++) smoother->map[m][j] = function[m] / sqrt(square);
}

/* Cubic polynomials first, then what the B-splines can do besides. */
static void make_directions(qn_motion_smoother *smoother, const double *centred)
{
    enum { WIDTH = QN_MOTION_TIME_KNOTS_MAX, DEGREES = 3 };
    const int count = smoother->time_count, frames = smoother->frame_count;
    double gram[WIDTH][WIDTH] = {{0}};
    for (int t = 0; t < frames; t++)
        for (int m = 0; m < count; m++)
            for (int k = 0; k < count; k++) gram[m][k] += centred[t * WIDTH + m] * centred[t * WIDTH + k];
    for (int k = 0; k < DEGREES + count; k++) {
        double function[WIDTH] = {0};
        if (k < DEGREES)
            qn_motion_time_polynomial(frames, k + 1, function);
        else
            function[count - 1 - (k - DEGREES)] = 1;
        add_direction(smoother, gram, function);
        if (k == DEGREES - 1) smoother->polynomial_count = smoother->direction_count;
    }
    smoother->used_count = smoother->direction_count;
    for (int j = 0; j < smoother->direction_count; j++)
        for (int t = 0; t < frames; t++)
            for (int m = 0; m < count; m++)
                smoother->directions[j * frames + t] += centred[t * WIDTH + m] * smoother->map[m][j];
}

static qn_status allocate(qn_motion_smoother *smoother)
{
    const size_t frames = (size_t)smoother->frame_count, patches = (size_t)smoother->patch_count;
    const size_t width = QN_MOTION_TIME_KNOTS_MAX;
    void *memory;
    QN_TRY(qn_allocate(width * frames + (5 * PLANE + patches + 4) * patches + 3 * SQUARE + 2 * PLANE, sizeof(double),
                       &memory));
    smoother->memory = memory;
    smoother->directions = smoother->memory;
    smoother->place = smoother->directions + width * frames;
    smoother->basis = smoother->place + 2 * patches;
    smoother->design = smoother->basis + PLANE * patches;
    smoother->white = smoother->design + PLANE * patches;
    smoother->dual = smoother->white + PLANE * patches;
    smoother->root = smoother->dual + PLANE * patches;
    smoother->ones = smoother->root + patches * patches;
    smoother->mean_weight = smoother->ones + patches;
    smoother->modes = smoother->mean_weight + patches;
    smoother->factor = smoother->modes + PLANE * patches;
    smoother->products = smoother->factor + SQUARE;
    smoother->penalty = smoother->products + SQUARE;
    smoother->mode_data = smoother->penalty + SQUARE;
    smoother->mode_penalty = smoother->mode_data + PLANE;
    return QN_OK;
}

static qn_status make(qn_motion_smoother *smoother, const double *place)
{
    void *centred;
    QN_TRY(qn_allocate((size_t)QN_MOTION_TIME_KNOTS_MAX * (size_t)smoother->frame_count, sizeof(double), &centred));
    centre_time(smoother, centred);
    make_directions(smoother, centred);
    qn_release(&centred);
    memcpy(smoother->place, place, 2 * (size_t)smoother->patch_count * sizeof *place);
    make_basis(smoother->patch_count, place, smoother->basis);
    make_penalty(smoother->penalty);
    return qn_motion_smoother_set_weights(smoother, NULL, true, NULL);
}

qn_status qn_motion_smoother_create(int frame_count, int patch_count, const double *place, const double patch[2],
                                    qn_motion_smoother *smoother)
{
    *smoother = (qn_motion_smoother){.frame_count = frame_count,
                                     .patch_count = patch_count,
                                     .time_count = qn_motion_time_count(frame_count),
                                     .patch = {patch[0], patch[1]}};
    QN_TRY(allocate(smoother));
    const qn_status status = make(smoother, place);
    if (status != QN_OK) qn_motion_smoother_destroy(smoother);
    return status;
}

void qn_motion_smoother_destroy(qn_motion_smoother *smoother)
{
    qn_release(&smoother->memory);
    *smoother = (qn_motion_smoother){0};
}

/* ---- weights and overlaps ---- */

/* Σ_j τ_j(t) (mean − Q̄) γ_j moves from the local part to the vectors of the frames. */
static void move_means(const qn_motion_smoother *smoother, const double *mean, qn_motion_model *model)
{
    const int frames = smoother->frame_count;
    for (int j = 0; j < smoother->used_count && model->local; j++) {
        double moved[2] = {0};
        for (int k = 0; k < 2 * PLANE; k++)
            moved[k % 2] += (mean[k / 2] - smoother->mean[k / 2]) * model->gamma[j * 2 * PLANE + k];
        for (int t = 0; t < frames; t++)
            for (int axis = 0; axis < 2; axis++)
                model->frame[2 * t + axis] += smoother->directions[j * frames + t] * moved[axis];
    }
}

void qn_motion_smoother_move(const qn_motion_smoother *from, const qn_motion_smoother *to, qn_motion_model *model)
{
    move_means(from, to->mean, model);
}

/* The square of the share of its area that a patch has in common with another. */
static double overlap_of(const qn_motion_smoother *smoother, int p, int q)
{
    double share = 1;
    if (p == q) return 1;
    for (int axis = 0; axis < 2; axis++) {
        const double way = fabs(smoother->place[2 * p + axis] - smoother->place[2 * q + axis]);
        share *= way < smoother->patch[axis] ? 1 - way / smoother->patch[axis] : 0;
    }
    return fmin(share * share, OVERLAP_MAX);
}

static qn_status make_root(qn_motion_smoother *smoother, const double *weight, bool overlaps)
{
    const int patches = smoother->patch_count;
    double sum = 0;
    smoother->used = 0;
    for (int p = 0; p < patches; p++) {
        sum += weight ? weight[p] : 1;
        smoother->used += !weight || weight[p] > 0;
    }
    for (int p = 0; p < patches; p++) { /* ones: 1 / √w, with mean weight 1 */
        const double own = weight ? weight[p] * smoother->used / sum : 1;
        smoother->ones[p] = 1 / sqrt(fmax(own, WEIGHT_MIN));
    }
    for (int p = 0; p < patches; p++)
        for (int q = 0; q <= p; q++)
            smoother->root[p * patches + q] =
                p == q || overlaps ? smoother->ones[p] * smoother->ones[q] * overlap_of(smoother, p, q) : 0;
    return qn_cholesky_factor(smoother->root, patches);
}

/* white = L⁻¹ S and dual = R⁻¹ S, column by column. */
static void whiten_design(qn_motion_smoother *smoother, double *column)
{
    const int patches = smoother->patch_count;
    for (int k = 0; k < PLANE; k++) {
        for (int p = 0; p < patches; p++) column[p] = smoother->design[p * PLANE + k];
        qn_cholesky_solve_lower(smoother->root, patches, column);
        for (int p = 0; p < patches; p++) smoother->white[p * PLANE + k] = column[p];
        qn_cholesky_solve_upper(smoother->root, patches, column);
        for (int p = 0; p < patches; p++) smoother->dual[p * PLANE + k] = column[p];
    }
}

static void make_products(qn_motion_smoother *smoother)
{
    memset(smoother->products, 0, SQUARE * sizeof(double));
    for (int p = 0; p < smoother->patch_count; p++) {
        const double *row = smoother->white + p * PLANE;
        for (int k = 0; k < SQUARE; k++) smoother->products[k] += row[k / PLANE] * row[k % PLANE];
    }
}

qn_status qn_motion_smoother_set_weights(qn_motion_smoother *smoother, const double *weight, bool overlaps,
                                         qn_motion_model *model)
{
    const int patches = smoother->patch_count;
    double mean[PLANE] = {0};
    void *column;
    QN_TRY(make_root(smoother, weight, overlaps));
    QN_TRY(qn_allocate((size_t)patches, sizeof(double), &column));
    for (int p = 0; p < patches; p++) smoother->ones[p] = 1;
    qn_cholesky_solve_lower(smoother->root, patches, smoother->ones);
    memcpy(smoother->mean_weight, smoother->ones, (size_t)patches * sizeof(double));
    qn_cholesky_solve_upper(smoother->root, patches, smoother->mean_weight);
    smoother->information = 0;
    for (int p = 0; p < patches; p++) smoother->information += smoother->mean_weight[p];
    for (int p = 0; p < patches; p++) {
        smoother->mean_weight[p] /= smoother->information;
        for (int k = 0; k < PLANE; k++) mean[k] += smoother->mean_weight[p] * smoother->basis[p * PLANE + k];
    }
    smoother->has_modes = false;
    if (model) move_means(smoother, mean, model);
    memcpy(smoother->mean, mean, sizeof mean);
    for (int k = 0; k < patches * PLANE; k++) smoother->design[k] = smoother->basis[k] - mean[k % PLANE];
    whiten_design(smoother, column);
    qn_release(&column);
    make_products(smoother);
    return QN_OK;
}

/* ---- factors ---- */

static double diagonal_mean(const double *matrix)
{
    double sum = 0;
    for (int k = 0; k < PLANE; k++) sum += matrix[k * PLANE + k];
    return sum / PLANE;
}

static double ridge_of(const qn_motion_smoother *smoother)
{
    return RIDGE_DATA * diagonal_mean(smoother->products) +
           RIDGE_PENALTY * smoother->smoothness * diagonal_mean(smoother->penalty);
}

qn_status qn_motion_smoother_set_smoothness(qn_motion_smoother *smoother, double smoothness, int used_count)
{
    double *factor = smoother->factor;
    smoother->smoothness = smoothness;
    smoother->used_count = used_count < smoother->direction_count ? used_count : smoother->direction_count;
    for (int k = 0; k < SQUARE; k++) factor[k] = smoother->products[k] + smoothness * smoother->penalty[k];
    for (int k = 0; k < PLANE; k++) factor[k * PLANE + k] += ridge_of(smoother);
    return qn_cholesky_factor(factor, PLANE);
}

void qn_motion_smoother_solve(const qn_motion_smoother *smoother, double *vector)
{
    for (int axis = 0; axis < 2; axis++) {
        double column[PLANE];
        for (int k = 0; k < PLANE; k++) column[k] = vector[2 * k + axis];
        qn_cholesky_solve(smoother->factor, PLANE, column);
        for (int k = 0; k < PLANE; k++) vector[2 * k + axis] = column[k];
    }
}

double qn_motion_smoother_penalty(const qn_motion_smoother *smoother, const double *gamma, double *gradient)
{
    const double ridge = ridge_of(smoother);
    double total = 0;
    for (int j = 0; j < smoother->used_count; j++)
        for (int k = 0; k < PLANE; k++)
            for (int axis = 0; axis < 2; axis++) {
                const double *numbers = gamma + j * 2 * PLANE + axis;
                double sum = 0;
                for (int i = 0; i < PLANE; i++) sum += smoother->penalty[k * PLANE + i] * numbers[2 * i];
                sum = smoother->smoothness * sum + ridge * numbers[2 * k];
                total += sum * numbers[2 * k];
                gradient[j * 2 * PLANE + 2 * k + axis] += 2 * sum;
            }
    return total;
}

/* ---- models ---- */

qn_status qn_motion_model_create(const qn_motion_smoother *smoother, qn_motion_model *model)
{
    const size_t gamma = (size_t)smoother->direction_count * 2 * PLANE, frames = (size_t)smoother->frame_count;
    void *memory;
    *model = (qn_motion_model){0};
    QN_TRY(qn_allocate(gamma + 2 * frames + 2 * (size_t)smoother->patch_count, sizeof(double), &memory));
    model->memory = model->gamma = memory;
    model->frame = model->gamma + gamma;
    model->patch = model->frame + 2 * frames;
    return QN_OK;
}

void qn_motion_model_destroy(qn_motion_model *model)
{
    qn_release(&model->memory);
    *model = (qn_motion_model){0};
}

void qn_motion_smoother_project(const qn_motion_smoother *smoother, const double *data, int direction, int patch,
                                double projected[2])
{
    const int frames = smoother->frame_count;
    const double *along = smoother->directions + direction * frames, *of_patch = data + 2 * patch * frames;
    projected[0] = projected[1] = 0;
    for (int t = 0; t < frames; t++)
        for (int axis = 0; axis < 2; axis++) projected[axis] += along[t] * of_patch[2 * t + axis];
}

/* Means over patches and frames: both contain the mean of all, which is left to the frames. */
static void fit_means(const qn_motion_smoother *smoother, const double *data, qn_motion_model *model)
{
    const int frames = smoother->frame_count, patches = smoother->patch_count;
    memset(model->frame, 0, 2 * (size_t)frames * sizeof(double));
    for (int axis = 0; axis < 2; axis++) {
        double all = 0;
        for (int p = 0; p < patches; p++) {
            double sum = 0;
            for (int t = 0; t < frames; t++) {
                const double value = data[2 * (p * frames + t) + axis];
                sum += value;
                model->frame[2 * t + axis] += smoother->mean_weight[p] * value;
            }
            model->patch[2 * p + axis] = sum / frames;
            all += smoother->mean_weight[p] * sum / frames;
        }
        for (int p = 0; p < patches; p++) model->patch[2 * p + axis] -= all;
    }
}

void qn_motion_smoother_fit(const qn_motion_smoother *smoother, const double *data, qn_motion_model *model)
{
    fit_means(smoother, data, model);
    memset(model->gamma, 0, (size_t)smoother->direction_count * 2 * PLANE * sizeof(double));
    for (int j = 0; j < smoother->used_count && model->local; j++) {
        double *gamma = model->gamma + j * 2 * PLANE;
        for (int p = 0; p < smoother->patch_count; p++) {
            double projected[2];
            qn_motion_smoother_project(smoother, data, j, p, projected);
            for (int k = 0; k < 2 * PLANE; k++) gamma[k] += smoother->dual[p * PLANE + k / 2] * projected[k % 2];
        }
        qn_motion_smoother_solve(smoother, gamma);
    }
}

void qn_motion_smoother_shifts(const qn_motion_smoother *smoother, const qn_motion_model *model, double *shift)
{
    const int frames = smoother->frame_count, directions = model->local ? smoother->used_count : 0;
    for (int p = 0; p < smoother->patch_count; p++) {
        double along[QN_MOTION_TIME_KNOTS_MAX][2] = {{0}};
        for (int j = 0; j < directions; j++)
            for (int k = 0; k < 2 * PLANE; k++)
                along[j][k % 2] += smoother->design[p * PLANE + k / 2] * model->gamma[j * 2 * PLANE + k];
        for (int t = 0; t < frames; t++)
            for (int axis = 0; axis < 2; axis++) {
                double sum = model->frame[2 * t + axis] + model->patch[2 * p + axis];
                for (int j = 0; j < directions; j++) sum += smoother->directions[j * frames + t] * along[j][axis];
                shift[2 * (p * frames + t) + axis] = sum;
            }
    }
}

void qn_motion_smoother_transpose(const qn_motion_smoother *smoother, const double *by_shift, qn_motion_model *gradient)
{
    const int frames = smoother->frame_count, patches = smoother->patch_count;
    memset(gradient->gamma, 0, (size_t)smoother->direction_count * 2 * PLANE * sizeof(double));
    memset(gradient->frame, 0, 2 * (size_t)frames * sizeof(double));
    memset(gradient->patch, 0, 2 * (size_t)patches * sizeof(double));
    for (int p = 0; p < patches; p++) {
        for (int t = 0; t < 2 * frames; t++) {
            gradient->frame[t] += by_shift[2 * p * frames + t];
            gradient->patch[2 * p + t % 2] += by_shift[2 * p * frames + t];
        }
        for (int j = 0; j < smoother->used_count && gradient->local; j++) {
            double projected[2];
            qn_motion_smoother_project(smoother, by_shift, j, p, projected);
            for (int k = 0; k < 2 * PLANE; k++)
                gradient->gamma[j * 2 * PLANE + k] += smoother->design[p * PLANE + k / 2] * projected[k % 2];
        }
    }
}
