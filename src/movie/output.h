/* The files of one movie. */
#ifndef QN_MOVIE_OUTPUT_H
#define QN_MOVIE_OUTPUT_H

#include "movie/facts.h"
#include "movie/frame_plan.h"
#include "movie/motion/motion.h"
#include "movie/run.h"

/* The content of NAME.star besides the facts of the movie. */
typedef struct qn_movie_metadata {
    const qn_movie_run_options *options;
    const qn_movie_facts *facts;
    const qn_movie_frame_plan *plan;
    const qn_motion *motion;
    const int32_t *hot; /* [facts->numbers.hot_pixels]: y · width + x */
    int eer_group;      /* of EER, else 0 */
    const char *gain;   /* path of the gain as RELION can read it; NULL: none */
    const char *path;   /* of NAME.star */
} qn_movie_metadata;

QN_MUST_CHECK qn_status qn_movie_metadata_write(const qn_movie_metadata *metadata);

/* Write values [height][width] as MRC. */
QN_MUST_CHECK qn_status qn_movie_image_write(const char *path, const float *values, int width, int height,
                                             double pixel_angstrom, bool half);

/* Motion of the track in px: in all, and up to 4 e/Å² (NaN where the dose is not known). As RELION: the early part has
 * the steps to those frames f, counted in the file from 1, with f ≤ (4 − dose before the file) / dose of a frame. */
void qn_movie_measure_track(const qn_movie_run_options *options, const qn_movie_frame_plan *plan,
                            const qn_motion *motion, double *total_px, double *early_px);

#endif
