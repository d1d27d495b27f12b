#include <math.h>
#include <string.h>

#include "movie/align/kernels/halves.h"

static int signed_row(int row, int rows)
{
    return row <= rows / 2 ? row : row - rows;
}

void qn_sum_rings_reference(const qn_halves_problem *problem, const float *halves, const int *pixels, const int *starts,
                            double *sums)
{
    const int columns = problem->size[0] / 2 + 1;
    const size_t half = 2 * (size_t)problem->size[1] * (size_t)columns;
    memset(sums, 0, (size_t)(problem->count * problem->rings * 3) * sizeof *sums);
    for (int p = 0; p < problem->count; p++)
        for (int ring = 0; ring < problem->rings; ring++)
            for (int i = starts[ring]; i < starts[ring + 1]; i++) {
                const float *e = halves + (size_t)(2 * p) * half + 2 * pixels[i], *o = e + half;
                const double times = pixels[i] % columns == 0 ? 1 : 2;
                double *sum = sums + (p * problem->rings + ring) * 3;
                sum[0] += times * ((double)e[0] * (double)o[0] + (double)e[1] * (double)o[1]);
                sum[1] += times * ((double)e[0] * (double)e[0] + (double)e[1] * (double)e[1]);
                sum[2] += times * ((double)o[0] * (double)o[0] + (double)o[1] * (double)o[1]);
            }
}

void qn_fill_filter_reference(const qn_halves_problem *problem, const float *weights, double *plane)
{
    const int columns = problem->size[0] / 2 + 1, rows = problem->size[1];
    for (int row = 0; row < rows; row++)
        for (int x = 0; x < columns; x++) {
            const double ring = hypot(x * problem->ring_px[0], signed_row(row, rows) * problem->ring_px[1]);
            const int i = (int)fmin(ring, problem->rings);
            const bool lost = (x == 0 && row == 0) || x == columns - 1 || row == rows / 2 || i >= problem->rings - 1;
            plane[row * columns + x] =
                lost ? 0 : (double)weights[i] + (ring - i) * ((double)weights[i + 1] - (double)weights[i]);
        }
}

void qn_weigh_halves_reference(const qn_halves_problem *problem, const float *halves, const float *plane,
                               double *weighed)
{
    const int columns = problem->size[0] / 2 + 1, rows = problem->size[1];
    for (int h = 0; h < 2 * problem->count; h++)
        for (int place = 0; place < rows * columns; place++) {
            const double kx = (double)(place % columns) / problem->size[0];
            const double ky = (double)signed_row(place / columns, rows) / rows;
            const size_t number = (size_t)h * (size_t)(rows * columns) + (size_t)place;
            for (size_t c = 0; c < 2; c++)
                weighed[2 * number + c] = (double)halves[2 * number + c] * hypot(kx, ky) * sqrt((double)plane[place]);
        }
}

void qn_find_centres_reference(const qn_halves_problem *problem, const float *maps, double *sums)
{
    const int width = problem->size[0], height = problem->size[1];
    const size_t pixels = (size_t)width * (size_t)height;
    memset(sums, 0, (size_t)(3 * problem->count) * sizeof *sums);
    for (int p = 0; p < problem->count; p++)
        for (size_t i = 0; i < pixels; i++) {
            const double product =
                (double)maps[2 * (size_t)p * pixels + i] * (double)maps[(2 * (size_t)p + 1) * pixels + i];
            sums[3 * p] += product;
            sums[3 * p + 1] += product * ((int)i % width - 0.5 * (width - 1));
            sums[3 * p + 2] += product * ((int)i / width - 0.5 * (height - 1)); /* NOLINT: whole rows */
        }
}
