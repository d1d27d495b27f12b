/* A file that groups the frames of movies, as MotionCor's -FmIntFile: lines of a number of frames, the number of these
 * that are added up to one, and the dose of a frame as it is stored. */
#ifndef QN_MOVIE_FRACTIONS_H
#define QN_MOVIE_FRACTIONS_H

#include <quern/status.h>
#include <stddef.h>

typedef struct qn_movie_fraction {
    int frames;  /* of the file, 1 or more */
    int group;   /* 1 or more; a rest of `frames` that fills no group is left out */
    double dose; /* e/Å² in a frame of the file */
} qn_movie_fraction;

typedef struct qn_movie_fractions {
    qn_movie_fraction *lines;
    size_t count, capacity;
} qn_movie_fractions;

/* Empty lines and comments after # are skipped. QN_NOT_FOUND, QN_BAD_FORMAT. Cleared by the caller after a failure
 * too. */
QN_MUST_CHECK qn_status qn_movie_fractions_read(const char *path, qn_movie_fractions *fractions);
void qn_movie_fractions_clear(qn_movie_fractions *fractions);

#endif
