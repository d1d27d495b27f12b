#include "potential/vina/kernels/vina_maps.h"

double qn_vina_maps_reference(const qn_vina_maps_problem *problem, const int32_t *atoms, const int32_t *axes,
                              const float *tables, const int point[3], int probe)
{
    const int32_t place[3] = {axes[point[0]], axes[problem->points[0] + point[1]],
                              axes[problem->points[0] + problem->points[1] + point[2]]};
    const size_t row = (size_t)qn_vina_maps_row(problem->probes);
    double sum = 0;
    for (int i = 0; i < problem->atoms; i++) {
        double square = 0; /* a whole number of squared thousandths of an Å, exact in double */
        for (int d = 0; d < 3; d++) {
            const double difference = (double)atoms[4 * i + d] - place[d];
            square += difference * difference;
        }
        const double entry = square * QN_VINA_MAPS_ENTRIES_PER_SQUARE_ANGSTROM / 1e6;
        if (entry >= QN_VINA_MAPS_ENTRIES) continue;
        sum += tables[((size_t)atoms[4 * i + 3] * QN_VINA_MAPS_ENTRIES + (size_t)entry) * row + (size_t)probe];
    }
    return sum;
}
