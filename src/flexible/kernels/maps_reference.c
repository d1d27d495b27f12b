/* Reference of flexible/maps in double precision. */
#include <math.h>

#include "flexible/kernels/maps.h"
#include "score/vina.h"

double qn_flexible_maps_reference(const qn_score_receptor *receptor, const double place[3], int type)
{
    qn_vina_energy unused = {0};
    double sum = 0, slope;
    for (size_t j = 0; j < receptor->atom_count; j++) {
        const double *other = receptor->positions_angstrom + 3 * j;
        const double x = place[0] - other[0], y = place[1] - other[1], z = place[2] - other[2];
        const double square = x * x + y * y + z * z;
        if (square < QN_VINA_CUTOFF_ANGSTROM * QN_VINA_CUTOFF_ANGSTROM)
            sum += qn_vina_add_pair(type, receptor->types[j], sqrt(square), &unused, &slope);
    }
    return sum;
}
