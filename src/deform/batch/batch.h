/* States of a problem, many at once, on a device, in single precision: Newton's method as deform/state has it, for all
 * states of a batch together. States that have found their balance stay as they are while others go on.
 *
 * A state's numbers depend on the kind of device, on its parent and its place, and not on the batch that it is in. */
#ifndef QN_DEFORM_BATCH_BATCH_H
#define QN_DEFORM_BATCH_BATCH_H

#include <quern/family.h>

#include "base/thread_pool.h"
#include "deform/state/problem.h"

typedef struct qn_batch qn_batch;

typedef struct qn_batch_options {
    double tolerance; /* of the relative residual; single precision reaches about 1e-4 */
    int newton_steps_max;
    qn_pool *pool; /* moves numbers to and from the order of devices; NULL: the calling thread */
} qn_batch_options;

/* A state that is wanted, and what is found. Arrays are the caller's; x and change may be those of the parent. */
typedef struct qn_batch_state {
    const float *parent_x;      /* freedom_count */
    const float *parent_change; /* [3][freedom_count] */
    double parent_place[3], place[3];
    float *x, *change; /* found, likewise; change of held freedoms is 1 along their axis */
    double force[3], stiffness[9], energy, residual, least_volume;
    int newton_steps;
    bool converged; /* else Newton's method did not find a balance in one load step */
} qn_batch_state;

/* QN_UNSUPPORTED: a mean; order 2 without compressibility. The queue and the problem outlive the batch. */
QN_MUST_CHECK qn_status qn_batch_create(qn_queue *queue, const qn_problem *problem, int capacity,
                                        const qn_batch_options *options, qn_batch **batch);
void qn_batch_destroy(qn_batch **batch);

/* Bytes of the batch on the device. */
double qn_batch_bytes(const qn_batch *batch);

/* Find 1 to `capacity` states. A state without a balance is no failure. */
QN_MUST_CHECK qn_status qn_batch_solve(qn_batch *batch, qn_batch_state *states, int count);

#endif
