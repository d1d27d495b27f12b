#include "movie/align/kernels/cut_patches.h"

void qn_cut_patches_reference(const qn_cut_problem *problem, const float *frames, const int *corners,
                              const float *taper, double *patches)
{
    const int width = problem->patch[0], height = problem->patch[1];
    for (int p = 0; p < problem->count; p++)
        for (int t = 0; t < problem->frames; t++) {
            const int *corner = corners + 2 * (problem->first + p);
            double *to = patches + (size_t)(p * problem->frames + t) * (size_t)width * (size_t)height, sum = 0;
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++) {
                    const size_t row = (size_t)t * (size_t)problem->size[1] + (size_t)(corner[1] + y);
                    to[y * width + x] = (double)frames[row * (size_t)problem->size[0] + (size_t)(corner[0] + x)];
                    sum += to[y * width + x];
                }
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++)
                    to[y * width + x] =
                        (to[y * width + x] - sum / (width * height)) * (double)taper[x] * (double)taper[width + y];
        }
}
