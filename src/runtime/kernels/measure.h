/* Kernels that each run at one of a device's fastest rates, for `quern devices --measure`.
 *
 * This family is also the pattern for new families:
 *     measure.cl            the kernels, in the words of the prelude
 *     measure.h, measure.c  this interface; declaration and launch functions
 *     measure_host.c        the host driver's kernels
 *     measure_reference.c   slow and simple reference functions
 *     ../tests/test_measure.c   compares each device and every corner of the space with the reference
 *
 * Each launch takes its configuration; NULL: chosen as for any family. */
#ifndef QN_RUNTIME_MEASURE_H
#define QN_RUNTIME_MEASURE_H

#include <quern/family.h>

enum {
    QN_MEASURE_ELEMENTS_STEP = 256, /* element counts are multiples of this */
    QN_MEASURE_CHAINS_STEP = 512,   /* chain and counter counts are multiples of this */
    QN_MEASURE_STEPS_MAX = 65536    /* of local atomics, so that their sums fit 31 bits */
};

enum { QN_MEASURE_GROUP_SIZE, QN_MEASURE_VECTOR_WIDTH, QN_MEASURE_ELEMENTS_PER_ITEM };

extern const qn_family qn_runtime_measure_family;

typedef struct qn_measure_problem {
    int elements; /* of 16 bytes: four floats */
    int partials; /* number of partial sums */
    int chains;   /* independent sequences of dependent operations; counters of the local atomics */
    int steps;    /* length of a sequence */
} qn_measure_problem;

/* to[i] = from[i], i < elements */
QN_MUST_CHECK qn_status qn_measure_copy(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_measure_problem *problem, qn_buffer *from, qn_buffer *to,
                                        qn_event **event);

/* Compute partial sums with Σ partial[p] = Σ from[i]; the configuration decides which elements each holds. */
QN_MUST_CHECK qn_status qn_measure_sum(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_measure_problem *problem, qn_buffer *from, qn_buffer *partial,
                                       qn_event **event);

/* result[c] = x after `steps` fused steps x ← x · factor + addend, starting from x = c */
QN_MUST_CHECK qn_status qn_measure_multiply_add(qn_queue *queue, const qn_configuration *configuration,
                                                const qn_measure_problem *problem, qn_buffer *result, float factor,
                                                float addend, qn_event **event);

/* result[c] = x after `steps` steps x ← 1 / √(x + addend), starting from x = c */
QN_MUST_CHECK qn_status qn_measure_reciprocal_root(qn_queue *queue, const qn_configuration *configuration,
                                                   const qn_measure_problem *problem, qn_buffer *result, float addend,
                                                   qn_event **event);

/* result[c] = a counter in local memory after step s = 0 … steps − 1 added s to it, each step by a different work-item
 */
QN_MUST_CHECK qn_status qn_measure_local_atomic_add(qn_queue *queue, const qn_configuration *configuration,
                                                    const qn_measure_problem *problem, qn_buffer *result,
                                                    qn_event **event);

/* The same in double (measure_reference.c). */
double qn_measure_sum_reference(const qn_measure_problem *problem, const float *from);
double qn_measure_multiply_add_reference(int chain, int steps, double factor, double addend);
double qn_measure_reciprocal_root_reference(int chain, int steps, double addend);
int32_t qn_measure_local_atomic_add_reference(int steps);

#endif
