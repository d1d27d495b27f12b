#include "movie/warp/warp_plan.h"

#include <math.h>
#include <quern/fft.h>
#include <string.h>

#include "base/error.h"

static const double FINER = 1.25;            /* samples of the fine grid for an output pixel, at least */
static const double SPECTRUM_ANGSTROM = 1.4; /* pixel of power spectra, as programs for CTFs prefer it */
enum { FRAMES_A_PASS = 4, UNKNOWN_GROUP = 4 };

void qn_warp_size(const qn_motion *motion, double bin, int size[2])
{
    size[0] = (int)floor(motion->width / bin + 1e-9);
    size[1] = (int)floor(motion->height / bin + 1e-9);
}

double qn_warp_largest_frequency(double bin, double pixel_angstrom)
{
    return sqrt(0.5) / (bin * pixel_angstrom);
}

int qn_warp_spectrum_group(double dose_a_frame, double spectrum_dose)
{
    if (!(dose_a_frame > 0)) return UNKNOWN_GROUP;
    const double frames = rint(spectrum_dose / dose_a_frame);
    return frames < 1 ? 1 : frames > 1e6 ? 1000000 : (int)frames;
}

static qn_status check_options(const qn_warp_options *o)
{
    const qn_motion *motion = o->motion;
    if (!(o->bin >= 1) || !(o->bin <= 64))
        return QN_FAIL(QN_INVALID_ARGUMENT, "binning by %g; expected 1 to 64", o->bin);
    if (o->taps != 4 && o->taps != 6)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d taps of interpolation; expected 4 or 6", o->taps);
    for (int d = 0; d < 2; d++) {
        const int side = d == 0 ? motion->width : motion->height;
        if (o->padded[d] < side || side < 2 * o->bin)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "frames of %d pixels along %c, padded to %d, binned by %g; expected as "
                           "many padded pixels or more, and 2 binned ones",
                           side, "xy"[d], o -> padded[d], o -> bin);
    }
    if (!(o->pixel_angstrom > 0) || isinf(o->pixel_angstrom))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a pixel of %g Å; expected a positive size", o->pixel_angstrom);
    if (o->frames_a_pass < 0 || o->frames_a_pass > QN_WARP_FRAMES_MAX)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%d frames a pass; expected 1 to %d, or 0", o->frames_a_pass,
                       QN_WARP_FRAMES_MAX);
    if (o->spectrum_side < 0 || o->spectrum_side > 8192 || (o->spectrum_side > 0 && o->spectrum_group < 1))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "a power spectrum of side %d from groups of %d frames; expected a side up to "
                       "8192 and a frame or more",
                       o->spectrum_side, o->spectrum_group);
    if (o->ranks && o->ranks->frame_count != motion->frame_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "weights for %d frames and motion of %d; expected equal numbers",
                       o->ranks->frame_count, motion->frame_count);
    return QN_OK;
}

static qn_status check_motion(const qn_motion *motion)
{
    double moved_px;
    int frame;
    if (motion->frame_count < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT, "a movie of %d frames; expected at least 1", motion->frame_count);
    if (qn_motion_stays(motion, &frame, &moved_px)) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "the content of frame %d moves by %g pixels; expected at most half of a side",
                   frame + 1, moved_px);
}

static bool whole(double number)
{
    return fabs(number - rint(number)) < 1e-9;
}

/* The grid of frames: as fine as the output if no frame is interpolated. */
static void plan_grid(const qn_warp_options *o, qn_warp_plan *plan)
{
    plan->exact = o->motion->time_count == 0 && whole(o->padded[0] / o->bin) && whole(o->padded[1] / o->bin);
    qn_warp_problem *warp = &plan->warp;
    qn_warp_size(o->motion, o->bin, warp->size);
    double padding = 2;
    for (int d = 0; d < 2; d++) {
        const double output = o->padded[d] / o->bin; /* output pixels of a padded frame */
        const int side = d == 0 ? o->motion->width : o->motion->height;
        warp->fine[d] = plan->exact ? (int)rint(output) : qn_fft_next_fast_size(QN_FFT_AUTO, (int)ceil(FINER * output));
        plan->fine_per_pixel[d] = (double)warp->fine[d] / o->padded[d];
        warp->step[d] = plan->exact ? 1 : plan->fine_per_pixel[d] * o->bin;
        warp->intervals[d] = 4 * o->bin / (side - 1);
        plan->limit[d] = (int)floor(output / 2 + 1e-9);
        plan->halved[d] = whole(output / 2);
        padding = fmin(padding, warp->step[d]);
    }
    warp->taps = plan->exact ? 1 : o->taps;
    if (!plan->exact) warp->window = qn_window_make(o->taps, padding);
}

