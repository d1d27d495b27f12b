/* The state of a fit of motion, shared by its parts. */
#ifndef QN_MOVIE_MOTION_FIT_STATE_H
#define QN_MOVIE_MOTION_FIT_STATE_H

#include "movie/motion/fit.h"
#include "movie/motion/smoother.h"

struct qn_motion_fit {
    qn_motion_fit_options options; /* defaults replaced */
    qn_motion start;               /* sizes and global motion */
    qn_motion_smoother smoother;
    qn_motion_model model;
    double *shift; /* [patch][frame][2] of the model */
    double *data;  /* [patch][frame][2] room for observations */
    qn_motion_facts facts;
};

/* The number of shifts: patches × frames. */
size_t qn_motion_fit_count(const qn_motion_fit *fit);

#endif
