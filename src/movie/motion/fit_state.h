/* The state of a fit of motion, shared by its parts. */
#ifndef QN_MOVIE_MOTION_FIT_STATE_H
#define QN_MOVIE_MOTION_FIT_STATE_H

#include "movie/motion/fit.h"
#include "movie/motion/smoother.h"

struct qn_motion_fit {
    qn_motion_fit_options options; /* defaults replaced */
    qn_motion start;               /* sizes and global motion */
    qn_motion_smoother smoother;   /* of observations: patches overlap */
    qn_motion_smoother plain;      /* of correlations: they count every pixel as often as patches have it */
    double redundancy;             /* patches / independent patches: how often the correlations count the same pixels */
    qn_motion_model model;         /* of `smoother`, except during a round of the fit to correlations */
    bool local;                    /* whether the next fit has a local part */
    double *shift;                 /* [patch][frame][2] of the model */
    double *data;                  /* [patch][frame][2] room for observations */
    qn_motion_facts facts;
    qn_motion_rooms own_rooms; /* if the options have none */
};

/* The number of shifts: patches × frames. */
size_t qn_motion_fit_count(const qn_motion_fit *fit);

/* Choose λ for `data`, and by the errors of prediction whether the next fit has a local part. */
QN_MUST_CHECK qn_status qn_motion_fit_choose(qn_motion_fit *fit);

#endif
