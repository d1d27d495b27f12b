/* Transposition of a single precision matrix in memory: to[j][i] = from[i][j]. The time of a copy is the lower limit.
 */
#ifndef QN_BENCHMARK_ALGEBRA_TRANSPOSE_H
#define QN_BENCHMARK_ALGEBRA_TRANSPOSE_H

#include <quern/family.h>

enum { QN_TRANSPOSE_STEP = 16 }; /* rows and columns are multiples of this */

extern const qn_family qn_benchmark_transpose_family;

typedef struct qn_transpose_problem {
    int rows, columns; /* of the source */
} qn_transpose_problem;

/* configuration NULL: chosen as for any family. */
QN_MUST_CHECK qn_status qn_transpose(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_transpose_problem *problem, qn_buffer *from, qn_buffer *to,
                                     qn_event **event);

void qn_transpose_reference(const qn_transpose_problem *problem, const float *from, float *to);

#endif
