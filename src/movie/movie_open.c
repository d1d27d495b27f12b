/* The beginning of the work on a movie: its file, optics and frames. */
#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "movie/movie_work.h"

enum { FRAMES_ALL = 1000000000 }; /* the default of --frames: to the end */

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

/* A size that is wrong by a factor of ten, nm for Å, would pass unseen: it only changes weights and headers. */
static qn_status remark_pixel(qn_movie_work *w)
{
    const double stated = qn_movie_file_shape(w->file)->pixel_angstrom;
    if (w->pipeline->run->options->pixel_angstrom == 0 || stated == 0) return QN_OK;
    if (fabs(w->pixel_angstrom - stated) <= 0.01 * stated) return QN_OK;
    qn_movie_state *run = w->pipeline->run;
    pthread_mutex_lock(&run->mutex);
    const bool first = !run->pixel_differs;
    run->pixel_differs = true;
    pthread_mutex_unlock(&run->mutex);
    if (first)
        qn_log(QN_LOG_WARNING, "%s: states pixels of %.4g Å, and --pixel is %.4g, which is taken", w->movie->path,
               stated, w->pixel_angstrom);
    return qn_movie_facts_remark(w->facts, "the file states pixels of %.4g Å, and --pixel is %.4g", stated,
                                 w->pixel_angstrom);
}

static qn_status remark_frames(qn_movie_work *w)
{
    const uint64_t last = w->pipeline->run->options->frames[1];
    if (last >= FRAMES_ALL || last <= (uint64_t)w->plan.all) return QN_OK;
    return qn_movie_facts_remark(w->facts, "--frames goes to %llu, and the movie has %d", (unsigned long long)last,
                                 w->plan.all);
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
    QN_TRY(remark_pixel(w));
    return remark_frames(w);
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
    const qn_detector_options options = qn_movie_detector_options(run->options, &w->kind);
    qn_gain_orientations found;
    if (!begin_gain_check(run)) return QN_OK;
    qn_status status = qn_gain_orientations_find(&options, w->setup->detector, w->lane->frames.sum, w->plan.count,
                                                 w->pipeline->run->job->pool, &found);
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
                                           .raw_sum = w->lane->frames.sum,
                                           .frames = w->plan.count,
                                           .hot_deviations = run->options->hot_pixels,
                                           .seed = run->options->run.seed};
    QN_TRY(qn_bad_pixels_find(w->setup->detector, &options, w->pipeline->run->job->pool, &w->bad));
    w->facts->numbers.hot_pixels = (int32_t)w->bad.hot_count;
    w->facts->numbers.bad_pixels = (int32_t)w->bad.count;
    return QN_OK;
}

/* ---- frames ---- */

static qn_status load_frames(qn_movie_work *w)
{
    qn_movie_frames *frames = &w->lane->frames;
    QN_TRY(qn_movie_frames_load(w->pipeline->loader, w->file, &w->plan, w->held, frames));
    w->facts->numbers.counts = frames->mean;
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
    QN_TRY(check_orientation(w));
    QN_TRY(find_bad_pixels(w));
    w->facts->numbers.read_s = qn_clock_lap_s(&since);
    return QN_OK;
}
