/* Gaussian noise for images. */
#ifndef QN_PROJECT_NOISE_H
#define QN_PROJECT_NOISE_H

#include <stddef.h>
#include <stdint.h>

/* Add to values[i] a normally distributed number times `deviation`. The number depends only on seed, stream and i (Box
 * and Muller 1958, doi 10.1214/aoms/1177706645). */
void qn_noise_add(uint64_t seed, uint64_t stream, double deviation, float *values, size_t count);

#endif
