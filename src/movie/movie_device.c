/* The objects of a device for frames of one kind. */
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "movie/movie_work.h"

static const double grow_percent = 20; /* most that frames are padded along an axis */

static void destroy_tools(qn_movie_tools *tools)
{
    qn_corrector_destroy(&tools->corrector);
    qn_fft_plan_destroy(&tools->forward);
    qn_buffer_release(&tools->real);
    qn_buffer_release(&tools->spectrum);
}

static void destroy_setup(qn_movie_setup **setup)
{
    qn_movie_setup *s = *setup;
    if (!s) return;
    for (int i = 0; i < QN_MOVIE_TURNS; i++) destroy_tools(&s->tools[i]);
    qn_detector_destroy(&s->detector);
    qn_release(setup);
}

static void forget_spectra(qn_movie_turn *turn)
{
    for (int i = 0; i < turn->spectrum_count; i++) qn_buffer_release(&turn->spectra[i]);
    qn_release(&turn->spectra);
    turn->spectrum_count = turn->spectrum_room = 0;
}

static void forget_turn(qn_movie_turn *turn)
{
    qn_coarse_stack_destroy(&turn->stack);
    qn_warp_destroy(&turn->warp);
    qn_exposure_ranks_release(&turn->ranks);
    qn_release(&turn->dose);
    forget_spectra(turn);
}

void qn_movie_forget_device(qn_movie_pipeline *p)
{
    for (int i = 0; i < QN_MOVIE_TURNS; i++) forget_turn(&p->turns[i]);
    destroy_setup(&p->setup);
}

/* A fast size of transforms, chosen by a rule without measurements, so that it is the same in every run. */
static qn_status choose_padding(qn_device *device, int width, int height, int padded[2])
{
    qn_fft_advice_options options = qn_fft_advice_default_options();
    qn_fft_advice_report *report;
    options.size[0] = width, options.size[1] = height;
    options.grow_percent[0] = options.grow_percent[1] = grow_percent;
    options.kind = QN_FFT_REAL_FORWARD;
    options.without_measuring = options.without_cache = true;
    QN_TRY(qn_fft_advise(device, &options, &report));
    padded[0] = report->rows[0].size[0], padded[1] = report->rows[0].size[1];
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

static qn_status fill_tools(qn_device *device, const qn_movie_setup *s, qn_queue *queue, qn_movie_tools *tools)
{
    QN_TRY(qn_corrector_create(queue, s->detector, s->padded, s->of.samples, &tools->corrector));
    const qn_fft_options forward = {.size_bytes = sizeof forward,
                                    .size = {s->padded[0], s->padded[1]},
                                    .kind = QN_FFT_REAL_FORWARD,
                                    .engine = qn_fft_engine_of(device)};
    QN_TRY(qn_fft_plan_create(device, &forward, &tools->forward));
    QN_TRY(qn_buffer_create(device, qn_movie_padded_bytes(s), &tools->real));
    return qn_buffer_create(device, qn_movie_spectrum_bytes(s), &tools->spectrum);
}

/* Make the tools of a turn, which the caller has. */
static qn_status make_tools(qn_movie_pipeline *p, qn_movie_setup *s, const qn_movie_turn *turn)
{
    qn_movie_tools *tools = &s->tools[turn->number];
    if (tools->spectrum) return QN_OK; /* the last one that is made */
    destroy_tools(tools);              /* what was made before a failure */
    return fill_tools(p->device, s, turn->queue, tools);
}

static qn_status fill_setup(qn_movie_pipeline *p, qn_movie_setup *s, const qn_movie_turn *turn)
{
    const qn_detector_options options = qn_movie_detector_options(p->run->options, &s->of);
    QN_TRY(choose_padding(p->device, s->of.width, s->of.height, s->padded));
    QN_TRY(qn_detector_create(&options, &s->detector));
    QN_TRY(make_tools(p, s, turn));
    s->forward_bytes = qn_fft_plan_workspace_bytes(s->tools[turn->number].forward);
    return QN_OK;
}

static qn_status create_setup(qn_movie_pipeline *p, const qn_movie_kind *of, qn_movie_setup **setup)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **setup, &memory));
    *setup = memory;
    (*setup)->of = *of;
    qn_movie_turn *turn = qn_movie_take_turn(p, false);
    const qn_status status = fill_setup(p, *setup, turn);
    qn_movie_give_turn(p, turn, false);
    if (status != QN_OK) destroy_setup(setup);
    return status;
}

static bool same_kind(const qn_movie_kind *a, const qn_movie_kind *b)
{
    return a->width == b->width && a->height == b->height && a->samples == b->samples && a->is_eer == b->is_eer;
}

