#include <math.h>
#include <stddef.h>

#include "dock/search/kernels/correlate_columns.h"

static const double pi = 3.14159265358979323846;

/* sum += value · exp(−2πi·product / n); complex numbers. */
static void add_turned(const double value[2], long product, int n, double sum[2])
{
    const double angle = -2 * pi * (double)(product % n) / n, c = cos(angle), s = sin(angle);
    sum[0] += value[0] * c - value[1] * s;
    sum[1] += value[0] * s + value[1] * c;
}

void qn_correlate_columns_reference(const qn_correlate_columns_problem *problem, const double *planes,
                                    const double *receptor, double *products)
{
    const int n = problem->grid.cells[2], box = problem->grid.box;
    for (int z = 0; z < 2 * n; z++) products[z] = 0;
    for (int k = 0; k < n; k++) {
        double sum[2] = {0, 0};
        for (int g = 0; g < problem->grids; g++) {
            const double *a = receptor + 2 * ((size_t)g * (size_t)n + (size_t)k);
            double b[2] = {0, 0};
            for (int z = 0; z < box; z++)
                add_turned(planes + 2 * ((size_t)g * (size_t)box + (size_t)z), (long)k * z, n, b);
            sum[0] += a[0] * b[0] + a[1] * b[1];
            sum[1] += a[0] * b[1] - a[1] * b[0];
        }
        for (int z = 0; z < n; z++) add_turned(sum, (long)k * z, n, products + 2 * z);
    }
}
