/* Frames of a movie moved along the field of local motion and added into weighted sums in real space.
 *
 * Shapes. An output pixel (x, y) of size [height][width] is at the place step · (x, y) of each frame's fine grid,
 * [fine height][fine width], which is periodic and holds the frame after its global shift. The frame's content is found
 * at that place plus the field, a uniform cubic B-spline with 7 × 7 coefficients (movie/motion/motion.h), here in
 * samples of the fine grid. It is interpolated with `taps` samples along each axis (math/window.h); a movie without
 * local motion has taps = 1, whole steps and no field, and so no interpolation. Pixels that a frame does not cover get
 * 0 from it. sums[i] += share[i] · value for every frame and sum, in the order of the frames, so that the result does
 * not depend on how many frames a launch takes. */
#ifndef QN_MOVIE_WARP_FRAMES_H
#define QN_MOVIE_WARP_FRAMES_H

#include <quern/family.h>

#include "math/window.h"

extern const qn_family qn_movie_warp_frames_family;

enum { QN_WARP_FRAMES_MAX = 8, QN_WARP_SUMS_MAX = 12, QN_WARP_ROW = 32, QN_WARP_COEFFICIENTS = 98 };

typedef struct qn_warp_problem {
    int size[2];         /* width, height of the output */
    int fine[2];         /* of the fine grid, fewer than 2^31 samples in all */
    double step[2];      /* samples of the fine grid from one output pixel to the next */
    double intervals[2]; /* of the field from one output pixel to the next: 4 · bin / (side − 1) */
    int frames;          /* most grids of a launch, 1 … QN_WARP_FRAMES_MAX */
    int sums;            /* 1 … QN_WARP_SUMS_MAX */
    int taps;            /* 1, 4 or 6 */
    qn_window window;    /* not used for 1 tap */
} qn_warp_problem;

/* The frames of a launch. Frame i has grid i and row i of each array. */
typedef struct qn_warp_pass {
    int frames;                       /* 1 … problem.frames */
    int frame[QN_WARP_FRAMES_MAX];    /* its row of `coefficients` */
    float low[QN_WARP_FRAMES_MAX][2]; /* the part of the fine grid that it covers, x and y, samples */
    float high[QN_WARP_FRAMES_MAX][2];
    float share[QN_WARP_FRAMES_MAX][QN_WARP_SUMS_MAX]; /* of it in each sum */
} qn_warp_pass;

/* Bytes of the rows of the field. */
size_t qn_warp_rows_bytes(const qn_warp_problem *problem);

/* rows = the fields of the frames of a pass along every output row: [frame][height][QN_WARP_ROW]. `coefficients`:
 * [frames of the movie][7][7][2] floats. QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_warp_field_rows(qn_queue *queue, const qn_warp_problem *problem, const qn_warp_pass *pass,
                                           qn_buffer *coefficients, qn_buffer *rows, qn_event **event);

/* sums += the frames of a pass, [sums][height][width]. `grids` has pass->frames buffers. `rows` may be any buffer of 4
 * bytes if taps is 1. Errors likewise. */
QN_MUST_CHECK qn_status qn_warp_frames(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_warp_problem *problem, const qn_warp_pass *pass,
                                       qn_buffer *const *grids, qn_buffer *rows, qn_buffer *sums, qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_warp_problem_class(const qn_warp_problem *problem, char text[64]);

/* Sample `index` of the grid of frame `f` of a pass, for the reference. */
typedef double (*qn_warp_sample)(int f, size_t index, const void *user);

/* Reference: add what the frames of a pass give to output pixel (x, y) to values[sums], in double precision and by the
 * definition. */
void qn_warp_frames_reference(const qn_warp_problem *problem, const qn_warp_pass *pass, const float *coefficients,
                              qn_warp_sample sample, const void *user, int x, int y, double *values);

#endif
