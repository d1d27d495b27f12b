/* C = A·B in single precision, for matrices of any size.
 *
 * A is stored by columns and B by rows, so that both are read along their lines whatever the tile, as in the published
 * kernel; C is stored by rows. */
#ifndef QN_BENCHMARK_ALGEBRA_GEMM_H
#define QN_BENCHMARK_ALGEBRA_GEMM_H

#include <quern/family.h>

extern const qn_family qn_benchmark_gemm_family;

typedef struct qn_gemm_problem {
    int rows, columns, inner; /* A: rows x inner, B: inner x columns */
} qn_gemm_problem;

/* c [rows][columns] = sum over k of a [k][rows] · b [k][columns]. configuration NULL: chosen as for any family.
 * Errors: QN_INVALID_ARGUMENT for sizes below 1 and buffers that are too small. */
QN_MUST_CHECK qn_status qn_gemm(qn_queue *queue, const qn_configuration *configuration, const qn_gemm_problem *problem,
                                qn_buffer *a, qn_buffer *b, qn_buffer *c, qn_event **event);

/* Key of tuning results: sizes up to the next power of two, and whether tiles may extend beyond the matrices. */
void qn_gemm_class(const qn_gemm_problem *problem, char text[64]);

/* One element of C in double. */
double qn_gemm_reference(const qn_gemm_problem *problem, const float *a, const float *b, int row, int column);

#endif
