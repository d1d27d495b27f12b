/* Options that are given as texts: patches, filter and smoothness. */
#ifndef QN_MOVIE_CHOICES_H
#define QN_MOVIE_CHOICES_H

#include <quern/movie.h>

enum { QN_MOVIE_PATCHES_MAX = 64 };

typedef struct qn_movie_choices {
    bool local;        /* measure local motion */
    int patches[2];    /* along x and y; 0: chosen from the size of the movie */
    double filter_px2; /* B; 0: from the movie */
    double smoothness; /* 0: by cross-validation */
} qn_movie_choices;

/* QN_INVALID_ARGUMENT naming the option, its text and what was expected. */
QN_MUST_CHECK qn_status qn_movie_choices_read(const qn_movie_run_options *options, qn_movie_choices *choices);

#endif
