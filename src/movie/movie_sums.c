/* Alignment, sums and files of a movie. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "movie/movie_work.h"
#include "movie/output.h"

/* ---- frames ---- */

/* The place of a frame's spectrum. */
static qn_buffer *spectrum_of(const qn_movie_work *w, int frame)
{
    return frame < w->kept ? w->turn->spectra[frame] : w->setup->tools[w->turn->number].spectrum;
}

/* Correct and transform a frame. */
static qn_status transform(qn_movie_work *w, int frame, qn_buffer *samples, size_t offset)
{
    const qn_movie_tools *tools = &w->setup->tools[w->turn->number];
    QN_TRY(qn_movie_poll(w->pipeline->run));
    QN_TRY(qn_corrector_run(tools->corrector, samples, offset, frame, tools->real));
    return qn_fft_execute(tools->forward, w->turn->queue, tools->real, spectrum_of(w, frame), NULL);
}

static qn_status flush(void *user)
{
    const qn_movie_work *w = user;
    return qn_queue_finish(w->turn->queue);
}

/* ---- alignment ---- */

static qn_status add_to_stack(int frame, qn_buffer *samples, size_t offset, void *user)
{
    qn_movie_work *w = user;
    QN_TRY(transform(w, frame, samples, offset));
    return qn_coarse_stack_add(w->turn->stack, frame, spectrum_of(w, frame));
}

/* An alignment that went astray, in a movie without content, moves frames out of the picture: they are added up as they
 * were recorded. */
static qn_status drop_stray_motion(qn_movie_work *w)
{
    qn_motion *motion = &w->motion;
    double moved_px;
    int frame;
    if (qn_motion_stays(motion, &frame, &moved_px)) return QN_OK;
    memset(motion->global_px, 0, 2 * (size_t)motion->frame_count * sizeof *motion->global_px);
    motion->time_count = 0;
    w->aligned.converged = false;
    return qn_movie_facts_remark(w->facts, "frames are added up as recorded, since frame %d would move by %.0f px",
                                 w->plan.start + frame + 1, moved_px);
}

qn_status qn_movie_align_frames(qn_movie_work *w)
{
    const qn_movie_state *run = w->pipeline->run;
    const qn_align_options options = {.pixel_angstrom = w->pixel_angstrom,
                                      .without_patches = !run->choices.local,
                                      .patches = {run->choices.patches[0], run->choices.patches[1]},
                                      .max_shift_angstrom = run->options->max_shift_angstrom,
                                      .filter_px2 = run->choices.filter_px2,
                                      .smoothness = run->choices.smoothness,
                                      .rounds = run->options->rounds > 0 ? run->options->rounds : -1,
                                      .frugal = w->frugal};
    const qn_movie_frame_visitor visitor = {.frame = add_to_stack, .flush = flush, .user = w};
    double since = qn_clock_s();
    QN_TRY(qn_movie_frames_each(&w->lane->frames, 0, &visitor));
    QN_TRY(qn_align_movie(w->turn->stack, &options, &w->motion, &w->aligned));
    w->facts->numbers.align_s = qn_clock_lap_s(&since);
    return drop_stray_motion(w);
}

/* ---- sums ---- */

qn_warp_options qn_movie_warp_options(const qn_movie_work *w)
{
    const qn_movie_run_options *options = w->pipeline->run->options;
    const double dose_a_frame = w->plan.has_dose ? w->plan.dose / w->plan.count : 0;
    return (qn_warp_options){.padded = {w->setup->padded[0], w->setup->padded[1]},
                             .bin = options->bin,
                             .taps = (int)options->taps,
                             .plain = true,
                             .even_odd = options->even_odd,
                             .pixel_angstrom = w->pixel_angstrom,
                             .spectrum_side = options->spectrum_size,
                             .spectrum_group = qn_warp_spectrum_group(dose_a_frame, options->spectrum_dose),
                             .spectrum_recorded = options->spectrum_size > 0,
                             .frames_a_pass = w->frames_a_pass};
}

static qn_status find_ranks(qn_movie_turn *turn, int frames)
{
    const qn_exposure exposure = {.frame_count = frames, .dose = turn->dose, .voltage_kv = turn->voltage_kv};
    qn_exposure_ranks_release(&turn->ranks);
    return qn_exposure_factorise(&exposure, turn->frequency, &turn->ranks);
}

/* The weights of the latest movie serve as long as doses, voltage and pixel are the same. */
static qn_status make_weights(qn_movie_work *w)
{
    qn_movie_turn *turn = w->turn;
    const double frequency = qn_warp_largest_frequency(w->pipeline->run->options->bin, w->pixel_angstrom);
    const int frames = w->plan.count;
    void *memory;
    QN_TRY(qn_allocate((size_t)frames, sizeof(double), &memory));
    double *dose = memory;
    for (int i = 0; i < frames; i++) dose[i] = qn_movie_dose_after(&w->plan, i);
    const bool same = turn->dose && turn->ranks.frame_count == frames && turn->voltage_kv == w->voltage_kv &&
                      turn->frequency == frequency && memcmp(turn->dose, dose, (size_t)frames * sizeof *dose) == 0;
    qn_release(&turn->dose);
    turn->dose = dose;
    turn->voltage_kv = w->voltage_kv;
    turn->frequency = frequency;
    if (same) return QN_OK;
    const qn_status status = find_ranks(turn, frames);
    if (status != QN_OK) qn_release(&turn->dose);
    return status;
}

