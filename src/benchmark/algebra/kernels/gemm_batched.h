/* C[m] = A[m]·B[m] in single precision for many small matrices, stored by rows one after the other. */
#ifndef QN_BENCHMARK_ALGEBRA_GEMM_BATCHED_H
#define QN_BENCHMARK_ALGEBRA_GEMM_BATCHED_H

#include <quern/family.h>

enum { QN_GEMM_BATCHED_MAX = 32 };

extern const qn_family qn_benchmark_gemm_batched_family;

typedef struct qn_gemm_batched_problem {
    int matrices;
    int rows, columns, inner; /* of every matrix, 1 … QN_GEMM_BATCHED_MAX; A: rows x inner, B: inner x columns */
} qn_gemm_batched_problem;

/* c [matrix][rows][columns] = sum over k of a [matrix][rows][k] · b [matrix][k][columns]. configuration NULL: chosen as
 * for any family. Errors: QN_INVALID_ARGUMENT for impossible sizes and buffers that are too small. */
QN_MUST_CHECK qn_status qn_gemm_batched(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_gemm_batched_problem *problem, qn_buffer *a, qn_buffer *b,
                                        qn_buffer *c, qn_event **event);

/* Key of tuning results: the sizes of a matrix, without the number of matrices. */
void qn_gemm_batched_class(const qn_gemm_batched_problem *problem, char text[64]);

/* One element of C in double; a and b are one pair of matrices. */
double qn_gemm_batched_reference(const qn_gemm_batched_problem *problem, const float *a, const float *b, int row,
                                 int column);

#endif