static void plan_sums(const qn_warp_options *o, qn_warp_plan *plan)
{
    int count = plan->ranks = o->ranks ? o->ranks->count : 0;
    plan->plain = plan->even = plan->odd = -1;
    if (o->even_odd)
        plan->even = count++, plan->odd = count++;
    else if (o->plain || !o->ranks)
        plan->plain = count++;
    plan->warp.sums = count;
    plan->frames_a_pass = o->frames_a_pass > 0 ? o->frames_a_pass : FRAMES_A_PASS;
    if (plan->frames_a_pass > o->motion->frame_count) plan->frames_a_pass = o->motion->frame_count;
    plan->warp.frames = plan->frames_a_pass;
    qn_weigh_problem *weigh = &plan->weigh;
    *weigh = (qn_weigh_problem){.sums = count, .rows = plan->ranks > 0 ? plan->ranks : 1, .bins = QN_EXPOSURE_BINS};
    for (int d = 0; d < 2; d++) {
        const double padded = o->padded[d] / o->bin;
        weigh->size[d] = plan->warp.size[d];
        weigh->padded[d] = whole(padded) ? (int)rint(padded) : qn_fft_next_fast_size(QN_FFT_AUTO, weigh->size[d]);
        if (o->ranks) weigh->bins_a_frequency[d] = 1 / (weigh->padded[d] * o->bin * o->pixel_angstrom * o->ranks->step);
    }
}

qn_status qn_warp_plan_make(const qn_warp_options *options, qn_warp_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    QN_TRY(check_options(options));
    QN_TRY(check_motion(options->motion));
    plan_grid(options, plan);
    plan_sums(options, plan);
    plan->power_angstrom = fmax(SPECTRUM_ANGSTROM, options->pixel_angstrom);
    for (int d = 0; d < 2; d++)
        plan->power_limit[d] =
            (int)floor(options->padded[d] * options->pixel_angstrom / (2 * plan->power_angstrom) + 1e-9);
    return QN_OK;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t spectrum_bytes(const int size[2])
{
    return 8 * (size_t)(size[0] / 2 + 1) * (size_t)size[1];
}

size_t qn_warp_plan_grid_bytes(const qn_warp_plan *plan)
{
    return larger(4 * (size_t)plan->warp.fine[0] * (size_t)plan->warp.fine[1], spectrum_bytes(plan->weigh.padded));
}

size_t qn_warp_plan_spectrum_bytes(const qn_warp_plan *plan)
{
    return larger(spectrum_bytes(plan->warp.fine), spectrum_bytes(plan->weigh.padded));
}

size_t qn_warp_plan_sum_bytes(const qn_warp_plan *plan)
{
    return 4 * (size_t)plan->warp.sums * (size_t)plan->warp.size[0] * (size_t)plan->warp.size[1];
}

size_t qn_warp_plan_power_numbers(const qn_warp_plan *plan)
{
    return (size_t)(plan->power_limit[0] + 1) * (size_t)(2 * plan->power_limit[1] + 1);
}

void qn_warp_plan_factors(const qn_warp_plan *plan, const int padded[2], float *factors)
{
    for (int d = 0; d < 2; d++)
        for (int k = 0; k <= plan->limit[d]; k++) {
            double factor = 1.0 / padded[d]; /* transforms are not scaled */
            if (!plan->exact) factor /= qn_window_transform(&plan->warp.window, (double)k / plan->warp.fine[d]);
            if (plan->halved[d] && k == plan->limit[d]) factor /= 2;
            *factors++ = (float)factor;
        }
}

void qn_warp_plan_pass(const qn_warp_plan *plan, const qn_warp_options *o, int first, int count, qn_warp_pass *pass)
{
    *pass = (qn_warp_pass){.frames = count};
    for (int f = 0; f < count; f++) {
        const int t = first + f;
        pass->frame[f] = t;
        for (int d = 0; d < 2; d++) {
            const double shift = o->motion->global_px[2 * t + d];
            const int side = d == 0 ? o->motion->width : o->motion->height;
            pass->low[f][d] = (float)((-0.5 - shift) * plan->fine_per_pixel[d]);
            pass->high[f][d] = (float)((side - 0.5 - shift) * plan->fine_per_pixel[d]);
        }
        for (int r = 0; r < plan->ranks; r++) pass->share[f][r] = (float)o->ranks->frame[t * plan->ranks + r];
        if (plan->plain >= 0) pass->share[f][plan->plain] = 1;
        if (plan->even >= 0) pass->share[f][t % 2 == 0 ? plan->even : plan->odd] = 1;
    }
}
