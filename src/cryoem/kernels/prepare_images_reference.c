#include <math.h>

#include "cryoem/kernels/prepare_images.h"

void qn_prepare_images_reference_pixel(const qn_prepare_problem *problem, const qn_reference_image *image,
                                       const float spectrum[2], int x, int y, double value[3])
{
    const int side = problem->side, centre = side / 2;
    const double pi = 3.14159265358979323846, most = (double)problem->most, length = side * image->pixel_angstrom;
    const double shift = x * (centre - image->origin_pixels[0]) + y * (centre - image->origin_pixels[1]);
    const double angle = 2 * pi * fmod(shift, side) / side;
    const double ctf = problem->ctf && image->ctf ? qn_ctf_at(image->ctf, x / length, y / length) : 1;
    const double re = (double)spectrum[0], im = (double)spectrum[1];
    const double distance = x == 0 && y == 0 ? 2 / (3 * sqrt(pi)) : sqrt((double)x * x + (double)y * y);
    const double weight = image->weight * (problem->ramp ? distance : 1);
    const bool kept = (double)x * x + (double)y * y <= most * most;
    value[0] = kept ? (re * cos(angle) - im * sin(angle)) * ctf * weight : 0;
    value[1] = kept ? (re * sin(angle) + im * cos(angle)) * ctf * weight : 0;
    value[2] = kept ? ctf * ctf * weight : 0;
}

void qn_prepare_images_reference(const qn_prepare_problem *problem, const float *spectra,
                                 const qn_reference_image *parameters, double *images, double *weights)
{
    const int side = problem->side, columns = side / 2 + 1;
    for (int i = 0; i < problem->images; i++) {
        const size_t start = (size_t)i * (size_t)side;
        for (int y = -(side / 2); y < side - side / 2; y++)
            for (int x = 0; x < columns; x++) {
                const size_t from = (start + (size_t)(y < 0 ? y + side : y)) * (size_t)columns + (size_t)x;
                const size_t to = (start + (size_t)(y + side / 2)) * (size_t)columns + (size_t)x;
                double value[3];
                qn_prepare_images_reference_pixel(problem, parameters + i, spectra + 2 * from, x, y, value);
                images[2 * to] = value[0];
                images[2 * to + 1] = value[1];
                weights[to] = value[2];
            }
    }
}
