#include "dock/search/kernels/correlate.h"

void qn_correlate_reference(const qn_correlate_problem *problem, const float *receptor, const float *ligand,
                            double *product)
{
    const size_t bins = (size_t)problem->bins, grids = (size_t)problem->grids;
    const size_t rotations = (size_t)problem->rotations, pairs = (size_t)problem->sets * rotations;
    for (size_t pair = 0; pair < pairs; pair++)
        for (size_t bin = 0; bin < bins; bin++) {
            const size_t set = pair / rotations, rotation = pair % rotations;
            double x = 0, y = 0;
            for (size_t grid = 0; grid < grids; grid++) {
                const float *a = receptor + 2 * ((set * grids + grid) * bins + bin);
                const float *b = ligand + 2 * ((rotation * grids + grid) * bins + bin);
                x += (double)a[0] * b[0] + (double)a[1] * b[1];
                y += (double)a[1] * b[0] - (double)a[0] * b[1];
            }
            product[2 * (pair * bins + bin)] = x;
            product[2 * (pair * bins + bin) + 1] = y;
        }
}
