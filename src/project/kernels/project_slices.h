/* Central slices of a Fourier volume, which are the transforms of the map's images. Each pixel is a weighted sum of the
 * samples around its place in the volume (math/window.h), is shifted by a phase and, if wanted, multiplied by the
 * CTF.
 *
 * Shapes. Padded side P and image side n may each be even or odd. The volume is made from the half spectrum of a real
 * transform of P³ points whose centre is at index 0 (<quern/fft.h>: [P][P][P/2 + 1][2]) and is laid out so that no
 * gathering pixel meets an edge: complex numbers [z][y][x] with x = −taps/2 … reach, y and z = −reach … reach, periodic
 * and with conjugates for x < 0. Slices end at `most` pixels (cycles per n pixels) from the origin, which reach covers.
 * Slices are half spectra as the inverse real transform takes them, [images][n][n/2 + 1][2]; pixels beyond `most` are
 * 0.
 *
 * Each image has six numbers in `steps`: the steps in the volume, in samples, of one pixel along kx and along ky. They
 * are rows 0 and 1 of the passive rotation A (image = A · volume), multiplied by P / n. Its parameters are those of
 * cryoem/prepare_images, but the correction is reversed: pixels are multiplied by CTF · w, and the image is shifted
 * from a centre at index 0 to its own centre. */
#ifndef QN_PROJECT_PROJECT_SLICES_H
#define QN_PROJECT_PROJECT_SLICES_H

#include "cryoem/kernels/prepare_images.h"

#include <quern/family.h>
#include <stdbool.h>

enum { QN_PROJECT_SIDE_MAX = 2048 };

extern const qn_family qn_project_project_slices_family;

typedef struct qn_slices_problem {
    int side;       /* P, side of the padded volume, 4 … QN_PROJECT_SIDE_MAX */
    int image_side; /* n, side of the images, 4 … P */
    int images;     /* number of images of this launch */
    int taps;       /* samples of the window along an axis: 2, 4 or 6 */
    float most;     /* largest |f| in pixels of an image that slices reach, at most (n − 1) / 2 */
    bool ctf;       /* false: CTF = 1 */
} qn_slices_problem;

/* Number of samples along x and along y (or z) of the laid-out volume. */
void qn_slices_volume_size(const qn_slices_problem *problem, int *columns, int *rows);

/* Lay out volume = spectrum · scale. QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_slices_lay_out(qn_queue *queue, const qn_slices_problem *problem, float scale,
                                          qn_buffer *spectrum, qn_buffer *volume, qn_event **event);

/* Make slices. `window`: the table of qn_window_table; `steps`: [images][6] floats; `parameters`:
 * [images][QN_IMAGE_PARAMETERS]. `configuration` NULL: chosen as for any family. Errors as of qn_slices_lay_out. */
QN_MUST_CHECK qn_status qn_project_slices(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_slices_problem *problem, qn_buffer *volume, qn_buffer *window,
                                          qn_buffer *steps, qn_buffer *parameters, qn_buffer *slices, qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_slices_problem_class(const qn_slices_problem *problem, char text[64]);

/* Shift of an image and factors of its pixels, in double precision: the input of qn_image_parameters. */
typedef struct qn_slice_image {
    double origin_pixels[2], pixel_angstrom, weight;
    const qn_ctf *ctf; /* NULL: CTF = 1 */
} qn_slice_image;

struct qn_window;

/* Reference: compute the slice of one image from spectrum · scale in double precision, by the definition. */
void qn_project_slices_reference(const qn_slices_problem *problem, const struct qn_window *window,
                                 const float *spectrum, double scale, const float steps[6], const qn_slice_image *image,
                                 double *slice);

#endif
