/* The bad pixels of a movie and the pixels whose values they take: those of its detector, and hot pixels.
 *
 * Hot pixels have Σ_t I > mean + 6 σ, with the mean and the standard deviation of Σ_t I over all pixels; dead pixels
 * count as 0, and defects count too, as in RELION's motion correction. Of these, a pixel is not bad if the pixels at a
 * distance of 2 have a third of its excess over the mean: it shows a particle that is bright. Holes there would be a
 * fixed pattern with the opposite sign of the image, from which the motion would be too large. A bad pixel takes the
 * value of a random good one among the 24 within ±2 pixels in every frame, or the frame's mean if fewer than 7 of these
 * are good. */
#ifndef QN_MOVIE_CORRECT_BAD_PIXELS_H
#define QN_MOVIE_CORRECT_BAD_PIXELS_H

#include "base/thread_pool.h"
#include "movie/correct/detector.h"

typedef struct qn_bad_pixels {
    size_t count;
    int32_t *pixels;       /* [count], rising: y · width + x */
    int32_t *replacements; /* [count]: a good pixel, or −1 for the frame's mean */
    size_t hot_count;
    int32_t *hot;                      /* [hot_count], rising: all that the detector does not name, the bright too */
    double mean, deviation, threshold; /* of Σ_t I */
} qn_bad_pixels;

typedef struct qn_bad_pixels_options {
    const char *movie;    /* name for messages */
    const float *raw_sum; /* [height][width]: sum of the samples of the frames */
    int frames;
    double hot_deviations; /* 6; 0: no hot pixels */
    uint64_t seed;
} qn_bad_pixels_options;

/* Find the bad pixels; the same for every pool (NULL: one thread). Release with qn_bad_pixels_clear. QN_BAD_FORMAT: all
 * samples are 0, or every pixel is bad. */
QN_MUST_CHECK qn_status qn_bad_pixels_find(const qn_detector *detector, const qn_bad_pixels_options *options,
                                           qn_pool *pool, qn_bad_pixels *bad);
void qn_bad_pixels_clear(qn_bad_pixels *bad);

#endif
