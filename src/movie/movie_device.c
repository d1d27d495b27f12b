/* What a device holds for frames of one kind, and the memory that a movie takes. */
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "movie/movie_work.h"

enum { USUAL_RANKS = 6 }; /* of the weights, which are made later */

static const double grow_percent = 20; /* most that frames are padded along an axis */
static const double gib = 1024.0 * 1024 * 1024;

void qn_movie_forget_kind(qn_movie_pipeline *p)
{
    if (p->corrector) qn_corrector_destroy(&p->corrector);
    if (p->detector) qn_detector_destroy(&p->detector);
    qn_fft_plan_destroy(&p->forward);
    qn_buffer_release(&p->real);
    qn_buffer_release(&p->spectrum);
    p->gain_written = false;
    p->of = (qn_movie_kind){.width = 0};
}

/* A fast size of transforms, chosen by a rule without measurements, so that it is the same in every run. */
static qn_status choose_padding(qn_movie_pipeline *p, int width, int height)
{
    qn_fft_advice_options options = qn_fft_advice_default_options();
    qn_fft_advice_report *report;
    options.size[0] = width, options.size[1] = height;
    options.grow_percent[0] = options.grow_percent[1] = grow_percent;
    options.kind = QN_FFT_REAL_FORWARD;
    options.without_measuring = options.without_cache = true;
    QN_TRY(qn_fft_advise(p->device, &options, &report));
    p->padded[0] = report->rows[0].size[0], p->padded[1] = report->rows[0].size[1];
    qn_fft_advice_report_destroy(&report);
    return QN_OK;
}

qn_detector_options qn_movie_detector_options(const qn_movie_run_options *options, const qn_movie_kind *of)
{
    static const qn_gain_mode modes[] = {[QN_MOVIE_GAIN_AUTO] = QN_GAIN_AUTO,
                                         [QN_MOVIE_GAIN_MULTIPLY] = QN_GAIN_MULTIPLY,
                                         [QN_MOVIE_GAIN_DIVIDE] = QN_GAIN_DIVIDE};
    return (qn_detector_options){.gain = options->gain,
                                 .dark = options->dark,
                                 .defects = options->defects,
                                 .rotate = options->gain_rotate,
                                 .flip = options->gain_flip,
                                 .mode = modes[options->gain_mode],
                                 .is_eer = of->is_eer,
                                 .width = of->width,
                                 .height = of->height};
}

static size_t padded_bytes(const qn_movie_pipeline *p)
{
    return sizeof(float) * (size_t)p->padded[0] * (size_t)p->padded[1];
}

static size_t spectrum_bytes(const qn_movie_pipeline *p)
{
    return 2 * sizeof(float) * (size_t)(p->padded[0] / 2 + 1) * (size_t)p->padded[1];
}

static qn_status make_for_kind(qn_movie_pipeline *p, const qn_movie_kind *of)
{
    const qn_detector_options options = qn_movie_detector_options(p->run->options, of);
    p->of = *of;
    QN_TRY(choose_padding(p, of->width, of->height));
    QN_TRY(qn_detector_create(&options, &p->detector));
    QN_TRY(qn_corrector_create(p->queue, p->detector, p->padded, of->samples, &p->corrector));
    const qn_fft_options forward = {
        .size_bytes = sizeof forward, .size = {p->padded[0], p->padded[1]}, .kind = QN_FFT_REAL_FORWARD};
    QN_TRY(qn_fft_plan_create(p->device, &forward, &p->forward));
    QN_TRY(qn_buffer_create(p->device, padded_bytes(p), &p->real));
    return qn_buffer_create(p->device, spectrum_bytes(p), &p->spectrum);
}

/* ---- memory ---- */

/* Bytes of the sums, for frames with local motion. */
static qn_status estimate_sums(const qn_movie_work *w, uint64_t *bytes)
{
    qn_warp_options options = qn_movie_warp_options(w);
    const qn_exposure_ranks ranks = {.count = USUAL_RANKS, .frame_count = w->plan.count};
    qn_motion motion;
    QN_TRY(qn_motion_allocate(w->plan.count, w->pipeline->of.width, w->pipeline->of.height, &motion));
    motion.time_count = w->pipeline->run->choices.local;
    options.motion = &motion;
    if (w->plan.has_dose && w->pipeline->run->options->dose_weight) options.ranks = &ranks;
    *bytes = qn_warp_bytes(&options);
    qn_motion_release(&motion);
    return QN_OK;
}

/* The stack of the alignment is released before the sums begin. */
static qn_status estimate(qn_movie_work *w)
{
    const qn_movie_pipeline *p = w->pipeline;
    const qn_align_options aligning = {.pixel_angstrom = w->pixel_angstrom,
                                       .without_patches = !p->run->choices.local,
                                       .patches = {p->run->choices.patches[0], p->run->choices.patches[1]}};
    const uint64_t stack = qn_coarse_stack_bytes(p->device, &w->grid, w->plan.count, &aligning);
    uint64_t sums;
    QN_TRY(estimate_sums(w, &sums));
    w->device_bytes = padded_bytes(p) + spectrum_bytes(p) + qn_fft_plan_workspace_bytes(p->forward) +
                      qn_corrector_bytes(p->of.width, p->of.height, p->of.samples, p->run->options->dark != NULL) +
                      (stack > sums ? stack : sums);
    return QN_OK;
}

static qn_status check_memory(qn_movie_work *w)
{
    const qn_device_info *info = qn_device_get_info(w->pipeline->device);
    QN_TRY(estimate(w));
    qn_log(QN_LOG_DEBUG, "%s: %d frames of %d x %d pixels, padded to %d x %d; %.2f GiB of the device", w->movie->path,
           w->plan.count, w->pipeline->of.width, w->pipeline->of.height, w->pipeline->padded[0], w->pipeline->padded[1],
           (double)w->device_bytes / gib);
    if (info->memory_bytes == 0 || w->device_bytes <= info->memory_bytes) return QN_OK;
    return QN_FAIL(QN_OUT_OF_MEMORY, "%s: takes about %.2f GiB of the memory of a device that has %.2f GiB",
                   w->movie->path, (double)w->device_bytes / gib, (double)info->memory_bytes / gib);
}

/* ---- a movie ---- */

static qn_status note_gain(qn_movie_work *w)
{
    const size_t count = w->pipeline->detector->not_finite;
    if (count == 0) return QN_OK;
    return qn_movie_facts_remark(w->facts, "%s of the gain %s not finite",
                                 qn_count_of((unsigned long long)count, "value").text, count == 1 ? "is" : "are");
}

qn_status qn_movie_prepare_device(qn_movie_work *w)
{
    qn_movie_pipeline *p = w->pipeline;
    const qn_movie_kind *of = &w->kind;
    const bool same = p->of.width == of->width && p->of.height == of->height && p->of.samples == of->samples &&
                      p->of.is_eer == of->is_eer;
    if (!same) {
        qn_movie_forget_kind(p);
        qn_status status = make_for_kind(p, of);
        if (status != QN_OK) qn_movie_forget_kind(p);
        QN_TRY(status);
    }
    QN_TRY(note_gain(w));
    w->gain_divides = p->detector->divides;
    QN_TRY(qn_movie_grid_make(of->width, of->height, p->padded, w->pixel_angstrom, &w->grid));
    QN_TRY(check_memory(w));
    return qn_coarse_stack_create(p->device, p->queue, &w->grid, w->plan.count, &w->stack);
}
