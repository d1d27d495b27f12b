/* Transforms of images as they are inserted into a Fourier volume: shifted so that the particle's centre is at index 0,
 * cut at a resolution, multiplied with CTF · w, with CTF² · w beside.
 *
 * Shapes. Image side n (even or odd). Spectra are those of a batch of real transforms (<quern/fft.h>):
 * [images][n][n/2 + 1][2], y = 0 … n−1 in the transform's order. Images come out as insert_slices takes them: the same
 * with y = −⌊n/2⌋ … ⌈n/2⌉ − 1 as row y + ⌊n/2⌋; weights [images][n][n/2 + 1]. All of both is written, 0 beyond `most`.
 */
#ifndef QN_CRYOEM_PREPARE_IMAGES_H
#define QN_CRYOEM_PREPARE_IMAGES_H

#include "cryoem/ctf.h"

#include <quern/family.h>

enum { QN_PREPARE_LARGEST_SIDE = 4096, QN_PREPARE_MOST_IMAGES = 1 << 20 };

extern const qn_family qn_cryoem_prepare_images_family;

typedef struct qn_prepare_problem {
    int side;   /* n, 4 … QN_PREPARE_LARGEST_SIDE */
    int images; /* of this launch, at most QN_PREPARE_MOST_IMAGES */
    float most; /* |f| in pixels of the image's transform (cycles per n pixels) that is kept */
    bool ctf;   /* false: CTF = 1 */
    bool ramp;  /* multiply weights with |f| in pixels (at the origin with its mean over a pixel): slices through the
                   origin lie as densely as 1 / |f|, and so weighted they count evenly wherever they are */
} qn_prepare_problem;

/* What the kernel is told of an image. */
enum { QN_IMAGE_PARAMETERS = 16 };

/* `origin_pixels`: the content's displacement from the centre n/2 (whole division) is −origin. `pixel_angstrom` is the
 * image's. `ctf` may be NULL. What would lose digits in single precision is reduced here in double. Some of what
 * comes out are bits of integers: copy it, do not compute with it. */
void qn_image_parameters(int side, double pixel_angstrom, const double origin_pixels[2], double weight,
                         const qn_ctf *ctf, float parameters[QN_IMAGE_PARAMETERS]);

/* images = spectra · exp(2πi f · (centre − origin) / n) · CTF · w, weights = CTF² · w. `parameters`:
 * [images][QN_IMAGE_PARAMETERS]. QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_prepare_images(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_prepare_problem *problem, qn_buffer *spectra, qn_buffer *parameters,
                                          qn_buffer *images, qn_buffer *weights, qn_event **event);

/* Under which name tuning results for such a problem are kept. */
void qn_prepare_problem_class(const qn_prepare_problem *problem, char text[64]);

/* What qn_image_parameters takes. */
typedef struct qn_reference_image {
    double pixel_angstrom, origin_pixels[2], weight;
    const qn_ctf *ctf; /* NULL: CTF = 1 */
} qn_reference_image;

/* The same in double precision, from the definition (prepare_images_reference.c). */
void qn_prepare_images_reference(const qn_prepare_problem *problem, const float *spectra,
                                 const qn_reference_image *parameters, double *images, double *weights);

/* The same for the one pixel x, y of an image, `spectrum` at its place: value = real part, imaginary part, weight. */
void qn_prepare_images_reference_pixel(const qn_prepare_problem *problem, const qn_reference_image *image,
                                       const float spectrum[2], int x, int y, double value[3]);

#endif
