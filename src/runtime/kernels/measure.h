/* Kernels that do one thing at the fastest rate a device has: what `quern devices --measure` prints.
 *
 * This family is also the pattern for new ones:
 *     measure.cl            the kernels, in the words of the prelude
 *     measure.h, measure.c  this interface; declaration and launch functions
 *     measure_host.c        the host driver's kernels
 *     measure_reference.c   slow and obviously right
 *     ../tests/test_measure.c   each device and every corner of the space against the reference
 *
 * Each launch takes the configuration to run with; NULL: chosen as for any family. */
#ifndef QN_RUNTIME_MEASURE_H
#define QN_RUNTIME_MEASURE_H

#include <quern/family.h>

enum {
    QN_MEASURE_ELEMENTS_STEP = 256, /* element counts are multiples of this */
    QN_MEASURE_CHAINS_STEP = 512,   /* chain and counter counts are multiples of this */
    QN_MEASURE_MOST_STEPS = 65536   /* of local atomics: their sums fit 31 bits */
};

enum { QN_MEASURE_GROUP_SIZE, QN_MEASURE_VECTOR_WIDTH, QN_MEASURE_ELEMENTS_PER_ITEM };

extern const qn_family qn_runtime_measure_family;

typedef struct qn_measure_problem {
    int elements; /* of 16 bytes: four floats */
    int partials; /* sums that a large sum is left as */
    int chains;   /* independent sequences of dependent operations; counters of the local atomics */
    int steps;    /* length of a sequence */
} qn_measure_problem;

/* to[i] = from[i], i < elements */
QN_MUST_CHECK qn_status qn_measure_copy(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_measure_problem *problem, qn_buffer *from, qn_buffer *to,
                                        qn_event **event);

/* Σ partial[p] = Σ from[i]; which elements a partial sum holds is the configuration's business. */
QN_MUST_CHECK qn_status qn_measure_sum(qn_queue *queue, const qn_configuration *configuration,
                                       const qn_measure_problem *problem, qn_buffer *from, qn_buffer *partial,
                                       qn_event **event);

/* result[c] = x after `steps` times x ← x · factor + addend, fused, from x = c */
QN_MUST_CHECK qn_status qn_measure_multiply_add(qn_queue *queue, const qn_configuration *configuration,
                                                const qn_measure_problem *problem, qn_buffer *result, float factor,
                                                float addend, qn_event **event);

/* result[c] = x after `steps` times x ← 1 / √(x + addend), from x = c */
QN_MUST_CHECK qn_status qn_measure_reciprocal_root(qn_queue *queue, const qn_configuration *configuration,
                                                   const qn_measure_problem *problem, qn_buffer *result, float addend,
                                                   qn_event **event);

/* result[c] = a counter in local memory after step s = 0 … steps − 1 added s to it, each step by another work-item */
QN_MUST_CHECK qn_status qn_measure_local_atomic_add(qn_queue *queue, const qn_configuration *configuration,
                                                    const qn_measure_problem *problem, qn_buffer *result,
                                                    qn_event **event);

/* The same in double (measure_reference.c). */
double qn_measure_sum_reference(const qn_measure_problem *problem, const float *from);
double qn_measure_multiply_add_reference(int chain, int steps, double factor, double addend);
double qn_measure_reciprocal_root_reference(int chain, int steps, double addend);
int32_t qn_measure_local_atomic_add_reference(int steps);

#endif
