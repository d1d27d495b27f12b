#include <math.h>

#include "pairs/kernels/distance_histogram.h"
#include "runtime/prelude/prelude_host.h"

#define VECTOR_WIDTH 1
#include "pairs/kernels/distance_histogram.dev.h"

float qn_distance_histogram_square(const qn_histogram_cell *cell, const float first[3], const float second[3])
{
    const float x = first[0] - second[0], y = first[1] - second[1], z = first[2] - second[2];
    const float *values = cell->values;
    if (cell->shape == QN_BOX_NONE) return histogram_square(x, y, z);
    if (cell->shape == QN_BOX_ORTHORHOMBIC)
        return histogram_square_orthorhombic(values[HISTOGRAM_EDGE_X], values[HISTOGRAM_EDGE_Y],
                                             values[HISTOGRAM_EDGE_Z], x, y, z);
    return histogram_square_triclinic(values, cell->shift_count, x, y, z);
}

int qn_distance_histogram_bin(const qn_histogram_bins *bins, const float *squared_edges, float square)
{
    int low = 0, high = bins->count + 1; /* edges before `low` are ≤ square, edges from `high` on are > square */
    while (low < high) {
        const int middle = (low + high) / 2;
        if (squared_edges[middle] <= square)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? bins->count : low - 1; /* NaN: no edge is ≤ it */
}

void qn_distance_histogram_reference(const qn_histogram_problem *problem, const float *packed_first,
                                     const float *packed_second, uint64_t *counts)
{
    static const size_t floats = 4; /* per packed atom */
    float squared_edges[4096];
    const qn_histogram_bins *bins = problem->bins;
    if (bins->count >= (int)(sizeof squared_edges / sizeof *squared_edges)) return; /* 4095 bins are enough for tests */
    qn_histogram_bins_squared_edges(bins, squared_edges);
    const size_t others = packed_second ? (size_t)problem->second_count : (size_t)problem->first_count;
    const float *other = packed_second ? packed_second : packed_first;
    for (size_t i = 0; i < (size_t)problem->first_count; i++)
        for (size_t j = packed_second ? 0 : i + 1; j < others; j++) {
            const float square =
                qn_distance_histogram_square(problem->cell, packed_first + floats * i, other + floats * j);
            const int bin = qn_distance_histogram_bin(bins, squared_edges, square);
            if (bin < bins->count) counts[bin]++;
        }
}

void qn_distance_histogram_exact(const qn_histogram_bins *bins, const qn_box *box, const float *first_nm,
                                 size_t first_count, const float *second_nm, size_t second_count, double epsilon_nm,
                                 uint64_t *counts, uint64_t *near)
{
    const float *other = second_nm ? second_nm : first_nm;
    const size_t others = second_nm ? second_count : first_count;
    const double half = bins->centred ? 0.5 : 0;
    for (size_t i = 0; i < first_count; i++)
        for (size_t j = second_nm ? 0 : i + 1; j < others; j++) {
            double from[3], to[3], d[3];
            for (size_t axis = 0; axis < 3; axis++) {
                from[axis] = first_nm[3 * i + axis];
                to[axis] = other[3 * j + axis];
            }
            qn_box_displacement(box, from, to, d);
            const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            const double place = distance / bins->width_nm + half, edge = nearbyint(place);
            if (place < bins->count) counts[(size_t)place]++;
            if (edge <= bins->count && fabs(distance - qn_histogram_bins_edge(bins, (int)edge)) <= epsilon_nm)
                near[(size_t)edge]++;
        }
}
