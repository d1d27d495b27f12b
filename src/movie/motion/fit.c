#include "movie/motion/fit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/median.h"
#include "movie/motion/fit_state.h"

enum { ITERATIONS = 60, ROBUST_ITERATIONS = 40, CHOICES_MAX = 5, LOCAL_PATCHES_MIN = 7 };
static const double CONVERGENCE_PX = 0.02, SMOOTHNESS_MAX = 1e9;

/* Local motion is used if its error of prediction is so much less: that of noise may be a little less by chance. */
static const double BETTER = 0.85;

/* A residual of up to this many medians is believed; one of r times as much has the influence 1 / r. */
static const double BELIEVED_MEDIANS = 3;
static const double MEDIAN_OF_RAYLEIGH = 1.1774100225154747; /* √(2 ln 2): of the length of a vector of noise 1 */

/* ---- making ---- */

size_t qn_motion_fit_count(const qn_motion_fit *fit)
{
    return (size_t)fit->smoother.patch_count * (size_t)fit->smoother.frame_count;
}

static qn_status check_options(const qn_motion_fit_options *options)
{
    if (!(options->smoothness >= 0 && options->smoothness <= SMOOTHNESS_MAX))
        return QN_FAIL(QN_INVALID_ARGUMENT, "smoothness %g of a motion field; expected 0 (automatic) to %g",
                       options->smoothness, SMOOTHNESS_MAX);
    if (options->iterations < 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d iterations of a fit of motion; expected 0 (automatic) or more",
                       options->iterations);
    if (!(options->convergence_px >= 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "convergence at %g pixels; expected 0 (automatic) or more",
                       options->convergence_px);
    for (int axis = 0; axis < 2; axis++)
        if (!(options->patch_px[axis] >= 0 && isfinite(options->patch_px[axis])))
            return QN_FAIL(QN_INVALID_ARGUMENT, "patches of %g × %g pixels; expected sides of at least 0",
                           options->patch_px[0], options->patch_px[1]);
    return QN_OK;
}

static qn_status check_places(const qn_motion *motion, int patch_count, const double *place_px)
{
    if (patch_count < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a fit of motion to %d patches; expected at least one", patch_count);
    for (int p = 0; p < patch_count; p++)
        if (!(place_px[2 * p] >= 0 && place_px[2 * p] <= motion->width - 1 && place_px[2 * p + 1] >= 0 &&
              place_px[2 * p + 1] <= motion->height - 1))
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "patch %d of a fit of motion is at (%g, %g); expected a place within %d × %d pixels", p,
                           place_px[2 * p], place_px[2 * p + 1], motion->width, motion->height);
    return QN_OK;
}

static qn_status make(qn_motion_fit *fit, const qn_motion *motion, int patch_count, const double *place_px)
{
    void *memory;
    const size_t frames = (size_t)motion->frame_count, shifts = 2 * frames * (size_t)patch_count;
    QN_TRY(qn_motion_allocate(motion->frame_count, motion->width, motion->height, &fit->start));
    memcpy(fit->start.global_px, motion->global_px, 2 * frames * sizeof(double));
    QN_TRY(qn_allocate(2 * shifts, sizeof(double), &memory));
    fit->shift = memory;
    fit->data = fit->shift + shifts;
    for (int p = 0; p < patch_count; p++) { /* `data` has room, as there are two numbers for each frame */
        fit->data[2 * p] = place_px[2 * p] / (motion->width - 1);
        fit->data[2 * p + 1] = place_px[2 * p + 1] / (motion->height - 1);
    }
    const double patch[2] = {fit->options.patch_px[0] / (motion->width - 1),
                             fit->options.patch_px[1] / (motion->height - 1)};
    QN_TRY(qn_motion_smoother_create(motion->frame_count, patch_count, fit->data, patch, &fit->smoother));
    QN_TRY(
        qn_motion_smoother_create(motion->frame_count, patch_count, fit->data, (const double[2]){0, 0}, &fit->plain));
    fit->redundancy = patch_count / fit->smoother.information;
    fit->facts.smoothness = fit->options.smoothness ? fit->options.smoothness : 1;
    QN_TRY(qn_motion_smoother_set_smoothness(&fit->smoother, fit->facts.smoothness, QN_MOTION_TIME_KNOTS_MAX));
    return qn_motion_model_create(&fit->smoother, &fit->model);
}

qn_status qn_motion_fit_create(const qn_motion *motion, int patch_count, const double *place_px,
                               const qn_motion_fit_options *options, qn_motion_fit **fit)
{
    void *memory;
    *fit = NULL;
    if (options) QN_TRY(check_options(options));
    QN_TRY(check_places(motion, patch_count, place_px));
    QN_TRY(qn_allocate(1, sizeof(qn_motion_fit), &memory));
    *fit = memory;
    if (options) (*fit)->options = *options;
    if ((*fit)->options.iterations == 0) (*fit)->options.iterations = ITERATIONS;
    if ((*fit)->options.convergence_px == 0) (*fit)->options.convergence_px = CONVERGENCE_PX;
    const qn_status status = make(*fit, motion, patch_count, place_px);
    if (status != QN_OK) qn_motion_fit_destroy(fit);
    return status;
}

void qn_motion_fit_destroy(qn_motion_fit **fit)
{
    if (!*fit) return;
    qn_motion_model_destroy(&(*fit)->model);
    qn_motion_smoother_destroy(&(*fit)->smoother);
    qn_motion_smoother_destroy(&(*fit)->plain);
    qn_motion_release(&(*fit)->start);
    qn_motion_rooms_release(&(*fit)->own_rooms);
    qn_release(&(*fit)->shift);
    qn_release(fit);
}

/* ---- peaks ---- */

static qn_status check_peaks(const qn_motion_fit *fit, const qn_patch_peaks *peaks)
{
    double sum = 0;
    const size_t count = 2 * qn_motion_fit_count(fit);
    if (peaks->patch_count != fit->smoother.patch_count || peaks->frame_count != fit->smoother.frame_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "peaks of %d patches in %d frames; expected %d patches in %d frames",
                       peaks->patch_count, peaks->frame_count, fit->smoother.patch_count, fit->smoother.frame_count);
    for (size_t k = 0; k < count; k++)
        if (!isfinite(peaks->shift_px[k]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "patch %d has a shift of %g in frame %d; expected finite numbers",
                           (int)(k / 2) / peaks->frame_count, peaks->shift_px[k], (int)(k / 2) % peaks->frame_count);
    for (int p = 0; p < peaks->patch_count; p++) {
        if (!(peaks->weight[p] >= 0 && isfinite(peaks->weight[p])))
            return QN_FAIL(QN_INVALID_ARGUMENT, "patch %d has the weight %g; expected a finite number of at least 0", p,
                           peaks->weight[p]);
        sum += peaks->weight[p];
    }
    if (!(sum > 0)) return QN_FAIL(QN_INVALID_ARGUMENT, "all patches have the weight 0; expected one above 0");
    return QN_OK;
}

/* Median of the lengths of the residuals of patches with a weight. */
static double median_residual(const qn_motion_fit *fit, const qn_patch_peaks *peaks, double *lengths)
{
    size_t count = 0;
    for (size_t k = 0; k < qn_motion_fit_count(fit); k++)
        if (peaks->weight[k / (size_t)peaks->frame_count] > 0)
            lengths[count++] =
                hypot(peaks->shift_px[2 * k] - fit->shift[2 * k], peaks->shift_px[2 * k + 1] - fit->shift[2 * k + 1]);
    return qn_median(lengths, count);
}

/* data = model + residuals, those beyond what is believed shortened: least squares for these data give the same
 * equations as a robust fit (Huber & Dutter 1974). Returns the share that is not believed. */
static double shorten_residuals(const qn_motion_fit *fit, const qn_patch_peaks *peaks, double believed, double *data)
{
    size_t outliers = 0, all = 0;
    for (size_t k = 0; k < qn_motion_fit_count(fit); k++) {
        const double *from = peaks->shift_px + 2 * k, *model = fit->shift + 2 * k;
        const double length = hypot(from[0] - model[0], from[1] - model[1]);
        const double factor = length > believed ? believed * believed / (length * length) : 1;
        const bool used = peaks->weight[k / (size_t)peaks->frame_count] > 0;
        for (int axis = 0; axis < 2; axis++)
            data[2 * k + (size_t)axis] = model[axis] + factor * (from[axis] - model[axis]);
        outliers += used && length > believed;
        all += used;
    }
    return (double)outliers / (double)all;
}

/* Fit to `data` and shorten residuals in turns until no shift moves. */
static void fit_robustly(qn_motion_fit *fit, const qn_patch_peaks *peaks, double *lengths)
{
    const size_t count = 2 * qn_motion_fit_count(fit);
    for (int iteration = 0; iteration < ROBUST_ITERATIONS; iteration++) {
        double change = 0;
        qn_motion_smoother_fit(&fit->smoother, fit->data, &fit->model);
        memcpy(lengths, fit->shift, count * sizeof *lengths);
        qn_motion_smoother_shifts(&fit->smoother, &fit->model, fit->shift);
        for (size_t k = 0; k < count; k++) change = fmax(change, fabs(fit->shift[k] - lengths[k]));
        const double median = median_residual(fit, peaks, lengths);
        fit->facts.noise_px = median / MEDIAN_OF_RAYLEIGH;
        fit->facts.outlier_share = shorten_residuals(fit, peaks, BELIEVED_MEDIANS * median, fit->data);
        if (change < fit->options.convergence_px / 10) break;
    }
}

qn_status qn_motion_fit_choose(qn_motion_fit *fit)
{
    qn_motion_facts *facts = &fit->facts;
    qn_motion_choice choice;
    const bool possible = fit->smoother.patch_count >= LOCAL_PATCHES_MIN && fit->smoother.frame_count > 1;
    QN_TRY(qn_motion_smoother_choose(&fit->smoother, fit->options.smoothness, fit->data, &choice));
    facts->error_px = choice.error_px;
    facts->global_error_px = choice.global_error_px;
    fit->local = possible && (fit->options.keep_local_motion || choice.error_px < BETTER * choice.global_error_px);
    return QN_OK;
}

/* Begin with quadratics in polynomials of time: peaks that are not believed are moved onto the fit, so it would stay as
 * rough as it ever was. */
static qn_status fit_local(qn_motion_fit *fit, const qn_patch_peaks *peaks, double *lengths)
{
    qn_motion_smoother *smoother = &fit->smoother;
    const double given = fit->options.smoothness;
    qn_motion_choice choice;
    memcpy(fit->data, peaks->shift_px, 2 * qn_motion_fit_count(fit) * sizeof *fit->data);
    fit->model.local = true;
    QN_TRY(qn_motion_smoother_set_smoothness(smoother, given > 0 ? given : QN_MOTION_SMOOTHNESS_MAX,
                                             smoother->direction_count));
    for (int turn = 0; turn < CHOICES_MAX; turn++) {
        const double before = smoother->smoothness;
        const int used_before = smoother->used_count;
        fit_robustly(fit, peaks, lengths);
        QN_TRY(qn_motion_smoother_choose(smoother, given, fit->data, &choice));
        if (smoother->smoothness == before && smoother->used_count == used_before) return QN_OK;
    }
    fit_robustly(fit, peaks, lengths);
    return QN_OK;
}

/* Without a local part first, so that the test of local motion does not see peaks that were moved towards one. */
static qn_status fit_peaks(qn_motion_fit *fit, const qn_patch_peaks *peaks, double *lengths)
{
    qn_motion_facts *facts = &fit->facts;
    memcpy(fit->data, peaks->shift_px, 2 * qn_motion_fit_count(fit) * sizeof *fit->data);
    fit->model.local = false;
    fit_robustly(fit, peaks, lengths);
    QN_TRY(qn_motion_fit_choose(fit));
    facts->local = fit->local;
    if (facts->local) QN_TRY(fit_local(fit, peaks, lengths));
    facts->smoothness = fit->smoother.smoothness;
    facts->directions = fit->smoother.used_count;
    return QN_OK;
}

qn_status qn_motion_fit_peaks(qn_motion_fit *fit, const qn_patch_peaks *peaks, qn_motion_facts *facts)
{
    void *lengths;
    QN_TRY(check_peaks(fit, peaks));
    QN_TRY(qn_allocate(2 * qn_motion_fit_count(fit), sizeof(double), &lengths));
    fit->facts = (qn_motion_facts){.peaked = true};
    qn_status status = qn_motion_smoother_set_weights(&fit->smoother, peaks->weight, true, NULL);
    if (status == QN_OK) status = fit_peaks(fit, peaks, lengths);
    qn_release(&lengths);
    if (status == QN_OK && facts) *facts = fit->facts;
    return status;
}

/* ---- results ---- */

void qn_motion_fit_shifts(const qn_motion_fit *fit, double *shift_px)
{
    memcpy(shift_px, fit->shift, 2 * qn_motion_fit_count(fit) * sizeof *shift_px);
}

/* Means over the frame of the seven B-splines of an axis: their integrals over four intervals of length 1, by 4. */
static const double axis_mean[QN_MOTION_SIDE] = {1 / 96.0,  12 / 96.0, 23 / 96.0, 24 / 96.0,
                                                 23 / 96.0, 12 / 96.0, 1 / 96.0};

/* The coefficients c_m = Σ_j map_mj γ_j. moved[m][2] becomes their mean over the frame less that over the patches. */
static void write_local(const qn_motion_fit *fit, qn_motion *motion, double moved[QN_MOTION_TIME_KNOTS_MAX][2])
{
    const qn_motion_smoother *smoother = &fit->smoother;
    for (int m = 0; m < smoother->time_count; m++)
        for (int axis = 0; axis < 2; axis++) {
            double *c = motion->local_px + m * 2 * QN_MOTION_PLANE + axis, mean = 0;
            moved[m][axis] = 0;
            for (int k = 0; k < QN_MOTION_PLANE; k++) {
                const double area = axis_mean[k / QN_MOTION_SIDE] * axis_mean[k % QN_MOTION_SIDE];
                c[2 * k] = 0;
                for (int j = 0; j < smoother->used_count; j++)
                    c[2 * k] += smoother->map[m][j] * fit->model.gamma[(j * QN_MOTION_PLANE + k) * 2 + axis];
                mean += area * c[2 * k];
                moved[m][axis] += (area - smoother->mean[k]) * c[2 * k];
            }
            for (int k = 0; k < QN_MOTION_PLANE; k++) c[2 * k] -= mean;
        }
}

/* The model has means over frames and patches taken off; a part B_m(t) · constant goes to the frames, a part that
 * depends on the patch alone is no motion. */
void qn_motion_fit_result(const qn_motion_fit *fit, qn_motion *motion)
{
    double moved[QN_MOTION_TIME_KNOTS_MAX][2] = {{0}};
    motion->time_count = fit->model.local ? fit->smoother.time_count : 0;
    if (fit->model.local) write_local(fit, motion, moved);
    for (int t = 0; t < motion->frame_count; t++) {
        double basis[QN_MOTION_TIME_KNOTS_MAX];
        qn_motion_time_basis(motion->frame_count, t, basis);
        for (int axis = 0; axis < 2; axis++) {
            const double *frame = fit->model.frame + axis, *start = fit->start.global_px + axis;
            double sum = start[2 * t] - start[0] + frame[2 * t] - frame[0];
            for (int m = 0; m < motion->time_count; m++) sum += basis[m] * moved[m][axis];
            motion->global_px[2 * t + axis] = sum;
        }
    }
}
