/* The work on one movie, on one device: decode, correct, align, sum, write.
 *
 * Life cycle: create → qn_movie_pipeline_run for each movie → destroy. Thread rule: any threads may run movies at once,
 * which take turns on the device. */
#ifndef QN_MOVIE_PIPELINE_H
#define QN_MOVIE_PIPELINE_H

#include "movie/run.h"

typedef struct qn_movie_pipeline qn_movie_pipeline;

/* `device`: index of the job's device. */
QN_MUST_CHECK qn_status qn_movie_pipeline_create(qn_movie_state *run, int device, qn_movie_pipeline **pipeline);
void qn_movie_pipeline_destroy(qn_movie_pipeline **pipeline);

/* Process a movie and write its files. `facts` is filled as far as the work went; it is cleared by the caller after a
 * failure too. Errors: all of the movie's own; QN_CANCELLED. */
QN_MUST_CHECK qn_status qn_movie_pipeline_run(qn_movie_pipeline *pipeline, const qn_movie_input *movie,
                                              qn_movie_facts *facts);

/* Report progress; QN_CANCELLED if the run is to stop. Any thread. */
QN_MUST_CHECK qn_status qn_movie_poll(qn_movie_state *run);

#endif