static qn_status note_voltage(qn_movie_work *w)
{
    bool known;
    (void)qn_exposure_voltage_factor(w->voltage_kv, &known);
    if (known) return QN_OK;
    const bool between = w->voltage_kv > 100 && w->voltage_kv < 300;
    return qn_movie_facts_remark(w->facts, "weights are known for 100, 200 and 300 kV, and for %g kV %s", w->voltage_kv,
                                 between ? "interpolated" : "those of the nearest are used");
}

static qn_status add_to_sums(int frame, qn_buffer *samples, size_t offset, void *user)
{
    qn_movie_work *w = user;
    QN_TRY(transform(w, frame, samples, offset));
    return qn_warp_add(w->turn->warp, frame, spectrum_of(w, frame), w->means[frame]);
}

static qn_status add_frames(qn_movie_work *w)
{
    const qn_movie_frame_visitor visitor = {.frame = add_to_sums, .flush = flush, .user = w};
    for (int t = 0; t < w->kept; t++) QN_TRY(qn_warp_add(w->turn->warp, t, w->turn->spectra[t], w->means[t]));
    return qn_movie_frames_each(&w->lane->frames, w->kept, &visitor);
}

static qn_status start_warp(const qn_movie_work *w, const qn_warp_options *options)
{
    qn_movie_turn *turn = w->turn;
    return turn->warp ? qn_warp_restart(turn->warp, options)
                      : qn_warp_create(w->pipeline->device, turn->queue, options, &turn->warp);
}

qn_status qn_movie_sum_frames(qn_movie_work *w, qn_micrographs *micrographs)
{
    qn_warp_options options = qn_movie_warp_options(w);
    const bool weighted = w->plan.has_dose && w->pipeline->run->options->dose_weight;
    double since = qn_clock_s();
    options.motion = &w->motion;
    if (weighted) {
        QN_TRY(make_weights(w));
        QN_TRY(note_voltage(w));
        options.ranks = &w->turn->ranks;
    }
    QN_TRY(qn_corrector_read_means(w->setup->tools[w->turn->number].corrector, w->means));
    QN_TRY(start_warp(w, &options));
    QN_TRY(add_frames(w));
    const qn_status status = qn_warp_finish(w->turn->warp, micrographs);
    w->facts->numbers.sum_s = qn_clock_lap_s(&since);
    return status;
}

/* ---- files ---- */

static qn_status path_of(const qn_movie_work *w, qn_movie_output output, char **path)
{
    char *name;
    QN_TRY(qn_movie_file_name(w->movie->name, output, &name));
    qn_status status = qn_path_join(w->pipeline->run->options->output, name, path);
    qn_release(&name);
    QN_TRY(status);
    char *slash = strrchr(*path, '/');
    *slash = '\0';
    status = qn_folder_create(*path);
    *slash = '/';
    if (status != QN_OK) qn_release(path);
    return status;
}

static qn_status remove_file(const qn_movie_work *w, qn_movie_output output)
{
    char *path;
    QN_TRY(path_of(w, output, &path));
    const bool stays = unlink(path) != 0 && errno != ENOENT;
    const qn_status status = stays ? QN_FAIL(QN_IO_ERROR, "%s: cannot be replaced: %s", path, strerror(errno)) : QN_OK;
    qn_release(&path);
    return status;
}

static qn_status note_size(qn_movie_work *w, qn_movie_output output, const char *path)
{
    int64_t modified_s;
    if (qn_movie_file_look(path, &w->facts->numbers.file_bytes[output], &modified_s)) return QN_OK;
    return QN_FAIL(QN_IO_ERROR, "%s: is gone after it was written", path);
}

typedef struct written_image {
    qn_movie_work *work;
    qn_movie_output output;
    const float *values; /* NULL: the movie has none */
    int size[2];
    double pixel_angstrom;
    bool half;
} written_image;

static qn_status write_image(size_t index, int worker, void *user)
{
    const written_image *image = (const written_image *)user + index;
    char *path;
    (void)worker;
    if (!image->values) return QN_OK;
    QN_TRY(path_of(image->work, image->output, &path));
    qn_status status =
        qn_movie_image_write(path, image->values, image->size[0], image->size[1], image->pixel_angstrom, image->half);
    if (status == QN_OK) status = note_size(image->work, image->output, path);
    qn_release(&path);
    return status;
}

