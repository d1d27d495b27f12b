/* The memory that movies at work take, and waiting for it. */
#define _DEFAULT_SOURCE /* sysconf */
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "movie/movie_work.h"

enum { USUAL_RANKS = 6, GPU_FRAMES_A_PASS = 8 }; /* ranks of the weights, which are made later */

static const double mib = 1024 * 1024;

/* A memory plan for movies of one kind: bytes on a device or, of processors, in all. */
typedef struct memory_plan {
    uint64_t objects;       /* of the pipeline, and of the detector */
    uint64_t align, sums;   /* of an alignment besides the stack, and of the sums, which stay for the next movie … */
    uint64_t frugal_align;  /* … or at most in a step of an alignment that keeps nothing */
    uint64_t movie;         /* of each movie at work, besides its frames */
    uint64_t frames, batch; /* all frames of a movie, and those that are decoded together */
    uint64_t spectrum;
} memory_plan;

/* Memory of the device that the run may use. A processor's memory is the machine's, and --memory limits it. */
static uint64_t allowed_bytes(const qn_movie_pipeline *p)
{
    const uint64_t of_device = qn_device_get_info(p->device)->memory_bytes;
    if (!p->is_cpu) return of_device == 0 ? UINT64_MAX : of_device / 10 * 9;
    const qn_movie_state *run = p->run;
    const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t machine = all / 2 / (uint64_t)qn_ranks_local_count(run->job->ranks);
    return run->options->run.memory_bytes ? run->options->run.memory_bytes : machine;
}

/* Movies that may be at work at the same time. */
static int movies_at_work(const qn_movie_pipeline *p)
{
    const int lanes = qn_movie_pipeline_lanes(p);
    return p->run->options->watch || p->run->inputs.count > (size_t)lanes ? lanes : (int)p->run->inputs.count;
}

/* Bytes of the sums, for frames with local motion. */
static qn_status estimate_sums(const qn_movie_work *w, uint64_t *bytes)
{
    qn_warp_options options = qn_movie_warp_options(w);
    const qn_exposure_ranks ranks = {.count = USUAL_RANKS, .frame_count = w->plan.count};
    qn_motion motion;
    QN_TRY(qn_motion_allocate(w->plan.count, w->kind.width, w->kind.height, &motion));
    motion.time_count = w->pipeline->run->choices.local;
    options.motion = &motion;
    if (w->plan.has_dose && w->pipeline->run->options->dose_weight) options.ranks = &ranks;
    *bytes = qn_warp_bytes(&options);
    qn_motion_release(&motion);
    return QN_OK;
}

/* Bytes of a movie at work besides its frames: the sum of its frames on the device, and on processors also a copy of
 * it, the bad pixels and the micrographs. */
static uint64_t movie_bytes(const qn_movie_work *w)
{
    const qn_movie_run_options *options = w->pipeline->run->options;
    const uint64_t pixels = (uint64_t)w->kind.width * (uint64_t)w->kind.height;
    const int images = 1 + (w->plan.has_dose && options->dose_weight) + 2 * options->even_odd;
    if (!w->pipeline->is_cpu) return 4 * pixels;
    return 9 * pixels + (uint64_t)(4.0 * images * (double)pixels / (options->bin * options->bin));
}

static qn_status estimate(const qn_movie_work *w, memory_plan *plan)
{
    const qn_movie_pipeline *p = w->pipeline;
    const qn_movie_setup *s = w->setup;
    qn_align_options aligning = {.pixel_angstrom = w->pixel_angstrom,
                                 .without_patches = !p->run->choices.local,
                                 .patches = {p->run->choices.patches[0], p->run->choices.patches[1]}};
    const uint64_t pixels = (uint64_t)w->kind.width * (uint64_t)w->kind.height;
    const uint64_t stack =
        8 * (uint64_t)w->grid.coarse[1] * (uint64_t)(w->grid.coarse[0] / 2 + 1) * (uint64_t)w->plan.count;
    const bool has_dark = s->detector->dark != NULL;
    *plan = (memory_plan){.objects = qn_movie_padded_bytes(s) + qn_movie_spectrum_bytes(s) + s->forward_bytes +
                                     qn_corrector_bytes(s->of.width, s->of.height, s->of.samples, has_dark) + stack,
                          .align = qn_coarse_stack_bytes(p->device, &w->grid, w->plan.count, &aligning) - stack,
                          .movie = movie_bytes(w),
                          .frames = qn_movie_frames_bytes(w->file, &w->plan, true, 0),
                          .batch = qn_movie_frames_bytes(w->file, &w->plan, false, qn_pool_threads(p->run->job->pool)),
                          .spectrum = qn_movie_spectrum_bytes(s)};
    aligning.frugal = true;
    plan->frugal_align = qn_coarse_stack_bytes(p->device, &w->grid, w->plan.count, &aligning) - stack;
    if (p->is_cpu) plan->objects += pixels * (has_dark ? 9 : 5); /* gain, dark and marks of bad pixels */
    return estimate_sums(w, &plan->sums);
}

static qn_status check(const qn_movie_work *w, uint64_t least, uint64_t allowed)
{
    const bool by_option = w->pipeline->is_cpu && w->pipeline->run->options->run.memory_bytes > 0;
    const uint64_t whole = qn_device_get_info(w->pipeline->device)->memory_bytes;
    if (whole > 0 && least > whole)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%s: takes about %.0f MiB of the memory of a device that has %.0f MiB",
                       w->movie->path, (double)least / mib, (double)whole / mib);
    if (by_option && least > allowed)
        return QN_FAIL(QN_OUT_OF_MEMORY, "%s: takes about %.0f MiB; expected at most the %.0f MiB of --memory",
                       w->movie->path, (double)least / mib, (double)allowed / mib);
    return QN_OK;
}