/* Take the setup of the latest movie, or make another. One that is replaced lasts until its last movie is done. */
static qn_status take_setup(qn_movie_pipeline *p, const qn_movie_kind *of, qn_movie_setup **taken)
{
    qn_status status = QN_OK;
    pthread_mutex_lock(&p->setting_up);
    qn_movie_setup *setup = p->setup;
    if (!setup || !same_kind(&setup->of, of)) {
        status = create_setup(p, of, &setup);
        if (status == QN_OK && p->setup && p->setup->users == 0) destroy_setup(&p->setup);
        if (status == QN_OK) p->setup = setup;
    }
    if (status == QN_OK) {
        setup->users++;
        *taken = setup;
    }
    pthread_mutex_unlock(&p->setting_up);
    return status;
}

void qn_movie_end_setup(qn_movie_work *w)
{
    qn_movie_pipeline *p = w->pipeline;
    if (!w->setup) return;
    pthread_mutex_lock(&p->setting_up);
    if (--w->setup->users == 0 && w->setup != p->setup) destroy_setup(&w->setup);
    w->setup = NULL;
    pthread_mutex_unlock(&p->setting_up);
}

/* ---- a movie ---- */

static qn_status note_gain(qn_movie_work *w)
{
    const size_t count = w->setup->detector->not_finite;
    if (count == 0) return QN_OK;
    return qn_movie_facts_remark(w->facts, "%s of the gain %s not finite",
                                 qn_count_of((unsigned long long)count, "value").text, count == 1 ? "is" : "are");
}

qn_status qn_movie_set_up(qn_movie_work *w)
{
    QN_TRY(take_setup(w->pipeline, &w->kind, &w->setup));
    QN_TRY(note_gain(w));
    w->gain_divides = w->setup->detector->divides;
    QN_TRY(qn_movie_grid_make(w->kind.width, w->kind.height, w->setup->padded, w->pixel_angstrom, &w->grid));
    return qn_movie_plan_memory(w);
}

/* Keep room for the spectra of the first frames; if the device lacks memory, of fewer. Spectra that a longer movie left
 * are released, because the plans of later movies do not count them. */
static qn_status prepare_spectra(qn_movie_work *w)
{
    qn_movie_turn *turn = w->turn;
    const size_t bytes = qn_movie_spectrum_bytes(w->setup);
    if (turn->spectrum_count > 0 && qn_buffer_bytes(turn->spectra[0]) != bytes) forget_spectra(turn);
    while (turn->spectrum_count > w->kept) qn_buffer_release(&turn->spectra[--turn->spectrum_count]);
    if (turn->spectrum_room < w->kept) {
        void *memory;
        forget_spectra(turn);
        QN_TRY(qn_allocate((size_t)w->kept, sizeof(qn_buffer *), &memory));
        turn->spectra = memory;
        turn->spectrum_room = w->kept;
    }
    for (; turn->spectrum_count < w->kept; turn->spectrum_count++) {
        const qn_status status = qn_buffer_create(w->pipeline->device, bytes, &turn->spectra[turn->spectrum_count]);
        if (status != QN_OUT_OF_MEMORY) QN_TRY(status);
        if (status == QN_OK) continue;
        qn_log(QN_LOG_DEBUG, "spectra of %d frames of %d are kept: %s", turn->spectrum_count, w->kept,
               qn_error_message());
        qn_error_clear();
        break;
    }
    if (w->kept > turn->spectrum_count) w->kept = turn->spectrum_count;
    return QN_OK;
}

static qn_status prepare_stack(qn_movie_work *w)
{
    qn_movie_turn *turn = w->turn;
    if (turn->stack && turn->stack_frames == w->plan.count && memcmp(&turn->grid, &w->grid, sizeof turn->grid) == 0) {
        qn_coarse_stack_reset(turn->stack);
        return QN_OK;
    }
    qn_coarse_stack_destroy(&turn->stack);
    turn->grid = w->grid;
    turn->stack_frames = w->plan.count;
    return qn_coarse_stack_create(w->pipeline->device, turn->queue, &w->grid, w->plan.count, &turn->stack);
}

/* A movie that is alone has the memory of all turns. */
static void forget_other_turns(const qn_movie_work *w)
{
    for (int i = 0; i < QN_MOVIE_TURNS; i++) {
        if (i == w->turn->number) continue;
        forget_turn(&w->pipeline->turns[i]);
        destroy_tools(&w->setup->tools[i]);
    }
}

qn_status qn_movie_prepare_device(qn_movie_work *w)
{
    if (w->short_of_memory) qn_warp_destroy(&w->turn->warp); /* the sums of the movie before */
    if (w->alone) forget_other_turns(w);
    QN_TRY(make_tools(w->pipeline, w->setup, w->turn));
    QN_TRY(prepare_stack(w));
    QN_TRY(prepare_spectra(w));
    return qn_corrector_begin(w->setup->tools[w->turn->number].corrector, w->plan.count, &w->bad);
}
