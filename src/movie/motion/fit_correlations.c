/* The fit of motion to correlations. It minimises
 *
 *     F = −(2 / κ) Σ_pt C_pt(u + h_p − s_pt) + λ Σ_t l_tᵀ P l_t
 *
 * where κ is the curvature of the mean of all windows at its peak. Around their peaks, correlations are parabolas, so F
 * is a sum of squares in pixels² as in the fit to peaks, and does not depend on the scale of the correlations. So λ has
 * the same meaning, and half the inverse of the matrices of that fit is the preconditioner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/lbfgs.h"
#include "movie/motion/fit_state.h"
#include "movie/motion/kernels/field_value.h"
#include "runtime/kept_buffer.h"

enum { PEAK_REACH = 3 };                 /* of the peak of the mean window, samples from the middle */
static const double TOLERANCE_PX = 1e-3; /* RMS of the rest of the way of all shifts */

typedef struct correlation_fit {
    qn_motion_fit *fit;
    const qn_patch_correlations *correlations;
    qn_queue *queue;
    qn_buffer *windows, *coefficients; /* the same; windows: owned */
    qn_motion_rooms *rooms;
    float *place, *value;     /* [patch][frame][2] and [3] */
    float *sum;               /* of windows, as of qn_field_sum */
    double *shift, *by_shift; /* [patch][frame][2] */
    double scale;             /* 2 / κ */
    qn_motion_model gradient;
} correlation_fit;

static qn_field_problem problem_of(const correlation_fit *work)
{
    return (qn_field_problem){.windows = (int)qn_motion_fit_count(work->fit), .side = work->correlations->side};
}

static size_t area_of(const correlation_fit *work)
{
    return (size_t)(work->correlations->side * work->correlations->side);
}

static void destroy(correlation_fit *work)
{
    qn_buffer_release(&work->windows);
    qn_motion_model_destroy(&work->gradient);
    qn_release(&work->shift);
    qn_release(&work->place);
}

void qn_motion_rooms_release(qn_motion_rooms *rooms)
{
    qn_buffer_release(&rooms->places);
    qn_buffer_release(&rooms->values);
    qn_buffer_release(&rooms->sums);
}

static qn_status allocate(correlation_fit *work)
{
    void *memory;
    qn_device *device = qn_queue_device(work->queue);
    const size_t count = qn_motion_fit_count(work->fit), area = area_of(work);
    QN_TRY(qn_allocate(4 * count, sizeof(double), &memory));
    work->shift = memory;
    work->by_shift = work->shift + 2 * count;
    QN_TRY(qn_allocate(5 * count + QN_FIELD_PARTS * area, sizeof(float), &memory));
    work->place = memory;
    work->value = work->place + 2 * count;
    work->sum = work->value + 3 * count;
    QN_TRY(qn_motion_model_create(&work->fit->plain, &work->gradient));
    QN_TRY(qn_buffer_reserve(device, 2 * count * sizeof(float), &work->rooms->places));
    QN_TRY(qn_buffer_reserve(device, 3 * count * sizeof(float), &work->rooms->values));
    return qn_buffer_reserve(device, QN_FIELD_PARTS * area * sizeof(float), &work->rooms->sums);
}

/* Windows that are on the device stay there. */
static qn_status bring_windows(correlation_fit *work)
{
    const size_t bytes = qn_motion_fit_count(work->fit) * area_of(work) * sizeof(float);
    work->coefficients = work->correlations->windows;
    if (!work->correlations->values) return QN_OK;
    QN_TRY(qn_buffer_create(qn_queue_device(work->queue), bytes, &work->windows));
    work->coefficients = work->windows;
    return qn_queue_write(work->queue, work->windows, 0, work->correlations->values, bytes, NULL);
}

/* ---- the scale ---- */

static qn_status find_mean(correlation_fit *work, double *mean)
{
    const qn_field_problem problem = problem_of(work);
    const size_t area = area_of(work);
    QN_TRY(qn_field_sum(work->queue, NULL, &problem, work->coefficients, work->rooms->sums));
    QN_TRY(qn_queue_read(work->queue, work->rooms->sums, 0, work->sum, QN_FIELD_PARTS * area * sizeof(float), NULL));
    QN_TRY(qn_queue_finish(work->queue));
    memset(mean, 0, area * sizeof *mean);
    for (size_t k = 0; k < QN_FIELD_PARTS * area; k++) mean[k % area] += (double)work->sum[k] / problem.windows;
    return QN_OK;
}

/* Negative second derivative of the spline at sample k, mean of x and y in px⁻². */
static double curvature_at(const qn_patch_correlations *correlations, const double *coefficients, int k)
{
    static const double along[3] = {1 / 6.0, 4 / 6.0, 1 / 6.0}, second[3] = {1, -2, 1};
    const int side = correlations->side;
    double by_x = 0, by_y = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            const double c = coefficients[k + (j - 1) * side + i - 1];
            by_x += along[j] * second[i] * c;
            by_y += second[j] * along[i] * c;
        }
    const double *pixel = correlations->coarse_px;
    return -(by_x / (pixel[0] * pixel[0]) + by_y / (pixel[1] * pixel[1])) / 2;
}

