#include <math.h>

#include "movie/align/kernels/correlate.h"

static const double PI = 3.14159265358979323846;

/* A_t at column x of a row: F_t exp(2 pi i (x s_x / width + y s_y / height)). */
static void shifted_number(const qn_frames_problem *problem, const float *spectrum, const double *displacement, int row,
                           int x, double value[2])
{
    const int width = problem->size[0], height = problem->size[1], y = row <= height / 2 ? row : row - height;
    const double angle = 2 * PI * (x * displacement[0] / width + y * displacement[1] / height);
    const float *number = spectrum + (size_t)2 * (size_t)(row * (width / 2 + 1) + x);
    value[0] = (double)number[0] * cos(angle) - (double)number[1] * sin(angle);
    value[1] = (double)number[0] * sin(angle) + (double)number[1] * cos(angle);
}

void qn_correlate_frames_reference(const qn_frames_problem *problem, const float *spectra, const double *displacements,
                                   const float *filter, double *products, double *halves)
{
    const int columns = problem->size[0] / 2 + 1, frames = problem->frames;
    const size_t pixels = (size_t)columns * (size_t)problem->size[1];
    for (int patch = 0; patch < problem->count; patch++) {
        const size_t from = (size_t)(problem->first + patch) * (size_t)frames, to = (size_t)patch * (size_t)frames;
        for (size_t i = 0; i < pixels; i++) {
            const int row = (int)(i / (size_t)columns), x = (int)(i % (size_t)columns);
            double a[2], *half = halves + 2 * (2 * (size_t)patch * pixels + i);
            half[0] = half[1] = half[2 * pixels] = half[2 * pixels + 1] = 0;
            for (int t = 0; t < frames; t++) {
                const size_t frame = from + (size_t)t;
                shifted_number(problem, spectra + 2 * frame * pixels, displacements + 2 * frame, row, x, a);
                for (int c = 0; c < 2; c++) half[(t % 2 ? 2 * pixels : 0) + (size_t)c] += a[c];
            }
            for (int t = 0; t < frames; t++) {
                const size_t frame = from + (size_t)t;
                double *product = products + 2 * ((to + (size_t)t) * pixels + i);
                shifted_number(problem, spectra + 2 * frame * pixels, displacements + 2 * frame, row, x, a);
                const double re = half[0] + half[2 * pixels] - a[0], im = half[1] + half[2 * pixels + 1] - a[1];
                product[0] = (double)filter[i] * (a[0] * re + a[1] * im);
                product[1] = (double)filter[i] * (a[1] * re - a[0] * im);
            }
        }
    }
}

void qn_correlate_pairs_reference(const qn_frames_problem *problem, const float *spectra, const int *pairs,
                                  const float *filter, double *products)
{
    const int small = problem->small[0] / 2 + 1, columns = problem->size[0] / 2 + 1;
    const size_t pixels = (size_t)columns * (size_t)problem->size[1];
    for (int pair = 0; pair < problem->count; pair++)
        for (int row = 0; row < problem->small[1]; row++)
            for (int x = 0; x < small; x++) {
                const int from_row = row <= problem->small[1] / 2 ? row : row - problem->small[1] + problem->size[1];
                const size_t place = (size_t)from_row * (size_t)columns + (size_t)x;
                const int *frames = pairs + 2 * (problem->first + pair);
                const float *a = spectra + 2 * ((size_t)frames[0] * pixels + place);
                const float *b = spectra + 2 * ((size_t)frames[1] * pixels + place);
                const double weight = (double)filter[row * small + x];
                double *to = products + 2 * ((size_t)(pair * problem->small[1] + row) * (size_t)small + (size_t)x);
                to[0] = weight * ((double)a[0] * (double)b[0] + (double)a[1] * (double)b[1]);
                to[1] = weight * ((double)a[1] * (double)b[0] - (double)a[0] * (double)b[1]);
            }
}

void qn_shift_spectra_reference(const qn_frames_problem *problem, const float *spectra, const double *displacements,
                                double *shifted)
{
    const int columns = problem->size[0] / 2 + 1;
    const size_t pixels = (size_t)columns * (size_t)problem->size[1];
    for (int i = 0; i < problem->count; i++)
        for (size_t place = 0; place < pixels; place++) {
            const size_t frame = (size_t)(problem->first + i);
            shifted_number(problem, spectra + 2 * frame * pixels, displacements + 2 * frame,
                           (int)(place / (size_t)columns), (int)(place % (size_t)columns),
                           shifted + 2 * ((size_t)i * pixels + place));
        }
}