/* Say how much memory the movies at work take, once for frames of a kind. */
static void explain(const qn_movie_work *w, const memory_plan *plan, int movies)
{
    qn_movie_state *run = w->pipeline->run;
    pthread_mutex_lock(&run->mutex);
    const bool says = run->options->run.explain && !w->setup->explained;
    w->setup->explained = true;
    pthread_mutex_unlock(&run->mutex);
    if (!says) return;
    const uint64_t each = plan->movie + (w->held ? plan->frames : plan->batch);
    qn_log(QN_LOG_NOTE,
           "movies of %d frames of %d x %d pixels take about %.0f MiB of %s, %d at a time: frames of %.0f MiB are %s, "
           "and %d of %d spectra are kept",
           w->plan.count, w->kind.width, w->kind.height, (double)(w->device_bytes + (uint64_t)movies * each) / mib,
           w->pipeline->is_cpu ? "memory" : "the device", movies, (double)plan->frames / mib,
           w->held ? "held" : "decoded for each pass", w->kept, w->plan.count);
}

/* Memory beside the objects goes to the frames of one movie first, then to those of movies at work beside it, then to
 * spectra, then to the objects of a second turn. Where memory is short, the sums are made anew for each movie. */
qn_status qn_movie_plan_memory(qn_movie_work *w)
{
    const int most = movies_at_work(w->pipeline);
    const uint64_t allowed = allowed_bytes(w->pipeline);
    memory_plan plan;
    QN_TRY(estimate(w, &plan));
    if (!w->pipeline->is_cpu && plan.objects + plan.align + plan.sums < allowed / 4) {
        w->frames_a_pass = GPU_FRAMES_A_PASS; /* fewer passes over the sums, which take more memory */
        QN_TRY(estimate(w, &plan));
    }
    const uint64_t both = plan.objects + plan.align + plan.sums;
    const uint64_t one = plan.objects + (plan.frugal_align > plan.sums ? plan.frugal_align : plan.sums);
    QN_TRY(check(w, one + plan.movie + plan.batch, allowed));
    w->short_of_memory = both + plan.movie + plan.batch > allowed;
    w->frugal = w->short_of_memory || (most == 1 && w->pipeline->is_cpu); /* allocation is cheap there */
    w->device_bytes = w->frugal ? one : both;
    const uint64_t left = allowed > w->device_bytes ? allowed - w->device_bytes : 0;
    w->held = plan.movie + plan.frames <= left;
    w->memory_bytes = plan.movie + (w->held ? plan.frames : plan.batch);
    const uint64_t fitting = left / w->memory_bytes;
    const int movies = fitting < 1 ? 1 : fitting < (uint64_t)most ? (int)fitting : most;
    const uint64_t taken = (uint64_t)movies * w->memory_bytes;
    const uint64_t spectra = left > taken ? (left - taken) / plan.spectrum : 0;
    w->kept = spectra < (uint64_t)w->plan.count ? (int)spectra : w->plan.count;
    w->device_bytes += (uint64_t)w->kept * plan.spectrum;
    w->alone = most == 1 || w->frugal || w->kept < w->plan.count || 2 * w->device_bytes + taken > allowed;
    if (!w->alone) w->device_bytes *= 2;
    explain(w, &plan, movies);
    return QN_OK;
}

/* Whether the lane has more memory than its movie needs, from a movie before, and the objects of the device fit beside
 * all that lanes have. */
static bool has_room_to_spare(const qn_movie_work *w, const uint64_t *used, uint64_t allowed)
{
    pthread_mutex_t *mutex = &w->pipeline->run->mutex;
    pthread_mutex_lock(mutex);
    const bool fits = *used + w->device_bytes <= allowed;
    pthread_mutex_unlock(mutex);
    return w->lane->taken_bytes > w->memory_bytes && fits;
}

qn_status qn_movie_take_memory(qn_movie_work *w)
{
    qn_movie_pipeline *p = w->pipeline;
    qn_movie_state *run = p->run;
    const uint64_t allowed = allowed_bytes(p), wanted = w->memory_bytes;
    uint64_t *used = p->is_cpu ? &run->movie_bytes : &p->movie_bytes;
    if (w->lane->taken_bytes == wanted || has_room_to_spare(w, used, allowed)) return QN_OK;
    qn_movie_give_memory(p, w->lane);
    for (bool waits = true; waits;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        QN_TRY(qn_movie_poll(run));
        pthread_mutex_lock(&run->mutex);
        waits = *used > 0 && *used + w->device_bytes + wanted > allowed;
        run->waiting++;
        if (waits) pthread_cond_timedwait(&run->changed, &run->mutex, &until);
        run->waiting--;
        if (!waits) *used += wanted, w->lane->taken_bytes = wanted;
        pthread_mutex_unlock(&run->mutex);
    }
    return QN_OK;
}

void qn_movie_give_memory(qn_movie_pipeline *p, qn_movie_lane *lane)
{
    qn_movie_state *run = p->run;
    qn_movie_frames_release(&lane->frames);
    qn_micrographs_release(&lane->micrographs);
    pthread_mutex_lock(&run->mutex);
    *(p->is_cpu ? &run->movie_bytes : &p->movie_bytes) -= lane->taken_bytes;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
    lane->taken_bytes = 0;
}
