#include "movie/motion/smoother.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/symmetric.h"

enum { SIDE = QN_MOTION_SIDE, PLANE = QN_MOTION_PLANE, SQUARE = QN_MOTION_PLANE * QN_MOTION_PLANE };
enum { CHOICES = 19, QUADRATICS = 6 }; /* of λ; numbers of a quadratic */

/* A part of the mean diagonal element that is added to the diagonal: constants have neither data nor penalty. */
static const double RIDGE_DATA = 1e-8, RIDGE_PENALTY = 1e-13;

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

/* Directions of large eigenvalues: with three frames, three B-splines have rank 2. */
static void make_directions(qn_motion_smoother *smoother, const double *centred)
{
    enum { WIDTH = QN_MOTION_TIME_KNOTS_MAX };
    const int count = smoother->time_count, frames = smoother->frame_count;
    double products[WIDTH * WIDTH] = {0}, values[WIDTH], vectors[WIDTH * WIDTH];
    for (int m = 0; m < count; m++)
        for (int k = 0; k < count; k++) {
            double sum = 0;
            for (int t = 0; t < frames; t++) sum += centred[t * WIDTH + m] * centred[t * WIDTH + k];
            products[m * count + k] = sum;
        }
    qn_symmetric_eigen(products, count, values, vectors);
    for (int k = count - 1; k >= 0 && values[k] > 1e-9 * values[count - 1]; k--) {
        const int j = smoother->direction_count++;
        const double root = sqrt(values[k]);
        smoother->eigenvalue[j] = values[k];
        for (int m = 0; m < count; m++) smoother->map[m][j] = vectors[k * count + m] / root;
        for (int t = 0; t < frames; t++) {
            double sum = 0;
            for (int m = 0; m < count; m++) sum += centred[t * WIDTH + m] * smoother->map[m][j];
            smoother->directions[j * frames + t] = sum;
        }
    }
}

qn_status qn_motion_smoother_create(int frame_count, int patch_count, const double *place, qn_motion_smoother *smoother)
{
    const size_t frames = (size_t)frame_count, patches = (size_t)patch_count, width = QN_MOTION_TIME_KNOTS_MAX;
    void *memory, *centred;
    *smoother = (qn_motion_smoother){.frame_count = frame_count,
                                     .patch_count = patch_count,
                                     .overlap = 1,
                                     .time_count = qn_motion_time_count(frame_count)};
    QN_TRY(qn_allocate(width * frames + 2 * PLANE * patches + patches + width * patches + (width + 2) * SQUARE,
                       sizeof(double), &memory));
    smoother->memory = memory;
    smoother->directions = smoother->memory;
    smoother->basis = smoother->directions + width * frames;
    smoother->design = smoother->basis + PLANE * patches;
    smoother->weight = smoother->design + PLANE * patches;
    smoother->leverage = smoother->weight + patches;
    smoother->factor = smoother->leverage + width * patches;
    smoother->products = smoother->factor + width * SQUARE;
    smoother->penalty = smoother->products + SQUARE;
    const qn_status status = qn_allocate(width * frames, sizeof(double), &centred);
    if (status != QN_OK) {
        qn_motion_smoother_destroy(smoother);
        return status;
    }
    centre_time(smoother, centred);
    make_directions(smoother, centred);
    qn_release(&centred);
    make_basis(patch_count, place, smoother->basis);
    make_penalty(smoother->penalty);
    qn_motion_smoother_set_weights(smoother, NULL, NULL);
    return QN_OK;
}

void qn_motion_smoother_destroy(qn_motion_smoother *smoother)
{
    qn_release(&smoother->memory);
    *smoother = (qn_motion_smoother){0};
}

/* Σ_j τ_j(t) (mean − Q̄) γ_j moves from the local part to the vectors of the frames. */
static void move_means(const qn_motion_smoother *smoother, const double *mean, qn_motion_model *model)
{
    const int frames = smoother->frame_count;
    for (int j = 0; j < smoother->direction_count && model->local; j++) {
        double moved[2] = {0};
        for (int k = 0; k < 2 * PLANE; k++)
            moved[k % 2] += (mean[k / 2] - smoother->mean[k / 2]) * model->gamma[j * 2 * PLANE + k];
        for (int t = 0; t < frames; t++)
            for (int axis = 0; axis < 2; axis++)
                model->frame[2 * t + axis] += smoother->directions[j * frames + t] * moved[axis];
    }
}

void qn_motion_smoother_set_weights(qn_motion_smoother *smoother, const double *weight, qn_motion_model *model)
{
    const int patches = smoother->patch_count;
    double sum = 0, used = 0, mean[PLANE] = {0};
    for (int p = 0; p < patches; p++) {
        sum += weight ? weight[p] : 1;
        used += !weight || weight[p] > 0;
    }
    for (int p = 0; p < patches; p++) {
        smoother->weight[p] = weight ? weight[p] * used / sum : 1;
        for (int k = 0; k < PLANE; k++) mean[k] += smoother->weight[p] * smoother->basis[p * PLANE + k] / used;
    }
    if (model) move_means(smoother, mean, model);
    memcpy(smoother->mean, mean, sizeof mean);
    memset(smoother->products, 0, SQUARE * sizeof(double));
    for (int p = 0; p < patches; p++) {
        double *row = smoother->design + p * PLANE;
        for (int k = 0; k < PLANE; k++) row[k] = smoother->basis[p * PLANE + k] - mean[k];
        for (int k = 0; k < SQUARE; k++) smoother->products[k] += smoother->weight[p] * row[k / PLANE] * row[k % PLANE];
    }
}

