/* run.json, and the result that the caller gets. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "movie/run.h"
#include "report/json.h"
#include "report/options.h"

static json_t *describe_times(const qn_movie_state *run)
{
    double read_s = 0, align_s = 0, sum_s = 0, write_s = 0;
    for (size_t i = 0; i < run->row_count; i++) {
        const qn_movie_numbers *n = &run->rows[i]->numbers;
        if (n->failed || n->finished_us < run->began_us) continue;
        read_s += n->read_s, align_s += n->align_s, sum_s += n->sum_s, write_s += n->write_s;
    }
    return json_pack("{s:f, s:f, s:f, s:f}", "read_s", read_s, "align_s", align_s, "sum_s", sum_s, "write_s", write_s);
}

qn_status qn_movie_write_run_json(qn_movie_state *run)
{
    const size_t done = run->row_count - run->row_failed;
    return qn_job_facts(run->job, json_pack("{s:o, s:o, s:o, s:o, s:o}", "movies", qn_json_unsigned(done), "left_out",
                                            qn_json_unsigned(run->row_failed), "resumed",
                                            qn_json_unsigned(run->row_resumed), "device_times", describe_times(run),
                                            "options", qn_json_options(qn_movie_option_table(), run->options)));
}

/* ---- the result ---- */

/* A result with the memory that it points into. */
typedef struct owned_result {
    qn_movie_result result; /* the caller has its address */
    qn_movie_result_movie *movies;
    char **texts; /* QN_MOVIE_TEXTS of each movie */
} owned_result;

static qn_status fill_movie(const qn_movie_facts *row, char **texts, qn_movie_result_movie *movie)
{
    const qn_movie_numbers *n = &row->numbers;
    for (int i = 0; i < QN_MOVIE_TEXTS; i++)
        if (row->texts[i]) QN_TRY(qn_text_copy(row->texts[i], &texts[i]));
    *movie = (qn_movie_result_movie){.path = texts[QN_MOVIE_PATH],
                                     .name = texts[QN_MOVIE_NAME],
                                     .reason = texts[QN_MOVIE_REASON],
                                     .remark = texts[QN_MOVIE_REMARK],
                                     .width = n->width,
                                     .height = n->height,
                                     .frame_count = n->frame_count,
                                     .pixel_angstrom = n->pixel_angstrom,
                                     .dose = n->dose,
                                     .motion_total_px = n->motion_total_px,
                                     .motion_early_px = n->motion_early_px,
                                     .local_px = n->local_px,
                                     .filter_px2 = n->filter_px2,
                                     .smoothness = n->smoothness,
                                     .seconds = n->total_s};
    return QN_OK;
}

qn_status qn_movie_result_make(const qn_movie_state *run, qn_movie_result **result)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(owned_result), &memory));
    owned_result *owned = memory;
    *result = &owned->result;
    owned->result.seconds = qn_clock_s() - run->job->started_s;
    owned->result.failed_count = run->row_failed;
    owned->result.resumed_count = run->row_resumed;
    qn_job_report_path(run->job, QN_OK, owned->result.report, sizeof owned->result.report);
    QN_TRY(qn_allocate(run->row_count, sizeof *owned->movies, &memory));
    owned->result.movies = owned->movies = memory;
    QN_TRY(qn_allocate(run->row_count * QN_MOVIE_TEXTS, sizeof *owned->texts, &memory));
    owned->texts = memory;
    owned->result.movie_count = run->row_count;
    for (size_t i = 0; i < run->row_count; i++)
        QN_TRY(fill_movie(run->rows[i], owned->texts + i * QN_MOVIE_TEXTS, &owned->movies[i]));
    return QN_OK;
}

void qn_movie_result_destroy(qn_movie_result **pointer)
{
    owned_result *owned = (owned_result *)(void *)*pointer;
    if (!owned) return;
    for (size_t i = 0; i < owned->result.movie_count * QN_MOVIE_TEXTS && owned->texts; i++)
        qn_release(&owned->texts[i]);
    qn_release(&owned->texts);
    qn_release(&owned->movies);
    qn_release(pointer);
}
