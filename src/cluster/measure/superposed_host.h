/* The sums over atoms of one pair in double, for superposed.c; built for each instruction set. */
#ifndef QN_CLUSTER_MEASURE_SUPERPOSED_HOST_H
#define QN_CLUSTER_MEASURE_SUPERPOSED_HOST_H

#include <stddef.h>

/* products[3·s + t] = Σ w (a_s − first_mean_s) (b_t − second_mean_t). first, second: a row of x, a row of y, a row of
 * z. weights NULL: all 1. */
typedef void (*qn_pair_products)(const float *first, const float *second, const float *weights, size_t atom_count,
                                 const double first_mean[3], const double second_mean[3], double products[9]);

#endif
