/* Matrices and naive methods that the tests of this room share. */
#ifndef QN_CLUSTER_METHOD_TESTS_MADE_MATRIX_H
#define QN_CLUSTER_METHOD_TESTS_MADE_MATRIX_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cluster/method/distance_matrix.h"

static uint32_t made_state = 1;

static inline double made_uniform(void)
{
    made_state = made_state * 1664525u + 1013904223u;
    return (made_state >> 8) / 16777216.0;
}

static inline size_t made_pairs(size_t count)
{
    return count * (count - 1) / 2;
}

/* Distances of random points in `dimension` dimensions around `groups` centres; `step` > 0 rounds coordinates to
 * multiples of it, which makes ties and identical items. */
static inline float *made_distances(size_t count, size_t dimension, size_t groups, double step)
{
    double *points = malloc(count * dimension * sizeof *points);
    float *distances = malloc((made_pairs(count) + 1) * sizeof *distances);
    for (size_t k = 0; k < count * dimension; k++) {
        points[k] = 10 * made_uniform() + 15 * (double)(k / dimension % groups) * (double)(k % 2 + 1);
        if (step > 0) points[k] = floor(points[k] / step) * step;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            double sum = 0;
            for (size_t d = 0; d < dimension; d++) {
                const double difference = points[i * dimension + d] - points[j * dimension + d];
                sum += difference * difference;
            }
            distances[qn_distance_place(count, i, j)] = (float)sqrt(sum);
        }
    free(points);
    return distances;
}

#endif
