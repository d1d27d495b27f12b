/* The path variables of distances (Branduardi, Gervasio and Parrinello 2007). */
#ifndef QN_COLLECTIVE_PATH_H
#define QN_COLLECTIVE_PATH_H

#include <stddef.h>

typedef struct qn_path_point {
    double s, z;
} qn_path_point;

/* Path variables of `count` distances; distance k is that of reference places[k], from 0. shares[k] becomes
 * exp(−λ d_k) / Σ exp(−λ d): the derivatives are ∂s/∂d_k = −λ (places[k] + 1 − s) shares[k] and ∂z/∂d_k = shares[k].
 * Exponents are taken relative to the least distance, so that sums neither overflow nor vanish. */
qn_path_point qn_path_point_of(const double *distances, const size_t *places, size_t count, double lambda,
                               double *shares);

#endif
