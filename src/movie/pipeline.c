#include "movie/pipeline.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "movie/movie_work.h"

/* Commands that are still queued use the frames. */
static qn_status end_commands(const qn_movie_turn *turn, qn_status status)
{
    if (status != QN_OK) qn_queue_settle(turn->queue);
    return status;
}

static qn_status run_on_device(qn_movie_work *w)
{
    QN_TRY(qn_movie_prepare_device(w));
    QN_TRY(qn_movie_write_gain(w));
    QN_TRY(qn_movie_align_frames(w));
    return qn_movie_sum_frames(w, &w->lane->micrographs);
}

static qn_status run_in_turn(qn_movie_work *w)
{
    w->turn = qn_movie_take_turn(w->pipeline, w->alone);
    const qn_status status = end_commands(w->turn, run_on_device(w));
    qn_movie_give_turn(w->pipeline, w->turn, w->alone);
    w->turn = NULL;
    return status;
}

/* Plans of memory do not know what other programs take on the device. Where two movies find too little memory, one of
 * them is worked on again, alone. */
static qn_status run_where_memory_is(qn_movie_work *w)
{
    if (!qn_movie_turns_are_shared(w->pipeline)) w->alone = true;
    const qn_status status = run_in_turn(w);
    if (status != QN_OUT_OF_MEMORY || w->alone) return status;
    if (qn_movie_stop_sharing_turns(w->pipeline))
        qn_log(QN_LOG_NOTE, "%s has no memory for two movies at once, so it works on one at a time: %s",
               qn_device_get_info(w->pipeline->device)->identifier, qn_error_message());
    qn_error_clear();
    qn_motion_release(&w->motion);
    w->alone = true;
    return run_in_turn(w);
}

static qn_status run_stages(qn_movie_work *w)
{
    QN_TRY(qn_movie_open(w));
    QN_TRY(qn_movie_set_up(w));
    QN_TRY(qn_movie_take_memory(w));
    QN_TRY(qn_movie_load(w));
    QN_TRY(run_where_memory_is(w));
    QN_TRY(qn_movie_note_motion(w));
    QN_TRY(qn_micrographs_complete(&w->lane->micrographs, w->pipeline->run->job->pool));
    QN_TRY(qn_movie_write_files(w, &w->lane->micrographs));
    return qn_movie_note_pictures(w, &w->lane->micrographs);
}

static void release(qn_movie_work *w)
{
    qn_movie_end_setup(w);
    qn_motion_release(&w->motion);
    qn_bad_pixels_clear(&w->bad);
    qn_movie_frame_plan_clear(&w->plan);
    qn_movie_file_close(&w->file);
    qn_release(&w->means);
}

qn_status qn_movie_lane_run(qn_movie_pipeline *pipeline, qn_movie_lane *lane, const qn_movie_input *movie,
                            qn_movie_facts *facts)
{
    qn_movie_work work = {.pipeline = pipeline, .lane = lane, .movie = movie, .facts = facts};
    qn_status status = run_stages(&work);
    release(&work);
    qn_movie_lane_rest(pipeline, lane);
    return status;
}

void qn_movie_lane_rest(qn_movie_pipeline *pipeline, qn_movie_lane *lane)
{
    qn_movie_state *run = pipeline->run;
    pthread_mutex_lock(&run->mutex);
    const bool wanted = run->waiting > 0;
    pthread_mutex_unlock(&run->mutex);
    if (wanted) qn_movie_give_memory(pipeline, lane);
}

void qn_movie_lane_release(qn_movie_pipeline *pipeline, qn_movie_lane *lane)
{
    qn_movie_give_memory(pipeline, lane);
    qn_micrographs_release(&lane->micrographs);
}

qn_status qn_movie_pipeline_create(qn_movie_state *run, int device, qn_movie_pipeline **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_movie_pipeline *p = memory;
    p->run = run;
    pthread_mutex_init(&p->setting_up, NULL);
    pthread_mutex_init(&p->taking, NULL);
    pthread_cond_init(&p->given, NULL);
    p->device = run->job->devices[device];
    p->is_cpu = qn_device_get_info(p->device)->kind == QN_DEVICE_CPU;
    qn_status status = qn_movie_loader_create(p->device, run->job->pool, &p->loader);
    for (int i = 0; i < QN_MOVIE_TURNS && status == QN_OK; i++) {
        p->turns[i].number = i;
        status = qn_queue_create(p->device, &p->turns[i].queue);
    }
    if (status != QN_OK)
        qn_movie_pipeline_destroy(&p);
    else
        *out = p;
    return status;
}

int qn_movie_pipeline_lanes(const qn_movie_pipeline *pipeline)
{
    return pipeline->is_cpu ? QN_MOVIE_LANES_CPU : QN_MOVIE_LANES_MAX;
}

void qn_movie_pipeline_destroy(qn_movie_pipeline **pipeline)
{
    qn_movie_pipeline *p = *pipeline;
    if (!p) return;
    qn_movie_forget_device(p);
    qn_movie_loader_destroy(&p->loader);
    for (int i = 0; i < QN_MOVIE_TURNS; i++) qn_queue_destroy(&p->turns[i].queue);
    pthread_mutex_destroy(&p->setting_up);
    pthread_mutex_destroy(&p->taking);
    pthread_cond_destroy(&p->given);
    qn_release(pipeline);
}
