/* Central slices of a Fourier volume: what images of a map are the transforms of. Each pixel gathers the samples around
 * its place in the volume (project/window.h) and is shifted and, if wanted, multiplied with the CTF.
 *
 * Shapes. Padded side P, image side n, both even or odd. The volume comes from the half spectrum of a real transform of
 * P³ points whose centre is at index 0 (<quern/fft.h>: [P][P][P/2 + 1][2]) and is laid out so that no gathering pixel
 * meets an edge: x = −taps/2 … reach, y and z = −reach … reach as [z][y][x] complex numbers, periodic and with
 * conjugates for x < 0. `most` pixels away from the origin (cycles per n pixels) slices end; reach covers that.
 * Slices are half spectra as the inverse real transform takes them, [images][n][n/2 + 1][2]; all is written, 0 beyond
 * `most`.
 *
 * Image i has six numbers of `steps`: where one pixel along kx, and one along ky, leads in the volume, in its samples:
 * rows 0 and 1 of the passive rotation A (image = A · volume), times P / n. Its parameters are those of
 * cryoem/prepare_images, of which phase and CTF are undone: pixels come out times CTF · w and shifted from a centre at
 * index 0 to where the image's centre is. */
#ifndef QN_PROJECT_PROJECT_SLICES_H
#define QN_PROJECT_PROJECT_SLICES_H

#include "cryoem/kernels/prepare_images.h"

#include <quern/family.h>
#include <stdbool.h>

enum { QN_PROJECT_LARGEST_SIDE = 2048 };

extern const qn_family qn_project_project_slices_family;

typedef struct qn_slices_problem {
    int side;       /* P, 4 … QN_PROJECT_LARGEST_SIDE */
    int image_side; /* n, 4 … P */
    int images;     /* of this launch */
    int taps;       /* 2, 4 or 6 */
    float most;     /* |f| in pixels of an image up to which slices are made, at most (n − 1) / 2 */
    bool ctf;       /* false: CTF = 1 */
} qn_slices_problem;

/* Samples along x and along y (or z) of the volume, as laid out. */
void qn_slices_volume_size(const qn_slices_problem *problem, int *columns, int *rows);

/* volume = spectrum · scale, laid out. QN_INVALID_ARGUMENT for impossible problems and buffers that are too small. */
QN_MUST_CHECK qn_status qn_slices_lay_out(qn_queue *queue, const qn_slices_problem *problem, float scale,
                                          qn_buffer *spectrum, qn_buffer *volume, qn_event **event);

/* `window`: qn_window_table's; `steps`: [images][6] floats; `parameters`: [images][QN_IMAGE_PARAMETERS]. configuration
 * NULL: chosen as for any family. Errors likewise. */
QN_MUST_CHECK qn_status qn_project_slices(qn_queue *queue, const qn_configuration *configuration,
                                          const qn_slices_problem *problem, qn_buffer *volume, qn_buffer *window,
                                          qn_buffer *steps, qn_buffer *parameters, qn_buffer *slices, qn_event **event);

/* Under which name tuning results for such a problem are kept. */
void qn_slices_problem_class(const qn_slices_problem *problem, char text[64]);

/* What an image is shifted by and multiplied with, in double precision: as qn_image_parameters takes them. */
typedef struct qn_slice_image {
    double origin_pixels[2], pixel_angstrom, weight;
    const qn_ctf *ctf; /* or NULL */
} qn_slice_image;

struct qn_window;

/* The slice of one image from the spectrum (times scale) in double precision, by definition. */
void qn_project_slices_reference(const qn_slices_problem *problem, const struct qn_window *window,
                                 const float *spectrum, double scale, const float steps[6], const qn_slice_image *image,
                                 double *slice);

#endif
