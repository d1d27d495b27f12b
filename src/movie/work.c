/* Dealing movies to devices, and recording their facts. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/thread.h"
#include "movie/pipeline.h"

int64_t qn_movie_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Movies that are finished in all processes, if the others have as many at work as this one. */
static size_t count_finished(const qn_movie_state *run)
{
    const size_t total = run->inputs.count, dealt = run->dealt < total ? run->dealt : total;
    const size_t at_work = run->at_work * (size_t)qn_ranks_count(run->job->ranks);
    return dealt > at_work ? dealt - at_work : 0;
}

/* Progress of a total of 0 is not shown: movies that an earlier run has processed pass so fast that they would spoil
 * the estimate of the time. */
static bool ask_to_stop(qn_movie_state *run, size_t *finished)
{
    pthread_mutex_lock(&run->mutex);
    const qn_progress progress = {.stage = "aligning",
                                  .unit = "movies",
                                  .done = count_finished(run),
                                  .total = !run->working   ? 0
                                           : run->watching ? SIZE_MAX
                                                           : run->inputs.count,
                                  .seconds = qn_clock_s() - run->job->started_s};
    *finished = progress.done;
    const bool stops = qn_job_is_stopped(run->job, &progress);
    pthread_mutex_unlock(&run->mutex);
    return stops;
}

/* A watch is ended: movies that are at work are finished, and the results are written. */
static void end_watch(qn_movie_state *run)
{
    pthread_mutex_lock(&run->mutex);
    run->watching = false;
    run->stopped = true;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
}

qn_status qn_movie_poll(qn_movie_state *run)
{
    size_t finished;
    const bool stops = ask_to_stop(run, &finished);
    if (stops && run->options->watch)
        end_watch(run);
    else if (stops)
        return QN_FAIL(QN_CANCELLED, "stopped after %s; continue with --resume",
                       qn_count_of((unsigned long long)finished, "movie").text);
    return qn_agreement_poll(&run->job->agreement);
}

/* Whether the next movies cannot be processed either. */
static bool ends_run(qn_status status)
{
    switch (status) {
    case QN_CANCELLED:
    case QN_NO_DEVICE:
    case QN_DEVICE_LOST:
    case QN_BUILD_FAILED:
    case QN_LAUNCH_FAILED:
    case QN_CHECK_FAILED:
    case QN_INTERNAL: return true;
    default: return false;
    }
}

/* Whether an earlier run has processed the movie, and all is still there. */
static qn_status is_done(qn_movie_state *run, const qn_movie_input *movie, bool *done)
{
    qn_movie_facts *known;
    pthread_mutex_lock(&run->mutex);
    qn_status status = qn_movie_results_find(&run->results, movie->name, &known);
    *done = status == QN_OK && known && qn_movie_is_whole(known, movie->path, run->options->output);
    run->working |= !*done;
    pthread_mutex_unlock(&run->mutex);
    return status;
}

static qn_status record(qn_movie_state *run, size_t number, qn_movie_facts *facts)
{
    qn_text text = {0};
    facts->numbers.finished_us = qn_movie_now_us();
    qn_status status = qn_movie_facts_store(facts, &text);
    if (status == QN_OK) status = qn_job_record(run->job, number, text.data, text.length);
    qn_text_clear(&text);
    if (status != QN_OK || !run->options->watch) return status;
    pthread_mutex_lock(&run->mutex); /* for the tables that are written meanwhile */
    status = qn_movie_results_keep(&run->results, facts);
    pthread_mutex_unlock(&run->mutex);
    return status;
}

/* Keep the reason why a movie is left out, which names it. */
static qn_status keep_failure(const qn_movie_input *movie, qn_status status, qn_movie_facts *facts)
{
    char reason[1024];
    if (!strstr(qn_error_message(), movie->path)) (void)qn_error_add_context(status, "%s", movie->path);
    snprintf(reason, sizeof reason, "%s", qn_error_message());
    qn_error_clear();
    if (strncmp(reason, movie->path, strlen(movie->path)) == 0)
        qn_log(QN_LOG_WARNING, "left out: %s", reason);
    else
        qn_log(QN_LOG_WARNING, "%s is left out: %s", movie->path, reason);
    facts->numbers.failed = 1;
    return qn_movie_facts_set_text(facts, QN_MOVIE_REASON, reason);
}

static bool refuses_gain(qn_movie_state *run)
{
    pthread_mutex_lock(&run->mutex);
    const bool refuses = run->gain == QN_MOVIE_GAIN_REFUSED;
    pthread_mutex_unlock(&run->mutex);
    return refuses;
}

/* A thread that takes movies through all of the work. */
typedef struct lane_thread {
    qn_thread thread;
    qn_movie_state *run;
    qn_movie_pipeline *pipeline;
    qn_movie_lane memory;
} lane_thread;

