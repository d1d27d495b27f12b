/* The power spectrum of a micrograph for the estimation of its CTF: amplitudes on a square grid, made from the
 * amplitudes of a frame's spectrum. */
#ifndef QN_MOVIE_WARP_POWER_SPECTRUM_H
#define QN_MOVIE_WARP_POWER_SPECTRUM_H

#include "base/thread_pool.h"

typedef struct qn_power_source {
    const float
        *power; /* [2 · limit y + 1][limit x + 1]: kx from 0, ky from −limit y; the number at 0, 0 is not used */
    int limit[2];
    double step[2]; /* 1/Å from one number to the next */
} qn_power_source;

/* image: [side][side] times `scale`, frequency 0 at side / 2, `step` in 1/Å from one pixel to the next. A pixel is the
 * mean of the numbers that lie in it; if there is none, it is interpolated. Frequencies beyond the source are 0. `pool`
 * may be NULL.
 */
QN_MUST_CHECK qn_status qn_power_spectrum_make(const qn_power_source *source, int side, double step, double scale,
                                               qn_pool *pool, float *image);

#endif
