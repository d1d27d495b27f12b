/* The beginning of the work on a movie: its file, optics and frames. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "movie/movie_work.h"

static const double usual_voltage_kv = 300, voltage_most_kv = 3000;
static const double pixel_least_angstrom = 0.001, pixel_most_angstrom = 1000;

static qn_status open_file(qn_movie_work *w)
{
    const qn_movie_run_options *options = w->pipeline->run->options;
    qn_movie_options how = qn_movie_default_options();
    how.eer_group = options->eer_group;
    how.eer_upsampling = (int)options->eer_upsampling;
    if (w->pipeline->run->fractions.count > 0) how.eer_group = 1; /* the fractions are of raw frames */
    QN_TRY(qn_movie_file_open(w->movie->path, &how, &w->file));
    const qn_movie_shape *shape = qn_movie_file_shape(w->file);
    if (options->eer_dose > 0 && shape->is_eer) {
        how.eer_fraction_frames = fmax(1, options->eer_dose / options->total_dose * shape->raw_frames);
        qn_movie_file_close(&w->file);
        QN_TRY(qn_movie_file_open(w->movie->path, &how, &w->file));
        shape = qn_movie_file_shape(w->file);
    }
    if (shape->is_eer) w->eer_group = how.eer_fraction_frames > 0 ? (int)lrint(how.eer_fraction_frames) : how.eer_group;
    return QN_OK;
}

static qn_status check_sides(const qn_movie_work *w)
{
    const qn_movie_shape *shape = qn_movie_file_shape(w->file);
    if (shape->width >= QN_MOVIE_GRID_SIDE_MIN && shape->height >= QN_MOVIE_GRID_SIDE_MIN) return QN_OK;
    return QN_FAIL(QN_UNSUPPORTED, "%s: has frames of %d x %d pixels; expected at least %d each way", w->movie->path,
                   shape->width, shape->height, QN_MOVIE_GRID_SIDE_MIN);
}

