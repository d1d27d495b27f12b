#include <math.h>

#include "potential/maps/kernels/coulomb.h"

double qn_coulomb_reference(const qn_coulomb_problem *problem, const float *atoms, const int point[3], double *scale)
{
    double potential = 0;
    *scale = 0;
    for (int a = 0; a < problem->atoms; a++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            const int index = point[axis] + (axis == 2 ? problem->first_plane : 0);
            const double at = problem->origin[axis] + (double)index * problem->spacing;
            square += (at - atoms[4 * a + axis]) * (at - atoms[4 * a + axis]);
        }
        const double term = problem->factor * atoms[4 * a + 3] / fmax(sqrt(square), problem->least);
        potential += term;
        *scale += fabs(term);
    }
    return potential;
}
