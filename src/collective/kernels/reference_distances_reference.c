#include <math.h>

#include "collective/kernels/reference_distances.h"
#include "math/superpose.h"

double qn_reference_distance_exact(const qn_reference_distances_problem *problem, const float *reference,
                                   const float *frame)
{
    const size_t stride = (size_t)problem->stride;
    double s[9] = {0}, rotation[9], sum = 0;
    for (size_t i = 0; i < stride; i++)
        for (size_t k = 0; k < 9; k++)
            s[k] += (double)frame[3 * stride + i] * (double)reference[k / 3 * stride + i] *
                    (double)frame[k % 3 * stride + i];
    qn_superpose_correlation(s, rotation);
    for (size_t i = 0; i < stride; i++)
        for (size_t k = 0; k < 3; k++) {
            double difference = (double)frame[k * stride + i];
            for (size_t l = 0; l < 3; l++) difference -= rotation[3 * k + l] * (double)reference[l * stride + i];
            sum += (double)frame[3 * stride + i] * difference * difference;
        }
    return sqrt(sum / problem->weight_sum);
}

static double distance(const float *rows, size_t stride, size_t a, size_t b)
{
    double square = 0;
    for (size_t k = 0; k < 3; k++) {
        const double difference = (double)rows[k * stride + a] - (double)rows[k * stride + b];
        square += difference * difference;
    }
    return sqrt(square);
}

double qn_reference_drmsd_exact(const qn_reference_distances_problem *problem, const float *reference,
                                const float *frame)
{
    const size_t stride = (size_t)problem->stride, atoms = (size_t)problem->atoms;
    double sum = 0;
    for (size_t a = 0; a < atoms; a++)
        for (size_t b = 0; b < a; b++) {
            const double difference = distance(frame, stride, a, b) - distance(reference, stride, a, b);
            sum += difference * difference;
        }
    return sqrt(2 * sum / ((double)atoms * ((double)atoms - 1)));
}
