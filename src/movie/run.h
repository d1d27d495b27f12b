/* The state of a run of quern movie, which its stages share. */
#ifndef QN_MOVIE_RUN_H
#define QN_MOVIE_RUN_H

#include <pthread.h>
#include <quern/movie.h>

#include "format/movie/gain_file.h"
#include "job/job.h"
#include "movie/choices.h"
#include "movie/fractions.h"
#include "movie/inputs.h"
#include "movie/results.h"

typedef enum qn_movie_gain_state {
    QN_MOVIE_GAIN_UNKNOWN,
    QN_MOVIE_GAIN_BUSY, /* it is being checked; other movies wait */
    QN_MOVIE_GAIN_FITS,
    QN_MOVIE_GAIN_REFUSED /* movies do not fit the gain as the user says; the run ends */
} qn_movie_gain_state;

typedef struct qn_movie_state {
    const qn_movie_run_options *options;
    qn_job *job;
    qn_movie_choices choices;
    qn_movie_fractions fractions; /* count 0: none */
    qn_gain_format gain_format;
    int gain_size[2]; /* width, height of the file; 0: no gain */

    /* shared by the threads of the devices and of the watch, under `mutex` */
    pthread_mutex_t mutex;
    pthread_mutex_t gain_writing;
    pthread_cond_t changed; /* a movie was added, or no more will come */
    qn_movie_inputs inputs;
    qn_movie_results results; /* of earlier runs, then of this process, at last of all */
    bool watching;            /* movies are still added */
    bool stopped;             /* the user ended the watch */
    bool working;             /* a movie was taken that no earlier run has processed */
    size_t dealt;             /* movies up to the latest one that this process has taken */
    size_t at_work;           /* movies of which the work is not done */
    int64_t began_us;         /* since 1970 */
    bool pixel_differs;       /* a movie states another pixel size than --pixel */
    qn_movie_gain_state gain; /* whether its orientation was checked, with the first movie */
    uint64_t movie_bytes;     /* of the movies at work, on processors */
    size_t waiting;           /* movies that wait for memory */

    /* rows of movies.csv, in the order of the movies, on the first rank */
    const qn_movie_facts **rows;
    qn_movie_facts *refused; /* of movies whose names are taken */
    size_t row_count, row_failed, row_resumed, refused_count;
} qn_movie_state;

/* Microseconds since 1970. */
int64_t qn_movie_now_us(void);

/* Deal movies to the devices of this process and process them. */
QN_MUST_CHECK qn_status qn_movie_process_all(qn_movie_state *run);

/* Add the movies of the folder as they come, until the user or the idle time ends it. A function for a thread; `user`
 * is the run. */
qn_status qn_movie_watch(void *user);

/* Collect the rows from the results. Called under the mutex while movies are processed. */
QN_MUST_CHECK qn_status qn_movie_rows_collect(qn_movie_state *run);
void qn_movie_rows_clear(qn_movie_state *run);

/* Write corrected_micrographs.star, movies.csv, report.html and run.json, from the rows. */
QN_MUST_CHECK qn_status qn_movie_write_micrographs(qn_movie_state *run);
QN_MUST_CHECK qn_status qn_movie_write_table(qn_movie_state *run);
QN_MUST_CHECK qn_status qn_movie_write_report(qn_movie_state *run);
QN_MUST_CHECK qn_status qn_movie_write_run_json(qn_movie_state *run);

/* Make the result for the caller from the rows. */
QN_MUST_CHECK qn_status qn_movie_result_make(const qn_movie_state *run, qn_movie_result **result);

#endif