/* Set the scale. *peaked is false if the largest number of the mean window is not near its middle. */
static qn_status find_scale(correlation_fit *work, bool *peaked)
{
    double mean[QN_FIELD_SIDE_MAX * QN_FIELD_SIDE_MAX], coefficients[QN_FIELD_SIDE_MAX * QN_FIELD_SIDE_MAX];
    const int side = work->correlations->side;
    int largest = 0;
    QN_TRY(find_mean(work, mean));
    for (int k = 1; k < side * side; k++)
        if (mean[k] > mean[largest]) largest = k;
    *peaked = abs(largest % side - side / 2) <= PEAK_REACH && abs(largest / side - side / 2) <= PEAK_REACH;
    if (!*peaked) return QN_OK;
    qn_field_filter_reference(side, mean, coefficients);
    const double curvature = curvature_at(work->correlations, coefficients, largest);
    *peaked = curvature > 0 && isfinite(curvature);
    if (*peaked) work->scale = 2 / curvature;
    return QN_OK;
}

/* ---- the function that is minimised ---- */

/* Compute `by_shift`, the derivatives of −(2 / κ) Σ C at `shift`, and return that sum in *value. Terms are added in
 * order. */
static qn_status evaluate_windows(correlation_fit *work, double *value)
{
    const size_t count = qn_motion_fit_count(work->fit);
    const qn_field_problem problem = problem_of(work);
    const double *pixel = work->correlations->coarse_px;
    double sum = 0;
    for (size_t k = 0; k < 2 * count; k++)
        work->place[k] = (float)((work->shift[k] - work->correlations->centre_px[k]) / pixel[k % 2]);
    QN_TRY(qn_queue_write(work->queue, work->rooms->places, 0, work->place, 2 * count * sizeof(float), NULL));
    QN_TRY(qn_field_value(work->queue, NULL, &problem, work->coefficients, work->rooms->places, work->rooms->values,
                          NULL));
    QN_TRY(qn_queue_read(work->queue, work->rooms->values, 0, work->value, 3 * count * sizeof(float), NULL));
    QN_TRY(qn_queue_finish(work->queue));
    for (size_t k = 0; k < count; k++) {
        sum += (double)work->value[3 * k];
        for (size_t axis = 0; axis < 2; axis++)
            work->by_shift[2 * k + axis] = -work->scale * (double)work->value[3 * k + 1 + axis] / pixel[axis];
    }
    *value = -work->scale * sum;
    return QN_OK;
}

/* A view of the numbers of a model, in the order of qn_motion_model_create. */
static qn_motion_model view_of(const correlation_fit *work, const double *x)
{
    qn_motion_model view = work->fit->model;
    const qn_motion_model *own = &work->fit->model;
    view.memory = view.gamma = (double *)x;
    view.frame = view.gamma + (own->frame - own->gamma);
    view.patch = view.gamma + (own->patch - own->gamma);
    return view;
}

static int numbers_of(const correlation_fit *work)
{
    const qn_motion_model *model = &work->fit->model;
    return (int)(model->patch - model->gamma) + 2 * work->fit->plain.patch_count;
}

static qn_status evaluate(const double *x, double *value, double *gradient, void *user)
{
    correlation_fit *work = user;
    const qn_motion_smoother *smoother = &work->fit->plain;
    const qn_motion_model view = view_of(work, x);
    qn_motion_smoother_shifts(smoother, &view, work->shift);
    QN_TRY(evaluate_windows(work, value));
    qn_motion_smoother_transpose(smoother, work->by_shift, &work->gradient);
    if (view.local) *value += qn_motion_smoother_penalty(smoother, view.gamma, work->gradient.gamma);
    memcpy(gradient, work->gradient.memory, (size_t)numbers_of(work) * sizeof *gradient);
    return QN_OK;
}

/* Half the inverse of the matrices of least squares. A constant is in the frames as well as in the patches; it is left
 * to the frames. */
static void precondition(double *vector, void *user)
{
    const correlation_fit *work = user;
    const qn_motion_smoother *smoother = &work->fit->plain;
    const qn_motion_model view = view_of(work, vector);
    const int gammas = smoother->direction_count * 2 * QN_MOTION_PLANE, patches = smoother->patch_count;
    for (int j = 0; j < smoother->used_count; j++)
        qn_motion_smoother_solve(smoother, view.gamma + j * 2 * QN_MOTION_PLANE);
    for (int k = 0; k < gammas; k++) view.gamma[k] /= 2;
    for (int t = 0; t < 2 * smoother->frame_count; t++) view.frame[t] /= 2 * patches;
    for (int axis = 0; axis < 2; axis++) {
        double mean = 0;
        for (int p = 0; p < patches; p++) mean += view.patch[2 * p + axis] / patches;
        for (int p = 0; p < patches; p++)
            view.patch[2 * p + axis] = (view.patch[2 * p + axis] - mean) / (2 * smoother->frame_count);
    }
}

/* ---- a round ---- */

