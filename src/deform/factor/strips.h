/* Dense kernels on strips of 8 rows (plan.h), in double precision, compiled for each level of the host.
 *
 * Every element is a sum in ascending order of the columns, one multiply-add after the other, so it has the same bits
 * whatever shares the work (level 2 has no fused multiply-add and rounds twice). */
#ifndef QN_DEFORM_FACTOR_STRIPS_H
#define QN_DEFORM_FACTOR_STRIPS_H

#include <stddef.h>

#include "runtime/host_variant.h"

enum { QN_STRIPS_AT_ONCE = 3, QN_STRIPS_SIDES = 4 };

/* A diagonal block of 8 × 8 as `divide` needs it: t[8 j + k] = s_k G_jk for k < j, and s_j / G_jj; zeros beyond the
 * last column. */
typedef struct qn_strips_block {
    double t[64], scale[8];
} qn_strips_block;

typedef struct qn_strips_kernels {
    /* c_r[8 j + i] −= Σ_k a_r[8 k + i] b[8 k + j] for strips r < count ≤ QN_STRIPS_AT_ONCE, i < 8, j < columns ≤ 8,
     * k < depth. */
    void (*subtract)(int count, double *const *c, const double *const *a, const double *b, size_t depth, int columns);
    /* c[8 j + i] becomes G: (c_j − Σ_{k < j} c_k t_jk) scale_j. */
    void (*divide)(double *c, const qn_strips_block *block, int columns);
    /* to[8 side + i] = from[8 side + i] − Σ_k a[8 k + i] x[sides k + side], k < depth; sides ≤ QN_STRIPS_SIDES. */
    void (*apply)(const double *a, size_t depth, const double *x, int sides, double *values);
    /* sums[8 (sides k + side) + i] += a[8 k + i] x[8 side + i], k < depth. */
    void (*apply_transposed)(const double *a, size_t depth, const double *x, int sides, double *sums);
} qn_strips_kernels;

QN_HOST_DECLARE(const qn_strips_kernels, qn_deform_strips_host);

#endif
