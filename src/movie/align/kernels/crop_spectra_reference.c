#include "movie/align/kernels/crop_spectra.h"

void qn_crop_spectra_reference(const qn_crop_problem *problem, const float *spectrum, double *coarse)
{
    const int width = problem->size[0], height = problem->size[1];
    for (int row = 0; row < height; row++)
        for (int x = 0; x <= width / 2; x++) {
            const int y = row <= height / 2 ? row : row - height;
            const int from = y >= 0 ? y : y + problem->from[1];
            const int lost = (x == 0 && y == 0) || x == width / 2 || y == height / 2;
            for (int c = 0; c < 2; c++) {
                const size_t source = 2 * ((size_t)from * (size_t)(problem->from[0] / 2 + 1) + (size_t)x) + (size_t)c;
                coarse[2 * (row * (width / 2 + 1) + x) + c] =
                    lost ? 0 : (double)spectrum[source] * (double)problem->scale;
            }
        }
}
