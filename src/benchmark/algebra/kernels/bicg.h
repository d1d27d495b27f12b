/* The two products of a step of the biconjugate gradient method, q = A p and s = Aᵀ r, A dense and single precision.
 * The time to read A once is the lower limit. */
#ifndef QN_BENCHMARK_ALGEBRA_BICG_H
#define QN_BENCHMARK_ALGEBRA_BICG_H

#include <quern/family.h>

enum { QN_BICG_STEP = 16 }; /* columns are a multiple of this */

extern const qn_family qn_benchmark_bicg_family;

typedef struct qn_bicg_problem {
    int rows, columns;
} qn_bicg_problem;

/* Bytes of the buffer of partial sums, for any configuration. */
size_t qn_bicg_scratch_bytes(const qn_bicg_problem *problem);

/* matrix: rows of `columns`; p, s: columns; q, r: rows. seconds (may be NULL): gets the sum of the kernels' times,
 * after waiting for them. configuration NULL: chosen as for any family. */
QN_MUST_CHECK qn_status qn_bicg(qn_queue *queue, const qn_configuration *configuration, const qn_bicg_problem *problem,
                                qn_buffer *matrix, qn_buffer *p, qn_buffer *r, qn_buffer *scratch, qn_buffer *q,
                                qn_buffer *s, double *seconds);

/* Σ_i a[i · stride] · x[i], i < count, in double; *scale gets the sum of the terms' magnitudes. With rows and with
 * columns of A this is q and s. */
double qn_bicg_reference(const float *a, size_t stride, const float *x, int count, double *scale);

#endif
