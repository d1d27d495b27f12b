/* The work on movies, on one device: decode, correct, align, sum, write. Several movies are at work at once, in lanes:
 * while one is aligned and summed, the next is decoded and the one before is written.
 *
 * Life cycle: create → lanes → destroy. Of a lane: {zero} → qn_movie_lane_run for each movie → release. Thread rule: a
 * lane is used by one thread; lanes take turns on the device. */
#ifndef QN_MOVIE_PIPELINE_H
#define QN_MOVIE_PIPELINE_H

#include "movie/frames.h"
#include "movie/run.h"
#include "movie/warp/warp.h"

/* Lanes of a processor, and of a GPU, whose movies spend a longer part of their time beside the device. */
enum { QN_MOVIE_LANES_CPU = 3, QN_MOVIE_LANES_MAX = 8 };

typedef struct qn_movie_pipeline qn_movie_pipeline;

/* `device`: index of the job's device. */
QN_MUST_CHECK qn_status qn_movie_pipeline_create(qn_movie_state *run, int device, qn_movie_pipeline **pipeline);
void qn_movie_pipeline_destroy(qn_movie_pipeline **pipeline);
int qn_movie_pipeline_lanes(const qn_movie_pipeline *pipeline);

/* Memory that a lane keeps from movie to movie. */
typedef struct qn_movie_lane {
    qn_movie_frames frames;
    uint64_t taken_bytes; /* taken for them */
    qn_micrographs micrographs;
} qn_movie_lane;

/* Process a movie and write its files. `facts` is filled as far as the work went; it is cleared by the caller after a
 * failure too. Errors: all of the movie's own; QN_CANCELLED. */
QN_MUST_CHECK qn_status qn_movie_lane_run(qn_movie_pipeline *pipeline, qn_movie_lane *lane, const qn_movie_input *movie,
                                          qn_movie_facts *facts);

/* Give memory back that others wait for. */
void qn_movie_lane_rest(qn_movie_pipeline *pipeline, qn_movie_lane *lane);
void qn_movie_lane_release(qn_movie_pipeline *pipeline, qn_movie_lane *lane);

/* Report progress; QN_CANCELLED if the run is to stop. Any thread. */
QN_MUST_CHECK qn_status qn_movie_poll(qn_movie_state *run);

#endif