static qn_status process(lane_thread *lane, size_t number, const qn_movie_input *movie)
{
    qn_movie_state *run = lane->run;
    qn_movie_facts facts = {.numbers = {0}};
    bool done;
    QN_TRY(is_done(run, movie, &done));
    if (done) return QN_OK;
    const double started_s = qn_clock_s();
    qn_status status = qn_movie_facts_set_text(&facts, QN_MOVIE_PATH, movie->path);
    if (status == QN_OK) status = qn_movie_facts_set_text(&facts, QN_MOVIE_NAME, movie->name);
    if (status == QN_OK) {
        status = qn_movie_lane_run(lane->pipeline, &lane->memory, movie, &facts);
        if (status != QN_OK && !ends_run(status) && !refuses_gain(run)) status = keep_failure(movie, status, &facts);
    }
    facts.numbers.total_s = qn_clock_s() - started_s;
    if (status == QN_OK) status = record(run, number, &facts);
    qn_movie_facts_clear(&facts);
    return status;
}

/* Wait until a movie of this number is there, or none will come. */
static qn_status await(lane_thread *lane, size_t number)
{
    qn_movie_state *run = lane->run;
    for (;;) {
        qn_movie_lane_rest(lane->pipeline, &lane->memory);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_mutex_lock(&run->mutex);
        bool over = !run->watching || number < run->inputs.count;
        if (!over) pthread_cond_timedwait(&run->changed, &run->mutex, &until);
        over = !run->watching || number < run->inputs.count;
        pthread_mutex_unlock(&run->mutex);
        if (over) return QN_OK;
        QN_TRY(qn_movie_poll(run));
    }
}

/* Take the next movie; *movie is NULL when there are no more. In a folder that is watched, wait for it. */
static qn_status take(lane_thread *lane, size_t *number, const qn_movie_input **movie)
{
    qn_movie_state *run = lane->run;
    uint64_t first;
    bool none;
    *movie = NULL;
    QN_TRY(qn_agreement_deal(&run->job->agreement, 1, &first, &none));
    if (none) return QN_OK;
    *number = (size_t)first;
    if (run->options->watch) QN_TRY(await(lane, *number));
    pthread_mutex_lock(&run->mutex);
    if (*number < run->inputs.count && !run->stopped) {
        *movie = run->inputs.movies[*number];
        if (*number >= run->dealt) run->dealt = *number + 1;
        run->at_work++;
    }
    pthread_mutex_unlock(&run->mutex);
    return QN_OK;
}

static void put_back(qn_movie_state *run)
{
    pthread_mutex_lock(&run->mutex);
    run->at_work--;
    pthread_mutex_unlock(&run->mutex);
}

/* ---- lanes ---- */

static qn_status work_lane(lane_thread *lane)
{
    qn_movie_state *run = lane->run;
    const qn_movie_input *movie;
    size_t number;
    for (;;) {
        QN_TRY(qn_movie_poll(run));
        QN_TRY(take(lane, &number, &movie));
        if (!movie) return QN_OK;
        qn_status status = movie->refusal ? QN_OK : process(lane, number, movie);
        put_back(run);
        QN_TRY(status);
    }
}

/* After a failure the other lanes take no more movies. */
static qn_status run_lane(void *user)
{
    lane_thread *lane = user;
    const qn_status status = work_lane(lane);
    qn_movie_lane_release(lane->pipeline, &lane->memory);
    return status == QN_OK ? QN_OK : qn_agreement_cancel(&lane->run->job->agreement, status);
}

/* Keep the first failure, but let a failure replace QN_CANCELLED: the other lanes were only stopped. */
static void keep_first(qn_status status, qn_error_trail *first)
{
    if (status == QN_OK || (first->status != QN_OK && (first->status != QN_CANCELLED || status == QN_CANCELLED)))
        return;
    qn_error_save(status, first);
}

static qn_status work(int device, void *user)
{
    qn_movie_state *run = user;
    qn_movie_pipeline *pipeline;
    lane_thread lanes[QN_MOVIE_LANES_MAX];
    qn_error_trail failure = {.status = QN_OK};
    QN_TRY(qn_movie_pipeline_create(run, device, &pipeline));
    const int count = qn_movie_pipeline_lanes(pipeline);
    for (int i = 0; i < count; i++) lanes[i] = (lane_thread){.run = run, .pipeline = pipeline};
    for (int i = 1; i < count && failure.status == QN_OK; i++)
        keep_first(qn_thread_start(&lanes[i].thread, run_lane, &lanes[i]), &failure);
    if (failure.status == QN_OK)
        keep_first(run_lane(&lanes[0]), &failure);
    else
        (void)qn_agreement_cancel(&run->job->agreement, failure.status);
    for (int i = 1; i < count; i++) keep_first(qn_thread_join(&lanes[i].thread), &failure);
    qn_movie_pipeline_destroy(&pipeline);
    return qn_error_restore(&failure);
}

qn_status qn_movie_process_all(qn_movie_state *run)
{
    qn_thread watch = {.started = false};
    run->watching = run->options->watch != NULL;
    if (run->watching) QN_TRY(qn_thread_start(&watch, qn_movie_watch, run));
    qn_status status = qn_job_each_device(run->job, work, run);
    if (!run->options->watch) return status;
    if (status != QN_OK) {
        qn_error_trail trail;
        qn_error_save(status, &trail);
        end_watch(run);
        if (qn_thread_join(&watch) != QN_OK) qn_error_clear();
        return qn_error_restore(&trail);
    }
    return qn_thread_join(&watch);
}
