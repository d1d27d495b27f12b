/* Alignment of a movie's frames: from spectra to the motion of the content.
 *
 *     qn_movie_grid_make(width, height, padded, pixel_angstrom, &grid);
 *     qn_coarse_stack_create(device, queue, &grid, frames, &stack);
 *     for each frame: qn_coarse_stack_add(stack, frame, padded_half_spectrum);
 *     qn_align_movie(stack, &options, &motion, &facts);
 *
 * The frames' spectra are cropped to about 4 Å a pixel: the coarse stack, which stays on the device. Three steps
 * follow. Start: the shifts between all pairs of frames, at 30 Å, solved for the frames' shifts. Global: each frame is
 * aligned to the sum of the others until nothing moves. Local: the same for patches, whose motion is fitted by
 * movie/motion, first to the peaks, then to the correlations themselves. */
#ifndef QN_MOVIE_ALIGN_ALIGN_H
#define QN_MOVIE_ALIGN_ALIGN_H

#include <quern/queue.h>
#include <stdbool.h>

#include "movie/motion/fit.h"

enum { QN_MOVIE_GRID_SIDE_MIN = 64 }; /* pixels of a frame */

/* Sizes are x, y. A coarse pixel is padded / coarse unbinned pixels wide. */
typedef struct qn_movie_grid {
    int width, height; /* of the unbinned frame */
    int padded[2];     /* of the frames that are transformed: the frame is at their beginning */
    int coarse[2];     /* even */
} qn_movie_grid;

/* Choose the coarse sizes: about 4 Å a pixel, never more than `padded`.
 * Errors: QN_INVALID_ARGUMENT for sizes below the least, padded sizes below the frame's, a pixel size that is not
 * positive. */
QN_MUST_CHECK qn_status qn_movie_grid_make(int width, int height, const int padded[2], double pixel_angstrom,
                                           qn_movie_grid *grid);

typedef struct qn_coarse_stack qn_coarse_stack;

/* A stack without frames; all of them must be added before qn_align_movie. It holds a reference to the device; the
 * queue must outlive it. */
QN_MUST_CHECK qn_status qn_coarse_stack_create(qn_device *device, qn_queue *queue, const qn_movie_grid *grid,
                                               int frames, qn_coarse_stack **stack);
void qn_coarse_stack_destroy(qn_coarse_stack **stack);
/* Begin another movie with the same sizes and number of frames. What was compiled for the first one is used again. */
void qn_coarse_stack_reset(qn_coarse_stack *stack);

/* Set a frame from the half spectrum of the padded frame ([padded y][padded x / 2 + 1] complex numbers, transform not
 * scaled). Asynchronous. */
QN_MUST_CHECK qn_status qn_coarse_stack_add(qn_coarse_stack *stack, int frame, qn_buffer *padded_half_spectrum);

enum { QN_ALIGN_RINGS = 100 };

typedef struct qn_align_options {
    double pixel_angstrom;     /* of an unbinned pixel */
    bool without_patches;      /* global motion only */
    int patches[2];            /* along x, y; 0: chosen by patch_angstrom */
    double patch_angstrom;     /* least side of a patch; 0: 500 */
    double max_shift_angstrom; /* between two frames; 0: 50 */
    double filter_px2;         /* B of the filter exp(−2 B k²), k in 1 / unbinned px; 0: from the data */
    double smoothness;         /* λ of the local motion; 0: from the data */
    int rounds;                /* of the fit to correlations; 0: 3, -1: none, the fit to peaks is kept */
    size_t scratch_bytes;      /* for products and correlations of some patches; 0: 4 MiB on processors, else 256 */
    bool frugal;               /* keep no memory from one step to the next, nor for the next movie */
} qn_align_options;

static const double QN_ALIGN_CONVERGED_PX = 0.02; /* an iteration that moves no frame by more is the last */

typedef struct qn_align_facts {
    bool converged;   /* the last iteration of the global alignment moved no frame by QN_ALIGN_CONVERGED_PX … */
    double change_px; /* … or by this much */
    int iterations;   /* of the global alignment */
    double agreement; /* of the even and the odd frames after it, in standard deviations of noise … */
    bool signal;      /* … which frames of noise alone would not reach */
    int unseen_frames, first_unseen; /* number of frames that correlate with no other, such as blank ones, which lie
                                        between their neighbours; and the first one. If all, it did not converge */
    int patches[2], patch_px[2];     /* number of patches, their sides in coarse pixels; 0: none */
    bool filtered_by_data;           /* false: B was given, or the halves do not agree at any frequency */
    double ring_width;               /* of a ring, 1 / unbinned px */
    double ring_correlation[QN_ALIGN_RINGS], filter[QN_ALIGN_RINGS]; /* of the last round, by ring */
    int rounds;                                                      /* done */
    qn_motion_facts motion;                                          /* of the last round; all 0 without patches */
} qn_align_facts;

/* Find the motion. *motion is made here, to be released by qn_motion_release; it is empty after a failure.
 * Errors: QN_INVALID_ARGUMENT for options out of range, fewer than 3 frames, or frames that were not added. */
QN_MUST_CHECK qn_status qn_align_movie(qn_coarse_stack *stack, const qn_align_options *options, qn_motion *motion,
                                       qn_align_facts *facts);

/* Most bytes of device memory that the stack and its alignment take. */
size_t qn_coarse_stack_bytes(qn_device *device, const qn_movie_grid *grid, int frames, const qn_align_options *options);

#endif