/* ---- factors ---- */

static double diagonal_mean(const double *matrix)
{
    double sum = 0;
    for (int k = 0; k < PLANE; k++) sum += matrix[k * PLANE + k];
    return sum / PLANE;
}

static double ridge_of(const qn_motion_smoother *smoother, int direction)
{
    const double factor = smoother->smoothness / smoother->eigenvalue[direction];
    return RIDGE_DATA * diagonal_mean(smoother->products) + RIDGE_PENALTY * factor * diagonal_mean(smoother->penalty);
}

/* H_j(p) = w s (SᵀWS + …)⁻¹ sᵀ + w / Σw: the local part and the free vectors of the frames. */
static double leverage_of(const qn_motion_smoother *smoother, int direction, int patch, double used)
{
    double row[PLANE], sum = 0;
    memcpy(row, smoother->design + patch * PLANE, sizeof row);
    qn_cholesky_solve_lower(smoother->factor + direction * SQUARE, PLANE, row);
    for (int k = 0; k < PLANE; k++) sum += row[k] * row[k];
    return smoother->weight[patch] * (sum + 1 / used);
}

static double used_patches(const qn_motion_smoother *smoother)
{
    double used = 0;
    for (int p = 0; p < smoother->patch_count; p++) used += smoother->weight[p] > 0;
    return used;
}

qn_status qn_motion_smoother_set_smoothness(qn_motion_smoother *smoother, double smoothness)
{
    const double used = used_patches(smoother);
    smoother->smoothness = smoothness;
    for (int j = 0; j < smoother->direction_count; j++) {
        double *factor = smoother->factor + j * SQUARE;
        const double multiple = smoothness / smoother->eigenvalue[j], ridge = ridge_of(smoother, j);
        for (int k = 0; k < SQUARE; k++) factor[k] = smoother->products[k] + multiple * smoother->penalty[k];
        for (int k = 0; k < PLANE; k++) factor[k * PLANE + k] += ridge;
        QN_TRY(qn_cholesky_factor(factor, PLANE));
        for (int p = 0; p < smoother->patch_count; p++)
            smoother->leverage[j * smoother->patch_count + p] = leverage_of(smoother, j, p, used);
    }
    return QN_OK;
}

void qn_motion_smoother_solve(const qn_motion_smoother *smoother, int direction, double *vector)
{
    for (int axis = 0; axis < 2; axis++) {
        double column[PLANE];
        for (int k = 0; k < PLANE; k++) column[k] = vector[2 * k + axis];
        qn_cholesky_solve(smoother->factor + direction * SQUARE, PLANE, column);
        for (int k = 0; k < PLANE; k++) vector[2 * k + axis] = column[k];
    }
}