static qn_status write_images(qn_movie_work *w, const qn_micrographs *m)
{
    const qn_movie_state *run = w->pipeline->run;
    const written_image micrograph = {
        .work = w, .size = {m->width, m->height}, .pixel_angstrom = m->pixel_angstrom, .half = run->options->float16};
    const float *values[] = {m->weighted ? m->weighted : m->plain, m->weighted ? m->plain : NULL, m->even, m->odd};
    static const qn_movie_output outputs[] = {QN_MOVIE_WEIGHTED, QN_MOVIE_PLAIN, QN_MOVIE_EVEN, QN_MOVIE_ODD};
    enum { MICROGRAPHS = sizeof outputs / sizeof *outputs };
    written_image images[MICROGRAPHS + 1];
    for (size_t i = 0; i < MICROGRAPHS; i++) {
        images[i] = micrograph;
        images[i].output = outputs[i];
        images[i].values = values[i];
    }
    images[MICROGRAPHS] = (written_image){.work = w,
                                          .output = QN_MOVIE_SPECTRUM,
                                          .values = m->spectrum,
                                          .size = {m->spectrum_side, m->spectrum_side},
                                          .pixel_angstrom = m->spectrum_angstrom};
    return qn_pool_run(run->job->pool, MICROGRAPHS + 1, write_image, images);
}

/* Whether RELION, which knows no turns in the metadata of a movie and no DM files, applies the gain otherwise. */
static bool needs_own_gain(const qn_movie_work *w)
{
    const qn_movie_state *run = w->pipeline->run;
    const bool relion_divides = w->kind.is_eer && run->gain_format != QN_GAIN_EER;
    return run->options->gain && (run->gain_format == QN_GAIN_DM || run->options->gain_rotate ||
                                  run->options->gain_flip || run->gain_size[0] != w->kind.width ||
                                  run->gain_size[1] != w->kind.height || w->gain_divides != relion_divides);
}

/* Write the gain as applied, once in a process for frames of a size. */
qn_status qn_movie_write_gain(qn_movie_work *w)
{
    qn_movie_state *run = w->pipeline->run;
    char name[64], *path;
    if (!needs_own_gain(w)) return QN_OK;
    snprintf(name, sizeof name, "gain_%dx%d%s.mrc", w->kind.width, w->kind.height, w->kind.is_eer ? "_eer" : "");
    QN_TRY(qn_movie_facts_set_text(w->facts, QN_MOVIE_GAIN, name));
    QN_TRY(qn_path_join(run->options->output, name, &path));
    pthread_mutex_lock(&run->gain_writing);
    qn_status status =
        w->setup->gain_written ? QN_OK : qn_detector_write_gain(w->setup->detector, w->kind.is_eer, path);
    w->setup->gain_written |= status == QN_OK;
    pthread_mutex_unlock(&run->gain_writing);
    qn_release(&path);
    return status;
}

static qn_status write_metadata(qn_movie_work *w)
{
    const qn_movie_run_options *options = w->pipeline->run->options;
    char *path, *gain = NULL;
    QN_TRY(path_of(w, QN_MOVIE_METADATA, &path));
    qn_status status = QN_OK;
    if (w->facts->texts[QN_MOVIE_GAIN]) status = qn_path_join(options->output, w->facts->texts[QN_MOVIE_GAIN], &gain);
    const qn_movie_metadata metadata = {.options = options,
                                        .facts = w->facts,
                                        .plan = &w->plan,
                                        .motion = &w->motion,
                                        .hot = w->bad.hot,
                                        .eer_group = w->eer_group,
                                        .gain = gain ? gain : options->gain,
                                        .path = path};
    if (status == QN_OK) status = qn_movie_metadata_write(&metadata);
    if (status == QN_OK) status = note_size(w, QN_MOVIE_METADATA, path);
    qn_release(&path);
    qn_release(&gain);
    return status;
}

static qn_status write_all(qn_movie_work *w, const qn_micrographs *micrographs)
{
    QN_TRY(remove_file(w, QN_MOVIE_METADATA)); /* that of an earlier run does not belong to these images */
    QN_TRY(write_images(w, micrographs));
    return write_metadata(w);
}

/* After a failure no file of the movie is left that was written for it. */
static qn_status remove_images(qn_movie_work *w, qn_status status)
{
    qn_error_trail trail;
    if (status == QN_OK) return QN_OK;
    qn_error_save(status, &trail);
    for (int k = 0; k < QN_MOVIE_OUTPUTS; k++) {
        if (w->facts->numbers.file_bytes[k] > 0 && remove_file(w, (qn_movie_output)k) != QN_OK) qn_error_clear();
        w->facts->numbers.file_bytes[k] = 0;
    }
    return qn_error_restore(&trail);
}

/* The STAR file comes last: RELION takes a movie with it as done. */
qn_status qn_movie_write_files(qn_movie_work *w, const qn_micrographs *micrographs)
{
    qn_movie_numbers *n = &w->facts->numbers;
    double since = qn_clock_s();
    n->width = micrographs->width, n->height = micrographs->height;
    n->pixel_angstrom = micrographs->pixel_angstrom;
    const qn_status status = remove_images(w, write_all(w, micrographs));
    n->write_s = qn_clock_lap_s(&since);
    return status;
}
