/* Sizes and factors of a warp: the grids on which frames are interpolated and sums are weighted. */
#ifndef QN_MOVIE_WARP_WARP_PLAN_H
#define QN_MOVIE_WARP_WARP_PLAN_H

#include "movie/warp/kernels/warp_frames.h"
#include "movie/warp/kernels/weigh_sums.h"
#include "movie/warp/warp.h"

typedef struct qn_warp_plan {
    qn_warp_problem warp;
    qn_weigh_problem weigh;
    bool exact;               /* without local motion and interpolation */
    bool halved[2];           /* the limit is just half of the output's samples, so that both signs share it */
    int limit[2];             /* largest frequency of a padded frame that the output keeps */
    double fine_per_pixel[2]; /* samples of the fine grid for an unbinned pixel */
    int ranks;                /* sums of the exposure's ranks; they come first */
    int plain, even, odd;     /* places of the other sums, −1: none */
    int frames_a_pass;        /* grids */
    int power_limit[2];       /* largest frequency of the power spectrum */
    double power_angstrom;    /* pixel of the power spectrum */
} qn_warp_plan;

/* Check options and plan. QN_INVALID_ARGUMENT. */
QN_MUST_CHECK qn_status qn_warp_plan_make(const qn_warp_options *options, qn_warp_plan *plan);

size_t qn_warp_plan_grid_bytes(const qn_warp_plan *plan);     /* of a fine grid; also a padded sum's spectrum fits */
size_t qn_warp_plan_spectrum_bytes(const qn_warp_plan *plan); /* of its half spectrum; a padded sum's fits too */
size_t qn_warp_plan_sum_bytes(const qn_warp_plan *plan);      /* of all sums */
size_t qn_warp_plan_power_numbers(const qn_warp_plan *plan);  /* frequencies of the power spectrum */

/* factors[0 … limit x] and then [0 … limit y]: of each frequency of a frame, for qn_shift_frame. */
void qn_warp_plan_factors(const qn_warp_plan *plan, const int padded[2], float *factors);

/* The frames `first` … `first + count − 1` as a launch. */
void qn_warp_plan_pass(const qn_warp_plan *plan, const qn_warp_options *options, int first, int count,
                       qn_warp_pass *pass);

#endif
