/* Micrographs: the frames of a movie, moved back along its motion and added up.
 *
 *     S(x) = Σ_t w_t F_t(x + u(x, t))
 *
 * with the motion u of movie/motion. The global part of u is a phase of the frame's spectrum. For the local part the
 * frame is transformed back on a grid 1.25 times as fine as the output, after division by the transform of a
 * Kaiser-Bessel window (math/window.h), and interpolated there with 4 or 6 taps a side. A movie without local motion is
 * not interpolated at all. Pixels that a frame does not cover get the frame's mean. With `bin`, frequencies beyond the
 * limit of the larger pixels are left out.
 *
 * Weights of the exposure need no transforms of frames (exposure.h): frames are added into a sum for each rank of the
 * weights; each sum is transformed once, multiplied by its factor of frequency, added to the others and transformed
 * back.
 *
 * Life cycle: create → add every frame in order → finish → (restart → add … → finish)… → destroy. Work is queued;
 * finish waits. Thread rule: that of the queue; qn_micrographs_complete may run meanwhile. */
#ifndef QN_MOVIE_WARP_WARP_H
#define QN_MOVIE_WARP_WARP_H

#include <quern/queue.h>
#include <stdbool.h>

#include "base/thread_pool.h"
#include "movie/motion/motion.h"
#include "movie/warp/exposure.h"

typedef struct qn_warp qn_warp;

typedef struct qn_warp_options {
    int padded[2];           /* width, height of padded frames, at least the motion's; the frame begins at pixel 0 */
    double bin;              /* 1 or more: unbinned pixels of an output pixel along each axis */
    int taps;                /* 4 or 6 */
    const qn_motion *motion; /* read by qn_warp_create only */
    const qn_exposure_ranks *ranks; /* weights of as many frames as `motion` has; NULL: no weighted sum. The largest
                                       frequency should be at least qn_warp_largest_frequency. Read by create only */
    bool plain, even_odd;           /* sum of all frames; sums of frames 0, 2, … and of frames 1, 3, … */
    double pixel_angstrom;          /* unbinned */
    int spectrum_side;              /* of the power spectrum; 0: none */
    int spectrum_group;             /* frames that are added up for a spectrum */
    bool spectrum_recorded;         /* also the power spectrum of the frames without alignment */
    int frames_a_pass;              /* frames that are added at once, 1 to 8, a fine grid each; 0: 4 */
} qn_warp_options;

/* The images that a warp left in this process's memory. */
enum { QN_WARP_WEIGHTED, QN_WARP_PLAIN, QN_WARP_EVEN, QN_WARP_ODD, QN_WARP_ALIGNED, QN_WARP_RECORDED, QN_WARP_IMAGES };

/* Memory for copies that is kept for the next movie. */
typedef struct qn_warp_memory {
    void *numbers;
    size_t bytes;
} qn_warp_memory;

/* Arrays are [height][width] floats, and NULL if they were not asked for. Weighted and plain sums have the units of the
 * frames, with the mean of all frames' sum in the plain one and Σ_t w_t(0) mean_t in the weighted one. */
typedef struct qn_micrographs {
    int width, height;
    double pixel_angstrom;
    float *weighted, *plain, *even, *odd;
    int spectrum_side;
    double spectrum_angstrom;   /* the spectrum ends at 1 / (2 · spectrum_angstrom): 1.4, or the pixel if larger */
    float *spectrum, *recorded; /* [side][side], frequency 0 at side / 2: Σ over groups of |Σ of the group's frames|,
                                   of transforms divided by the number of pixels */

    /* of the warp's own */
    qn_device *device;
    qn_warp_memory memory[QN_WARP_IMAGES];
    bool adds_halves;   /* the plain sum is that of even and odd frames */
    int power_limit[2]; /* the amplitudes of frequencies, as of qn_power_source */
    double power_step[2], power_scale;
    bool has_power[2];
} qn_micrographs;

/* Size of the output: ⌊side / bin⌋. */
void qn_warp_size(const qn_motion *motion, double bin, int size[2]);

/* The largest frequency of the output, in 1/Å, at the corner of its spectrum. */
double qn_warp_largest_frequency(double bin, double pixel_angstrom);

/* Frames that make up a group of the power spectrum: as many as reach `spectrum_dose`, at least one. A dose a frame of
 * 0 (unknown): 4. */
int qn_warp_spectrum_group(double dose_a_frame, double spectrum_dose);

/* Bytes of device memory that a warp takes besides the work memory of its transforms, which is at most that of one fine
 * grid's spectrum; 0 for options that create refuses. */
uint64_t qn_warp_bytes(const qn_warp_options *options);

/* Errors: QN_INVALID_ARGUMENT for options out of range, motion that is not finite or larger than half of the frame;
 * QN_OUT_OF_MEMORY; those of transforms and compilers. */
QN_MUST_CHECK qn_status qn_warp_create(qn_device *device, qn_queue *queue, const qn_warp_options *options,
                                       qn_warp **warp);
void qn_warp_destroy(qn_warp **warp);

/* Begin another movie, finished or not. Transforms and buffers whose sizes fit are kept, which saves seconds on GPUs.
 * Errors as of create; then nothing can be added, but another restart is possible. */
QN_MUST_CHECK qn_status qn_warp_restart(qn_warp *warp, const qn_warp_options *options);

/* Add the next frame, which must be number `frame`. `spectrum` is the half spectrum of the padded frame, unscaled as
 * <quern/fft.h> gives it, of which the mean is not used; padding is with the frame's mean. `mean`: of the frame. The
 * buffer may be used again by later commands of the queue. */
QN_MUST_CHECK qn_status qn_warp_add(qn_warp *warp, int frame, qn_buffer *spectrum, double mean);

/* Make the results after the last frame. `micrographs` is zero, or of an earlier movie, whose memory is used again; it
 * is released by the caller. QN_INVALID_ARGUMENT if frames are missing. */
QN_MUST_CHECK qn_status qn_warp_finish(qn_warp *warp, qn_micrographs *micrographs);

/* Draw the power spectra, and add even and odd sums where both they and the plain sum were asked for. Needs no device.
 * `pool` may be NULL. */
QN_MUST_CHECK qn_status qn_micrographs_complete(qn_micrographs *micrographs, qn_pool *pool);
void qn_micrographs_release(qn_micrographs *micrographs);

#endif
