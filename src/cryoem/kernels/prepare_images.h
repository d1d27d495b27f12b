/* Preparation of images' transforms for insertion into a Fourier volume. They are shifted so that the particle's centre
 * is at index 0, cut at a resolution, and multiplied with CTF · w; the weights are CTF² · w.
 *
 * Shapes. Image side n (even or odd). Spectra are those of a batch of real transforms (<quern/fft.h>):
 * [images][n][n/2 + 1][2], y = 0 … n−1 in the transform's order. Images have the same shape with
 * y = −⌊n/2⌋ … ⌈n/2⌉ − 1 as row y + ⌊n/2⌋, as insert_slices expects; weights are [images][n][n/2 + 1]. Every pixel of
 * both is written; pixels beyond `most` are 0.
 */
#ifndef QN_CRYOEM_PREPARE_IMAGES_H
#define QN_CRYOEM_PREPARE_IMAGES_H

#include "cryoem/ctf.h"

#include <quern/family.h>

enum { QN_PREPARE_SIDE_MAX = 4096, QN_PREPARE_IMAGES_MAX = 1 << 20 };

extern const qn_family qn_cryoem_prepare_images_family;

typedef struct qn_prepare_problem {
    int side;   /* n, side of the images, 4 … QN_PREPARE_SIDE_MAX */
    int images; /* number of images of this launch, at most QN_PREPARE_IMAGES_MAX */
    float most; /* largest |f| that is kept, in pixels of the image's transform (cycles per n pixels) */
    bool ctf;   /* false: CTF = 1 */
    bool ramp;  /* multiply weights with |f| in pixels (at the origin with its mean over a pixel): the density of slices
                   through the origin is proportional to 1 / |f|, and these weights compensate for it */
} qn_prepare_problem;

/* Parameters of an image for the kernel. */
enum { QN_IMAGE_PARAMETERS = 16 };

/* Compute the parameters of an image. `origin_pixels`: the content is displaced from the centre n/2 (integer division)
 * by −origin. `pixel_angstrom` is the image's pixel size. `ctf` may be NULL. Numbers that would lose digits in single
 * precision are reduced here in double precision. Some of the parameters are bits of integers: copy them, do not
 * compute with them. */
void qn_image_parameters(int side, double pixel_angstrom, const double origin_pixels[2], double weight,
                         const qn_ctf *ctf, float parameters[QN_IMAGE_PARAMETERS]);

/* images = spectra · exp(2πi f · (centre − origin) / n) · CTF · w, weights = CTF² · w. `parameters`:
 * [images][QN_IMAGE_PARAMETERS]. QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_prepare_images(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_prepare_problem *problem, qn_buffer *spectra, qn_buffer *parameters,
                                          qn_buffer *images, qn_buffer *weights, qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_prepare_problem_class(const qn_prepare_problem *problem, char text[64]);

/* Input of qn_image_parameters. */
typedef struct qn_reference_image {
    double pixel_angstrom, origin_pixels[2], weight;
    const qn_ctf *ctf; /* NULL: CTF = 1 */
} qn_reference_image;

/* Reference in double precision, from the definition (prepare_images_reference.c). */
void qn_prepare_images_reference(const qn_prepare_problem *problem, const float *spectra,
                                 const qn_reference_image *parameters, double *images, double *weights);

/* Reference for one pixel x, y of an image; `spectrum` is the spectrum's value there. value = real part, imaginary
 * part, weight. */
void qn_prepare_images_reference_pixel(const qn_prepare_problem *problem, const qn_reference_image *image,
                                       const float spectrum[2], int x, int y, double value[3]);

#endif
