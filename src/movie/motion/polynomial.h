/* RELION's local motion model of version 1: third order in time, second order in space. */
#ifndef QN_MOVIE_MOTION_POLYNOMIAL_H
#define QN_MOVIE_MOTION_POLYNOMIAL_H

#include "movie/motion/motion.h"

enum { QN_MOTION_POLYNOMIAL_COEFFICIENTS = 18 };

/* Least squares fit to the local part of u over the frame: Σ coefficients[axis][3 s + k − 1] z^k f_s(X, Y), k = 1 … 3,
 * f = (1, X, X², Y, Y², XY), X = x / width − ½, Y = y / height − ½, z the frame from 0. The values are displacements;
 * RELION's shifts have the other sign. rms_px (may be NULL) is what the polynomial leaves, RMS of the vectors over
 * frames and places. */
QN_MUST_CHECK qn_status qn_motion_polynomial(const qn_motion *motion,
                                             double coefficients[2][QN_MOTION_POLYNOMIAL_COEFFICIENTS], double *rms_px);

#endif
