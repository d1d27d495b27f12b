#include <math.h>

#include "potential/maps/kernels/electrostatics.h"

double qn_electrostatics_reference(size_t atom_count, const double *positions_angstrom, const double *charges_e,
                                   const double *screening, size_t entries, const double point_angstrom[3])
{
    double sum = 0;
    for (size_t a = 0; a < atom_count; a++) {
        double squared = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double d = point_angstrom[axis] - positions_angstrom[3 * a + (size_t)axis];
            squared += d * d;
        }
        const double r = sqrt(squared);
        const size_t entry = (size_t)fmin(100 * r, (double)(entries - 1));
        sum += charges_e[a] * screening[entry] / fmax(r, 0.5);
    }
    return sum;
}
