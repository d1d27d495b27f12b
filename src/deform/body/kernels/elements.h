/* Residuals and tangents of many states of one body on a device, in single precision.
 *
 * Numbers of a batch are [entry][state]: an entry of a state is at entry · stride + state, with stride ≥ count. Entries
 * of x and r are the body's freedoms, those of a tangent the values of its pattern. Places of states from count to
 * stride are written as 0. Sums have a fixed order, so that the results of a state depend neither on the other states
 * nor on its place nor on the configuration.
 *
 * `points` stores displacement gradients and the measures of elements. Run it before the other kernels of the same x:
 * `measure` adds up what it measured, and residual and tangent may read gradients instead of forming them. On the host
 * strides that are multiples of 16 need no copies. */
#ifndef QN_DEFORM_BODY_KERNELS_ELEMENTS_H
#define QN_DEFORM_BODY_KERNELS_ELEMENTS_H

#include <quern/family.h>

#include "deform/body/body.h"

enum { QN_ELEMENTS_STATES, QN_ELEMENTS_OWNERS, QN_ELEMENTS_FUSED };                          /* tunables */
enum { QN_ELEMENTS_POINTS, QN_ELEMENTS_MEASURE, QN_ELEMENTS_RESIDUAL, QN_ELEMENTS_TANGENT }; /* kernels */
enum { QN_ELEMENTS_STATES_MAX = 1 << 16 };

/* A body on a device. */
typedef struct qn_elements {
    const qn_body *body; /* outlives it */
    int block_count;
    qn_buffer *nodes, *first_freedom, *gradients, *weights, *incident_start, *incident, *pair_start, *pairs,
        *block_start;
} qn_elements;

QN_MUST_CHECK qn_status qn_elements_create(qn_queue *queue, const qn_body *body, qn_elements **elements);
void qn_elements_destroy(qn_elements **elements);

/* Sizes of a launch: the family's problem. */
typedef struct qn_elements_problem {
    int order, element_count, node_count, block_count;
    bool mooney, mixed;
    int count, stride;
    double freedom_count, value_count;
} qn_elements_problem;

qn_elements_problem qn_elements_problem_of(const qn_body *body, int count, int stride);

/* Buffers of a batch. Bytes that each needs: qn_elements_batch_bytes. */
typedef struct qn_elements_batch {
    int count, stride;
    qn_buffer *x;        /* [freedom][stride] */
    qn_buffer *stored;   /* of `points`, for the other kernels */
    qn_buffer *measures; /* of elements, for `measure` */
    qn_buffer *result;   /* [2][stride]: energy (J) and least J = det F of each state */
    qn_buffer *r;        /* [freedom][stride] */
    qn_buffer *values;   /* [value][stride] */
} qn_elements_batch;

typedef struct qn_elements_bytes {
    size_t x, stored, measures, result, values;
} qn_elements_bytes;
qn_elements_bytes qn_elements_batch_bytes(const qn_body *body, int stride);

/* Launch one of the kernels. QN_INVALID_ARGUMENT for a count or stride out of range or buffers that are too small.
 * `configuration` NULL: chosen by the tuner. */
QN_MUST_CHECK qn_status qn_elements_run(qn_queue *queue, int kernel, const qn_configuration *configuration,
                                        const qn_elements *elements, const qn_elements_batch *batch, qn_event **event);

/* Name of the problem's class, the key of tuning results. */
void qn_elements_class(const qn_elements_problem *problem, char text[64]);

/* Residual and tangent of one state of a batch in double precision; r, values and measures may be NULL.
 * QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_elements_reference(const qn_body *body, const float *x, int stride, int state, double *r,
                                              double *values, qn_body_measures *measures);

extern const qn_family qn_deform_elements_family;

#endif
