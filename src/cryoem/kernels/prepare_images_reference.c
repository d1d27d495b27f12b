#include <math.h>

#include "cryoem/kernels/prepare_images.h"

void qn_prepare_images_reference(const qn_prepare_problem *problem, const float *spectra,
                                 const qn_reference_image *parameters, double *images, double *weights)
{
    const int side = problem->side, columns = side / 2 + 1;
    const double most = (double)problem->most, pi = 3.14159265358979323846;
    for (int i = 0; i < problem->images; i++) {
        const qn_reference_image *image = parameters + i;
        for (int y = -(side / 2); y < side - side / 2; y++) {
            for (int x = 0; x < columns; x++) {
                const size_t start = (size_t)i * (size_t)side, column = (size_t)x;
                const size_t from = (start + (size_t)(y < 0 ? y + side : y)) * (size_t)columns + column;
                const size_t to = (start + (size_t)(y + side / 2)) * (size_t)columns + column;
                const double length = side * image->pixel_angstrom;
                const double shift =
                    x * (side / 2 - image->origin_pixels[0]) + y * (side / 2 - image->origin_pixels[1]);
                const double angle = 2 * pi * fmod(shift, side) / side;
                const double ctf = problem->ctf && image->ctf ? qn_ctf_at(image->ctf, x / length, y / length) : 1;
                const double re = (double)spectra[2 * from], im = (double)spectra[2 * from + 1];
                const bool kept = (double)x * x + (double)y * y <= most * most;
                images[2 * to] = kept ? (re * cos(angle) - im * sin(angle)) * ctf * image->weight : 0;
                images[2 * to + 1] = kept ? (re * sin(angle) + im * cos(angle)) * ctf * image->weight : 0;
                weights[to] = kept ? ctf * ctf * image->weight : 0;
            }
        }
    }
}
