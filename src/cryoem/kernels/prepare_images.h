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

extern const qn_family qn_cryoem_prepare_images_family;

typedef struct qn_prepare_problem {
    int side;   /* n, 4 … 4096 */
    int images; /* of this launch */
    float most; /* |f| in pixels of the image's transform (cycles per n pixels) that is kept */
    bool ctf;   /* false: CTF = 1 */
} qn_prepare_problem;

/* What the kernel is told of an image. */
enum { QN_IMAGE_PARAMETERS = 16 };

/* `origin_pixels`: the content's displacement from the centre n/2 (whole division) is −origin. `pixel_angstrom` is the
 * image's. `ctf` may be NULL. What would lose digits in single precision is reduced here in double. */
void qn_image_parameters(int side, double pixel_angstrom, const double origin_pixels[2], double weight,
                         const qn_ctf *ctf, float parameters[QN_IMAGE_PARAMETERS]);

/* images = spectra · exp(2πi f · (centre − origin) / n) · CTF · w, weights = CTF² · w. `parameters`:
 * [images][QN_IMAGE_PARAMETERS]. QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_prepare_images(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_prepare_problem *problem, qn_buffer *spectra, qn_buffer *parameters,
                                          qn_buffer *images, qn_buffer *weights, qn_event **event);

#endif
