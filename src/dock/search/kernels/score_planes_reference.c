#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "dock/search/kernels/score_planes.h"

static const double pi = 3.14159265358979323846;

/* total += value · exp(−2πi·k·t / n), complex. */
static void add_turned(const double value[2], int k, int t, int n, double total[2])
{
    const double angle = -2 * pi * (k * t % n) / n, re = cos(angle), im = sin(angle);
    total[0] += value[0] * re - value[1] * im;
    total[1] += value[0] * im + value[1] * re;
}

/* Value (kx, ky) of the whole spectrum, whose other half is the conjugate of this one at (−kx, −ky). */
static void spectrum_value(const qn_rotation_grid *grid, const double *products, int kx, int ky, double value[2])
{
    const int nx = grid->cells[0], ny = grid->cells[1], width = qn_rotation_width(grid);
    const bool is_mirrored = kx >= width;
    const double *stored = products + 2 * (is_mirrored ? nx - kx + width * ((ny - ky) % ny) : kx + width * ky);
    value[0] = stored[0];
    value[1] = is_mirrored ? -stored[1] : stored[1];
}

qn_status qn_score_planes_reference(const qn_score_planes_problem *problem, const double *products, double *scores)
{
    const qn_rotation_grid *grid = &problem->grid;
    const int nx = grid->cells[0], ny = grid->cells[1];
    void *memory;
    QN_TRY(qn_allocate((size_t)nx * (size_t)ny, 2 * sizeof(double), &memory));
    double(*columns)[2] = memory; /* [nx][ny], zeros */
    for (int kx = 0; kx < nx; kx++)
        for (int ky = 0; ky < ny; ky++) {
            double value[2];
            spectrum_value(grid, products, kx, ky, value);
            for (int y = 0; y < ny; y++) add_turned(value, ky, y, ny, columns[kx * ny + y]);
        }
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            double total[2] = {0, 0};
            for (int kx = 0; kx < nx; kx++) add_turned(columns[kx * ny + y], kx, x, nx, total);
            scores[x + nx * y] = total[0];
        }
    qn_release(&memory);
    return QN_OK;
}
