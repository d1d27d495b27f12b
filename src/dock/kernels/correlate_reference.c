#include "dock/kernels/correlate.h"

void qn_correlate_reference(const qn_correlate_problem *problem, const float *receptor, const float *ligand,
                            double *product)
{
    const size_t bins = (size_t)problem->bins, grids = (size_t)problem->grids;
    for (size_t rotation = 0; rotation < (size_t)problem->rotations; rotation++)
        for (size_t bin = 0; bin < bins; bin++) {
            double x = 0, y = 0;
            for (size_t grid = 0; grid < grids; grid++) {
                const float *a = receptor + 2 * (grid * bins + bin);
                const float *b = ligand + 2 * ((rotation * grids + grid) * bins + bin);
                x += (double)a[0] * b[0] + (double)a[1] * b[1];
                y += (double)a[1] * b[0] - (double)a[0] * b[1];
            }
            product[2 * (rotation * bins + bin)] = x;
            product[2 * (rotation * bins + bin) + 1] = y;
        }
}
