#include <math.h>
#include <stdint.h>

#include "potential/maps/kernels/electrostatics.h"

double qn_electrostatics_reference(size_t atom_count, const double *positions_angstrom, const double *charges_e,
                                   const double *screening, size_t entries, const double point_angstrom[3])
{
    const int64_t step = 1000; /* 0.01 Å in units of 10⁻⁵ Å */
    double sum = 0;
    for (size_t a = 0; a < atom_count; a++) {
        int64_t squared = 0;
        for (int axis = 0; axis < 3; axis++) {
            const int64_t atom = llround(1e5 * positions_angstrom[3 * a + (size_t)axis]);
            const int64_t d = atom - llround(1e5 * point_angstrom[axis]);
            squared += d * d;
        }
        const double root = sqrt((double)squared);
        int64_t entry = (int64_t)(root / (double)step);
        while (entry * entry * step * step > squared) entry--;
        while ((entry + 1) * (entry + 1) * step * step <= squared) entry++;
        const size_t place = (size_t)entry < entries ? (size_t)entry : entries - 1;
        sum += charges_e[a] * screening[place] / fmax(1e-5 * root, 0.5);
    }
    return sum;
}