static qn_status find_optics(qn_movie_work *w)
{
    const qn_movie_state *run = w->pipeline->run;
    const qn_status status =
        qn_movie_optics_get(&run->inputs.optics, w->movie->optics, &w->pixel_angstrom, &w->voltage_kv);
    if (status != QN_OK) return qn_error_add_context(status, "%s", run->options->movies[0]);
    if (run->options->pixel_angstrom > 0) w->pixel_angstrom = run->options->pixel_angstrom;
    if (w->pixel_angstrom == 0) w->pixel_angstrom = qn_movie_file_shape(w->file)->pixel_angstrom;
    if (run->options->voltage_kv > 0) w->voltage_kv = run->options->voltage_kv;
    if (w->voltage_kv == 0) w->voltage_kv = usual_voltage_kv;
    if (w->pixel_angstrom == 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: states no pixel size; expected --pixel", w->movie->path);
    if (w->pixel_angstrom < pixel_least_angstrom || w->pixel_angstrom > pixel_most_angstrom)
        return QN_FAIL(QN_BAD_FORMAT, "%s: its pixel size is %g Å; expected %g to %g", w->movie->path,
                       w->pixel_angstrom, pixel_least_angstrom, pixel_most_angstrom);
    if (w->voltage_kv > voltage_most_kv)
        return QN_FAIL(QN_BAD_FORMAT, "%s: its voltage is %g kV; expected at most %g", w->movie->path, w->voltage_kv,
                       voltage_most_kv);
    return QN_OK;
}

static qn_status plan_frames(qn_movie_work *w)
{
    const qn_movie_state *run = w->pipeline->run;
    const qn_movie_shape *shape = qn_movie_file_shape(w->file);
    const double raw_share = (double)(shape->raw_frames - shape->dropped_frames) / shape->raw_frames;
    return qn_movie_frame_plan_make(run->options, run->fractions.count ? &run->fractions : NULL, shape->frames,
                                    raw_share / shape->frames, &w->plan);
}

static void note_plan(qn_movie_work *w)
{
    const qn_movie_shape *shape = qn_movie_file_shape(w->file);
    qn_movie_numbers *n = &w->facts->numbers;
    (void)qn_movie_file_look(w->movie->path, &n->movie_bytes, &n->movie_modified_s);
    n->frame_width = shape->width, n->frame_height = shape->height;
    n->frame_count = w->plan.count, n->all_frames = w->plan.all;
    n->optics = (int)w->movie->optics;
    n->frame_pixel_angstrom = w->pixel_angstrom;
    n->voltage_kv = w->voltage_kv;
    n->has_dose = w->plan.has_dose;
    n->dose = w->plan.dose, n->pre_dose = w->plan.pre_dose;
}

qn_status qn_movie_open(qn_movie_work *w)
{
    QN_TRY(open_file(w));
    QN_TRY(check_sides(w));
    QN_TRY(find_optics(w));
    QN_TRY(plan_frames(w));
    const qn_movie_shape *shape = qn_movie_file_shape(w->file);
    w->kind = (qn_movie_kind){.width = shape->width,
                              .height = shape->height,
                              .samples = w->plan.adds ? QN_SAMPLE_FLOAT32 : shape->kind,
                              .is_eer = shape->is_eer};
    note_plan(w);
    return QN_OK;
}

/* ---- frames and bad pixels ---- */

/* Take the right to check the gain. False: it was checked, or there is none. While another movie checks it, wait. */
static bool begin_gain_check(qn_movie_state *run)
{
    pthread_mutex_lock(&run->mutex);
    while (run->gain == QN_MOVIE_GAIN_BUSY) pthread_cond_wait(&run->changed, &run->mutex);
    const bool begins = run->gain == QN_MOVIE_GAIN_UNKNOWN && run->options->gain;
    if (begins) run->gain = QN_MOVIE_GAIN_BUSY;
    pthread_mutex_unlock(&run->mutex);
    return begins;
}

static void end_gain_check(qn_movie_state *run, qn_movie_gain_state state)
{
    pthread_mutex_lock(&run->mutex);
    run->gain = state;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
}

/* The first movie of this process shows whether the gain lies as the user says. */
static qn_status check_orientation(qn_movie_work *w)
{
    qn_movie_state *run = w->pipeline->run;
    const qn_detector_options options = qn_movie_detector_options(run->options, &w->pipeline->of);
    qn_gain_orientations found;
    if (!begin_gain_check(run)) return QN_OK;
    qn_status status = qn_gain_orientations_find(&options, w->pipeline->detector, w->frames.sum, w->plan.count,
                                                 run->job->pool, &found);
    if (status != QN_OK) { /* the next movie may show it */
        end_gain_check(run, QN_MOVIE_GAIN_UNKNOWN);
        return status;
    }
    status = qn_gain_orientations_check(&found, w->movie->path);
    end_gain_check(run, status == QN_OK ? QN_MOVIE_GAIN_FITS : QN_MOVIE_GAIN_REFUSED);
    return status;
}

static qn_status find_bad_pixels(qn_movie_work *w)
{
    const qn_movie_state *run = w->pipeline->run;
    const qn_bad_pixels_options options = {.movie = w->movie->path,
                                           .raw_sum = w->frames.sum,
                                           .frames = w->plan.count,
                                           .hot_deviations = run->options->hot_pixels,
                                           .seed = run->options->run.seed};
    QN_TRY(qn_bad_pixels_find(w->pipeline->detector, &options, run->job->pool, &w->bad));
    w->facts->numbers.hot_pixels = (int32_t)w->bad.hot_count;
    w->facts->numbers.bad_pixels = (int32_t)w->bad.count;
    QN_TRY(qn_corrector_begin(w->pipeline->corrector));
    return qn_corrector_set_bad(w->pipeline->corrector, &w->bad);
}

qn_status qn_movie_find_bad_pixels(qn_movie_work *w)
{
    double since = qn_clock_s();
    QN_TRY(check_orientation(w));
    QN_TRY(find_bad_pixels(w));
    w->facts->numbers.read_s += qn_clock_lap_s(&since);
    return QN_OK;
}

/* ---- frames ---- */

static uint64_t allowed_bytes(const qn_movie_state *run)
{
    const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t machine = all / 2 / (uint64_t)qn_ranks_local_count(run->job->ranks);
    return run->options->run.memory_bytes ? run->options->run.memory_bytes : machine;
}

/* Wait until the frames fit into memory beside those of other movies. Frames that never fit get no memory and are read
 * again. */
static qn_status take_memory(qn_movie_work *w)
{
    qn_movie_state *run = w->pipeline->run;
    const uint64_t allowed = allowed_bytes(run), wanted = qn_movie_frames_bytes(w->file, &w->plan);
    if (wanted > allowed) return QN_OK;
    for (bool waits = true; waits;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        QN_TRY(qn_movie_poll(run));
        pthread_mutex_lock(&run->mutex);
        waits = run->frame_bytes + wanted > allowed;
        if (waits) pthread_cond_timedwait(&run->changed, &run->mutex, &until);
        if (!waits) run->frame_bytes += wanted, w->frame_bytes = wanted;
        pthread_mutex_unlock(&run->mutex);
    }
    return QN_OK;
}

void qn_movie_release_frames(qn_movie_work *w)
{
    qn_movie_state *run = w->pipeline->run;
    qn_movie_frames_release(&w->frames);
    pthread_mutex_lock(&run->mutex);
    run->frame_bytes -= w->frame_bytes;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
    w->frame_bytes = 0;
}

static qn_status load_frames(qn_movie_work *w)
{
    const qn_movie_state *run = w->pipeline->run;
    QN_TRY(take_memory(w));
    QN_TRY(qn_movie_frames_load(w->file, &w->plan, run->job->pool, w->frame_bytes, &w->frames));
    w->facts->numbers.counts = w->frames.mean;
    const int broken = qn_movie_file_broken_frames(w->file);
    if (broken == 0) return QN_OK;
    return qn_movie_facts_remark(w->facts, "%s of the camera %s broken and left out of the sums",
                                 qn_count_of((unsigned long long)broken, "frame").text, broken == 1 ? "is" : "are");
}

qn_status qn_movie_load(qn_movie_work *w)
{
    double since = qn_clock_s();
    void *memory;
    QN_TRY(qn_allocate((size_t)w->plan.count, sizeof(float), &memory));
    w->means = memory;
    QN_TRY(load_frames(w));
    w->facts->numbers.read_s = qn_clock_lap_s(&since);
    return QN_OK;
}

qn_status qn_movie_transform(qn_movie_work *w, int frame, const void *samples)
{
    qn_movie_pipeline *p = w->pipeline;
    QN_TRY(qn_movie_poll(p->run));
    QN_TRY(qn_corrector_run(p->corrector, samples, p->real, &w->means[frame], NULL));
    return qn_fft_execute(p->forward, p->queue, p->real, p->spectrum, NULL);
}

qn_status qn_movie_flush(void *user)
{
    const qn_movie_work *w = user;
    return qn_queue_finish(w->pipeline->queue);
}
