/* Sum of many floats. The time to read them once is the lower limit. */
#ifndef QN_BENCHMARK_ALGEBRA_REDUCTION_H
#define QN_BENCHMARK_ALGEBRA_REDUCTION_H

#include <quern/family.h>

enum { QN_REDUCTION_STEP = 16 }; /* the number of floats is a multiple of this */

extern const qn_family qn_benchmark_reduction_family;

typedef struct qn_reduction_problem {
    int count;
    int compute_units; /* of the device: groups are dealt out to them */
} qn_reduction_problem;

/* Bytes of the buffer of partial sums, for any configuration. */
size_t qn_reduction_scratch_bytes(const qn_reduction_problem *problem);

/* result[0] = Σ from[i]. seconds (may be NULL): gets the sum of the kernels' times, after waiting for them.
 * configuration NULL: chosen as for any family. */
QN_MUST_CHECK qn_status qn_reduction(qn_queue *queue, const qn_configuration *configuration,
                                     const qn_reduction_problem *problem, qn_buffer *from, qn_buffer *scratch,
                                     qn_buffer *result, double *seconds);

double qn_reduction_reference(const float *from, int count);

#endif
