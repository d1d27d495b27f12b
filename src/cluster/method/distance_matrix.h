/* Distances between all pairs of n items, each pair once. */
#ifndef QN_CLUSTER_METHOD_DISTANCE_MATRIX_H
#define QN_CLUSTER_METHOD_DISTANCE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

/* Pairs i < j of n items in the order of scipy's pdist: element n·i − i(i+1)/2 + j − i − 1. One of `values` and `steps`
 * is NULL. */
typedef struct qn_distance_matrix {
    size_t count;          /* items */
    const float *values;   /* count·(count−1)/2 */
    const uint16_t *steps; /* value / step, rounded */
    float step;            /* 0.001 Å, or 0.0001 for scores */
} qn_distance_matrix;

/* Number of the pair of items i and j, i ≠ j, in any order. */
static inline size_t qn_distance_place(size_t count, size_t i, size_t j)
{
    const size_t low = i < j ? i : j, high = i < j ? j : i;
    return count * low - low * (low + 1) / 2 + high - low - 1;
}

/* Distance of items i and j, in any order; 0 for i == j. */
static inline float qn_distance_at(const qn_distance_matrix *matrix, size_t i, size_t j)
{
    if (i == j) return 0;
    const size_t place = qn_distance_place(matrix->count, i, j);
    return matrix->values ? matrix->values[place] : (float)matrix->steps[place] * matrix->step;
}

#endif
