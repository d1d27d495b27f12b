/* Whether a gain lies over the frames as the user says. A camera's counts vary from pixel to pixel as 1/g does, if the
 * gain multiplies, and as g does, if it divides: over many frames this pattern shows in their sum. Its correlation with
 * the gain in all eight orientations names the right one. */
#ifndef QN_MOVIE_CORRECT_ORIENTATION_H
#define QN_MOVIE_CORRECT_ORIENTATION_H

#include "base/thread_pool.h"
#include "movie/correct/detector.h"

enum { QN_GAIN_FITS_MAX = 16 };

typedef struct qn_gain_fit {
    int rotate, flip;
    bool divides;
    double correlation; /* of the differences of pixels from their left and right neighbours */
} qn_gain_fit;

typedef struct qn_gain_orientations {
    int count; /* of those that fit by their size; 0 without a gain */
    qn_gain_fit fits[QN_GAIN_FITS_MAX];
    int asked, best; /* indices */
    bool is_clear;   /* the best is another than asked and much better */
} qn_gain_orientations;

/* Correlate `raw_sum` [height][width], the sum of the samples of `frames` frames, with the gain in every orientation.
 * `options` are those of the detector. The result is the same for every pool (NULL: one thread). Errors: those of
 * reading the gain. */
QN_MUST_CHECK qn_status qn_gain_orientations_find(const qn_detector_options *options, const qn_detector *detector,
                                                  const float *raw_sum, int frames, qn_pool *pool,
                                                  qn_gain_orientations *found);

/* QN_INVALID_ARGUMENT, with the options that fit, if another orientation than the asked one is clearly right. `movie`
 * is a name for the message. */
QN_MUST_CHECK qn_status qn_gain_orientations_check(const qn_gain_orientations *found, const char *movie);

#endif
