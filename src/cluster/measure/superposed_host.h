/* The sums over atoms of structures in double, for superposed.c; built for each instruction set. Positions are a row of
 * x, a row of y, a row of z; weights NULL: all 1. */
#ifndef QN_CLUSTER_MEASURE_SUPERPOSED_HOST_H
#define QN_CLUSTER_MEASURE_SUPERPOSED_HOST_H

#include <stddef.h>

typedef struct qn_superposed_sums {
    /* Weighted mean, and ½ Σ w |x|² about it. */
    void (*moments)(const float *positions, const float *weights, size_t atom_count, double weight_sum, double mean[3],
                    double *half_square);

    /* products[3·s + t] = Σ w (a_s − first_mean_s) (b_t − second_mean_t) */
    void (*products)(const float *first, const float *second, const float *weights, size_t atom_count,
                     const double first_mean[3], const double second_mean[3], double products[9]);
} qn_superposed_sums;

#endif
