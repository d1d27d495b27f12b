/* The knowledge of a run about its detector: the gain by which frames are multiplied, the dark reference, pixels that
 * are not used. I = (sample − dark) · gain.
 *
 * Life cycle: create → use → destroy. Thread rule: a detector is not changed after it was made.
 */
#ifndef QN_MOVIE_CORRECT_DETECTOR_H
#define QN_MOVIE_CORRECT_DETECTOR_H

#include <stdint.h>

#include "format/movie/gain_file.h"

typedef enum qn_gain_mode {
    QN_GAIN_AUTO,     /* EER: all files but .gain divide; other movies: all multiply */
    QN_GAIN_MULTIPLY, /* gain = g */
    QN_GAIN_DIVIDE    /* gain = mean of g / g */
} qn_gain_mode;

typedef struct qn_detector_options {
    const char *gain, *dark, *defects; /* files; NULL: none */
    int rotate;        /* quarter turns of the gain before its flip, 0 to 3: clockwise with the first row at the top */
    int flip;          /* of the gain: 0 none, 1 exchanges rows (y), 2 columns (x) */
    qn_gain_mode mode; /* of the gain */
    bool is_eer;       /* the movie is EER */
    int width, height; /* of its frames */
} qn_detector_options;

typedef struct qn_detector {
    int width, height;
    float *gain;        /* [height][width]; 1 without a file, 0 for dead pixels */
    float *dark;        /* [height][width]; NULL: none */
    unsigned char *bad; /* [height][width]; 1: a defect, or the gain is 0 or not finite */
    bool divides;       /* the mode of the gain that was used */
    size_t defects;     /* pixels that the file of defects names */
    size_t dead;        /* pixels whose gain is 0 */
    size_t not_finite;  /* pixels whose gain is not finite */
} qn_detector;

/* Read the files. A gain of a quarter, half or twice the frames' size, as EER is upsampled, is fitted: pixels are
 * repeated, or the means of 2 × 2 are taken. Values of the gain that are not finite are named in the log.
 * QN_INVALID_ARGUMENT: turns of no sort; QN_BAD_FORMAT: a size that does not fit, with both sizes; errors of
 * qn_gain_file_read and qn_defects_read. */
QN_MUST_CHECK qn_status qn_detector_create(const qn_detector_options *options, qn_detector **detector);
void qn_detector_destroy(qn_detector **detector);

/* Write the gain as an MRC file that RELION reads without turns: as it multiplies or, for EER, where RELION divides by
 * such a file, inverted; 0 for dead pixels. Errors of qn_volume_write. */
QN_MUST_CHECK qn_status qn_detector_write_gain(const qn_detector *detector, bool is_eer, const char *path);

/* A gain file as it lies over frames: turned, and of their size, a quarter, half or twice it. Pixel x, y of the turned
 * file is values[first + x · step_x + y · step_y]. */
typedef struct qn_gain_view {
    const float *values;
    int64_t first, step_x, step_y;
    int numerator, denominator; /* of its size over the frames' */
} qn_gain_view;

/* False if the file's size does not fit frames of width × height pixels. */
bool qn_gain_view_make(const qn_gain_file *file, int rotate, int flip, int width, int height, qn_gain_view *view);

/* The file's value over pixel x, y of a frame: the mean of its values if there are several. */
static inline float qn_gain_view_at(const qn_gain_view *view, int x, int y)
{
    const float *values = view->values + view->first;
    if (view->numerator == 1)
        return values[x / view->denominator * view->step_x + y / view->denominator * view->step_y];
    values += 2 * x * view->step_x + 2 * y * view->step_y;
    return 0.25f * (values[0] + values[view->step_x] + values[view->step_y] + values[view->step_x + view->step_y]);
}

#endif
