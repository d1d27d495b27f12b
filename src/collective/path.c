#include "collective/path.h"

#include <math.h>

qn_path_point qn_path_point_of(const double *distances, const size_t *places, size_t count, double lambda,
                               double *shares)
{
    double least = INFINITY, sum = 0, mean = 0;
    for (size_t k = 0; k < count; k++) least = fmin(least, distances[k]);
    for (size_t k = 0; k < count; k++) {
        shares[k] = exp(-lambda * (distances[k] - least));
        sum += shares[k];
    }
    for (size_t k = 0; k < count; k++) {
        shares[k] /= sum;
        mean += shares[k] * (double)(places[k] + 1);
    }
    return (qn_path_point){.s = mean, .z = least - log(sum) / lambda};
}