/* Choose λ, and whether there is local motion, for the next round. A step of Newton's method from the fit, with the
 * mean curvature, gives each window an observation whose noise is that of its slope: these take the place of peaks. */
static qn_status renew_choices(correlation_fit *work)
{
    qn_motion_fit *fit = work->fit;
    const size_t count = 2 * qn_motion_fit_count(fit);
    double value;
    QN_TRY(evaluate_windows(work, &value));
    for (size_t k = 0; k < count; k++) fit->data[k] = fit->shift[k] - work->by_shift[k] / 2;
    return qn_motion_fit_choose(fit);
}

static qn_status minimise(correlation_fit *work)
{
    qn_motion_fit *fit = work->fit;
    qn_lbfgs_facts found;
    const size_t count = qn_motion_fit_count(fit);
    const qn_lbfgs_problem problem = {numbers_of(work), evaluate, precondition, work};
    const qn_lbfgs_options options = {.iterations = fit->options.iterations,
                                      .tolerance = TOLERANCE_PX * TOLERANCE_PX * (double)count};
    QN_TRY(qn_lbfgs_minimise(&problem, &options, fit->model.memory, &found));
    qn_motion_smoother_shifts(&fit->plain, &fit->model, work->shift);
    fit->facts.iterations = found.iterations;
    fit->facts.change_px = 0;
    for (size_t k = 0; k < 2 * count; k++)
        fit->facts.change_px = fmax(fit->facts.change_px, fabs(work->shift[k] - fit->shift[k]));
    fit->facts.converged = fit->facts.change_px <= fit->options.convergence_px;
    memcpy(fit->shift, work->shift, 2 * count * sizeof *fit->shift);
    return QN_OK;
}

static qn_status check_correlations(const qn_motion_fit *fit, const qn_patch_correlations *correlations)
{
    const qn_motion_smoother *smoother = &fit->smoother;
    if (correlations->patch_count != smoother->patch_count || correlations->frame_count != smoother->frame_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "correlations of %d patches in %d frames; expected %d patches in %d frames",
                       correlations->patch_count, correlations->frame_count, smoother->patch_count,
                       smoother->frame_count);
    if (correlations->side < QN_FIELD_SIDE_MIN || correlations->side > QN_FIELD_SIDE_MAX || correlations->side % 2 == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "windows of correlations of side %d; expected an odd side, %d to %d",
                       correlations->side, QN_FIELD_SIDE_MIN, QN_FIELD_SIDE_MAX);
    if (!(correlations->coarse_px[0] > 0 && correlations->coarse_px[1] > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "coarse pixels of %g × %g pixels; expected sizes above 0",
                       correlations->coarse_px[0], correlations->coarse_px[1]);
    return QN_OK;
}

/* Directions that are switched on begin at 0, and are 0 when they are switched off. */
static void set_local(qn_motion_fit *fit)
{
    const qn_motion_model *model = &fit->model;
    const int kept = fit->model.local && fit->local ? fit->smoother.used_count : 0;
    double *rest = model->gamma + kept * 2 * QN_MOTION_PLANE;
    memset(rest, 0, (size_t)(model->frame - rest) * sizeof *rest);
    fit->model.local = fit->facts.local = fit->local;
    fit->facts.smoothness = fit->smoother.smoothness;
    fit->facts.directions = fit->smoother.used_count;
}

static qn_status fit_round(correlation_fit *work)
{
    qn_motion_fit *fit = work->fit;
    const qn_field_problem problem = problem_of(work);
    QN_TRY(qn_field_filter(work->queue, NULL, &problem, work->coefficients));
    QN_TRY(qn_motion_smoother_set_smoothness(&fit->plain, fit->redundancy * fit->smoother.smoothness,
                                             fit->smoother.used_count));
    set_local(fit);
    work->gradient.local = fit->model.local;
    qn_motion_smoother_move(&fit->smoother, &fit->plain, &fit->model);
    const qn_status status = minimise(work);
    qn_motion_smoother_move(&fit->plain, &fit->smoother, &fit->model);
    return status == QN_OK ? renew_choices(work) : status;
}

static qn_status run(correlation_fit *work)
{
    QN_TRY(allocate(work));
    QN_TRY(bring_windows(work));
    QN_TRY(find_scale(work, &work->fit->facts.peaked));
    return work->fit->facts.peaked ? fit_round(work) : QN_OK;
}

qn_status qn_motion_fit_correlations(qn_motion_fit *fit, qn_queue *queue, const qn_patch_correlations *correlations,
                                     qn_motion_facts *facts)
{
    correlation_fit work = {.fit = fit, .correlations = correlations, .queue = queue, .rooms = fit->options.rooms};
    if (!work.rooms) work.rooms = &fit->own_rooms;
    QN_TRY(check_correlations(fit, correlations));
    fit->facts.iterations = 0;
    fit->facts.change_px = 0;
    fit->facts.converged = false;
    qn_status status = run(&work);
    const qn_status finished = qn_queue_finish(queue); /* after a failure, commands may still use the memory */
    if (status == QN_OK) status = finished;
    destroy(&work);
    if (status == QN_OK && facts) *facts = fit->facts;
    return status;
}
