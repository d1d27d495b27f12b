#include "movie/pipeline.h"

#include "base/error.h"
#include "base/memory.h"
#include "movie/movie_work.h"

/* Commands that are still queued use the frames. */
static qn_status end_commands(qn_movie_pipeline *pipeline, qn_status status)
{
    qn_error_trail trail;
    if (status == QN_OK) return QN_OK;
    qn_error_save(status, &trail);
    if (qn_queue_finish(pipeline->queue) != QN_OK) qn_error_clear();
    return qn_error_restore(&trail);
}

static qn_status run_on_device(qn_movie_work *w, qn_micrographs *micrographs)
{
    QN_TRY(qn_movie_prepare_device(w));
    QN_TRY(qn_movie_find_bad_pixels(w));
    QN_TRY(qn_movie_write_gain(w));
    QN_TRY(qn_movie_align_frames(w));
    return qn_movie_sum_frames(w, micrographs);
}

/* One movie at a time uses the device. */
static qn_status take_turn(qn_movie_work *w, qn_micrographs *micrographs)
{
    qn_movie_pipeline *p = w->pipeline;
    pthread_mutex_lock(&p->turn);
    qn_status status = end_commands(p, run_on_device(w, micrographs));
    qn_warp_destroy(&w->warp);
    qn_coarse_stack_destroy(&w->stack);
    pthread_mutex_unlock(&p->turn);
    qn_movie_release_frames(w);
    return status;
}

static qn_status run_stages(qn_movie_work *w)
{
    qn_micrographs micrographs = {.width = 0};
    QN_TRY(qn_movie_open(w));
    QN_TRY(qn_movie_load(w));
    qn_status status = take_turn(w, &micrographs);
    if (status == QN_OK) status = qn_movie_write_files(w, &micrographs);
    if (status == QN_OK) status = qn_movie_note_pictures(w, &micrographs);
    qn_micrographs_release(&micrographs);
    return status;
}

static void release(qn_movie_work *w)
{
    qn_movie_release_frames(w);
    qn_motion_release(&w->motion);
    qn_bad_pixels_clear(&w->bad);
    qn_movie_frame_plan_clear(&w->plan);
    qn_movie_file_close(&w->file);
    qn_release(&w->means);
}

qn_status qn_movie_pipeline_run(qn_movie_pipeline *pipeline, const qn_movie_input *movie, qn_movie_facts *facts)
{
    qn_movie_work work = {.pipeline = pipeline, .movie = movie, .facts = facts};
    qn_status status = run_stages(&work);
    release(&work);
    return status;
}

qn_status qn_movie_pipeline_create(qn_movie_state *run, int device, qn_movie_pipeline **out)
{
    void *memory;
    *out = NULL;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_movie_pipeline *p = memory;
    p->run = run;
    pthread_mutex_init(&p->turn, NULL);
    p->device = run->job->devices[device];
    qn_status status = qn_queue_create(p->device, &p->queue);
    if (status != QN_OK)
        qn_movie_pipeline_destroy(&p);
    else
        *out = p;
    return status;
}

void qn_movie_pipeline_destroy(qn_movie_pipeline **pipeline)
{
    qn_movie_pipeline *p = *pipeline;
    if (!p) return;
    qn_movie_forget_kind(p);
    if (p->queue) qn_queue_destroy(&p->queue);
    pthread_mutex_destroy(&p->turn);
    qn_release(pipeline);
}
