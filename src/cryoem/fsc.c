/* Fourier shell correlation (Harauz and van Heel 1986), corrected for a mask by randomised phases (Chen et al. 2013).
 */
#include <quern/resolution.h>

#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "cryoem/grid_transform.h"
#include "cryoem/shells.h"
#include "cryoem/volume_check.h"
#include "runtime/device.h"

/* Number of shells with random phases that are not corrected. They follow the shells with kept phases, and the mask
 * mixes these phases into them. */
enum { SHELLS_UNTIL_CORRECTED = 2 };

typedef struct fsc_job {
    const qn_volume *halves[2], *mask;
    qn_fsc_options options;
    int side;
    qn_grid_transform transform;
    qn_fsc *fsc;
} fsc_job;

/* ---- inputs ---- */

static qn_status check_values(qn_pool *pool, const qn_volume *volume, const char *name)
{
    float low, high;
    QN_TRY(qn_volume_range(pool, volume, name, &low, &high));
    if (low == high)
        return QN_FAIL(
            QN_BAD_FORMAT,
            "%s: every voxel is %g, and the Fourier shell correlation with a constant is undefined; expected a map",
            name, (double)low);
    return QN_OK;
}

static qn_status check_mask(qn_pool *pool, const qn_volume *mask, const qn_volume *half, const char *half_name)
{
    const float slack = 0.01f; /* tolerance for interpolated masks */
    const char *name = qn_volume_name(mask, "the mask");
    float low, high;
    for (int k = 0; k < 3; k++)
        if (mask->counts[k] != half->counts[k])
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s has %d x %d x %d voxels and %s has %d x %d x %d; expected a mask of the same size", name,
                           mask->counts[0], mask->counts[1], mask->counts[2], half_name, half->counts[0],
                           half->counts[1], half->counts[2]);
    QN_TRY(qn_volume_range(pool, mask, name, &low, &high));
    if (low < -slack || high > 1 + slack)
        return QN_FAIL(QN_BAD_FORMAT, "%s: values go from %g to %g; expected a mask of 0 to 1", name, (double)low,
                       (double)high);
    if (!(high > 0)) return QN_FAIL(QN_BAD_FORMAT, "%s: every voxel is 0; expected a mask with values above 0", name);
    /* a voxel of 1 Å may mean that the file states no voxel size */
    if (mask->voxel_angstrom[0] != 1 && qn_voxels_differ(half->voxel_angstrom[0], mask->voxel_angstrom[0]))
        qn_log(QN_LOG_WARNING, "%s has voxels of %g Å and %s of %g Å; the mask is applied voxel by voxel", name,
               mask->voxel_angstrom[0], half_name, half->voxel_angstrom[0]);
    return QN_OK;
}

static qn_status check_inputs(qn_pool *pool, const fsc_job *job)
{
    const char *names[2] = {qn_volume_name(job->halves[0], "the first half map"),
                            qn_volume_name(job->halves[1], "the second half map")};
    if (!(job->options.randomise_below > 0 && job->options.randomise_below <= 1))
        return QN_FAIL(QN_INVALID_ARGUMENT, "phases are to be randomised below a correlation of %g; expected 0 to 1",
                       job->options.randomise_below);
    QN_TRY(qn_volume_check_halves(job->halves, names));
    for (int k = 0; k < 2; k++) QN_TRY(check_values(pool, job->halves[k], names[k]));
    return job->mask ? check_mask(pool, job->mask, job->halves[0], names[0]) : QN_OK;
}

/* ---- curves ---- */

static qn_status allocate_curves(int side, bool masked, qn_fsc **out)
{
    double **curves[5];
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_fsc *fsc = *out = memory;
    fsc->shells = qn_shell_count(side);
    curves[0] = &fsc->frequency_per_angstrom;
    curves[1] = &fsc->unmasked;
    curves[2] = &fsc->masked;
    curves[3] = &fsc->randomised;
    curves[4] = &fsc->corrected;
    for (int k = 0; k < (masked ? 5 : 2); k++) {
        QN_TRY(qn_allocate((size_t)fsc->shells, sizeof(double), &memory));
        *curves[k] = memory;
    }
    return QN_OK;
}

typedef struct correlation_call {
    int side;
    double *curve;
} correlation_call;

static qn_status correlate(void *const *addresses, qn_pool *pool, void *user)
{
    const correlation_call *call = user;
    return qn_shells_correlate(pool, call->side, addresses[1], addresses[2], call->curve);
}

static qn_status randomise(void *const *addresses, qn_pool *pool, void *user)
{
    const fsc_job *job = user;
    return qn_shells_randomise(pool, job->side, job->fsc->randomised_from, job->options.seed, addresses[1],
                               addresses[2]);
}

static qn_status correlate_spectra(fsc_job *job, double *curve)
{
    return qn_grid_transform_use(&job->transform, correlate, &(correlation_call){job->side, curve});
}

static qn_status correlate_maps(fsc_job *job, const float *mask, double *curve)
{
    for (int k = 0; k < 2; k++) {
        QN_TRY(qn_grid_transform_fill(&job->transform, job->halves[k]->values, mask));
        QN_TRY(qn_grid_transform_forward(&job->transform, k));
    }
    return correlate_spectra(job, curve);
}

/* Correlate the maps with random phases. On entry the spectra are those of the unmasked maps. */
static qn_status correlate_randomised(fsc_job *job, double *curve)
{
    const float voxels = (float)job->side * (float)job->side * (float)job->side;
    QN_TRY(qn_grid_transform_use(&job->transform, randomise, job));
    for (int k = 0; k < 2; k++) {
        QN_TRY(qn_grid_transform_inverse(&job->transform, k));
        QN_TRY(qn_grid_transform_scale(&job->transform, job->mask->values, 1 / voxels));
        QN_TRY(qn_grid_transform_forward(&job->transform, k));
    }
    return correlate_spectra(job, curve);
}

