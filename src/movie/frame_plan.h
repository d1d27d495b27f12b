/* The frames of a movie that are used, and their doses. */
#ifndef QN_MOVIE_FRAME_PLAN_H
#define QN_MOVIE_FRAME_PLAN_H

#include <quern/movie.h>

#include "movie/fractions.h"

enum { QN_MOVIE_FRAMES_LEAST = 3 };

typedef struct qn_movie_frame {
    int first, count; /* frames of the file, from 0, that are added up */
    double dose;      /* e/Å² in it */
} qn_movie_frame;

typedef struct qn_movie_frame_plan {
    qn_movie_frame *frames;
    int count, capacity;
    int start;       /* number of the first used frame among those of the file, or among its groups; from 0 */
    int all;         /* frames of the file, or groups */
    bool has_dose;   /* doses are known */
    bool adds;       /* some frame has more than one frame of the file */
    double pre_dose; /* e/Å² before the first used frame */
    double dose;     /* e/Å² in all used frames */
} qn_movie_frame_plan;

/* Plan for a file of `file_frames` frames. `total_share`: share of the total dose that is in each frame of the file, 1
 * / file_frames unless frames are missing. `fractions` NULL: each frame alone. The plan must be cleared after a failure
 * too. QN_BAD_FORMAT, a sentence without the movie's name: fewer than three frames, or fractions of other files. */
QN_MUST_CHECK qn_status qn_movie_frame_plan_make(const qn_movie_run_options *options,
                                                 const qn_movie_fractions *fractions, int file_frames,
                                                 double total_share, qn_movie_frame_plan *plan);
void qn_movie_frame_plan_clear(qn_movie_frame_plan *plan);

/* e/Å² at the end of frame `frame` of the plan. */
double qn_movie_dose_after(const qn_movie_frame_plan *plan, int frame);

#endif
