#include <math.h>

#include "cluster/measure/kernels/drmsd.h"

static double distance(const float *positions, int atoms, int a, int b)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double step = (double)positions[axis * atoms + a] - (double)positions[axis * atoms + b];
        sum += step * step;
    }
    return sqrt(sum);
}

static double compare(int atoms, const float *first, const float *second, const float *weights)
{
    double sum = 0, total = 0;
    for (int a = 0; a < atoms; a++)
        for (int b = a + 1; b < atoms; b++) {
            const double weight = weights ? (double)weights[a] * (double)weights[b] : 1;
            const double difference = distance(first, atoms, a, b) - distance(second, atoms, a, b);
            sum += weight * difference * difference;
            total += weight;
        }
    return sqrt(sum / total);
}

void qn_drmsd_reference(int atoms, const float *rows, int row_count, const float *columns, int column_count,
                        const float *weights, double *expected)
{
    const size_t floats = 3 * (size_t)atoms;
    for (int r = 0; r < row_count; r++)
        for (int c = 0; c < column_count; c++)
            expected[r * column_count + c] =
                compare(atoms, rows + (size_t)r * floats, columns + (size_t)c * floats, weights);
}
