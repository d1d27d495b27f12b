/* The facts of the movies of a run, found in its journals: the latest record of each movie.
 *
 * Life cycle: zero-initialise → scan → use → clear. Thread rule: one thread at a time. */
#ifndef QN_MOVIE_RESULTS_H
#define QN_MOVIE_RESULTS_H

#include "format/image/stack_names.h"
#include "job/job.h"
#include "movie/facts.h"

typedef struct qn_movie_results {
    qn_stack_names *names; /* index i is the name of facts[i] */
    qn_movie_facts *facts; /* without series and pictures */
    size_t count, capacity;
} qn_movie_results;

/* Read the records of all ranks. */
QN_MUST_CHECK qn_status qn_movie_results_scan(qn_job *job, qn_movie_results *results);
void qn_movie_results_clear(qn_movie_results *results);

/* Keep facts, which are cleared or hold other facts afterwards. Of two for one movie, those that finished later count.
 */
QN_MUST_CHECK qn_status qn_movie_results_keep(qn_movie_results *results, qn_movie_facts *facts);

/* The facts of the movie whose files have this name; *facts is NULL if there are none. */
QN_MUST_CHECK qn_status qn_movie_results_find(qn_movie_results *results, const char *name, qn_movie_facts **facts);

/* Whether a movie was processed and its files are whole: the movie at `path` has the size and the time that it had, and
 * the files in the folder have the sizes with which they were written. */
bool qn_movie_is_whole(const qn_movie_facts *facts, const char *path, const char *folder);

/* "NAME.mrc", "NAME_noDW.mrc" …; released with qn_release. */
QN_MUST_CHECK qn_status qn_movie_file_name(const char *name, qn_movie_output output, char **file);

/* Size in bytes, and time in seconds since 1970, of a file; false: it does not exist. */
bool qn_movie_file_look(const char *path, uint64_t *bytes, int64_t *modified_s);

#endif