static int first_below(const double *curve, int shells, double threshold)
{
    for (int s = 1; s < shells; s++)
        if (curve[s] < threshold) return s;
    return 0;
}

/* Correct the masked curve: FSC_true = (FSC_masked − FSC_random) / (1 − FSC_random) of Chen et al. 2013. Where
 * FSC_random is 1 the corrected value is undefined, and is set to 0. */
static void correct(qn_fsc *fsc)
{
    for (int s = 0; s < fsc->shells; s++) {
        const double masked = fsc->masked[s], random = fsc->randomised[s], rest = 1 - random;
        const bool is_corrected = fsc->randomised_from > 0 && s >= fsc->randomised_from + SHELLS_UNTIL_CORRECTED;
        fsc->corrected[s] = !is_corrected ? masked : rest > 1e-6 ? fmax(-1, (masked - random) / rest) : 0;
    }
}

static qn_status compute_masked(fsc_job *job)
{
    qn_fsc *fsc = job->fsc;
    fsc->randomised_from = first_below(fsc->unmasked, fsc->shells, job->options.randomise_below);
    if (fsc->randomised_from > 0)
        QN_TRY(correlate_randomised(job, fsc->randomised));
    else
        for (int s = 0; s < fsc->shells; s++) fsc->randomised[s] = fsc->masked[s];
    correct(fsc);
    return QN_OK;
}

/* ---- resolutions ---- */

static qn_fsc_crossing find_crossing(const double *curve, int shells, double threshold, int side, double voxel_angstrom)
{
    const double box_angstrom = side * voxel_angstrom;
    const int shell = first_below(curve, shells, threshold);
    qn_fsc_crossing crossing = {.threshold = threshold,
                                .shell = shell,
                                .shell_angstrom = 2 * voxel_angstrom,
                                .crossing_angstrom = 2 * voxel_angstrom};
    if (shell == 0) return crossing;
    crossing.shell_angstrom = crossing.crossing_angstrom = box_angstrom / shell;
    if (shell == 1) return crossing; /* nothing to interpolate with: shell 0 is the mean */
    const double above = curve[shell - 1] - threshold, fall = curve[shell - 1] - curve[shell];
    crossing.crossing_angstrom = box_angstrom / (shell - 1 + above / fall);
    return crossing;
}

static void find_resolutions(qn_fsc *fsc, int side, double voxel_angstrom)
{
    fsc->side = side;
    fsc->voxel_angstrom = voxel_angstrom;
    const double *curve = fsc->corrected ? fsc->corrected : fsc->unmasked;
    for (int s = 0; s < fsc->shells; s++) fsc->frequency_per_angstrom[s] = s / (side * voxel_angstrom);
    fsc->at_0_5 = find_crossing(curve, fsc->shells, 0.5, side, voxel_angstrom);
    fsc->at_0_143 = find_crossing(curve, fsc->shells, 0.143, side, voxel_angstrom);
    fsc->resolution_angstrom = fsc->at_0_143.crossing_angstrom;
}

static double mean_of(const qn_volume *volume)
{
    const size_t voxels = (size_t)volume->counts[0] * (size_t)volume->counts[1] * (size_t)volume->counts[2];
    double sum = 0;
    for (size_t i = 0; i < voxels; i++) sum += (double)volume->values[i];
    return sum / (double)voxels;
}

/* The masked curve is computed first, so that the unmasked spectra are left for randomising. */
static qn_status compute_curves(fsc_job *job)
{
    QN_TRY(allocate_curves(job->side, job->mask != NULL, &job->fsc));
    if (job->mask) QN_TRY(correlate_maps(job, job->mask->values, job->fsc->masked));
    QN_TRY(correlate_maps(job, NULL, job->fsc->unmasked));
    return job->mask ? compute_masked(job) : QN_OK;
}

static qn_status compute(qn_context *context, const qn_volume *half_1, const qn_volume *half_2, const qn_volume *mask,
                         const qn_fsc_options *options, qn_fsc **fsc)
{
    fsc_job job = {.halves = {half_1, half_2}, .mask = mask, .side = half_1->counts[0]};
    *fsc = NULL;
    job.options = *options;
    QN_TRY(check_inputs(qn_context_pool(context), &job));
    QN_TRY(qn_grid_transform_create(context, half_1->counts, 2, &job.transform));
    const qn_status status = compute_curves(&job);
    qn_grid_transform_destroy(&job.transform);
    if (status != QN_OK) {
        qn_fsc_destroy(&job.fsc);
        return status;
    }
    find_resolutions(job.fsc, job.side, half_1->voxel_angstrom[0]);
    job.fsc->mask_share = mask ? mean_of(mask) : 1;
    *fsc = job.fsc;
    return QN_OK;
}

qn_status qn_fsc_compute(qn_context *context, const qn_volume *half_1, const qn_volume *half_2, const qn_volume *mask,
                         const qn_fsc_options *options, qn_fsc **fsc)
{
    qn_fsc_options own = qn_fsc_default_options();
    *fsc = NULL;
    QN_TRY(qn_sized_struct_copy(&own, sizeof own, options, "FSC"));
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = compute(context, half_1, half_2, mask, &own, fsc);
    qn_log_return(outer);
    return status;
}

void qn_fsc_destroy(qn_fsc **fsc)
{
    if (!*fsc) return;
    qn_release(&(*fsc)->frequency_per_angstrom);
    qn_release(&(*fsc)->unmasked);
    qn_release(&(*fsc)->masked);
    qn_release(&(*fsc)->randomised);
    qn_release(&(*fsc)->corrected);
    qn_release(fsc);
}
