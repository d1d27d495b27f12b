/* Factors of a batch of states on one device: what a solver needs of the families deform/factor and deform/substitute.
 *
 * Life cycle: create → (compute → solve …)… → destroy. Thread rule: that of the queue. */
#ifndef QN_DEFORM_FACTOR_BATCH_H
#define QN_DEFORM_FACTOR_BATCH_H

#include <quern/queue.h>

#include "deform/factor/factor.h"

typedef struct qn_factor_batch qn_factor_batch;

/* Room for at most `most` states in `bytes` bytes of the device's memory (0: any), which must hold values of K, too.
 * The plan and the queue stay the caller's, and outlive the batch. Errors: QN_OUT_OF_MEMORY, naming what one state
 * needs, where none fits; those of buffers. */
QN_MUST_CHECK qn_status qn_factor_batch_create(qn_queue *queue, const qn_factor_plan *plan, int most, double bytes,
                                               qn_factor_batch **batch);
void qn_factor_batch_destroy(qn_factor_batch **batch);

/* States that the batch has room for: the stride of the arrays of `compute` and `solve`. */
int qn_factor_batch_room(const qn_factor_batch *batch);

/* Bytes of the batch on the device, without values of K. */
double qn_factor_batch_bytes(const qn_factor_batch *batch);

/* Factor `states` states. values: of K, [value][room]. Asynchronous. */
QN_MUST_CHECK qn_status qn_factor_batch_compute(qn_factor_batch *batch, qn_buffer *values, int states);

/* Wait, and write the first freedom with a wrong pivot of each state of the last `compute`; SIZE_MAX: none. */
QN_MUST_CHECK qn_status qn_factor_batch_wrong(qn_factor_batch *batch, size_t *freedoms);

/* Replace right sides by solutions: x [side][freedom of the body][room], 1 to 4 sides. Freedoms that are not free keep
 * their numbers. Asynchronous. */
QN_MUST_CHECK qn_status qn_factor_batch_solve(qn_factor_batch *batch, int sides, qn_buffer *x);

#endif