double qn_motion_smoother_penalty(const qn_motion_smoother *smoother, const double *gamma, double *gradient)
{
    double total = 0;
    for (int j = 0; j < smoother->direction_count; j++) {
        const double multiple = smoother->smoothness / smoother->eigenvalue[j], ridge = ridge_of(smoother, j);
        for (int k = 0; k < PLANE; k++)
            for (int axis = 0; axis < 2; axis++) {
                const double *numbers = gamma + j * 2 * PLANE + axis;
                double sum = 0;
                for (int i = 0; i < PLANE; i++) sum += smoother->penalty[k * PLANE + i] * numbers[2 * i];
                sum = multiple * sum + ridge * numbers[2 * k];
                total += sum * numbers[2 * k];
                gradient[j * 2 * PLANE + 2 * k + axis] += 2 * sum;
            }
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

/* projected[2] = Σ_t τ_j(t) data[patch][t]. */
static void project(const qn_motion_smoother *smoother, const double *data, int direction, int patch,
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
    const double used = used_patches(smoother);
    memset(model->frame, 0, 2 * (size_t)frames * sizeof(double));
    for (int axis = 0; axis < 2; axis++) {
        double all = 0;
        for (int p = 0; p < patches; p++) {
            double sum = 0;
            for (int t = 0; t < frames; t++) {
                const double value = data[2 * (p * frames + t) + axis];
                sum += value;
                model->frame[2 * t + axis] += smoother->weight[p] * value / used;
            }
            model->patch[2 * p + axis] = sum / frames;
            all += smoother->weight[p] * sum / frames / used;
        }
        for (int p = 0; p < patches; p++) model->patch[2 * p + axis] -= all;
    }
}

void qn_motion_smoother_fit(const qn_motion_smoother *smoother, const double *data, qn_motion_model *model)
{
    fit_means(smoother, data, model);
    memset(model->gamma, 0, (size_t)smoother->direction_count * 2 * PLANE * sizeof(double));
    for (int j = 0; j < smoother->direction_count && model->local; j++) {
        double *gamma = model->gamma + j * 2 * PLANE;
        for (int p = 0; p < smoother->patch_count; p++) {
            double projected[2];
            project(smoother, data, j, p, projected);
            for (int k = 0; k < 2 * PLANE; k++)
                gamma[k] += smoother->weight[p] * smoother->design[p * PLANE + k / 2] * projected[k % 2];
        }
        qn_motion_smoother_solve(smoother, j, gamma);
    }
}

void qn_motion_smoother_shifts(const qn_motion_smoother *smoother, const qn_motion_model *model, double *shift)
{
    const int frames = smoother->frame_count, directions = model->local ? smoother->direction_count : 0;
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
        for (int j = 0; j < smoother->direction_count && gradient->local; j++) {
            double projected[2];
            project(smoother, by_shift, j, p, projected);
            for (int k = 0; k < 2 * PLANE; k++)
                gradient->gamma[j * 2 * PLANE + k] += smoother->design[p * PLANE + k / 2] * projected[k % 2];
        }
    }
}

/* ---- cross-validation ---- */

/* Σ_p w |d_pj − mean|² and Σ_p w |d_pj − mean − S γ_j|² over all directions; divided by (1 − leverage)² if
 * `left_out`. */
static void squares_along(const qn_motion_smoother *smoother, const double *data, const qn_motion_model *model,
                          bool left_out, double *without, double *with)
{
    const double used = used_patches(smoother);
    *without = *with = 0;
    for (int j = 0; j < smoother->direction_count; j++) {
        double mean[2], projected[2];
        project(smoother, model->frame, j, 0, mean);
        for (int p = 0; p < smoother->patch_count; p++) {
            const double weight = smoother->weight[p];
            const double own = 1 - weight / used, full = 1 - smoother->leverage[j * smoother->patch_count + p];
            project(smoother, data, j, p, projected);
            for (int axis = 0; axis < 2; axis++) {
                double value = projected[axis] - mean[axis], rest = value;
                for (int k = 0; k < PLANE; k++)
                    rest -= smoother->design[p * PLANE + k] * model->gamma[j * 2 * PLANE + 2 * k + axis];
                if (left_out) {
                    value /= own > 1e-9 ? own : 1e-9;
                    rest /= full > 1e-9 ? full : 1e-9;
                }
                *without += weight * value * value;
                *with += weight * rest * rest;
            }
        }
    }
}

/* How much a degree of freedom costs. Errors of a patch are much the same in all frames, which is why each direction
 * has one observation of each patch; those of patches that overlap are much the same, too, so `overlap` patches are one
 * observation. Quadratics must leave a quarter of the observations. */
static double cost_of_freedom(const qn_motion_smoother *smoother)
{
    const double most = 0.75 * used_patches(smoother) / QUADRATICS;
    return fmax(1, fmin(smoother->overlap, most));
}

/* Try all choices. */
static qn_status choose(qn_motion_smoother *smoother, const double *data, qn_motion_model *model)
{
    const double count = used_patches(smoother) * smoother->direction_count, cost = cost_of_freedom(smoother);
    double least = DBL_MAX, best = QN_MOTION_SMOOTHNESS_MAX;
    for (int choice = 0; choice < CHOICES; choice++) {
        double without, with, trace = 0;
        QN_TRY(qn_motion_smoother_set_smoothness(smoother, QN_MOTION_SMOOTHNESS_MAX * pow(10, -choice / 2.0)));
        model->local = true;
        qn_motion_smoother_fit(smoother, data, model);
        squares_along(smoother, data, model, false, &without, &with);
        for (int k = 0; k < smoother->direction_count * smoother->patch_count; k++) trace += smoother->leverage[k];
        const double free = count - cost * trace, score = free > 0 ? with / (free * free) : DBL_MAX;
        if (score < least) {
            least = score;
            best = smoother->smoothness;
        }
    }
    return qn_motion_smoother_set_smoothness(smoother, best);
}

qn_status qn_motion_smoother_choose(qn_motion_smoother *smoother, const double *data)
{
    qn_motion_model model;
    QN_TRY(qn_motion_model_create(smoother, &model));
    const qn_status status = choose(smoother, data, &model);
    qn_motion_model_destroy(&model);
    return status;
}

qn_status qn_motion_smoother_left_out(const qn_motion_smoother *smoother, const double *data, double *local,
                                      double *global)
{
    qn_motion_model model;
    const double count = used_patches(smoother) * smoother->frame_count;
    QN_TRY(qn_motion_model_create(smoother, &model));
    model.local = true;
    qn_motion_smoother_fit(smoother, data, &model);
    squares_along(smoother, data, &model, true, global, local);
    *local = sqrt(*local / count);
    *global = sqrt(*global / count);
    qn_motion_model_destroy(&model);
    return QN_OK;
}
